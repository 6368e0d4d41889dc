package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// rank is how badly an operation went.
type rank struct {
	end           time.Duration // policies.Never while it goes on
	attempts      int32
	group, client int32 // client -1: nobody yet
}

// orWorse returns the worse of two: the one that ended later or not at all, and of
// two that ended together the one with more attempts.
func (r rank) orWorse(op *operation) rank {
	o := rank{end: policies.Never, attempts: op.state.Attempts, group: int32(op.group), client: op.client}
	if end, over := op.state.Ended(); over {
		o.end = end
	}
	if r.client < 0 || o.end > r.end || o.end == r.end && o.attempts > r.attempts {
		return o
	}
	return r
}

// Worst names the client, and its group in order of name, whose operation went worst
// in the run just played: it did not end, or ended last; of those with the same end
// it took most attempts. It reports false if nobody started.
func (w *World) Worst() (group, client int, any bool) {
	worst := w.worst
	for i := range w.ops {
		if op := &w.ops[i]; op.state.Begun() && op.state.Phase != policies.Over {
			worst = worst.orWorse(op)
		}
	}
	return int(worst.group), int(worst.client), worst.client >= 0
}
