package model

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// NewServedTally returns the tally of a provider that serves whoever comes, for as long as
// it is left to. Its groups are those of who came: [Tally.Visitor] adds them. What it holds
// is bounded: slots are counted up to the scenario's stop.after, sums for ever.
func NewServedTally(c *Config) *Tally {
	alone := *c
	alone.Clients = nil
	t := NewTally(&alone)
	t.idle, t.watched, t.goesOn = nil, policies.Never, true
	for i := range c.Provider.Limits {
		t.pools = append(t.pools, c.Provider.Limits[i].Scope.Pool)
	}
	return t
}

// Visitor adds a group of a served tally and returns its number.
func (t *Tally) Visitor(name string) int {
	t.groups = append(t.groups, groupTally{name: name})
	return len(t.groups) - 1
}

// Came counts a request that reaches a provider whose clients keep no books. A server
// cannot tell which requests are one operation, so each is one, of one attempt.
func (t *Tally) Came(now time.Duration, g int, retry bool) {
	t.Started(g)
	t.Sent(now, g, retry)
}

// Went counts how a request that came at an instant ended, with what was made for it if it
// has it whole and had it for the first time.
func (t *Tally) Went(now time.Duration, g int, came time.Duration, a policies.Answer, axis Axis, firstSeen time.Duration, m Making) {
	t.AttemptEnded(g, &a, axis)
	t.Delivered(g, a.Tokens, false)
	t.OperationEnded(now, g, &policies.State{Started: came, Attempts: 1}, reasonOf(a.End), firstSeen, m, false)
}

// Requests are the attempts of a summary, as a server calls them.
func (s *Summary) Requests() Attempts { return s.Attempts }

// Requests are a group's attempts.
func (g GroupSummary) Requests() Attempts { return g.Attempts }

// reasonOf is why an operation of one attempt is over.
func reasonOf(end policies.AttemptEnd) policies.EndReason {
	switch end {
	case policies.Succeeded:
		return policies.Success
	case policies.Cancelled:
		return policies.UserCancelled
	case policies.Incomplete:
		return policies.Unfinished
	}
	return policies.AttemptsExhausted
}

// SoFar is a copy of a tally that goes on, closed at now, when seats have been busy for so
// long together. Without times it has counts and no distributions, and is quickly made.
func (t *Tally) SoFar(now, busy time.Duration, times bool) *Tally {
	c := *t
	c.end, c.busy = now, busy
	c.served.note(now, c.inFlight.Level())
	c.lined.note(now, c.queued.Level())
	c.sent, c.retries, c.recovery.after = t.sent.Clone(), t.retries.Clone(), t.recovery.after.Clone()
	c.inFlight, c.queued, c.held = copied(t.inFlight), copied(t.queued), copied(t.held)
	c.groups = make([]groupTally, len(t.groups))
	for i := range t.groups {
		c.groups[i] = t.groups[i].copied(times)
	}
	c.queueWait = sim.Sample{}
	if times {
		c.queueWait = t.queueWait.Clone()
	}
	c.limits = make([]limitTally, len(t.limits))
	for i := range t.limits {
		limit := t.limits[i]
		limit.shares, limit.used = slices.Clone(limit.shares), copied(limit.used)
		c.limits[i] = limit
	}
	return &c
}

// copied is a gauge of which only the levels may be asked.
func copied(g *sim.Gauge) *sim.Gauge {
	c := *g
	return &c
}

func (g *groupTally) copied(times bool) groupTally {
	c := *g
	c.statuses, c.retries = slices.Clone(g.statuses), slices.Clone(g.retries)
	c.latency, c.failLatency, c.firstToken, c.gateWait = sim.Sample{}, sim.Sample{}, sim.Sample{}, sim.Sample{}
	if times {
		c.latency, c.failLatency = g.latency.Clone(), g.failLatency.Clone()
		c.firstToken, c.gateWait = g.firstToken.Clone(), g.gateWait.Clone()
	}
	return c
}
