package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Provider is the rate-limited service as a state machine: limits, seats, a queue
// before them, and answers in the making. It knows no engine, clock or socket: Offer and
// Leave change it, Poll says what has come due and when to ask again. Not safe
// for concurrent use.
type Provider struct {
	config ProviderConfig
	limits *Limits // nil without
	voice  voice

	answers  []answer // by ticket
	finishes dueHeap  // last tokens
	tokens   dueHeap  // tokens before them that Poll tells of
	metered  dueHeap  // tokens that limits charge as they are made
	born     uint64   // answers begun so far, the order of ties
	line     ring
	effects  []Effect // come due, not yet polled

	serving int64
	busy    time.Duration // seat time up to changed
	changed time.Duration
}

// answer is one answer in the making.
type answer struct {
	first, whole time.Duration // from its start
	perToken     time.Duration
	tokens       int64
	left         int64      // tokens between the first and the last to be told of, where each is wanted
	unmetered    int64      // tokens not charged yet, where each is
	told         EffectKind // what to tell of the next token
	stream       bool
	gone         bool // its client left
}

// Request is what a client asks of the provider.
type Request struct {
	Ask
	Attempt    int32 // within its operation, from 0
	Stream     bool
	EachToken  bool          // of a stream: Poll tells of every token, as who writes them to a socket needs
	FirstToken time.Duration // from the start of service
	PerToken   time.Duration // for each token after the first
}

// Verdict is what the provider makes of a request.
type Verdict uint8

// The verdicts.
const (
	Serve  Verdict = iota // it has a seat
	Wait                  // it waits in the queue; Poll says when it is served
	Reject                // limits, the seats or the queue refuse it
	Fail                  // a fault answers it
)

// Decision is the provider's answer to Offer, with all that headers and bodies need.
type Decision struct {
	Verdict Verdict
	Status  int16                // of Reject and Fail
	Axis    Axis                 // of Reject
	Kind    policies.RefusalKind // of Reject
	Limiter int                  // of Reject by limits: its place under limits, -1 the slope; else NoLimiter
	Cost    int64                // of Reject by limits: what the request would have been charged there
	Wait    time.Duration        // of Reject: the true wait after which it would be admitted if nobody else came; 0 where that is not known
	Hint    policies.Hint        // what it is told
}

// NoLimiter stands for the seats and the queue.
const NoLimiter = -2

// EffectKind is something that happens to a request after its admission.
type EffectKind uint8

// The effects, in the order they happen to a request.
const (
	Served     EffectKind = iota // it left the queue for a seat
	FirstToken                   // of a stream
	NextToken                    // between the first and the last, of a stream that asked for each token
	Finish                       // the last token
)

// Effect is something that came due.
type Effect struct {
	At     time.Duration
	Tokens int64 // of Finish: the answer's length
	Ticket policies.Ticket
	Kind   EffectKind
	Gone   bool // the client has left; nobody hears of it
}

// NewProvider returns an empty provider.
func NewProvider(c ProviderConfig) *Provider {
	p := &Provider{config: c, voice: c.Hint.voice()}
	if len(c.Limits) > 0 || c.Slope != nil {
		p.limits = NewLimits(c.Limits, c.Slope)
	}
	return p
}

// Reset empties the provider; it keeps its memory.
func (p *Provider) Reset() {
	p.answers, p.effects = p.answers[:0], p.effects[:0]
	p.finishes, p.tokens, p.metered = p.finishes[:0], p.tokens[:0], p.metered[:0]
	p.line.reset()
	p.born, p.serving, p.busy, p.changed = 0, 0, 0, 0
	if p.limits != nil {
		p.limits.Reset()
	}
}

// Offer decides on a request that arrives now. The ticket names it until its
// Finish; for Reject and Fail it is free again at once. All limits, the seats and the
// queue must admit it, or no limit is charged but those in which refused requests
// count. Of several that refuse, the decision names the one with the longest wait.
func (p *Provider) Offer(now time.Duration, id policies.Ticket, q *Request) Decision {
	p.advance(now)
	for i := range p.config.Faults {
		if f := &p.config.Faults[i]; policies.Count(q.Attempt) < f.First {
			return Decision{Verdict: Fail, Status: int16(f.Status)}
		}
	}
	seat := p.serving < int64(p.config.Seats)
	place := seat || p.line.len() < int64(p.config.Queue.Places)
	if p.limits != nil {
		if rejection := p.limits.Ask(now, &q.Ask); rejection.Kind != policies.NotRefused {
			p.limits.Refuse(now, &q.Ask)
			return p.reject(now, &rejection, place)
		}
		if !place {
			p.limits.Refuse(now, &q.Ask)
			return p.full(now)
		}
		p.limits.Admit(now, id, &q.Ask)
	}
	switch {
	case seat:
		p.remember(id, q)
		p.seat(now, id)
		return Decision{Verdict: Serve}
	case place:
		p.remember(id, q)
		p.line.push(id)
		return Decision{Verdict: Wait}
	}
	return p.full(now)
}

// reject refuses a request that limits refuse, or the full house where its wait is longer.
func (p *Provider) reject(now time.Duration, r *Rejection, place bool) Decision {
	if !place && r.Kind != policies.BeyondLimit && p.untilAPlace(now) > r.Wait {
		return p.full(now)
	}
	d := Decision{Verdict: Reject, Status: 429, Axis: r.Axis, Kind: r.Kind, Limiter: r.Limiter, Cost: r.Requested, Wait: r.Wait}
	if r.Kind != policies.BeyondLimit {
		d.Hint = p.voice.say(now, r.Wait)
	}
	return d
}

// full refuses a request for want of a seat, and of a place in the queue.
func (p *Provider) full(now time.Duration) Decision {
	d := Decision{Verdict: Reject, Status: int16(p.config.Refuses.Status), Axis: Seats, Kind: policies.Temporary, Limiter: NoLimiter, Wait: p.untilAPlace(now)}
	if p.config.Queue.Places > 0 {
		d.Axis = Queue
	}
	d.Hint = p.voice.say(now, d.Wait)
	return d
}

// untilAPlace is when the first seat frees, and with it a place.
func (p *Provider) untilAPlace(now time.Duration) time.Duration {
	if len(p.finishes) == 0 {
		return 0
	}
	return p.finishes[0].at - now
}

// Leave says that the client of a request that is served or queued went away. Its
// answer is made all the same.
func (p *Provider) Leave(now time.Duration, id policies.Ticket) {
	p.advance(now)
	p.answers[id].gone = true
}

// Poll appends to buf what has come due, in order of time, and says when to ask
// again: policies.Never while nothing is in the making.
func (p *Provider) Poll(now time.Duration, buf []Effect) ([]Effect, time.Duration) {
	p.advance(now)
	buf = append(buf, p.effects...)
	p.effects = p.effects[:0]
	return buf, min(p.finishes.next(), p.tokens.next())
}

// Serving returns how many requests have a seat.
func (p *Provider) Serving() int64 { return p.serving }

// Queued returns how many requests wait for one.
func (p *Provider) Queued() int64 { return p.line.len() }

// Busy returns how long seats have been taken by now, all together.
func (p *Provider) Busy(now time.Duration) time.Duration {
	return p.busy + time.Duration(p.serving)*(now-p.changed)
}

// advance lets happen what is due by now. What it finds is kept for Poll, so that a
// request that arrives before a late Poll still meets the seats as they are.
func (p *Provider) advance(now time.Duration) {
	for {
		finish, token, metered := p.finishes.next(), p.tokens.next(), p.metered.next()
		switch at := min(finish, token, metered); {
		case at > now:
			return
		case at == metered:
			p.meter(p.metered.pop())
		case at == token:
			p.token(p.tokens.pop())
		default:
			p.finish(p.finishes.pop())
		}
	}
}

// finish ends an answer; who is first in line gets its seat.
func (p *Provider) finish(d due) {
	id := d.ticket()
	a := &p.answers[id]
	a.unmetered = 0
	if p.limits != nil {
		p.limits.Done(d.at, id, a.tokens)
	}
	p.effects = append(p.effects, Effect{At: d.at, Ticket: id, Kind: Finish, Tokens: a.tokens, Gone: a.gone})
	p.occupy(d.at, -1)
	if p.line.len() > 0 {
		next := p.line.pop()
		p.effects = append(p.effects, Effect{At: d.at, Ticket: next, Kind: Served, Gone: p.answers[next].gone})
		p.seat(d.at, next)
	}
}

// token tells of a token before the last.
func (p *Provider) token(d due) {
	id := d.ticket()
	a := &p.answers[id]
	p.effects = append(p.effects, Effect{At: d.at, Ticket: id, Kind: a.told, Gone: a.gone})
	if a.left > 0 {
		a.left--
		a.told = NextToken
		p.tokens.push(d.at+a.perToken, d.born(), id)
	}
}

// meter charges a token when it is made; the finish charges what is left.
func (p *Provider) meter(d due) {
	id := d.ticket()
	a := &p.answers[id]
	if a.unmetered <= 1 {
		return
	}
	a.unmetered--
	p.limits.Generated(d.at, id, 1)
	p.metered.push(d.at+a.perToken, d.born(), id)
}

func (p *Provider) remember(id policies.Ticket, q *Request) {
	for int(id) >= len(p.answers) {
		p.answers = append(p.answers, answer{})
	}
	tokens := min(q.Output, int64(q.MaxTokens))
	a := answer{first: q.FirstToken, whole: wholeAnswer(q.FirstToken, q.PerToken, tokens), perToken: q.PerToken, tokens: tokens, stream: q.Stream, told: FirstToken}
	if q.EachToken && q.PerToken > 0 {
		a.left = max(0, tokens-2)
	}
	if p.limits != nil && p.limits.meters() && q.PerToken > 0 {
		a.unmetered = tokens
	}
	p.answers[id] = a
}

// seat starts the answer of a remembered request.
func (p *Provider) seat(now time.Duration, id policies.Ticket) {
	a := &p.answers[id]
	p.occupy(now, 1)
	if a.stream {
		p.tokens.push(now+a.first, p.born, id)
	}
	if a.unmetered > 1 {
		p.metered.push(now+a.first, p.born, id)
	}
	p.finishes.push(now+a.whole, p.born, id)
	p.born++
}

func (p *Provider) occupy(now time.Duration, change int64) {
	p.busy, p.changed = p.Busy(now), now
	p.serving += change
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
