package model

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// MostInFlight is how many operations, and how many attempts, may be in flight at once
// beyond one for each client of the closed groups: about 3 GB of them.
const MostInFlight = 1 << 22

// CrowdedError says that more is in flight at once than a run can hold.
type CrowdedError struct {
	Group    string // whose part is the greatest
	Attempts bool   // attempts, rather than operations, are too many
	Most     int
	At       time.Duration
}

func (e *CrowdedError) Error() string {
	if e.Attempts {
		return fmt.Sprintf("more than %d attempts are at the provider at once at %v, most of them of group %q, and a run holds no more: those that timed out or were taken back are still served; write provider.abandoned.frees_seat_after, longer timeouts, or fewer operations", e.Most, e.At, e.Group)
	}
	return fmt.Sprintf("more than %d operations are in flight at once at %v, most of them of group %q, and a run holds no more: they come faster than they end; write a lower rate or a shorter for under its arrive (a longer gap under repeat), or a policy that gives up", e.Most, e.At, e.Group)
}

// roomFor is how many rows of operations, and of attempts, a world of so many clients has.
func roomFor(clients int) int {
	const spare = 1 << 13 // what may still come before the world looks
	return max(clients, min(sim.MaxSlots-spare, clients+MostInFlight))
}

// isFull notes that there is no more room.
func (w *World) isFull(attempts bool) {
	if w.crowded != nil {
		return
	}
	of := make([]int, len(w.groups))
	if attempts {
		for i := range w.attempts {
			of[w.attempts[i].group]++
		}
	} else {
		for i := range w.ops {
			of[w.ops[i].group]++
		}
	}
	most := 0
	for g := range of {
		if of[g] > of[most] {
			most = g
		}
	}
	w.crowded = &CrowdedError{Group: w.groups[most].Name, Attempts: attempts, Most: w.room, At: w.events.Now()}
}
