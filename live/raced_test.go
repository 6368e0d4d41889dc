//go:build race

package live

// raced tells of the race detector, which allows 8,128 goroutines and no more.
const raced = true
