package model

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// state is where a request is.
type state uint8

const (
	absent  state = iota
	waiting       // in the queue
	serving
	stalled // in a seat, with nothing in the making
	hung
	joined // to another's answer
)

// answer is the row of a request that is there, and of the answer in the making: one
// cache line.
type answer struct {
	first, whole time.Duration // work to the first token, and to the end
	perToken     time.Duration
	tokens       int64         // made by the end
	seated       time.Duration // when it got its seat
	left         int32         // tokens between the first and the last to be told of, where each is wanted
	unmetered    int32         // tokens not charged yet, where each is
	born         uint32        // of its entries in the heaps
	fault        int16
	told         EffectKind // what to tell of the next token
	fate         EffectKind // its end
	state        state
	stream       bool
	gone         bool // its client left
	leaving      bool // and it will be stopped
}

// row makes the row of a new request.
func (p *Provider) row(id policies.Ticket) *answer {
	for int(id) >= len(p.answers) {
		p.answers = append(p.answers, answer{})
	}
	p.answers[id] = answer{}
	return &p.answers[id]
}

// remember makes the row of a request that is admitted.
func (p *Provider) remember(id policies.Ticket, q *Request, meets int) *answer {
	for int(id) >= len(p.answers) {
		p.answers = append(p.answers, answer{})
	}
	tokens := min(q.Output, int64(q.MaxTokens))
	a := &p.answers[id]
	*a = answer{first: q.FirstToken, perToken: q.PerToken, tokens: tokens, stream: q.Stream, told: FirstToken, fate: Finish, fault: noFault}
	if meets != noFault {
		a.fault = int16(meets)
		a.fate, a.tokens = p.fault(meets, id).fate(tokens)
	}
	if a.fate == Finish || a.tokens > 0 {
		a.whole = wholeAnswer(q.FirstToken, q.PerToken, a.tokens)
	} else {
		a.stream = false // nothing comes before the end
	}
	if q.EachToken && q.PerToken > 0 {
		a.left = int32(min(max(0, a.tokens-2), math.MaxInt32))
	}
	if p.limits != nil && p.limits.meters() && q.PerToken > 0 {
		a.unmetered = int32(min(a.tokens, math.MaxInt32))
	}
	p.begun++
	if p.keys != nil {
		p.keys.own(id, q, p.begun)
	}
	return a
}

// seat starts the answer of a remembered request.
func (p *Provider) seat(now time.Duration, id policies.Ticket) {
	a := &p.answers[id]
	p.occupy(now, 1)
	a.state, a.seated, a.born = serving, now, uint32(p.born)
	start := work{at: now}
	if p.paced {
		start = p.pace.rounded()
		for int(id) >= len(p.starts) {
			p.starts = append(p.starts, work{})
		}
		p.starts[id] = start
	}
	if a.stream {
		p.tokens.push(start.plus(a.first), p.born, id)
	}
	if a.unmetered > 1 {
		p.metered.push(start.plus(a.first), p.born, id)
	}
	p.finishes.push(start.plus(a.whole), p.born, id)
	p.born++
}

func (p *Provider) occupy(now time.Duration, change int64) {
	if p.paced {
		p.pace.to(now, p.serving)
	}
	p.busy, p.changed = p.Busy(now), now
	p.serving += change
}

// finish is the last thing that happens to an answer in the making.
func (p *Provider) finish(now time.Duration, d due) {
	id := d.ticket()
	a := &p.answers[id]
	if a.fate == Stalled {
		a.state = stalled
		if a.gone && p.leavesItsSeat(a) {
			p.end(now, id, Stopped, a.tokens)
			return
		}
		p.effects = append(p.effects, Effect{At: now, Ticket: id, Kind: Stalled, Tokens: a.tokens, Gone: a.gone})
		if p.keys != nil {
			p.keys.tell(p, p.effects[len(p.effects)-1])
		}
		return
	}
	p.end(now, id, a.fate, a.tokens)
}

// end ends a request and frees what it holds: a seat goes to who is next.
func (p *Provider) end(now time.Duration, id policies.Ticket, kind EffectKind, tokens int64) {
	a := &p.answers[id]
	e := Effect{At: now, Ticket: id, Kind: kind, Tokens: tokens, Gone: a.gone}
	if p.limits != nil {
		p.limits.Done(now, id, tokens)
	}
	was := a.state
	a.state = absent
	switch was {
	case waiting:
		p.queue.leave(id)
	case serving, stalled:
		e.Busy = now - a.seated
		p.occupy(now, -1)
		if kind == Stopped && was == serving {
			p.dead++
		}
	}
	if a.leaving {
		a.leaving = false
		p.left.remove(id)
	}
	if kind == Dropped {
		e.decision = int32(len(p.decisions) - 1)
	}
	p.effects = append(p.effects, e)
	if p.keys != nil {
		p.keys.ended(p, e)
	}
	if was == serving || was == stalled {
		p.serveNext(now)
	}
}

// serveNext gives seats that are free to who is next.
func (p *Provider) serveNext(now time.Duration) {
	for p.queue.n > 0 && p.serving < p.seats {
		id, ok := p.queue.next(now, p.serving >= p.seats-p.config.Queue.Reserve)
		if !ok {
			return
		}
		p.queue.leave(id)
		p.effects = append(p.effects, Effect{At: now, Ticket: id, Kind: Served, Gone: p.answers[id].gone})
		p.seat(now, id)
	}
}

// token tells of a token before the last.
func (p *Provider) token(now time.Duration, d due) {
	id := d.ticket()
	a := &p.answers[id]
	p.effects = append(p.effects, Effect{At: now, Ticket: id, Kind: a.told, Gone: a.gone})
	if p.keys != nil {
		p.keys.tell(p, p.effects[len(p.effects)-1])
	}
	a.told = NextToken
	if a.left > 0 && p.heeded(id) {
		a.left--
		p.tokens.push(d.plus(a.perToken), d.born(), id)
	}
}

// heeded says whether anybody hears of an answer's tokens, or may join it yet and then hear of
// them all.
func (p *Provider) heeded(id policies.Ticket) bool {
	return !p.answers[id].gone || p.config.Idempotency.Mode == IdempotencyAttach && p.keys.of[id].key != 0
}

// meter charges a token when it is made; the finish charges what is left.
func (p *Provider) meter(now time.Duration, d due) {
	id := d.ticket()
	a := &p.answers[id]
	if a.unmetered <= 1 {
		return
	}
	a.unmetered--
	p.limits.Generated(now, id, 1)
	p.metered.push(d.plus(a.perToken), d.born(), id)
}

// alive says whether what is due still matters.
func (p *Provider) alive(d due) bool {
	a := &p.answers[d.ticket()]
	return a.state == serving && a.born == uint32(d.born())
}

// wholeAnswer is first_token + (max(tokens, 1) - 1) * per_token, at most a century.
func wholeAnswer(first, perToken time.Duration, tokens int64) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	more := max(tokens, 1) - 1
	if perToken > 0 && more > int64(century/perToken) {
		return century
	}
	return min(century, first+time.Duration(more)*perToken)
}
