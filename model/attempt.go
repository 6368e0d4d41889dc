package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// send puts an operation's next attempt on its way, beside those in flight if it is a hedge.
func (w *World) send(now time.Duration, slot uint32, hedge bool) {
	op := &w.ops[slot]
	at := attempt{op: slot, older: none, group: uint16(op.group), key: op.key, number: op.state.Attempt(), line: -1, seated: policies.Never}
	if op.cold {
		at.is = cold
	}
	if hedge {
		at.older = op.attempt
	}
	w.tally.Sent(now, w.books(op), at.number > 0)
	co := &w.groups[op.group]
	if at.number == 0 && co.gate >= 0 {
		w.sendsFirst(now, slot)
	}
	if co.sided && at.number > 0 {
		w.tally.ByLayer(w.books(op), int(op.state.Layer), hedge)
	}
	if w.trace != nil && w.trace.wants(int32(op.group), op.client) {
		at.line = int32(len(w.trace.Lines))
		w.trace.Lines = append(w.trace.Lines, TraceLine{
			Group: w.groups[op.group].Name, Client: int(op.client), Operation: int(op.number), Attempt: int(at.number), Hedge: hedge, Layer: int(op.state.Layer),
			Sent: now, Arrived: policies.Never, Served: policies.Never, Left: policies.Never, FirstSeen: policies.Never, Answered: policies.Never,
		})
	}
	id := uint32(len(w.attempts))
	if n := len(w.freeAttempts); n > 0 {
		id = w.freeAttempts[n-1]
		w.freeAttempts = w.freeAttempts[:n-1]
		w.attempts[id] = at
	} else {
		w.attempts = append(grown(w.attempts, w.clients), at)
		if len(w.attempts) > w.room {
			w.isFull(true)
		}
	}
	if co.dealt > 0 {
		w.replays(id, co.Row(op.client, op.number))
	}
	op.attempt = id
	w.events.After(co.Draws.Up(op.key, at.number), requestArrives, id)
}

// offer puts an attempt before the provider.
func (w *World) offer(now time.Duration, id uint32) {
	a := &w.attempts[id]
	if a.line >= 0 {
		w.trace.Lines[a.line].Arrived = now
	}
	w.groups[a.group].Draws.put(&w.request, a.key, a.number, w.row(id))
	a.ticket = uint32(len(w.callers))
	if n := len(w.freeTickets); n > 0 {
		a.ticket = w.freeTickets[n-1]
	}
	d := w.provider.Offer(now, policies.Ticket(a.ticket), &w.request)
	a.stage = atProvider
	if !d.Verdict.over() {
		w.checkIn(id)
	}
	w.decided(now, id, &d)
	switch d.Verdict {
	case Serve, Wait, Join, Later: // a Join's tokens may be there already
		w.pollProvider(now)
	}
}

// checkIn notes whose ticket it is that the provider has from now on.
func (w *World) checkIn(id uint32) {
	ticket := w.attempts[id].ticket
	if n := len(w.freeTickets); n > 0 {
		w.freeTickets = w.freeTickets[:n-1]
		w.callers[ticket] = id
		return
	}
	w.callers = append(w.callers, id)
}

// decided does what the provider made of an attempt, whose request is the world's.
func (w *World) decided(now time.Duration, id uint32, d *Decision) {
	a := &w.attempts[id]
	w.tally.Decided(now, w.provider, &w.request, d)
	a.axis = d.Axis
	switch d.Verdict {
	case Serve:
		w.seated(now, a, now)
	case Wait:
		a.seated = now
	case Reject:
		a.refused(policies.Rejected, d, w.heard(now, a, d))
		w.sendDown(id)
	case Fail:
		a.refused(policies.Errored, d, w.heard(now, a, d))
		w.sendDown(id)
	case Replay:
		a.end, a.status, a.made, a.spent = policies.Succeeded, 200, d.Tokens, d.Work
		a.firstSeen = now + w.groups[a.group].Draws.Down(a.key, a.number)
		w.sendDown(id)
	}
}

// heard is the hint of a decision as the attempt's client can read it.
func (w *World) heard(now time.Duration, a *attempt, d *Decision) policies.Hint {
	if reads := w.groups[a.group].Reads; reads != policies.AllForms {
		return w.provider.Heard(now, reads, d)
	}
	return d.Hint
}

// seated notes that an attempt has its seat, and since when it has waited for it.
func (w *World) seated(now time.Duration, a *attempt, since time.Duration) {
	w.tally.Waited(w.booksOf(a), now-since)
	a.seated = now
	if a.line >= 0 {
		w.trace.Lines[a.line].Served = now
	}
}

// prompt gives the world's request the prompt of a group's operation, where that has a price.
func (w *World) prompt(group int, operation sim.Key, row int32) *Request {
	if w.config.Provider.Price != nil {
		d := w.groups[group].Draws
		w.request.Input, _ = d.sizes(operation, row)
		w.request.Cached = d.cached.of(w.request.Input)
	}
	return &w.request
}

// sendDown puts an attempt's answer on its way to the client.
func (w *World) sendDown(id uint32) {
	a := &w.attempts[id]
	a.stage = comingDown
	w.events.After(w.groups[a.group].Draws.Down(a.key, a.number), answerArrives, id)
}

// pollProvider sends what has come due on its way, and sees to it that the
// provider is asked again in time.
func (w *World) pollProvider(now time.Duration) {
	var wake time.Duration
	w.effects, wake = w.provider.Poll(now, w.effects[:0])
	for i := range w.effects {
		w.effect(&w.effects[i])
	}
	w.tally.Level(now, w.provider.Serving(), w.provider.Queued())
	w.wake(&w.armed, wake, providerWake, 0)
}

// effect does what has come due of an attempt.
func (w *World) effect(e *Effect) {
	id := w.callers[e.Ticket]
	a := &w.attempts[id]
	switch e.Kind {
	case Decided:
		w.groups[a.group].Draws.put(&w.request, a.key, a.number, w.row(id))
		d := w.provider.Decision(e)
		if d.Verdict.over() {
			w.freeTickets = append(w.freeTickets, uint32(e.Ticket))
		}
		w.decided(e.At, id, d)
		return
	case Served:
		w.seated(e.At, a, a.seated)
	case FirstToken:
		a.firstSeen = e.At + w.groups[a.group].Draws.Down(a.key, a.number)
		if a.line >= 0 && a.op != none {
			w.trace.Lines[a.line].FirstSeen = a.firstSeen
		}
		w.tellOf(e, id, tokenArrives)
	case NextToken:
		w.tellOf(e, id, tokenArrives)
	case Stalled:
		a.made = e.Tokens
		w.tellOf(e, id, stallArrives)
	}
	if !e.Kind.Last() {
		return
	}
	w.handled++
	if a.line >= 0 && w.trace.Lines[a.line].Served != policies.Never {
		w.trace.Lines[a.line].Left = e.At
	}
	w.freeTickets = append(w.freeTickets, uint32(e.Ticket))
	made := w.config.Provider.MadeBy(e, w.prompt(int(a.group), a.key, w.row(id)))
	a.made, a.spent = made.Output, made.Busy
	switch e.Kind {
	case Finish, Cut, StreamError:
		w.read(e, a)
	case Stopped:
		a.end, a.status = policies.Incomplete, 200
	case Dropped:
		d := w.provider.Decision(e)
		a.refused(policies.Rejected, d, w.heard(e.At, a, d))
		a.axis = d.Axis
		w.tally.Refused(e.At)
	}
	if e.Kind != Dropped && !e.Copy {
		w.tally.Generated(w.booksOf(a), made, e.Kind == Finish)
	}
	w.done(id, e.Gone)
}

// read notes what an attempt's client makes of the end of its answer.
func (w *World) read(e *Effect, a *attempt) {
	co := &w.groups[a.group]
	a.end, a.status = policies.Succeeded, 200
	switch {
	case co.Request.Stream:
		seen := w.provider.StreamEnd(e)
		end, stopped := co.Loop.Stream().Completeness.Judge(seen)
		if a.end = end; stopped {
			a.is |= truncated
		}
		if seen.Broken {
			a.is |= reset
		}
	case e.Kind != Finish:
		a.end = policies.Incomplete // one piece that has no end
	}
}

// done notes that the provider has no more to do with an attempt.
func (w *World) done(id uint32, gone bool) {
	if gone {
		w.attempts[id].stage = finished
		w.release(id)
		return
	}
	w.sendDown(id)
}

// answer hands an attempt's end to its client, if that still listens.
func (w *World) answer(now time.Duration, id uint32) {
	a := &w.attempts[id]
	if a.op == none {
		a.stage = finished
		w.release(id)
		return
	}
	co := &w.groups[a.group]
	in := policies.Input{Kind: policies.Answered, Attempt: a.number}
	answer := &in.Answer
	a.tell(answer, co.Request.Stream)
	w.tally.AttemptEnded(w.booksOf(a), answer, a.axis)
	switch {
	case answer.End != policies.Succeeded:
		in.U = co.Draws.Backoff(a.key, a.number)
	case co.SeenAtEnd(answer):
		a.firstSeen = now
	}
	slot := a.op
	if op := &w.ops[slot]; op.attempt == id && a.older == none {
		op.attempt, a.op = none, none
	} else {
		w.land(op, id)
	}
	w.answered = id
	w.step(now, slot, &in)
	w.answered = none
	a = &w.attempts[id]
	if answer.Tokens > 0 {
		w.tally.Delivered(w.booksOf(a), co.Shown(answer), w.action.Do == policies.WaitUntil)
	}
	if a.line >= 0 {
		w.tell(now, a, answer, w.action)
	}
	a.stage = finished
	w.release(id)
}

// land takes an attempt out of those that an operation has in flight.
func (w *World) land(op *operation, id uint32) {
	a := &w.attempts[id]
	if op.attempt == id {
		op.attempt = a.older
	} else {
		for at := op.attempt; at != none; at = w.attempts[at].older {
			if w.attempts[at].older == id {
				w.attempts[at].older = a.older
			}
		}
	}
	a.op, a.older = none, none
}

// abandon stops listening to attempts that an operation has in flight.
func (w *World) abandon(now time.Duration, op *operation, act policies.Action) {
	for id := op.attempt; id != none; {
		a := &w.attempts[id]
		older := a.older
		if act.Of == policies.EveryAttempt || act.Of == a.number {
			w.leaves(now, op, id, act)
		}
		id = older
	}
}

// leaves stops listening to one of an operation's attempts in flight; the provider learns
// of it after the way there.
func (w *World) leaves(now time.Duration, op *operation, id uint32, act policies.Action) {
	a := &w.attempts[id]
	answer := act.Abandoned(w.delivered(now, id))
	w.land(op, id)
	w.tally.AttemptEnded(w.booksOf(a), &answer, a.axis)
	w.tally.Delivered(w.booksOf(a), w.groups[a.group].Shown(&answer), act.Do == policies.WaitUntil)
	if a.line >= 0 {
		w.tell(now, a, &answer, act)
	}
	a.is |= leaving
	w.events.After(w.groups[a.group].Draws.Up(a.key, a.number), leaveArrives, id)
}

// leave tells the provider that an attempt's client has gone.
func (w *World) leave(now time.Duration, id uint32) {
	a := &w.attempts[id]
	a.is &^= leaving
	if a.stage == atProvider {
		w.provider.Leave(now, policies.Ticket(a.ticket))
		w.pollProvider(now)
		return
	}
	w.release(id)
}

// release frees an attempt's row when nothing is on its way any more.
func (w *World) release(id uint32) {
	if a := &w.attempts[id]; a.stage == finished && a.op == none && a.is&leaving == 0 && a.coming == 0 {
		w.freeAttempts = append(w.freeAttempts, id)
	}
}

// ended counts an operation that is over.
func (w *World) ended(now time.Duration, slot uint32, why policies.EndReason, in *policies.Input) {
	op := &w.ops[slot]
	co := &w.groups[op.group]
	var firstSeen time.Duration
	var made Making
	switch {
	case why == policies.Success:
		a := &w.attempts[w.answered]
		firstSeen, made = a.firstSeen, w.config.Provider.Making(w.prompt(int(a.group), a.key, co.Row(op.client, op.number)), in.Answer.Tokens, a.spent)
		if co.gate >= 0 {
			w.tally.FromSend(w.books(op), now-w.firstSent[slot])
		}
	case co.Loop.Keeps(&in.Answer):
		w.tally.Kept(w.books(op), w.config.Provider.Making(w.prompt(int(op.group), op.key, co.Row(op.client, op.number)), in.Answer.Tokens, 0))
	}
	truncated := why == policies.Success && in.Answer.Truncated
	w.tally.OperationEnded(now, w.books(op), &op.state, why, firstSeen, made, truncated)
	w.trace.operation(co.Name, op, why)
	w.over(now, slot)
}

// tell records a traced attempt's end, and what its client does next.
func (w *World) tell(now time.Duration, a *attempt, answer *policies.Answer, act policies.Action) {
	line := &w.trace.Lines[a.line]
	line.Answered, line.Answer, line.Axis, line.Why = now, *answer, a.axis, act.Why
	if act.Do == policies.WaitUntil {
		line.Wait, line.Again = act.At-now, true
	}
}
