package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Provider is the rate-limited service as a state machine: seats, a queue before
// them, and answers in the making. It knows no engine, clock or socket: Offer and
// Leave change it, Poll says what has come due and when to ask again. Not safe
// for concurrent use.
type Provider struct {
	config ProviderConfig
	hint   policies.Hint

	answers []answer // by ticket
	due     dueHeap
	born    uint64 // answers begun so far, the order of ties
	line    ring
	effects []Effect // come due, not yet polled

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
	told         EffectKind // what to tell of the next token
	stream       bool
	gone         bool // its client left
}

// Request is what a client asks of the provider.
type Request struct {
	Attempt      int32 // within its operation, from 0
	Stream       bool
	EachToken    bool           // of a stream: Poll tells of every token, as who writes them to a socket needs
	OutputTokens int64          // the whole answer's length
	MaxTokens    policies.Count // the answer is cut there
	FirstToken   time.Duration  // from the start of service
	PerToken     time.Duration  // for each token after the first
}

// Verdict is what the provider makes of a request.
type Verdict uint8

// The verdicts.
const (
	Serve  Verdict = iota // it has a seat
	Wait                  // it waits in the queue; Poll says when it is served
	Reject                // a limit, the seats or the queue refuse it
	Fail                  // a fault answers it
)

// Decision is the provider's answer to Offer, with all that headers and bodies need.
type Decision struct {
	Verdict Verdict
	Status  int16 // of Reject and Fail
	Axis    Axis  // of Reject
	Hint    policies.Hint
}

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
	return &Provider{config: c, hint: c.Hint.spoken()}
}

// Reset empties the provider; it keeps its memory.
func (p *Provider) Reset() {
	p.answers, p.due, p.effects = p.answers[:0], p.due[:0], p.effects[:0]
	p.line.reset()
	p.born, p.serving, p.busy, p.changed = 0, 0, 0, 0
}

// Offer decides on a request that arrives now. The ticket names it until its
// Finish; for Reject and Fail it is free again at once.
func (p *Provider) Offer(now time.Duration, id policies.Ticket, q *Request) Decision {
	p.advance(now)
	for i := range p.config.Faults {
		if f := &p.config.Faults[i]; policies.Count(q.Attempt) < f.First {
			return Decision{Verdict: Fail, Status: int16(f.Status)}
		}
	}
	switch {
	case p.serving < int64(p.config.Seats):
		p.remember(id, q)
		p.seat(now, id)
		return Decision{Verdict: Serve}
	case p.line.len() < int64(p.config.Queue.Places):
		p.remember(id, q)
		p.line.push(id)
		return Decision{Verdict: Wait}
	}
	full := Seats
	if p.config.Queue.Places > 0 {
		full = Queue
	}
	return Decision{Verdict: Reject, Status: int16(p.config.Refuses.Status), Axis: full, Hint: p.hint}
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
	if len(p.due) == 0 {
		return buf, policies.Never
	}
	return buf, p.due[0].at
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
	for len(p.due) > 0 && p.due[0].at <= now {
		d := p.due.pop()
		id := d.ticket()
		a := &p.answers[id]
		if d.isFirst() {
			p.effects = append(p.effects, Effect{At: d.at, Ticket: id, Kind: a.told, Gone: a.gone})
			if a.left > 0 {
				a.left--
				a.told = NextToken
				p.due.push(d.at+a.perToken, d.born(), id, true)
			}
			continue
		}
		p.effects = append(p.effects, Effect{At: d.at, Ticket: id, Kind: Finish, Tokens: a.tokens, Gone: a.gone})
		p.occupy(d.at, -1)
		if p.line.len() > 0 {
			next := p.line.pop()
			p.effects = append(p.effects, Effect{At: d.at, Ticket: next, Kind: Served, Gone: p.answers[next].gone})
			p.seat(d.at, next)
		}
	}
}

func (p *Provider) remember(id policies.Ticket, q *Request) {
	for int(id) >= len(p.answers) {
		p.answers = append(p.answers, answer{})
	}
	tokens := min(q.OutputTokens, int64(q.MaxTokens))
	a := answer{first: q.FirstToken, whole: wholeAnswer(q.FirstToken, q.PerToken, tokens), tokens: tokens, stream: q.Stream, told: FirstToken}
	if q.EachToken && q.PerToken > 0 {
		a.perToken, a.left = q.PerToken, max(0, tokens-2)
	}
	p.answers[id] = a
}

// seat starts the answer of a remembered request.
func (p *Provider) seat(now time.Duration, id policies.Ticket) {
	a := &p.answers[id]
	p.occupy(now, 1)
	if a.stream {
		p.due.push(now+a.first, p.born, id, true)
	}
	p.due.push(now+a.whole, p.born, id, false)
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

// spoken is the hint as the headers carry it: rounded up to what they can say. A
// client that knows retry-after-ms takes that.
func (h HintConfig) spoken() policies.Hint {
	if !h.RetryAfter.Given || len(h.Format) == 0 {
		return policies.Hint{}
	}
	unit := time.Second
	for _, f := range h.Format {
		if f == MillisFormat {
			unit = time.Millisecond
		}
	}
	return policies.Hint{Kind: policies.GivenHint, Wait: (h.RetryAfter.Wait + unit - 1) / unit * unit}
}
