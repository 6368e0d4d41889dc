package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// step tells an operation's loop what happened and does what it answers.
func (w *World) step(now time.Duration, slot uint32, in *policies.Input) {
	op := &w.ops[slot]
	co := &w.groups[op.group]
	var side *policies.Side
	if co.sided {
		side = w.sideOf(slot, co)
	}
	a := co.Loop.Step(now, &op.state, side, in)
	if w.trace != nil || in.Answer.Tokens > 0 {
		w.action = a
	}
	if a.Leave || a.Withdraw {
		if a.Leave {
			w.tally.Permits(now, -1)
		}
		gate := co.GateOf(int(op.client))
		w.gates[gate].Leave(now, policies.Ticket(slot), a.Left(in))
		w.stirred = append(w.stirred, int32(gate))
	}
	if a.Abandon != policies.InFlight {
		w.abandon(now, op, a)
	}
	switch a.Do {
	case policies.Send:
		w.send(now, slot, a.Hedge)
		w.arm(now, co, &w.ops[slot], slot, a.At)
	case policies.Stay:
		w.arm(now, co, op, slot, a.At)
	case policies.Enter:
		gate := co.GateOf(int(op.client))
		tokens := co.Estimate(op.key, co.Row(op.client, op.number))
		if op.state.Attempts == 0 {
			w.tally.Entered(w.books(op), tokens)
		}
		if !w.gates[gate].Enter(now, policies.Ticket(slot), tokens, co.Priority) {
			w.step(now, slot, &policies.Input{Kind: policies.Refused})
			return
		}
		w.stirred = append(w.stirred, int32(gate))
		w.arm(now, co, op, slot, a.At)
	case policies.WaitUntil:
		if a.Alike != policies.NotAlike {
			w.tally.WaitsAlike(w.books(op), int(op.state.Layer), a.At-now, a.Alike)
		}
		w.disarm(op)
		if co.cancels && w.cancelAt(op) < a.At {
			op.timer = w.events.At(max(now, w.cancelAt(op)), userCancels, slot)
		} else {
			w.events.At(a.At, waitOver, slot)
		}
	case policies.End:
		w.disarm(op)
		w.ended(now, slot, a.Why, in)
	}
}

// sideOf is the side of an operation whose client needs one.
func (w *World) sideOf(slot uint32, co *Cohort) *policies.Side {
	for len(w.loops) < len(w.ops)*w.wide {
		w.loops = append(w.loops, policies.LoopState{})
	}
	for len(w.flights) < len(w.ops)*w.broad {
		w.flights = append(w.flights, policies.Flight{})
	}
	w.side = policies.Side{
		Loops:   w.loops[int(slot)*w.wide:][:co.Loop.Layers()],
		Flights: w.flights[int(slot)*w.broad:][:co.Loop.Hedges()],
		Took:    w.took[w.ops[slot].group],
	}
	return &w.side
}

// waited goes on after a backoff.
func (w *World) waited(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	if w.groups[op.group].sided {
		w.tally.BackedOff(w.books(op), int(op.state.Layer), now-op.state.Since())
	}
	w.step(now, slot, &w.again)
}

// timeUp tells an operation's loop that its timer is due, or its user's patience over.
func (w *World) timeUp(now time.Duration, slot uint32, kind policies.InputKind) {
	op := &w.ops[slot]
	op.timer = 0
	in := policies.Input{Kind: kind, U: w.groups[op.group].Draws.Backoff(op.key, op.state.Attempt())}
	if op.state.Phase == policies.Sending {
		for at := op.attempt; at != none; at = w.attempts[at].older {
			in.Answer.Tokens = max(in.Answer.Tokens, w.delivered(now, at))
		}
	}
	w.step(now, slot, &in)
}

// cancelAt is when an operation's user takes it back; policies.Never if he does not.
func (w *World) cancelAt(op *operation) time.Duration {
	return policies.Later(op.state.Started, w.groups[op.group].Draws.Cancel(op.key))
}

// arm sets an operation's one time-out, instead of the one it had.
func (w *World) arm(now time.Duration, co *Cohort, op *operation, slot uint32, at time.Duration) {
	if at != policies.Never || op.timer != 0 || co.cancels {
		w.rearm(now, co, op, slot, at)
	}
}

func (w *World) rearm(now time.Duration, co *Cohort, op *operation, slot uint32, at time.Duration) {
	w.disarm(op)
	if co.cancels && w.cancelAt(op) < at {
		op.timer = w.events.At(max(now, w.cancelAt(op)), userCancels, slot)
	} else if at != policies.Never {
		op.timer = w.events.After(at-now, timerDue, slot)
	}
}

func (w *World) disarm(op *operation) {
	if op.timer != 0 {
		op.timer = 0
		w.events.Cancel()
	}
}
