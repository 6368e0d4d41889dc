package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// TraceLine is one attempt as its client saw it.
type TraceLine struct {
	Group     string
	Client    int // within its group, from 0
	Operation int // within its client, from 0
	Attempt   int // within its operation, from 0
	Sent      time.Duration
	Arrived   time.Duration // at the provider; Never while on its way
	Served    time.Duration // when it got a seat; Never without one
	Left      time.Duration // when its seat was free again; Never before that
	FirstSeen time.Duration // at the client: the first token of a stream; Never without one
	Answered  time.Duration // at the client; Never while in flight
	Answer    policies.Answer
	Axis      Axis               // what was full, of a rejected attempt
	Wait      time.Duration      // from Answered to the next attempt's earliest start
	Why       policies.EndReason // NotEnded while more attempts follow
}

// Trace collects the attempts of one client of a run, or of all. It grows with
// the number of attempts it keeps.
type Trace struct {
	Group  int // in order of name
	Client int // within the group, from 0; of an open group, the arrival's number; AllClients keeps every attempt
	Lines  []TraceLine
}

// AllClients makes a Trace keep every attempt of every group.
const AllClients = -1

func (t *Trace) wants(group, client int32) bool {
	return t.Client == AllClients || t.Client == int(client) && t.Group == int(group)
}
