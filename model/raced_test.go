//go:build race

package model_test

// raced tells that the race detector slows everything down.
const raced = true
