package model

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// tellOf puts a token, or a stall, on its way to a client that wants to know of it.
func (w *World) tellOf(e *Effect, id uint32, kind sim.Kind) {
	a := &w.attempts[id]
	if co := &w.groups[a.group]; a.op != none && co.Request.Stream && (co.Loop.Listens() || co.Draws.each) {
		a.coming++
		w.events.At(e.At+co.Draws.Down(a.key, a.number), kind, id)
	}
}

// token tells a client of a token. Where only the first is told of, the others are known
// to follow as fast as the attempt draws.
func (w *World) token(now time.Duration, id uint32) {
	a := &w.attempts[id]
	a.tokens++
	in := policies.Input{Kind: policies.Event, Content: true}
	if d := w.groups[a.group].Draws; !d.each {
		in.Flow = time.Duration(d.perToken.ofAttempt(a.key, a.number, drawPerToken))
	}
	w.event(now, id, in)
	w.arrived(id)
}

// stall tells a client of the last of an answer that stalls: its last token, or the
// header alone; and then of the comments that keep its connection alive.
func (w *World) stall(now time.Duration, id uint32) {
	a := &w.attempts[id]
	a.tokens = int32(min(a.made, math.MaxInt32))
	w.event(now, id, policies.Input{Kind: policies.Event, Content: a.made > 0})
	if f := w.provider.Fault(policies.Ticket(a.ticket)); a.op != none && a.stage == atProvider && f != nil && f.KeepAlive > 0 {
		w.event(now, id, policies.Input{Kind: policies.Event, Flow: f.KeepAlive})
	}
	w.arrived(id)
}

// event tells an attempt's operation of an event, if its client still listens.
func (w *World) event(now time.Duration, id uint32, in policies.Input) {
	a := &w.attempts[id]
	if a.op == none || !w.groups[a.group].Loop.Listens() {
		return
	}
	in.Attempt = a.number
	w.step(now, a.op, &in)
}

// arrived notes that something on its way has come.
func (w *World) arrived(id uint32) {
	w.attempts[id].coming--
	w.release(id)
}

// delivered is how many tokens of an attempt have come to its client by now.
func (w *World) delivered(now time.Duration, id uint32) int64 {
	a := &w.attempts[id]
	co := &w.groups[a.group]
	d := co.Draws
	most := a.made
	switch {
	case !co.Request.Stream:
		return 0
	case d.each:
		return int64(a.tokens)
	case a.stage == goingUp:
		return 0
	case a.seated == policies.Never:
		return 0
	case a.stage == atProvider && w.provider.answers[a.ticket].state == waiting:
		return 0
	case a.stage == atProvider:
		most = w.provider.answers[a.ticket].tokens
	case a.is&reset != 0:
		most = Delivered(a.made, policies.StreamEnd{Broken: true})
	}
	first := time.Duration(d.first.ofAttempt(a.key, a.number, drawFirstToken))
	perToken := time.Duration(d.perToken.ofAttempt(a.key, a.number, drawPerToken))
	return madeIn(now-d.Down(a.key, a.number)-a.seated, first, perToken, most)
}
