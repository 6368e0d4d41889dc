package model

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// Seats returns how many requests the provider serves at once; false if that is
// unlimited.
func (t *Tally) Seats() (int64, bool) {
	return int64(t.seats), t.seats != policies.Unlimited
}

// Gated says whether any group stands behind a gate.
func (t *Tally) Gated() bool {
	return slices.ContainsFunc(t.groups, func(g groupTally) bool { return g.gated })
}

// Room returns how many permits the clients' gates have together; false where there
// are no gates, or some whose permits are not a number.
func (t *Tally) Room() (int64, bool) { return t.room, t.room > 0 }

// MeanService returns how long a seat was taken by an answer, on average; false if
// no answer was made.
func (t *Tally) MeanService() (time.Duration, bool) {
	if t.answers == 0 {
		return 0, false
	}
	return t.busy / time.Duration(t.answers), true
}

// Periods returns the weather that came before the run was over, in order of time, as
// charts show it.
func (t *Tally) Periods() []Weather {
	n := slices.IndexFunc(t.periods, func(w Weather) bool { return w.At > t.end })
	if n < 0 {
		n = len(t.periods)
	}
	return t.periods[:n]
}

// LatencyPoint says that so many of all successes took no longer than At.
type LatencyPoint struct {
	At   time.Duration
	Rank int64 // from 1
}

// Latencies returns the latencies of successes as at most n points of their
// cumulative distribution, n at least 2: the least, the greatest, and ranks evenly
// spaced between them. It returns none if nothing succeeded.
func (t *Tally) Latencies(n int64) (points []LatencyPoint, of int64) {
	var all sim.Sample
	for i := range t.groups {
		all.Merge(&t.groups[i].latency)
	}
	of = all.N()
	steps := min(n, of) - 1
	for i := range steps + 1 {
		rank := of
		if steps > 0 {
			rank = 1 + (of-1)*i/steps
		}
		at, _ := all.Quantile(rank, of)
		points = append(points, LatencyPoint{time.Duration(at), rank})
	}
	return points, of
}

// Client finds the group and the number within it of a client numbered from 0 over all
// groups in order of name, of those that started. It reports false if there are not so
// many.
func (t *Tally) Client(number int) (group, client int, known bool) {
	for g := range t.groups {
		if n := int(t.groups[g].started); number >= n {
			number -= n
			continue
		}
		return g, number, number >= 0
	}
	return 0, 0, false
}
