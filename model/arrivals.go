package model

import (
	"math"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// RateSteps is a rate of arrivals: one, or steps by the time they begin.
type RateSteps struct {
	Steady policies.Rate                   `yaml:",short"`
	Steps  map[time.Duration]policies.Rate `yaml:",rest" example:"{0s: 40/s, 20s: 80/s}"` // times are from the group's `at`
}

// Process says how arrivals are spread over their rate. All but the first are renewal
// processes: the number of arrivals to be expected since the last is, each time anew, of
// one distribution of mean 1. Where the rate changes, the process runs faster or slower
// and is otherwise the same; the first arrival comes such a gap after `at`.
type Process struct {
	Constant *Evenly     `yaml:"constant,one"`
	Poisson  *Memoryless `yaml:"poisson,one"`
	Gamma    *Variation  `yaml:"gamma,one"`   // gaps of a gamma distribution, the usual model of bursts
	Weibull  *Variation  `yaml:"weibull,one"` // gaps of a Weibull distribution, with more of the very long ones
}

// Evenly is evenly spaced: arrival k of a step comes k/rate after the step begins, rounded
// up to the nanosecond, the first at its very beginning. Where steps are joined, k arrivals
// are to be expected before arrival k, the first of all being number 0.
type Evenly struct{}

// Memoryless arrivals have exponential gaps.
type Memoryless struct{}

// Variation says how gaps vary: their coefficient of variation, which is the standard
// deviation divided by the mean. 1 is memoryless, less is steadier, more comes in bursts.
type Variation struct {
	CV float64 `yaml:"cv,required" min:"0.01" max:"100"`
}

// gaps is how long gaps are, where they are random; nil where they are exponential.
func (p *Process) gaps(known tables) *quantiles {
	switch {
	case p.Gamma != nil:
		return known.of(shape{cv: p.Gamma.CV})
	case p.Weibull != nil:
		return known.of(shape{weibull: true, cv: p.Weibull.CV})
	}
	return nil
}

// arrivals yields the instants of an open group's operations.
type arrivals struct {
	left  []stretch // of the rate, to come
	until time.Duration

	evenly bool
	joined bool    // evenly: the stretches are one
	made   int64   // evenly: in this stretch, or in all where they are joined
	before float64 // evenly, joined: to be expected before this stretch

	gaps  *quantiles // nil: exponential
	at    time.Duration
	key   sim.Key // names the gaps
	drawn uint64

	replay *Playback // of a trace, instead of all that
	row    int
}

// stretch is a time in which the rate is constant, or changes evenly to that of the next.
type stretch struct {
	from, to time.Duration
	rate     policies.Rate
	slope    float64 // by how much the rate, in arrivals per nanosecond, grows each nanosecond
}

// Open says whether operations come of their own, at a rate or out of a trace, whoever is
// still waiting, rather than from a fixed number of clients.
func (a *Arrive) Open() bool { return a.Rate != nil || a.Trace != "" }

// OperationsAtMost is how many operations there can be; false where nobody knows before they
// have come.
func (c *Config) OperationsAtMost() (n int64, known bool) {
	for i := range c.Clients {
		g := &c.Clients[i]
		if g.Arrive.Rate != nil || g.Repeat.Operations == policies.Unlimited {
			return 0, false
		}
		if g.Arrive.Trace != "" {
			n += int64(len(g.Arrive.Playback.Rows))
			continue
		}
		n += int64(g.Count) * int64(g.Repeat.Operations)
	}
	return n, true
}

// arrivals starts an open group's arrivals; the key names what is random about them.
func (a *Arrive) arrivals(key sim.Key, gaps *quantiles) arrivals {
	p := &a.Process
	out := arrivals{
		until: policies.Never, evenly: p.Poisson == nil && p.Gamma == nil && p.Weibull == nil, joined: a.Ramp,
		gaps: gaps, at: a.At, key: key.At(1 << 63),
	}
	if a.Trace != "" {
		out.replay = &a.Playback
		return out
	}
	if a.For > 0 {
		out.until = a.At + a.For
	}
	out.left = a.stretches()
	return out
}

// stretches are those of the rate, the last without an end.
func (a *Arrive) stretches() []stretch {
	if a.Rate.Steps == nil {
		return []stretch{{from: a.At, to: policies.Never, rate: a.Rate.Steady}}
	}
	var out []stretch
	for from, rate := range a.Rate.Steps {
		out = append(out, stretch{from: a.At + from, to: policies.Never, rate: rate})
	}
	slices.SortFunc(out, func(x, y stretch) int { return int(min(1, max(-1, x.from-y.from))) })
	for i := range out[1:] {
		s, next := &out[i], &out[i+1]
		if s.to = next.from; a.Ramp {
			s.slope = (perNano(next.rate) - perNano(s.rate)) / float64(s.to-s.from)
		}
	}
	return out
}

func perNano(r policies.Rate) float64 {
	if r.N == 0 {
		return 0
	}
	return float64(r.N) / float64(r.Per)
}

// expected is how many arrivals are to be expected in the stretch from one instant in it
// to another: the area under the rate.
func (s *stretch) expected(from, to time.Duration) float64 {
	if to <= from {
		return 0
	}
	half := from - s.from + (to-from)/2
	return float64((perNano(s.rate) + float64(s.slope*float64(half))) * float64(to-from)) // rounded here on every machine
}

// after is how long after an instant in the stretch n more arrivals are to be expected; as
// good as never where the rate falls to 0 before.
func (s *stretch) after(at time.Duration, n float64) float64 {
	rate := perNano(s.rate)
	if s.slope == 0 {
		if s.rate.N == 0 {
			return float64(policies.Never)
		}
		return n * (float64(s.rate.Per) / float64(s.rate.N))
	}
	// n = rate t + slope t^2/2, in the form that loses no digits where the slope is small.
	rate += float64(s.slope * float64(at-s.from))
	square := float64(rate*rate) + float64(2*s.slope*n)
	if square < 0 || rate < 0 {
		return float64(policies.Never)
	}
	if both := rate + math.Sqrt(square); both > 0 {
		return 2 * n / both
	}
	return 0
}

// Expected is how many operations are to be expected before an instant; of a trace, how
// many it has.
func (a *Arrive) Expected(before time.Duration) (n float64) {
	if a.Trace != "" {
		return float64(len(a.Playback.Rows))
	}
	for _, s := range a.stretches() {
		n += s.expected(s.from, min(s.to, before))
	}
	return n
}

// MeanRate is how many operations a second arrive at an open population before an instant,
// while they come: a trace's rows until the last of them. 0 where nobody can say.
func (a *Arrive) MeanRate(before time.Duration) float64 {
	from, to, n := a.At, before, 0.0
	switch {
	case a.Trace != "":
		played := a.Playback.before(a.At, before)
		if played < 2 {
			return 0
		}
		from, _ = a.Playback.at(a.At, 0)
		to, _ = a.Playback.at(a.At, played-1)
		n = float64(played - 1) // gaps
	default:
		if a.For > 0 {
			to = min(before, a.At+a.For)
		}
		n = a.Expected(to)
	}
	if to <= from {
		return 0
	}
	return n / (to - from).Seconds()
}

// next returns the next arrival, and false when there are no more.
func (a *arrivals) next() (time.Duration, bool) {
	switch {
	case a.replay != nil:
		a.row++
		return a.replay.at(a.at, a.row-1)
	case !a.evenly:
		return a.nextRandom()
	case a.joined:
		return a.nextJoined()
	}
	for len(a.left) > 0 {
		s := &a.left[0]
		if s.rate.N > 0 {
			if after := s.rate.Time(a.made); after < min(a.until, s.to)-s.from {
				a.made++
				return s.from + after, true
			}
		}
		a.left, a.made = a.left[1:], 0
	}
	return 0, false
}

// nextJoined is the next of evenly spaced arrivals at a rate that changes evenly, reckoned
// from the stretch's beginning so that no error adds up.
func (a *arrivals) nextJoined() (time.Duration, bool) {
	for len(a.left) > 0 {
		s := &a.left[0]
		end := min(a.until, s.to)
		if after := s.after(s.from, max(0, float64(a.made)-a.before)); after < float64(end-s.from) {
			a.made++
			return s.from + time.Duration(after), true
		}
		a.before += s.expected(s.from, end)
		a.left = a.left[1:]
	}
	return 0, false
}

// nextRandom spends a gap of mean 1 on what the stretches let expect: where one ends before
// it is spent, the rest goes on in the next.
func (a *arrivals) nextRandom() (time.Duration, bool) {
	u := a.key.At(a.drawn).Uniform()
	a.drawn++
	gap := 0.0
	if a.gaps != nil {
		gap = a.gaps.at(u)
	} else {
		gap = -math.Log1p(-u)
	}
	for len(a.left) > 0 {
		s := &a.left[0]
		end := min(a.until, s.to)
		a.at = max(a.at, s.from)
		if after := s.after(a.at, gap); after < float64(end-a.at) {
			a.at += time.Duration(after)
			return a.at, true
		}
		gap = max(0, gap-s.expected(a.at, end))
		a.left, a.at = a.left[1:], end
	}
	return 0, false
}
