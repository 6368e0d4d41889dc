//go:build unix

package experiment

import (
	"math"

	"golang.org/x/sys/unix"
)

// openFiles is how many files the machine lets this program have open at once.
func openFiles() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}
