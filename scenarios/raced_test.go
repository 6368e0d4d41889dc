//go:build race

package scenarios

// Raced tells that the race detector slows everything down, so that tests of many cases
// that share nothing try a part of them.
const Raced = true
