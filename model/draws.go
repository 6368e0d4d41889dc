package model

import (
	"time"

	"github.com/stampede-sim/stampede/sim"

	"github.com/stampede-sim/stampede/policies"
)

// Key names draws; see [sim.Key].
type Key = sim.Key

// Purpose names what a random number decides. With the seed, the group's name,
// the client, the operation and the attempt it names the number, so no draw hangs
// on the order in which things happen.
type Purpose uint64

// The purposes. Their numbers are part of every result: add at the end.
const (
	drawArrival Purpose = iota
	drawInputTokens
	drawOutputTokens
	drawUp
	drawDown
	drawFirstToken
	drawPerToken
	drawBackoff
	drawGap
	drawKey
	drawLot
	drawLuck
	drawCancel
	drawCancelAfter
)

// Draws are a group's distributions, ready to draw from. Safe for concurrent use.
type Draws struct {
	over            time.Duration
	at              time.Duration
	stream          bool
	ask             Ask // what is the same in all of them
	cached          Share
	idempotency     IdempotencyKey
	priority        uint8
	input, output   sampler
	rows            []TraceRow // that say input or output, and which; nil where the request does
	traced          struct{ input, output bool }
	oneWay          sampler
	gap             sampler
	first, perToken sampler
	cancel          cancel
	each            bool   // the pace of answers may change, or they may be another's, and the client may leave midway: every token is told of
	lots            bool   // the provider's queue draws lots
	chances         []bool // of the provider's faults that happen by chance; nil where none does
}

// NewDraws makes the draws of a group before a provider.
func NewDraws(g *Group, p *ProviderConfig) *Draws { return newDraws(g, p, tables{}) }

func newDraws(g *Group, p *ProviderConfig, known tables) *Draws {
	d := &Draws{
		at: g.Arrive.At, over: g.Arrive.Over, stream: g.Request.Stream, ask: Ask{MaxTokens: g.Request.MaxTokens}, cached: g.Request.Cached,
		input: g.Request.InputTokens.compile(known), output: g.Request.OutputTokens.compile(known),
		oneWay: g.Network.OneWay.compile(known), gap: g.Repeat.Gap.compile(known), idempotency: g.Idempotency, priority: g.Priority,
		first: p.Service.FirstToken.compile(known), perToken: p.Service.PerToken.compile(known),
		lots: p.Queue.Order == RandomOrder, cancel: g.Cancel.compile(known),
	}
	if play := &g.Arrive.Playback; play.Input || play.Output {
		d.rows = play.Rows
		d.traced.input, d.traced.output = play.Input, play.Output
	}
	for i := range p.Faults {
		if p.Faults[i].byChance() {
			d.chances = make([]bool, len(p.Faults))
		}
	}
	for i := range d.chances {
		d.chances[i] = p.Faults[i].byChance()
	}
	return d
}

// ClientKey names the draws of a group's client.
func ClientKey(seed uint64, group string, client int) sim.Key {
	return sim.NewKey(seed, group).At(uint64(client))
}

// OperationKey names the draws of a client's operation, from 0.
func OperationKey(client sim.Key, operation int) sim.Key { return client.At(uint64(operation)) }

// attempt keys must not meet those of an operation's purposes.
func attemptKey(operation sim.Key, attempt int32, purpose Purpose) sim.Key {
	return operation.At(1<<32 | uint64(attempt)).At(uint64(purpose))
}

// ofAttempt draws what an attempt's purpose names, and names nothing where nothing is random.
func (s *sampler) ofAttempt(operation sim.Key, attempt int32, purpose Purpose) int64 {
	if len(s.parts) == 0 {
		return s.fixed
	}
	return s.draw(attemptKey(operation, attempt, purpose))
}

func (s *sampler) ofOperation(operation sim.Key, purpose Purpose) int64 {
	if len(s.parts) == 0 {
		return s.fixed
	}
	return s.draw(operation.At(uint64(purpose)))
}

// Arrival is when a client starts its operation.
func (d *Draws) Arrival(operation sim.Key) time.Duration {
	if d.over == 0 {
		return d.at
	}
	return d.at + time.Duration(operation.At(uint64(drawArrival)).Uniform()*float64(d.over))
}

// Up is an attempt's way to the provider.
func (d *Draws) Up(operation sim.Key, attempt int32) time.Duration {
	return time.Duration(d.oneWay.ofAttempt(operation, attempt, drawUp))
}

// Down is an attempt's way back, the same for each of its tokens.
func (d *Draws) Down(operation sim.Key, attempt int32) time.Duration {
	return time.Duration(d.oneWay.ofAttempt(operation, attempt, drawDown))
}

// Gap is the time between an operation and the next of its client.
func (d *Draws) Gap(operation sim.Key) time.Duration {
	return time.Duration(d.gap.ofOperation(operation, drawGap))
}

// IdempotencyKey is the key that an attempt carries; 0 for none.
func (d *Draws) IdempotencyKey(operation sim.Key, attempt int32) uint64 {
	switch d.idempotency {
	case KeyPerOperation:
		return uint64(operation.At(uint64(drawKey))) | 1
	case KeyPerAttempt:
		return uint64(attemptKey(operation, attempt, drawKey)) | 1
	}
	return 0
}

// Backoff is the uniform number of the wait after an attempt.
func (d *Draws) Backoff(operation sim.Key, attempt int32) float64 {
	return attemptKey(operation, attempt, drawBackoff).Uniform()
}

// Request is what an attempt asks for. The sizes are the operation's, the pace
// is the attempt's. Of an operation out of a trace, see [Draws.RequestOfRow].
func (d *Draws) Request(operation sim.Key, attempt int32) Request {
	return d.RequestOfRow(operation, attempt, 0)
}

// RequestOfRow is what an attempt of an operation out of a trace asks for: its sizes are
// those of its row (see [Cohort.Row]), where the request does not say its own.
func (d *Draws) RequestOfRow(operation sim.Key, attempt, row int32) Request {
	var q Request
	d.put(&q, operation, attempt, row)
	return q
}

// put makes q the attempt's request. It touches what a draw decides and nothing that
// is the zero value in every request, as the world's hot path wants.
func (d *Draws) put(q *Request, operation sim.Key, attempt, row int32) {
	q.Key, q.Tenant, q.Pool, q.MaxTokens = d.ask.Key, d.ask.Tenant, d.ask.Pool, d.ask.MaxTokens
	if d.rows == nil {
		q.Input = d.input.ofOperation(operation, drawInputTokens)
		q.Output = d.output.ofOperation(operation, drawOutputTokens)
	} else {
		q.Input, q.Output = d.sizesOfRow(operation, row)
	}
	q.Cached = d.cached.of(q.Input)
	q.Attempt, q.Stream, q.EachToken = attempt, d.stream, d.each
	q.FirstToken = time.Duration(d.first.ofAttempt(operation, attempt, drawFirstToken))
	q.PerToken = time.Duration(d.perToken.ofAttempt(operation, attempt, drawPerToken))
	q.Priority, q.Idempotency = d.priority, d.IdempotencyKey(operation, attempt)
	if d.lots {
		q.Lot = attemptKey(operation, attempt, drawLot).Uniform()
	}
	if d.chances != nil {
		d.putLuck(q, operation, attempt)
	}
}

// putLuck draws the request's number for each fault that has a probability, into the
// slice it brought along.
func (d *Draws) putLuck(q *Request, operation sim.Key, attempt int32) {
	luck := attemptKey(operation, attempt, drawLuck)
	q.Luck = q.Luck[:0]
	for i, chance := range d.chances {
		u := 0.0
		if chance {
			u = luck.At(uint64(i)).Uniform()
		}
		q.Luck = append(q.Luck, u)
	}
}

// InputTokens is the size of an operation's prompt; the row is that of [Cohort.Row].
func (d *Draws) InputTokens(operation sim.Key, row int32) int64 {
	input, _ := d.sizes(operation, row)
	return input
}

// sizes are an operation's tokens: those of its row of a trace, or drawn.
func (d *Draws) sizes(operation sim.Key, row int32) (input, output int64) {
	if d.rows != nil {
		return d.sizesOfRow(operation, row)
	}
	return d.input.ofOperation(operation, drawInputTokens), d.output.ofOperation(operation, drawOutputTokens)
}

func (d *Draws) sizesOfRow(operation sim.Key, row int32) (input, output int64) {
	of := &d.rows[row]
	input, output = int64(of.Input), int64(of.Output)
	if !d.traced.input {
		input = d.input.ofOperation(operation, drawInputTokens)
	}
	if !d.traced.output {
		output = d.output.ofOperation(operation, drawOutputTokens)
	}
	return input, output
}

// of is the share of n, rounded down.
func (s Share) of(n int64) int64 {
	if s == 0 {
		return 0
	}
	part, _, _ := policies.MulDiv(uint64(n), uint64(s), uint64(Whole))
	return int64(part)
}
