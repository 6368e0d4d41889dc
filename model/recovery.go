package model

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// recovery tells when the weather was over, and when goodput was back: the two are
// not the same where retries keep a provider overloaded by themselves.
//
// The trigger is all of the weather, from the first period's beginning to the end of the
// last. Goodput before it is B, operations that succeeded a second from the end of the
// warm-up to the beginning. Seconds are counted from the trigger's end as long as
// operations go on starting. Goodput is back with the first of them that has
// at least 80 % of B and opens a time of 10 s, or of 100/B where that is longer, with at
// least 80 % of B on average; a load that ends sooner is looked at to its end.
//
//	B     seconds 0, 1, 2, ... after the trigger  back
//	80/s  0, 0, 100, 80, 80, ...                  with second 2
//	80/s  80, 0, 0, 0, 0, ...                     never: what was left over, no recovery
//	0/s   whatever                                cannot be said
//
// Where the run ends before the weather does, or no operation starts for a second after
// it, nothing can be said either.
type recovery struct {
	from, start, end time.Duration // of what is before; of the trigger
	weather          bool
	before           int64       // successes before it
	after            *sim.Series // successes since its end, by the second
	load             time.Duration
}

// DidNotRecover begins the warning that goodput never came back.
const DidNotRecover = "provider.weather: goodput did not recover within the run"

const (
	goodAgain     = 0.8
	leastToSee    = 10 // seconds
	leastExpected = 100
)

func newRecovery(c *Config) recovery {
	r := recovery{from: c.WarmUp, weather: len(c.Provider.Weather) > 0, after: sim.NewSeries(time.Second)}
	for i, w := range c.Provider.Weather {
		if i == 0 || w.At < r.start {
			r.start = w.At
		}
		r.end = max(r.end, w.Until())
	}
	return r
}

// succeeded counts an operation.
func (r *recovery) succeeded(now time.Duration) {
	switch {
	case !r.weather:
	case now >= r.end:
		r.after.Add(now-r.end, 1)
	case r.from <= now && now < r.start:
		r.before++
	}
}

// times are the trigger's end and the recovery of a run that is over, in seconds.
func (r *recovery) times(over time.Duration) (trigger, back Number) {
	trigger, back = Undefined(), Undefined()
	if !r.weather || r.end > over {
		return trigger, back
	}
	trigger = seconds(r.end)
	if first, known := r.firstGood(); known && first >= 0 {
		back = seconds(r.end + time.Duration(first)*time.Second)
	}
	return trigger, back
}

// goodput is B.
func (r *recovery) goodput() float64 {
	if r.start <= r.from {
		return 0
	}
	return float64(r.before) / (r.start - r.from).Seconds()
}

// seen is how many seconds there are to look at.
func (r *recovery) seen() int { return int(max(0, r.load-r.end) / time.Second) }

// firstGood is the second with which goodput is back, -1 if none; false where nothing can
// be said.
func (r *recovery) firstGood() (second int, known bool) {
	seen, want := r.seen(), goodAgain*r.goodput()
	if want == 0 || seen == 0 {
		return -1, false
	}
	look := min(seen, int(math.Ceil(max(leastToSee, leastExpected/r.goodput()))))
	sum := r.sum(0, look)
	for s := 0; ; s++ {
		if float64(r.after.At(s)) >= want && float64(sum)/float64(look) >= want {
			return s, true
		}
		if s+look >= seen {
			return -1, true
		}
		sum += r.after.At(s+look) - r.after.At(s)
	}
}

func (r *recovery) sum(from, to int) (n int64) {
	for s := from; s < to; s++ {
		n += r.after.At(s)
	}
	return n
}

// warning says that goodput never came back; "" if it did, or nothing can be said.
func (r *recovery) warning(over time.Duration) string {
	first, known := r.firstGood()
	if !known || first >= 0 || r.end > over {
		return ""
	}
	seen := r.seen()
	last := min(seen, leastToSee)
	now := float64(r.sum(seen-last, seen)) / float64(last)
	return fmt.Sprintf("%s: %v operations a second succeeded before the weather, %v in the last %d s in which operations started, though the weather was over at %v",
		DidNotRecover, tenths(Number(r.goodput())), tenths(Number(now)), last, r.end)
}
