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

// Process says how arrivals are spread.
type Process string

// The processes.
const (
	// ConstantProcess is evenly spaced: arrival k of a step comes k/rate after the step
	// begins, rounded up to the nanosecond, the first at its very beginning.
	ConstantProcess Process = "constant"
	// PoissonProcess is memoryless: gaps are exponential with the rate's mean.
	PoissonProcess Process = "poisson"
)

// Words lists the processes a scenario may name.
func (Process) Words() []string { return words(ConstantProcess, PoissonProcess) }

// arrivals yields the instants of an open group's operations.
type arrivals struct {
	steps []arrivalStep
	until time.Duration
	made  int64 // constant: in the first step

	poisson bool
	at      time.Duration // of the last
	key     sim.Key       // names the gaps
	drawn   uint64
}

type arrivalStep struct {
	from time.Duration
	rate policies.Rate
}

// Open says whether operations arrive at a rate, whoever is still waiting, rather
// than from a fixed number of clients.
func (a *Arrive) Open() bool { return a.Rate != nil }

// arrivals starts an open group's arrivals; the key names what is random about them.
func (a *Arrive) arrivals(key sim.Key) arrivals {
	out := arrivals{until: policies.Never, poisson: a.Process == PoissonProcess, at: a.At, key: key.At(1 << 63)}
	if a.For > 0 {
		out.until = a.At + a.For
	}
	if a.Rate.Steps == nil {
		out.steps = []arrivalStep{{a.At, a.Rate.Steady}}
		return out
	}
	for from, rate := range a.Rate.Steps {
		out.steps = append(out.steps, arrivalStep{a.At + from, rate})
	}
	slices.SortFunc(out.steps, func(x, y arrivalStep) int { return int(min(1, max(-1, x.from-y.from))) })
	return out
}

// next returns the next arrival, and false when there are no more.
func (a *arrivals) next() (time.Duration, bool) {
	if a.poisson {
		return a.nextPoisson()
	}
	for len(a.steps) > 0 {
		step, end := a.steps[0], a.until
		if len(a.steps) > 1 {
			end = min(end, a.steps[1].from)
		}
		if step.rate.N > 0 {
			if after := step.rate.Time(a.made); after < end-step.from {
				a.made++
				return step.from + after, true
			}
		}
		a.steps, a.made = a.steps[1:], 0
	}
	return 0, false
}

// nextPoisson spends a standard exponential draw on the steps' rates: where a step
// ends before it is spent, the rest goes on in the next.
func (a *arrivals) nextPoisson() (time.Duration, bool) {
	hazard := -math.Log1p(-a.key.At(a.drawn).Uniform())
	a.drawn++
	for len(a.steps) > 0 {
		step, end := a.steps[0], a.until
		if len(a.steps) > 1 {
			end = min(end, a.steps[1].from)
		}
		a.at = max(a.at, step.from)
		if step.rate.N > 0 {
			mean := float64(step.rate.Per) / float64(step.rate.N)
			if gap := hazard * mean; gap < float64(end-a.at) {
				a.at += time.Duration(gap)
				return a.at, true
			}
			hazard -= float64(end-a.at) / mean
		}
		a.steps, a.at = a.steps[1:], end
	}
	return 0, false
}
