package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// TraceLine is one attempt as its client saw it.
type TraceLine struct {
	Group     string
	Client    int  // within its group, from 0
	Operation int  // within its client, from 0
	Attempt   int  // within its operation, from 0
	Layer     int  // of a retry: whose it is, from 0, outermost first
	Hedge     bool // beside the attempt before it, which was in flight
	Sent      time.Duration
	Arrived   time.Duration // at the provider; Never while on its way
	Served    time.Duration // when it got a seat; Never without one
	Left      time.Duration // when its seat was free again; Never before that
	FirstSeen time.Duration // at the client: the first token of a stream; Never without one
	Answered  time.Duration // at the client; Never while in flight
	Answer    policies.Answer
	Axis      Axis               // what was full, of a rejected attempt
	Wait      time.Duration      // from Answered to the next attempt's earliest start
	Again     bool               // the operation waited for so long, to try again
	Why       policies.EndReason // NotEnded while more attempts follow
}

// TraceOperation is one operation as its client saw it, also where it made no attempt.
// Once it is over, the three times add up to all it took.
type TraceOperation struct {
	Group      string
	Client     int // within its group, from 0
	Operation  int // within its client, from 0
	Started    time.Duration
	Ended      time.Duration // Never while it goes on
	Why        policies.EndReason
	AtGate     time.Duration // waiting for permits
	Sending    time.Duration // with an attempt in flight
	BackingOff time.Duration
}

// Trace collects what one client of a run did, or all of them. It grows with what it
// keeps.
type Trace struct {
	Group      int              // in order of name
	Client     int              // within the group, from 0; of an open group, the arrival's number; AllClients keeps every attempt
	Lines      []TraceLine      // in the order they were sent in
	Operations []TraceOperation // in the order they ended in; those that did not, last
}

// AllClients makes a Trace keep every attempt of every group.
const AllClients = -1

func (t *Trace) wants(group, client int32) bool {
	return t.Client == AllClients || t.Client == int(client) && t.Group == int(group)
}

// operation records an operation that is over, or that goes on when the run ends.
func (t *Trace) operation(group string, op *operation, why policies.EndReason) {
	if t == nil || !t.wants(int32(op.group), op.client) {
		return
	}
	s := &op.state
	ended, over := s.Ended()
	if !over {
		ended = policies.Never
	}
	t.Operations = append(t.Operations, TraceOperation{
		Group: group, Client: int(op.client), Operation: int(op.number), Started: s.Started, Ended: ended, Why: why,
		AtGate: s.Spent(policies.AtGate), Sending: s.Spent(policies.Sending), BackingOff: s.Spent(policies.BackingOff),
	})
}

// goingOn records the operations that did not end.
func (w *World) goingOn() {
	for i := range w.ops {
		if op := &w.ops[i]; w.trace != nil && op.state.Begun() && op.state.Phase != policies.Over {
			w.trace.operation(w.groups[op.group].Name, op, policies.NotEnded)
		}
	}
}
