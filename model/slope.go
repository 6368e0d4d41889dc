package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// slope is an acceleration limit: traffic may be as fast as `above` at any time,
// and beyond that grow by a share in each `per`. Providers publish the rule of thumb
// (above 1M input tokens a minute, at most 50 % in 15 minutes) but not how they
// judge it, so this is ours:
//
//	ceiling of span k = max(above, (1 + grow) * mean rate admitted in span k-1)
//
// where spans are [k*per, (k+1)*per) and the rate is judged in aligned windows
// of above's unit: in one minute for 1000000/min. A request is admitted if it is
// the first of its window or count + cost <= ceiling, else it waits for the next
// window, so it is never in vain.
//
// The mean, not the peak, makes the ceiling: a short peak earns nothing, the sum of
// a span is at most (1 + grow) times that of the one before, and a span of silence
// loses all.
//
// 3M offered each minute, above 1000000/min, grow 50%, per 15m:
//
//	from  ceiling
//	0     1,000,000
//	15m   1,500,000
//	30m   2,250,000
//	45m   3,375,000
type slope struct {
	charge charge
	above  int64
	unit   windows
	span   windows
	grow   Share

	window  int64 // whose count it is
	count   int64
	index   int64 // of the span
	sum     int64 // admitted in it
	ceiling int64
}

func newSlope(c *SlopeConfig) *slope {
	limit := LimitConfig{Axis: c.Axis}
	s := &slope{
		charge: limit.charge(), above: c.Above.N, grow: c.Grow,
		unit: windows{per: c.Above.Per}, span: windows{per: c.Per},
	}
	s.reset()
	return s
}

func (s *slope) reset() { s.window, s.count, s.index, s.sum, s.ceiling = 0, 0, 0, 0, s.above }

func (s *slope) roll(now time.Duration) {
	window := s.unit.of(now)
	if window == s.window {
		return
	}
	s.window, s.count = window, 0
	switch index := s.span.of(now); index {
	case s.index:
	case s.index + 1:
		s.index, s.ceiling, s.sum = index, s.next(), 0
	default:
		s.index, s.ceiling, s.sum = index, s.above, 0
	}
}

// next is the ceiling of the span after this one.
func (s *slope) next() int64 {
	mean, _, _ := policies.MulDiv(uint64(s.sum), uint64(s.unit.per), uint64(s.span.per))
	more, _, fits := policies.MulDiv(mean, uint64(Whole+s.grow), uint64(Whole))
	if !fits || more > mostCharge {
		return mostCharge
	}
	return max(s.above, int64(more))
}

func (s *slope) wait(now time.Duration, need int64) time.Duration {
	s.roll(now)
	if need == 0 || s.count == 0 || s.count+need <= s.ceiling {
		return 0
	}
	return s.unit.per - s.unit.into(now)
}

func (s *slope) add(now time.Duration, cost int64) {
	s.roll(now)
	s.count += cost
	s.sum += cost
}

func (s *slope) use(now time.Duration) (used int64, reset time.Duration) {
	if s.roll(now); s.count == 0 {
		return 0, 0
	}
	return s.count, s.unit.per - s.unit.into(now)
}
