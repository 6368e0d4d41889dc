package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/policies"
)

// Gate lets goroutines stand before a policies.Gate, which decides alone. Safe for
// concurrent use.
type Gate struct {
	mu    sync.Mutex
	gate  policies.Gate
	alarm alarm
	doors map[policies.Ticket]chan struct{} // of all who wait or hold; closed by the grant
	buf   []policies.Ticket
}

// NewGate returns the driver of a gate, which must have no other.
func NewGate(clk clock.Clock, gate policies.Gate) *Gate {
	return newGate(newTimeline(clk), gate)
}

func newGate(l timeline, gate policies.Gate) *Gate {
	g := &Gate{gate: gate, doors: map[policies.Ticket]chan struct{}{}}
	g.alarm = newAlarm(l, g.ring)
	return g
}

// ErrRefused says that a gate will never let a request in.
var ErrRefused = errors.New("the gate refuses the request")

// Enter asks for a permit. The channel is closed when the ticket has it; from Enter
// on, the caller owes one Leave. It returns false, and nothing is owed, where the gate
// refuses.
func (g *Gate) Enter(t policies.Ticket, tokens int64, priority uint8) (<-chan struct{}, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if door, known := g.doors[t]; known {
		return door, true
	}
	now := g.alarm.now()
	if !g.gate.Enter(now, t, tokens, priority) {
		return nil, false
	}
	door := make(chan struct{})
	g.doors[t] = door
	g.poll(now)
	return door, true
}

// Leave gives the ticket's permit back, or takes it out of the line. Which of the
// two is the gate's to know: a grant that the caller has not seen yet comes back too.
func (g *Gate) Leave(t policies.Ticket, end policies.AttemptEnd) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.doors[t]; !known {
		return
	}
	delete(g.doors, t)
	now := g.alarm.now()
	g.gate.Leave(now, t, end)
	g.poll(now)
}

// Wait is Enter for a caller who has nothing else to do. With an error, which is the
// context's or ErrRefused, the ticket has left already.
func (g *Gate) Wait(ctx context.Context, t policies.Ticket, tokens int64, priority uint8) error {
	door, in := g.Enter(t, tokens, priority)
	if !in {
		return ErrRefused
	}
	select {
	case <-door:
		return nil
	case <-ctx.Done():
		g.Leave(t, policies.Cancelled)
		return ctx.Err()
	}
}

// Close silences the gate's timer. Nobody may stand before it any more.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alarm.set(policies.Never)
}

func (g *Gate) ring() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alarm.rang()
	g.poll(g.alarm.now())
}

// poll opens the doors of those who got a permit.
func (g *Gate) poll(now time.Duration) {
	var wake time.Duration
	g.buf, wake = g.gate.Poll(now, g.buf[:0])
	for _, t := range g.buf {
		close(g.doors[t])
	}
	g.alarm.set(wake)
}
