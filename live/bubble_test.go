package live

import "time"

// pass lets d go by in a synctest bubble, whose clock jumps as soon as all are at rest:
// nobody sleeps. Outside a bubble, where it would, it panics.
func pass(d time.Duration) {
	if time.Now().Year() > 2000 { // a bubble's clock starts with 2000, https://pkg.go.dev/testing/synctest
		panic("time passes by itself only in a synctest bubble")
	}
	// It must be Sleep: in a bubble that is how the clock is let run, and no mock can be put
	// under net/http's own timers. No real time passes; see the check above.
	time.Sleep(d)
}
