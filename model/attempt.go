package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// none is no slot.
const none = ^uint32(0)

// attempt is the row of one HTTP request, from its sending until neither its client nor
// the provider has anything more to do with it.
type attempt struct {
	op        uint32 // none once it is abandoned
	group     uint16
	stage     stage
	cold      bool
	key       sim.Key // of the operation
	number    int32   // within its operation
	line      int32   // of the trace; -1 where untraced
	answer    policies.Answer
	queued    time.Duration // when it joined the queue
	firstSeen time.Duration
	made      Making // what the provider did for it
	axis      Axis
	row       int32 // of its operation in the trace
	leaving   bool  // the word that its client has gone is on its way
}

// stage is where an attempt is.
type stage uint8

const (
	goingUp    stage = iota
	atProvider       // the provider will tell of its end
	comingDown       // its answer is on its way
	finished         // nobody will tell of it any more
)

// send puts an operation's next attempt on its way.
func (w *World) send(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	at := attempt{op: slot, group: uint16(op.group), cold: op.cold, key: op.key, number: op.state.Attempt(), line: -1}
	at.row = w.groups[op.group].Row(op.client, op.number)
	w.tally.Sent(now, w.books(op), at.number > 0)
	if w.trace != nil && w.trace.wants(op.group, op.client) {
		at.line = int32(len(w.trace.Lines))
		w.trace.Lines = append(w.trace.Lines, TraceLine{
			Group: w.groups[op.group].Name, Client: int(op.client), Operation: int(op.number), Attempt: int(at.number),
			Sent: now, Arrived: policies.Never, Served: policies.Never, Left: policies.Never, FirstSeen: policies.Never, Answered: policies.Never,
		})
	}
	id := uint32(len(w.attempts))
	if n := len(w.freeAttempts); n > 0 {
		id = w.freeAttempts[n-1]
		w.freeAttempts = w.freeAttempts[:n-1]
		w.attempts[id] = at
	} else {
		w.attempts = append(w.attempts, at)
		if len(w.attempts) > w.room {
			w.isFull(true)
		}
	}
	op.attempt = id
	w.events.After(w.groups[op.group].Draws.Up(op.key, at.number), requestArrives, id)
}

// booksOf is the tally's number for an attempt.
func (w *World) booksOf(a *attempt) int {
	if a.cold {
		return len(w.groups)
	}
	return int(a.group)
}

// offer puts an attempt before the provider.
func (w *World) offer(now time.Duration, id uint32) {
	a := &w.attempts[id]
	if a.line >= 0 {
		w.trace.Lines[a.line].Arrived = now
	}
	w.groups[a.group].Draws.put(&w.request, a.key, a.number, a.row)
	d := w.provider.Offer(now, policies.Ticket(id), &w.request)
	a.stage = atProvider
	w.decided(now, id, &d)
	switch d.Verdict {
	case Serve, Wait, Later:
		w.pollProvider(now)
	}
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
		a.queued = now
	case Reject:
		a.answer = policies.Answer{End: policies.Rejected, Refusal: d.Kind, Status: d.Status, Hint: d.Hint}
		w.sendDown(id)
	case Fail:
		a.answer = policies.Answer{End: policies.Errored, Status: d.Status, Hint: d.Hint}
		w.sendDown(id)
	case Replay:
		a.answer = policies.Answer{End: policies.Succeeded, Status: 200}
		a.made = w.config.Provider.Making(w.prompt(a), d.Tokens, d.Work)
		a.firstSeen = now + w.groups[a.group].Draws.Down(a.key, a.number)
		w.sendDown(id)
	}
}

// seated notes that an attempt has its seat, and since when it has waited for it.
func (w *World) seated(now time.Duration, a *attempt, since time.Duration) {
	w.tally.Waited(w.booksOf(a), now-since)
	if a.line >= 0 {
		w.trace.Lines[a.line].Served = now
	}
}

// prompt gives the world's request the attempt's prompt, where that has a price.
func (w *World) prompt(a *attempt) *Request {
	if w.config.Provider.Price != nil {
		d := w.groups[a.group].Draws
		w.request.Input, _ = d.sizes(a.key, a.row)
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
	id := uint32(e.Ticket)
	a := &w.attempts[id]
	switch e.Kind {
	case Decided:
		w.groups[a.group].Draws.put(&w.request, a.key, a.number, a.row)
		w.decided(e.At, id, w.provider.Decision(e))
		return
	case Served:
		w.seated(e.At, a, a.queued)
	case FirstToken:
		a.firstSeen = e.At + w.groups[a.group].Draws.Down(a.key, a.number)
		if a.line >= 0 && a.op != none {
			w.trace.Lines[a.line].FirstSeen = a.firstSeen
		}
	}
	if !e.Kind.Last() {
		return
	}
	w.handled++
	if a.line >= 0 && w.trace.Lines[a.line].Served != policies.Never {
		w.trace.Lines[a.line].Left = e.At
	}
	a.made = w.config.Provider.MadeBy(e, w.prompt(a))
	switch e.Kind {
	case Finish:
		a.answer = policies.Answer{End: policies.Succeeded, Status: 200}
	case Cut, Stopped:
		a.answer = policies.Answer{End: policies.Incomplete, Status: 200}
	case StreamError:
		a.answer = policies.Answer{End: policies.Errored, Status: 200}
	case Dropped:
		d := w.provider.Decision(e)
		a.answer = policies.Answer{End: policies.Rejected, Refusal: d.Kind, Status: d.Status, Hint: d.Hint}
		a.axis = d.Axis
		w.tally.Refused(e.At)
	}
	if e.Kind != Dropped && !e.Copy {
		w.tally.Generated(w.booksOf(a), a.made, e.Kind == Finish)
	}
	w.done(id, e.Gone)
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
	w.tally.AttemptEnded(w.booksOf(a), a.answer, a.axis)
	co := &w.groups[a.group]
	in := policies.Input{Kind: policies.Answered, Answer: a.answer}
	switch {
	case a.answer.End != policies.Succeeded:
		in.U = co.Draws.Backoff(a.key, a.number)
	case !co.Request.Stream:
		a.firstSeen = now
	}
	act := w.step(now, a.op, in)
	a = &w.attempts[id]
	if a.line >= 0 {
		w.tell(now, a, act)
	}
	a.stage, a.op = finished, none
	w.release(id)
}

// abandon stops listening to an operation's attempt in flight; the provider learns of
// it after the way there.
func (w *World) abandon(now time.Duration, op *operation, act policies.Action) {
	id := op.attempt
	a := &w.attempts[id]
	a.answer = policies.Answer{End: act.Abandon}
	w.tally.AttemptEnded(w.booksOf(a), a.answer, a.axis)
	if a.line >= 0 {
		w.tell(now, a, act)
	}
	a.op, a.leaving = none, true
	w.events.After(w.groups[a.group].Draws.Up(a.key, a.number), leaveArrives, id)
}

// leave tells the provider that an attempt's client has gone.
func (w *World) leave(now time.Duration, id uint32) {
	a := &w.attempts[id]
	a.leaving = false
	if a.stage == atProvider {
		w.provider.Leave(now, policies.Ticket(id))
		w.pollProvider(now)
		return
	}
	w.release(id)
}

// release frees an attempt's row when nothing is on its way any more.
func (w *World) release(id uint32) {
	if a := &w.attempts[id]; a.stage == finished && a.op == none && !a.leaving {
		w.freeAttempts = append(w.freeAttempts, id)
	}
}

// ended counts an operation that is over.
func (w *World) ended(now time.Duration, slot uint32, why policies.EndReason) {
	op := &w.ops[slot]
	var firstSeen time.Duration
	var made Making
	if why == policies.Success {
		a := &w.attempts[op.attempt]
		firstSeen, made = a.firstSeen, a.made
	}
	w.tally.OperationEnded(now, w.books(op), &op.state, why, firstSeen, made)
	w.trace.operation(w.groups[op.group].Name, op, why)
	w.over(now, slot)
}

// tell records a traced attempt's end, and what its client does next.
func (w *World) tell(now time.Duration, a *attempt, act policies.Action) {
	line := &w.trace.Lines[a.line]
	line.Answered, line.Answer, line.Axis, line.Why = now, a.answer, a.axis, act.Why
	if act.Do == policies.WaitUntil {
		line.Wait = act.At - now
	}
}
