package policies

import "time"

// Oversize says what a paced gate does with a request of more tokens than its burst.
type Oversize string

// What it can do; it never waits for ever.
const (
	// RejectOversize refuses it at once.
	RejectOversize Oversize = "reject"
	// BorrowOversize lets it through when the bucket is full and takes all its tokens, so
	// that those after it wait until the debt is repaid. The rate holds.
	BorrowOversize Oversize = "borrow"
	// WhenFullOversize lets it through when the bucket is full and takes only what is in
	// it. Requests that are often oversize exceed the rate.
	WhenFullOversize Oversize = "when-full"
)

// Words lists what a scenario may name.
func (Oversize) Words() []string {
	return []string{string(RejectOversize), string(BorrowOversize), string(WhenFullOversize)}
}

// PacedGate lets requests through at rates of requests and of tokens, first come first
// served, out of a bucket of each that is full at first. With permits it also bounds how
// many are inside at once. Not safe for concurrent use.
//
//	requests 60/min, burst 1s: one at once, then one a second
//	tokens 40000/min, burst 1s: a bucket of 667, so 800 tokens are oversize
type PacedGate struct {
	line
	free     int64
	requests *pace
	tokens   *pace
	oversize Oversize
	wants    map[Ticket]int64 // tokens of those in line
}

// pace is one rate and its bucket: what is used of the burst drains at the rate.
type pace struct {
	used  Bucket
	burst int64
}

func newPace(rate *Rate, burst time.Duration) *pace {
	if rate == nil {
		return nil
	}
	return &pace{used: NewBucket(*rate, 0), burst: rate.in(burst)}
}

// in is what a bucket holds that the rate fills in that time.
func (r *Rate) in(burst time.Duration) int64 {
	return max(1, CeilMulDiv(uint64(r.N), uint64(burst), 0, uint64(r.Per)))
}

// HoldsTokens returns how many tokens a gate's bucket holds; false if it counts none.
func (c GateConfig) HoldsTokens() (int64, bool) {
	if c.Tokens == nil {
		return 0, false
	}
	return c.Tokens.in(c.Burst), true
}

// wait is how long until n fit; what is oversize waits for a full bucket.
func (p *pace) wait(now time.Duration, n int64) time.Duration {
	if p == nil {
		return 0
	}
	p.used.Drain(now)
	return p.used.Until(max(0, p.burst-n))
}

func (p *pace) take(n int64) {
	if p != nil {
		p.used.Add(n)
	}
}

// NewPacedGate makes the gate of a config that has a rate.
func NewPacedGate(c GateConfig) *PacedGate {
	g := &PacedGate{
		line: newLine(), free: int64(Unlimited), oversize: c.Oversize, wants: map[Ticket]int64{},
		requests: newPace(c.Requests, c.Burst), tokens: newPace(c.Tokens, c.Burst),
	}
	if c.Concurrency > 0 {
		g.free = int64(c.Concurrency)
	}
	return g
}

// Enter puts the ticket at the end of the line, or refuses it because it is oversize.
func (g *PacedGate) Enter(_ time.Duration, t Ticket, tokens int64, _ uint8) bool {
	if g.tokens != nil && tokens > g.tokens.burst && g.oversize == RejectOversize {
		return false
	}
	if g.join(t) {
		g.wants[t] = tokens
	}
	return true
}

// Leave frees the holder's permit, or takes the waiter out of the line. What it took of
// the rates is spent.
func (g *PacedGate) Leave(_ time.Duration, t Ticket, _ AttemptEnd) {
	if g.leave(t) {
		g.free++
		return
	}
	delete(g.wants, t)
}

// Poll grants in order of the line while both buckets and the permits allow, and asks
// to be woken when they will allow the next.
func (g *PacedGate) Poll(now time.Duration, buf []Ticket) ([]Ticket, time.Duration) {
	for g.free > 0 {
		t, any := g.first()
		if !any {
			break
		}
		tokens := g.wants[t]
		if wait := max(g.requests.wait(now, 1), g.tokens.wait(now, tokens)); wait > 0 {
			return buf, Later(now, wait)
		}
		if g.tokens != nil && g.oversize == WhenFullOversize {
			tokens = min(tokens, g.tokens.burst)
		}
		g.requests.take(1)
		g.tokens.take(tokens)
		delete(g.wants, t)
		g.admit(t)
		g.free--
		buf = append(buf, t)
	}
	return buf, Never
}
