package policies

import "time"

// ConcurrencyGate lets at most a fixed number through at once, first come first
// served. It is work-conserving: after Poll there is never both a free permit and
// a waiter. Not safe for concurrent use.
type ConcurrencyGate struct {
	line
	free int64
}

// NewConcurrencyGate returns a gate of so many permits, at least 1.
func NewConcurrencyGate(permits int64) *ConcurrencyGate {
	return &ConcurrencyGate{line: newLine(), free: permits}
}

// Enter puts the ticket at the end of the line. A ticket that waits or holds
// already keeps what it has.
func (g *ConcurrencyGate) Enter(_ time.Duration, t Ticket, _ int64, _ uint8) bool {
	g.join(t)
	return true
}

// Leave frees the holder's permit, or takes the waiter out of the line.
func (g *ConcurrencyGate) Leave(_ time.Duration, t Ticket, _ AttemptEnd) {
	if g.leave(t) {
		g.free++
	}
}

// Poll grants free permits to the first in line. It never asks to be woken: only
// Leave frees a permit.
func (g *ConcurrencyGate) Poll(_ time.Duration, buf []Ticket) ([]Ticket, time.Duration) {
	for g.free > 0 {
		t, any := g.first()
		if !any {
			break
		}
		g.admit(t)
		g.free--
		buf = append(buf, t)
	}
	return buf, Never
}

// Waiting returns how many stand in line.
func (g *ConcurrencyGate) Waiting() int { return g.waiting }

// Free returns how many permits nobody holds.
func (g *ConcurrencyGate) Free() int64 { return g.free }
