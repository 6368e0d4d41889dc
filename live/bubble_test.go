package live

import "time"

// pass lets d go by in a synctest bubble, whose clock jumps as soon as all are at rest:
// nobody sleeps. A mock clock would not do, as none can be put under net/http's own timers.
// Outside a bubble, where real time would pass, it panics.
func pass(d time.Duration) {
	if time.Now().Year() > 2000 { // a bubble's clock starts with 2000, https://pkg.go.dev/testing/synctest
		panic("time passes by itself only in a synctest bubble")
	}
	<-time.After(d)
}
