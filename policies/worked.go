package policies

import (
	"math"
	"time"
)

// Worked is one column of a policy's worked table: how long it waits before an attempt
// without a hint, whatever is drawn.
type Worked struct {
	Attempt     int // from 2
	Least, Most time.Duration
}

// Work returns the worked table of a policy up to so many attempts, or as many as it
// allows. Least and most are over all draws, and over whether the server throttled.
func (p Policy) Work(attempts int) []Worked {
	backoff := p.Backoff.New()
	var table []Worked
	var least, most time.Duration
	throttled := Answer{Status: 429}
	for n := 0; n+2 <= attempts && Count(n+2) <= p.Attempts; n++ {
		low := Retry{N: n, Prev: least, U: 0}
		high := Retry{N: n, Prev: most, U: math.Nextafter(1, 0)}
		least, most = backoff.Wait(low), backoff.Wait(high)
		low.Outcome, high.Outcome = throttled, throttled
		least, most = min(least, backoff.Wait(low)), max(most, backoff.Wait(high))
		table = append(table, Worked{Attempt: n + 2, Least: least, Most: most})
	}
	return table
}
