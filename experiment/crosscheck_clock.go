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
	mu     sync.Mutex
	late   []time.Duration
	paused time.Duration // at most, by the ticks of watch
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

// watch ticks until it is told to stop, and notes the longest pause of the machine, which a run whose timers
// are few would not see. What is shorter than a tick it may miss.
func (w *witness) watch() (stop func()) {
	ticks := time.NewTicker(watchEach)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		last := time.Now()
		for {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			now := time.Now()
			w.pause(now.Sub(last) - watchEach)
			last = now
		}
	}()
	return func() {
		ticks.Stop()
		close(over)
		<-done
	}
}

const watchEach = time.Millisecond

func (w *witness) pause(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = max(w.paused, d)
}

func (w *witness) note(late time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = append(w.late, late)
}

// Lateness is how late the timers of a run fired; the worst is of those that only watch, too.
type Lateness struct {
	Timers     int
	P90, Worst time.Duration
}

func (w *witness) lateness() Lateness {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := Lateness{Timers: len(w.late), Worst: w.paused}
	if l.Timers == 0 {
		return l
	}
	slices.Sort(w.late)
	l.P90, l.Worst = w.late[nearest(l.Timers, 9, 10)], max(l.Worst, w.late[l.Timers-1])
	return l
}

// nearest is the place of a quantile n/of among so many, by the nearest rank.
func nearest(count, n, of int) int { return max(0, (count*n+of-1)/of-1) }
