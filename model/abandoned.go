package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// AbandonedConfig says what becomes of a request whose client has left.
type AbandonedConfig struct {
	FreesSeatAfter Patience `yaml:"frees_seat_after"` // 0s, a duration, or never, where it is served to its end; default never
}

// SetDefaults fills what a scenario leaves out.
func (a *AbandonedConfig) SetDefaults() { a.FreesSeatAfter = Patience(policies.Never) }

// Leave says that the client of a request went away. What becomes of the request
// hangs on abandoned.frees_seat_after:
//
//	never  it is served all the same, waits for its turn first where it must, and ends as it would have; Gone says that nobody hears of it
//	0s     it is Stopped at once: its seat is free, or its place in the queue
//	5s     it is Stopped 5s later if it has not ended before, wherever it then is
//
// The tokens made by then are billed. One that hangs has no seat to free and is
// Stopped at once, whatever the setting. An answer that others have joined goes on
// until the last of them has left. A ticket that names nothing, or one whose end
// has come, changes nothing: an end at this very instant comes before the leaving.
func (p *Provider) Leave(now time.Duration, id policies.Ticket) {
	p.advance(now)
	if p.frozen {
		p.held = append(p.held, heldCall{id: id, leaves: true})
		return
	}
	p.leave(now, id)
}

func (p *Provider) leave(now time.Duration, id policies.Ticket) {
	if int(id) >= len(p.answers) || p.answers[id].state == absent || p.answers[id].gone {
		return
	}
	a := &p.answers[id]
	a.gone = true
	switch a.state {
	case hung:
		p.stop(now, id)
		return
	case joined:
		id = p.keys.owner(id)
	}
	if p.keys != nil && p.keys.heard(id) {
		return
	}
	switch after := p.config.Abandoned.FreesSeatAfter; after {
	case Patience(policies.Never):
		if a := &p.answers[id]; a.state == stalled && p.leavesItsSeat(a) {
			p.stop(now, id)
		}
	case 0:
		p.stop(now, id)
	default:
		p.left.push(now, id)
		p.answers[id].leaving = true
	}
}

// nextStop is when the first of those left alone is stopped.
func (p *Provider) nextStop() time.Duration {
	if p.left.n == 0 {
		return policies.Never
	}
	return policies.Later(p.left.oldest(), time.Duration(p.config.Abandoned.FreesSeatAfter))
}

// stop ends a request that nobody wants any more.
func (p *Provider) stop(now time.Duration, id policies.Ticket) {
	if p.paced {
		p.pace.to(now, p.serving)
	}
	p.end(now, id, Stopped, p.made(now, id))
}

// made is how many tokens of an answer have been made by now.
func (p *Provider) made(now time.Duration, id policies.Ticket) int64 {
	a := &p.answers[id]
	switch a.state {
	case stalled:
		return a.tokens
	case serving:
	default:
		return 0
	}
	worked := now - a.seated
	if p.paced {
		worked = p.pace.since(p.starts[id])
	}
	return madeIn(worked, a.first, a.perToken, a.tokens)
}

// madeIn is how many of an answer's tokens are made in so much work.
func madeIn(worked, first, perToken time.Duration, tokens int64) int64 {
	switch {
	case worked < first:
		return 0
	case perToken == 0:
		return tokens
	}
	return min(tokens, 1+int64((worked-first)/perToken))
}
