package live

import (
	"sync"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

// Books are what a run's server and clients share: the clock, the instant from
// which its time counts, and the tally that both write in. Safe for concurrent use.
type Books struct {
	timeline
	mu     sync.Mutex
	tally  *model.Tally
	over   bool
	served bool                     // the clients are anybody's, so the server books for them
	busy   map[errand]time.Duration // of answers that were made, how long they had a seat
}

// NewBooks opens the books of a run that starts now.
func NewBooks(c *model.Config, clk clock.Clock) *Books {
	return &Books{timeline: newTimeline(clk), tally: model.NewTally(c), busy: map[errand]time.Duration{}}
}

// NewClientsBooks opens the books of clients before a server that is anybody's: of it they
// have what they hear.
func NewClientsBooks(c *model.Config, clk clock.Clock) *Books {
	return &Books{timeline: newTimeline(clk), tally: model.NewClientsTally(c), busy: map[errand]time.Duration{}}
}

// NewServedBooks opens the books of a server whose clients are anybody's and keep none. Its
// time, and with it the weather's, counts from now.
func NewServedBooks(c *model.Config, clk clock.Clock) *Books {
	return &Books{timeline: newTimeline(clk), tally: model.NewServedTally(c), served: true}
}

// soFar is a copy of the tally, closed at an instant before which seats were busy for so long.
func (b *Books) soFar(at, busy time.Duration, times bool) *model.Tally {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tally.SoFar(at, busy, times)
}

// note writes in the tally, unless that is closed. Times taken from now do not decrease
// from note to note.
func (b *Books) note(write func(now time.Duration, t *model.Tally)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		write(b.now(), b.tally)
	}
}

// hadSeat notes how long an answer to one of our own clients had a seat.
func (b *Books) hadSeat(e errand, busy time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy[e] = busy
}

// busyOf is how long an answer had a seat, as far as the server is of this process. The
// books are open: it is called from note.
func (b *Books) busyOf(e errand) time.Duration {
	busy := b.busy[e]
	delete(b.busy, e)
	return busy
}

// forget drops what is known of an attempt that nobody will ask about.
func (b *Books) forget(e errand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.busy, e)
}

// Close ends the tally of clients whose server keeps its own books.
func (b *Books) Close() *model.Tally { return b.close(b.now(), 0) }

// close ends the tally at an instant, before which seats were busy for that long together.
func (b *Books) close(at, busy time.Duration) *model.Tally {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tally.Close(at, busy, 0)
	b.over = true
	return b.tally
}
