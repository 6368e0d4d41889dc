package live

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs f in a synctest bubble. With the race detector it has one processor, and is not
// for parallel tests: on two, a bubble's timers run at once in the one race context they share,
// of which the detector dies (https://go.dev/issue/78156).
func bubble(t *testing.T, f func(t *testing.T)) {
	if raced {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	synctest.Test(t, f)
}

// pass lets d go by in a synctest bubble, whose clock jumps as soon as all are at rest:
// nobody sleeps. A mock clock would not do, as none can be put under net/http's own timers.
// Outside a bubble, where real time would pass, it panics.
func pass(d time.Duration) {
	if time.Now().Year() > 2000 { // a bubble's clock starts with 2000, https://pkg.go.dev/testing/synctest
		panic("time passes by itself only in a synctest bubble")
	}
	<-time.After(d)
}
