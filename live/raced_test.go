//go:build race

package live

// raced tells that the race detector allows 8,128 goroutines and no more.
const raced = true
