package model

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// RateSteps is a rate of arrivals: one, or steps by the time they begin.
type RateSteps struct {
	Steady policies.Rate                   `yaml:",short"`
	Steps  map[time.Duration]policies.Rate `yaml:",rest"` // times are from the group's `at`
}

// Process says how arrivals are spread.
type Process string

// The processes.
const (
	// ConstantProcess is evenly spaced: arrival k of a step comes k/rate after the step
	// begins, rounded up to the nanosecond, the first at its very beginning.
	ConstantProcess Process = "constant"
)

// Words lists the processes a scenario may name.
func (Process) Words() []string { return []string{string(ConstantProcess)} }

// arrivals yields the instants of an open group's operations.
type arrivals struct {
	steps []arrivalStep
	until time.Duration
	made  int64 // in the first step
}

type arrivalStep struct {
	from time.Duration
	rate policies.Rate
}

// Open says whether operations arrive at a rate, whoever is still waiting, rather
// than from a fixed number of clients.
func (a *Arrive) Open() bool { return a.Rate != nil }

// arrivals starts an open group's arrivals.
func (a *Arrive) arrivals() arrivals {
	out := arrivals{until: policies.Never}
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
