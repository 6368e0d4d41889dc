package model

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Provider is the rate-limited service as a state machine: limits, seats, a queue
// before them, answers in the making, and what can go wrong with all of it. It knows no
// engine, clock, socket or chance: Offer and Leave change it, Poll says what has come due
// and when to ask again. Not safe for concurrent use.
//
// What happens at one instant happens in this order, whatever was called when:
//
//  1. the weather changes; in a freeze nothing else happens
//  2. tokens are made and answers end; each seat that frees goes to who is next
//  3. requests whose clients left are stopped, and free theirs
//  4. who has waited too long leaves the queue
//  5. calls that came in a freeze that is over, in order
//  6. calls, in order
type Provider struct {
	config ProviderConfig
	limits *Limits // nil without
	voice  voice
	faults []fault
	steers map[policies.Ticket]*Fault // of requests that bring their own
	keys   *keyring                   // nil without
	plain  bool                       // nothing happens but tokens

	answers  []answer // by ticket
	finishes dues     // ends of what is being made
	tokens   dues     // tokens before them that Poll tells of
	metered  dues     // tokens that limits charge as they are made
	born     uint64   // answers begun so far, the order of ties
	begun    uint64   // answers admitted so far
	dead     int      // answers stopped, which the heaps may still hold
	queue    queue
	left     line // who is to be stopped, by when its client left

	seats int64 // of now
	sky   sky
	edges []time.Duration // when the weather changes
	edge  int             // the next of them

	frozen bool
	thawed time.Duration // the last time
	held   []heldCall
	luck   []float64 // of held
	heard  int       // of held

	paced  bool
	pace   sharing
	starts []work // of each ticket's answer, where paced

	effects         []Effect   // come due, not yet polled
	decisions, told []Decision // of effects; of those that the last Poll told of
	ends            []time.Duration

	serving int64
	busy    time.Duration // seat time up to changed
	changed time.Duration
}

// Request is what a client asks of the provider.
type Request struct {
	Ask
	Attempt     int32 // within its operation, from 0
	Priority    uint8 // lower goes first
	Stream      bool
	EachToken   bool          // of a stream: Poll tells of every token while its client is there, as who writes them to a socket needs
	FirstToken  time.Duration // from the start of service, at full speed
	PerToken    time.Duration // for each token after the first
	Idempotency uint64        // the operation's key; 0: none
	Lot         float64       // of [0, 1): its place in a queue of random order
	Luck        []float64     // of [0, 1), one for each fault: whether it meets those that have a probability; read during Offer alone
	Steer       *Fault        // met instead of the provider's, whatever its probability and keys; nil: none
}

// NewProvider returns an empty provider of a config that has passed its checks.
func NewProvider(c ProviderConfig) *Provider {
	p := &Provider{config: c, voice: c.Hint.voice(), faults: c.faults(), keys: newKeyring(c.Idempotency), queue: newQueue(&c.Queue), edges: edgesOf(c.Weather)}
	if len(c.Limits) > 0 || c.Slope != nil {
		p.limits = NewLimits(c.Limits, c.Slope)
	}
	p.paced = c.paced()
	p.plain = !p.paced && len(p.edges) == 0 && c.Queue.WaitLimit == WaitLimit(policies.Never) && c.Abandoned.FreesSeatAfter == Patience(policies.Never)
	p.begin()
	return p
}

// paced says whether answers may be made faster and slower.
func (c *ProviderConfig) paced() bool {
	return c.Service.Pace != nil || slices.ContainsFunc(c.Weather, func(w Weather) bool { return w.Pace != nil || w.Freeze })
}

// Reset empties the provider; it keeps its memory.
func (p *Provider) Reset() {
	p.answers, p.effects = p.answers[:0], p.effects[:0]
	p.decisions, p.told = p.decisions[:0], p.told[:0]
	clear(p.steers)
	p.queue.reset()
	p.left.reset()
	p.held, p.luck, p.heard = p.held[:0], p.luck[:0], 0
	p.born, p.begun, p.dead, p.serving, p.busy, p.changed = 0, 0, 0, 0, 0, 0
	if p.limits != nil {
		p.limits.Reset()
	}
	if p.keys != nil {
		p.keys.reset()
	}
	p.begin()
}

func (p *Provider) begin() {
	p.seats, p.sky, p.edge, p.frozen, p.thawed = int64(p.config.Seats), clearSky, 0, false, 0
	p.pace = newSharing(p.config.Service.Pace)
	p.finishes.reset()
	p.tokens.reset()
	p.metered.reset()
}

// Offer decides on a request that arrives now. The ticket names it until its end, of
// which Poll tells; for Reject, Fail and Replay it is free again at once. First of all
// the weather's outage answers, then faults that answer or hang, then what became of its
// key. Then all limits, the seats and the queue must admit it, or no limit is charged but
// those in which refused requests count. Of several that refuse, the decision names
// the one with the longest wait.
func (p *Provider) Offer(now time.Duration, id policies.Ticket, q *Request) (d Decision) {
	p.advance(now)
	d.Limiter = NoLimiter
	if p.frozen {
		d.Verdict = Later
		p.hold(id, q)
		return d
	}
	p.decide(&d, now, id, q)
	return d
}

func (p *Provider) decide(d *Decision, now time.Duration, id policies.Ticket, q *Request) {
	p.judge(d, now, id, q)
	if p.config.Flavour == AnthropicFlavour {
		d.Hint.Retry = shouldRetry(d.Status)
	}
}

// shouldRetry is what Anthropic's x-should-retry says: seen on these two.
func shouldRetry(status int16) policies.ShouldRetry {
	switch status {
	case 429:
		return policies.DoRetry
	case 401:
		return policies.NoRetry
	}
	return policies.NotSaid
}

func (p *Provider) judge(d *Decision, now time.Duration, id policies.Ticket, q *Request) {
	if p.sky.outage != 0 {
		d.Verdict, d.Status = Fail, int16(p.sky.outage)
		return
	}
	meets := noFault
	if len(p.faults) > 0 || q.Steer != nil {
		if meets = p.faulty(q); meets != noFault {
			p.steer(id, q.Steer)
			switch f := p.fault(meets, id); {
			case f.Status != 0:
				d.Verdict, d.Status = Fail, int16(f.Status)
				return
			case f.Hang:
				d.Verdict = Hang
				p.row(id).state = hung
				return
			}
		}
	}
	if p.keys != nil && q.Idempotency != 0 {
		if p.keys.duplicate(d, now, p, id, q) {
			return
		}
	}
	room := p.seats
	if q.Priority > 0 {
		room -= p.config.Queue.Reserve
	}
	seat := p.serving < room
	place := seat || p.queue.n < int64(p.config.Queue.Places)
	late := time.Duration(0)
	if place && !seat && p.config.Queue.RefuseLate {
		late = p.late(now, room, q)
		place = late == 0
	}
	if p.limits != nil {
		if rejection := p.limits.Ask(now, &q.Ask); rejection.Kind != policies.NotRefused {
			p.limits.Refuse(now, &q.Ask)
			p.reject(d, now, &rejection, place, late)
			return
		}
		if !place {
			p.limits.Refuse(now, &q.Ask)
			p.full(d, now, p.waitToTell(now, late))
			return
		}
		p.limits.Admit(now, id, &q.Ask)
	}
	switch {
	case seat:
		p.remember(id, q, meets)
		p.seat(now, id)
		d.Verdict, d.Answer = Serve, p.begun
	case place:
		p.remember(id, q, meets).state = waiting
		p.queue.enter(now, id, q)
		d.Verdict, d.Answer = Wait, p.begun
	default:
		p.full(d, now, p.waitToTell(now, late))
	}
}

// reject refuses a request that limits refuse, or the full house where its wait is longer.
func (p *Provider) reject(d *Decision, now time.Duration, r *Rejection, place bool, late time.Duration) {
	if !place && r.Kind != policies.BeyondLimit {
		if wait := p.untilAPlace(now, late); wait > r.Wait {
			p.full(d, now, wait)
			return
		}
	}
	*d = Decision{Verdict: Reject, Status: 429, Axis: r.Axis, Kind: r.Kind, Limiter: r.Limiter, Cost: r.Requested, Wait: r.Wait}
	if r.Kind != policies.BeyondLimit {
		d.Hint = p.voice.say(now, r.Wait)
	}
}

// full refuses a request for want of a seat, and of a place in the queue.
func (p *Provider) full(d *Decision, now, wait time.Duration) {
	d.Verdict, d.Status, d.Kind, d.Wait = Reject, int16(p.config.Refuses.Status), policies.Temporary, wait
	d.Axis = Seats
	if p.config.Queue.Places > 0 {
		d.Axis = Queue
	}
	d.Hint = p.voice.say(now, wait)
}

// Poll appends to buf what has come due, in order of time, and says when to ask
// again: policies.Never while nothing is in the making.
func (p *Provider) Poll(now time.Duration, buf []Effect) ([]Effect, time.Duration) {
	p.advance(now)
	buf = append(buf, p.effects...)
	p.effects = p.effects[:0]
	p.told, p.decisions = p.decisions, p.told[:0]
	return buf, p.wake()
}

// Decision returns what was Decided, or why one was Dropped, of an effect that the last
// Poll told of.
func (p *Provider) Decision(e *Effect) *Decision { return &p.told[e.decision] }

// wake is when something happens next of which Poll tells, or before which it cannot
// say.
func (p *Provider) wake() time.Duration {
	if p.plain {
		return min(p.finishes.at, p.tokens.at)
	}
	if p.serving == 0 && p.queue.n == 0 && len(p.held) == 0 {
		return policies.Never
	}
	edge := p.nextEdge()
	if p.frozen {
		return edge
	}
	p.prune()
	first := p.finishes.when()
	if token := p.tokens.when(); token.before(first) {
		first = token
	}
	return min(edge, p.when(first), p.nextStop(), p.nextDrop())
}

// Serving returns how many requests have a seat.
func (p *Provider) Serving() int64 { return p.serving }

// Queued returns how many requests wait for one.
func (p *Provider) Queued() int64 { return p.queue.n }

// Busy returns how long seats have been taken by now, all together.
func (p *Provider) Busy(now time.Duration) time.Duration {
	return p.busy + time.Duration(p.serving)*(now-p.changed)
}

// advance lets happen what is due by now. What it finds is kept for Poll, so that a
// request that arrives before a late Poll still meets the seats as they are.
func (p *Provider) advance(now time.Duration) {
	if !p.plain {
		p.advanceAll(now)
		return
	}
	for {
		finish, token, metered := p.finishes.at, p.tokens.at, p.metered.at
		switch at := min(finish, token, metered); {
		case at > now:
			return
		case at == metered:
			p.meter(at, p.metered.pop())
		case at == token:
			p.token(at, p.tokens.pop())
		default:
			p.finish(at, p.finishes.pop())
		}
	}
}

// advanceAll is advance where more can happen than tokens.
func (p *Provider) advanceAll(now time.Duration) {
	for {
		if edge := p.nextEdge(); p.frozen || edge <= now {
			if edge > now {
				return
			}
			if p.frozen || !p.work(edge-1) {
				p.edge++
				p.change(edge)
				if !p.frozen {
					p.serveNext(edge)
				}
			}
			continue
		}
		if !p.work(now) {
			return
		}
	}
}

// work lets happen the first thing that is due by now, other than weather; false if
// there is nothing.
func (p *Provider) work(now time.Duration) bool {
	p.prune()
	first, by := p.metered.when(), &p.metered
	if token := p.tokens.when(); token.before(first) {
		first, by = token, &p.tokens
	}
	if finish := p.finishes.when(); finish.before(first) {
		first, by = finish, &p.finishes
	}
	made, stop, drop := p.when(first), max(p.thawed, p.nextStop()), max(p.thawed, p.nextDrop())
	thaw := policies.Never
	if p.heard < len(p.held) {
		thaw = p.thawed
	}
	at := min(made, stop, drop, thaw)
	if at > now || at == policies.Never {
		return false
	}
	switch at {
	case made:
		if p.paced {
			p.pace.to(at, p.serving)
		}
		switch d := by.pop(); by {
		case &p.metered:
			p.meter(at, d)
		case &p.tokens:
			p.token(at, d)
		default:
			p.finish(at, d)
		}
	case stop:
		p.stop(at, p.left.first())
	case drop:
		p.drop(at)
	default:
		p.release(at)
	}
	return true
}

// when is the instant at which something is due by the clock of work.
func (p *Provider) when(w work) time.Duration {
	if !p.paced {
		return w.at
	}
	return p.pace.when(w, p.serving)
}

// prune takes out of the heaps what was stopped.
func (p *Provider) prune() {
	if p.dead == 0 {
		return
	}
	if p.dead > 16+p.finishes.len()/2 {
		p.finishes.sweep(p.alive)
		p.tokens.sweep(p.alive)
		p.metered.sweep(p.alive)
		p.dead = 0
		return
	}
	for _, q := range [...]*dues{&p.finishes, &p.tokens, &p.metered} {
		for q.at != policies.Never && !p.alive(q.first()) {
			q.pop()
		}
	}
}
