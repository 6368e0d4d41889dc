package report

import (
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Traced is the document of a trace. Times are seconds from the start of the run, null
// for what did not happen.
type Traced struct {
	Scenario   string            `json:"scenario"`
	Seed       string            `json:"seed"`
	Operations []TracedOperation `json:"operations"`
}

// TracedOperation is one operation of a client.
type TracedOperation struct {
	Group    string          `json:"group"`
	Client   int             `json:"client"`
	Number   int             `json:"operation"` // within its client, from 0
	End      string          `json:"end"`       // success, why it failed, cancelled, or in flight
	Attempts []TracedAttempt `json:"attempts"`
}

// TracedAttempt is one attempt as its client saw it.
type TracedAttempt struct {
	Hedge      bool         `json:"hedge"` // beside the one before it, which was in flight
	Sent       model.Number `json:"sent_s"`
	Arrived    model.Number `json:"arrived_s"` // at the provider
	Served     model.Number `json:"served_s"`  // when it got a seat
	Left       model.Number `json:"left_s"`    // when its seat was free again
	FirstToken model.Number `json:"first_token_s"`
	Answered   model.Number `json:"answered_s"`
	End        string       `json:"end"`
	Status     *int         `json:"status"`
	Axis       *string      `json:"axis"`   // what was full, of a rejected one
	Wait       model.Number `json:"wait_s"` // until the next attempt may start
}

// NewTraced makes the document of what [Trace] writes.
func NewTraced(scenario, seed string, trace *model.Trace) Traced {
	d := Traced{Scenario: scenario, Seed: seed, Operations: []TracedOperation{}}
	for _, op := range operationsOf(trace) {
		first := op.lines[0]
		out := TracedOperation{Group: first.Group, Client: first.Client, Number: first.Operation, End: op.Why.String()}
		if op.Why == policies.NotEnded {
			out.End = policies.InFlight.String()
		}
		for _, l := range op.lines {
			out.Attempts = append(out.Attempts, newTracedAttempt(l))
		}
		d.Operations = append(d.Operations, out)
	}
	return d
}

func newTracedAttempt(l model.TraceLine) TracedAttempt {
	a := TracedAttempt{
		Hedge: l.Hedge, Sent: instant(l.Sent), Arrived: instant(l.Arrived), Served: instant(l.Served), Left: instant(l.Left),
		FirstToken: instant(l.FirstSeen), Answered: instant(l.Answered), End: l.Answer.End.String(), Wait: model.Undefined(),
	}
	if l.FirstSeen > l.Answered {
		a.FirstToken = model.Undefined() // nobody listened any more
	}
	if l.Answer.Status != 0 {
		status := int(l.Answer.Status)
		a.Status = &status
	}
	if l.Answer.End == policies.Rejected {
		axis := l.Axis.String()
		a.Axis = &axis
	}
	if l.Again {
		a.Wait = model.Number(l.Wait.Seconds())
	}
	return a
}

func instant(t time.Duration) model.Number {
	if t == policies.Never {
		return model.Undefined()
	}
	return model.Number(t.Seconds())
}
