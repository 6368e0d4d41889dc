package experiment

import (
	"slices"
	"sync"
	"time"

	"github.com/benbjohnson/clock"
)

// witness is a clock that notes how late each of its timers fires: how far the machine is
// from what virtual time takes for granted. Safe for concurrent use.
type witness struct {
	clock.Clock
	mu   sync.Mutex
	late []time.Duration
}

func newWitness() *witness { return &witness{Clock: clock.New()} }

// AfterFunc calls f when d has passed, and notes how much more than d.
func (w *witness) AfterFunc(d time.Duration, f func()) *clock.Timer {
	due := w.Now().Add(max(0, d))
	return w.Clock.AfterFunc(d, func() {
		w.note(w.Since(due))
		f()
	})
}

// Timer does the same for a timer that is read from.
func (w *witness) Timer(d time.Duration) *clock.Timer {
	fired := make(chan time.Time, 1)
	timer := w.AfterFunc(d, func() { fired <- w.Now() })
	timer.C = fired
	return timer
}

func (w *witness) note(late time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = append(w.late, late)
}

// Lateness is how late the timers of a run fired.
type Lateness struct {
	Timers     int
	P90, Worst time.Duration
}

func (w *witness) lateness() Lateness {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := Lateness{Timers: len(w.late)}
	if l.Timers == 0 {
		return l
	}
	slices.Sort(w.late)
	l.P90, l.Worst = w.late[nearest(l.Timers, 9, 10)], w.late[l.Timers-1]
	return l
}

// nearest is the place of a quantile n/of among so many, by the nearest rank.
func nearest(count, n, of int) int { return max(0, (count*n+of-1)/of-1) }
