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
// operations go on starting: there are S of them. Goodput is back with the first second
// that has at least 80 % of B and opens a time that has at least 80 % of B on average.
//
//	time   L = max(10 s, 100/B), in whole seconds, so that B makes a hundred in it
//	tail   M = min(S, max(10 s, 20/B)): near the end a time may be cut short, to no less than M
//	end    where the last M seconds have 80 % of B, goodput is back with the first of them that has
//
//	B     seconds 0, 1, 2, ... after the trigger  back
//	80/s  0, 0, 100, 80, 80, ...                  with second 2
//	80/s  80, 0, 0, 0, 0, ...                     never: what was left over, no recovery
//	0/s   whatever                                cannot be said
//
// Where fewer than 20 succeeded before, or B makes fewer than 20 in S, chance decides and
// it cannot be said: a warning tells so. Where the run ends before the weather does, or no
// operation starts for a second after it, nothing can be said either.
type recovery struct {
	from, start, end time.Duration // of what is before; of the trigger
	weather          bool
	before           int64       // successes before it
	after            *sim.Series // successes since its end, by the second
	load             time.Duration
}

// DidNotRecover begins the warning that goodput never came back.
const DidNotRecover = "provider.weather: goodput did not recover within the run"

// TooFewToTell begins the warning that it cannot be said whether it did.
const TooFewToTell = "provider.weather: too few operations to tell whether goodput recovered"

const (
	goodAgain     = 0.8
	leastToSee    = 10  // seconds
	leastExpected = 100 // successes
	leastToTell   = 20
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

// tooFew says that something succeeded before and went on after, but too little to tell.
func (r *recovery) tooFew() bool {
	seen := r.seen()
	return r.before > 0 && seen > 0 && (r.before < leastToTell || r.goodput()*float64(seen) < leastToTell)
}

// span is how many whole seconds B takes for so many successes, 10 at least, but no more
// than there are.
func (r *recovery) span(successes float64) int {
	return int(min(float64(r.seen()), math.Ceil(max(leastToSee, successes/r.goodput()))))
}

// firstGood is the second with which goodput is back, -1 if none; false where nothing can
// be said.
func (r *recovery) firstGood() (second int, known bool) {
	seen, want := r.seen(), goodAgain*r.goodput()
	if want == 0 || seen == 0 || r.tooFew() {
		return -1, false
	}
	look, tail := r.span(leastExpected), seen-r.span(leastToTell)
	sum := r.sum(0, look)
	for s := 0; s <= tail; s++ {
		if float64(r.after.At(s)) >= want && float64(sum) >= want*float64(min(look, seen-s)) {
			return s, true
		}
		sum -= r.after.At(s)
		if s+look < seen {
			sum += r.after.At(s + look)
		}
	}
	if float64(r.sum(tail, seen)) < want*float64(seen-tail) {
		return -1, true
	}
	for s := tail; s < seen; s++ {
		if float64(r.after.At(s)) >= want {
			return s, true
		}
	}
	return -1, true
}

func (r *recovery) sum(from, to int) (n int64) {
	for s := from; s < to; s++ {
		n += r.after.At(s)
	}
	return n
}

// warning says that goodput never came back, or that it cannot be said; "" if it did, or
// there is nothing to say.
func (r *recovery) warning(over time.Duration) string {
	if !r.weather || r.end > over {
		return ""
	}
	seen, before := r.seen(), rate(r.goodput())
	if r.tooFew() {
		return fmt.Sprintf("%s: %d succeeded before the weather, %v a second, and operations started for %d s after it; at least %d successes are needed before it, and as many to be expected after",
			TooFewToTell, r.before, before, seen, leastToTell)
	}
	if first, known := r.firstGood(); !known || first >= 0 {
		return ""
	}
	last := r.span(leastToTell)
	now := float64(r.sum(seen-last, seen)) / float64(last)
	return fmt.Sprintf("%s: %v operations a second succeeded before the weather, %v in the last %d s in which operations started, though the weather was over at %v",
		DidNotRecover, before, rate(now), last, r.end)
}

// rate is one in three digits, and in tenths where it is large.
func rate(perSecond float64) float64 {
	if perSecond >= 100 || perSecond <= 0 {
		return tenths(Number(perSecond))
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(perSecond)))
	return math.Round(perSecond*scale) / scale
}
