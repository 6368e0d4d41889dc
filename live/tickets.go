package live

import (
	"sync"

	"github.com/stampede-sim/stampede/policies"
)

// tickets are small numbers, each of one holder at a time. Safe for concurrent use.
type tickets struct {
	mu    sync.Mutex
	given int
	free  []policies.Ticket // of those given
}

// take returns one that nobody has.
func (t *tickets) take() policies.Ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		ticket := t.free[n-1]
		t.free = t.free[:n-1]
		return ticket
	}
	t.given++
	return policies.Ticket(t.given - 1)
}

// give takes one back.
func (t *tickets) give(ticket policies.Ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, ticket)
}
