package policies

import "time"

// ConcurrencyGate lets at most a fixed number through at once, first come first
// served. It is work-conserving: after Poll there is never both a free permit and
// a waiter. Not safe for concurrent use.
type ConcurrencyGate struct {
	free    int64
	place   map[Ticket]uint64 // of a waiter, its number in line; of a holder, holding
	line    []Ticket          // ring of waiters, a power of two long; withdrawn ones are not in place under their number
	head    uint64            // number of the first in line
	tail    uint64            // number of the next to come
	waiting int
}

const holding = 1<<64 - 1

// NewConcurrencyGate returns a gate of so many permits, at least 1.
func NewConcurrencyGate(permits int64) *ConcurrencyGate {
	return &ConcurrencyGate{free: permits, place: map[Ticket]uint64{}}
}

// Enter puts the ticket at the end of the line. A ticket that waits or holds
// already keeps what it has.
func (g *ConcurrencyGate) Enter(_ time.Duration, t Ticket, _ int64, _ uint8) {
	if _, known := g.place[t]; known {
		return
	}
	if g.tail-g.head == uint64(len(g.line)) {
		g.grow()
	}
	g.line[g.tail&uint64(len(g.line)-1)] = t
	g.place[t] = g.tail
	g.tail++
	g.waiting++
}

// grow doubles the line, unless dropping those who withdrew makes room enough.
func (g *ConcurrencyGate) grow() {
	next := g.line
	if 2*g.waiting >= len(g.line) {
		next = make([]Ticket, max(16, 2*len(g.line)))
	}
	// Kept tickets move towards the head, so the ring may be read and written in place.
	mask, to := uint64(len(next)-1), g.head
	for from := g.head; from != g.tail; from++ {
		t := g.line[from&uint64(len(g.line)-1)]
		if g.place[t] == from {
			next[to&mask] = t
			g.place[t] = to
			to++
		}
	}
	g.line, g.tail = next, to
}

// Leave frees the holder's permit, or takes the waiter out of the line.
func (g *ConcurrencyGate) Leave(_ time.Duration, t Ticket, _ AttemptEnd) {
	at, known := g.place[t]
	if !known {
		return
	}
	delete(g.place, t)
	if at == holding {
		g.free++
	} else {
		g.waiting--
	}
}

// Poll grants free permits to the first in line. It never asks to be woken: only
// Leave frees a permit.
func (g *ConcurrencyGate) Poll(_ time.Duration, buf []Ticket) ([]Ticket, time.Duration) {
	for g.free > 0 && g.waiting > 0 {
		t := g.line[g.head&uint64(len(g.line)-1)]
		if at, known := g.place[t]; known && at == g.head {
			g.place[t] = holding
			g.free--
			g.waiting--
			buf = append(buf, t)
		}
		g.head++
	}
	return buf, Never
}

// Waiting returns how many stand in line.
func (g *ConcurrencyGate) Waiting() int { return g.waiting }

// Free returns how many permits nobody holds.
func (g *ConcurrencyGate) Free() int64 { return g.free }
