//go:build !race

package scenarios

const Raced = false
