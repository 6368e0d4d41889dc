//go:build !linux

package experiment

// finePoll does nothing where Go's poll waits as long as it is told, and not in whole milliseconds.
func finePoll() (stop func()) { return func() {} }
