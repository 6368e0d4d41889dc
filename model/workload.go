package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// Calls are the operations of an open group, as they come: those of a rate or of a trace.
// Not safe for concurrent use.
type Calls struct {
	cohort *Cohort
	from   arrivals
	born   int32 // so far
}

// Calls starts the arrivals of an open group; the key is the group's.
func (co *Cohort) Calls(group sim.Key) Calls {
	return Calls{cohort: co, from: co.Arrive.arrivals(group, co.gaps)}
}

// Next is when the next operation comes, and whether there is one.
func (c *Calls) Next() (at time.Duration, more bool) { return c.from.next() }

// Name names the operation that has come: its client, and its number within that.
func (c *Calls) Name() (client, number int32) {
	client, number = c.cohort.born(c.born)
	c.born++
	return client, number
}

// GroupKey names the draws of a group.
func GroupKey(seed uint64, group string) sim.Key { return sim.NewKey(seed, group) }

// After is how long after an operation's start, where the loop asked for is the open one,
// or after its end, its client's next one starts; false where that does not follow from it.
func (co *Cohort) After(loop Loop, operation sim.Key, number int32) (gap time.Duration, follows bool) {
	if co.Repeat.Loop != loop || policies.Count(number+1) >= co.Repeat.Operations {
		return 0, false
	}
	return co.Draws.Gap(operation), true
}

// Plays says whether there is such an operation, as far as a trace tells; elsewhere every
// one may be.
func (co *Cohort) Plays(client, operation int) bool {
	if co.dealt == 0 {
		return true
	}
	rows, dealt := int64(len(co.Arrive.Playback.Rows)), int64(co.dealt)
	if co.Arrive.OverClients == 0 {
		return operation == 0 && int64(client) < rows
	}
	return int64(client) < dealt && int64(operation) < rows && int64(operation)*dealt+int64(client) < rows
}

// WarmsUp says whether an operation that starts then is of the warm-up, and counts in the
// series only.
func (c *Config) WarmsUp(start time.Duration) bool { return start < c.WarmUp }
