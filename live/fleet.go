package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Fleet is a scenario's clients as real HTTP clients: a goroutine for each operation that
// is in flight or about to start, and the gates they stand before.
type Fleet struct {
	Wire  Wire                      // the API it speaks; "" is OpenAI's
	Model string                    // it asks for; default stampede
	Key   func(group string) string // a group's API key, "" for none; nil: none has one
	Cap   policies.Rate             // of requests sent, whatever the scenario says; 0: none
	Salt  uint64                    // of idempotency keys, so that a server that remembers the last run's does not replay; 0 for virtual time's keys

	config  *model.Config
	seed    uint64
	books   *Books
	cohorts []model.Cohort
	took    []*policies.Took // by group; written in under the books' lock
	gates   []*Gate
	going   sync.WaitGroup // operations, and groups that still come

	tickets tickets
	trouble trouble
	most    int64                   // operations in flight at once
	stop    context.CancelCauseFunc // of the run, which cannot go on

	started, ended, sent, held, late atomic.Int64
}

// mostInFlight is how many operations may be in flight at once beyond one for each client of
// the closed groups: about 4 GB of them, 64 kB each with its connection.
const mostInFlight = 1 << 16

// CrowdedError says that more operations are in flight at once than a fleet can hold.
type CrowdedError struct{ Most int64 }

func (e *CrowdedError) Error() string {
	return fmt.Sprintf("more than %d operations are in flight at once, and a fleet holds no more: they come faster than they end; write a lower rate or a shorter for under arrive (a longer gap under repeat), or a policy that gives up", e.Most)
}

// StuckError says why a run cannot go on though its server may be well. What it has counted until
// then stands.
type StuckError struct{ error }

func (e StuckError) Unwrap() error { return e.error }

func (f *Fleet) stuck(why error) { f.stop(StuckError{why}) }

// exhausted says that this machine opens no more connections, and what would do.
func (f *Fleet) exhausted(why error) error {
	clients := max(f.most-mostInFlight, f.started.Load()-f.ended.Load())
	needed := 2*clients + 100 // the server may be in this process, and attempts may overlap
	return fmt.Errorf("this machine opens no more connections: %w; write `ulimit -n %d` before it, or use fewer clients", why, needed)
}

// begins counts an operation in, and ends the run where there is no more room.
func (f *Fleet) begins() {
	if f.started.Add(1)-f.ended.Load() > f.most {
		f.stuck(&CrowdedError{f.most})
	}
}

// NewFleet returns the clients of a scenario; the books are those of the run.
func NewFleet(c *model.Config, seed uint64, books *Books) (*Fleet, error) {
	crowd, err := c.Crowd()
	if err != nil {
		return nil, err
	}
	f := &Fleet{config: c, seed: seed, books: books, cohorts: crowd.Cohorts, most: int64(crowd.Clients) + mostInFlight}
	for _, make := range crowd.Gates {
		f.gates = append(f.gates, newGate(books.timeline, make()))
	}
	for range crowd.Cohorts {
		f.took = append(f.took, &policies.Took{})
	}
	return f, nil
}

// caller makes the client of an operation that starts.
func (f *Fleet) caller(c call) *client {
	one := &client{
		call: c, provider: &f.config.Provider, books: f.books, row: c.group, ticket: f.tickets.take(),
		news: make(chan news), flights: map[int32]*flight{}, gone: f.tickets.give,
	}
	if c.cold {
		one.row = len(f.cohorts)
	}
	if c.Loop.HasSide() {
		one.side = &policies.Side{Loops: make([]policies.LoopState, c.Loop.Layers()), Flights: make([]policies.Flight, c.Loop.Hedges()), Took: f.took[c.group]}
	}
	if at := c.GateOf(int(c.client)); at >= 0 {
		one.gate = f.gates[at]
	}
	return one
}

// Run lets the clients live until the scenario's stop, against the server at a base URL; see
// [ParseBase]. It returns when no goroutine of theirs is left, with the
// context's error where that ended it; what was in flight then is left as it is.
func (f *Fleet) Run(ctx context.Context, transport http.RoundTripper, base string) error {
	cut, err := f.Play(ctx, transport, base)
	cut()
	return err
}

// Play does the same up to the stop. What is in flight then goes on until it is cut, which
// takes a moment where there are thousands.
func (f *Fleet) Play(ctx context.Context, transport http.RoundTripper, base string) (cut func(), err error) {
	ctx, f.stop = context.WithCancelCause(ctx)
	stop, cancel := f.books.clock.WithDeadline(ctx, f.books.start.Add(f.config.Stop.After))
	defer cancel()
	whole, tear := context.WithCancel(ctx)
	w, err := f.wire(whole, transport, base)
	if err != nil {
		f.stop(nil)
		tear()
		return func() {}, err
	}
	for g := range f.cohorts {
		f.begin(stop, w, g)
	}
	f.going.Wait()
	for _, g := range f.gates {
		g.Close()
	}
	if f.config.Stop.When == model.Horizon {
		<-stop.Done()
	}
	err = ctx.Err()
	var stuck StuckError
	if errors.As(context.Cause(ctx), &stuck) {
		err = stuck
	}
	cut = func() {
		f.stop(nil)
		tear()
		w.carrying.Wait()
		if w.cap != nil {
			w.cap.Close()
		}
	}
	return cut, err
}

// wire is how the fleet's requests travel.
func (f *Fleet) wire(whole context.Context, transport http.RoundTripper, base string) (*wire, error) {
	to, err := ParseBase(base)
	if err != nil {
		return nil, fmt.Errorf("the base URL %w", err)
	}
	w := &wire{
		transport: transport, base: to.String(), tongue: tongueOf(f.Wire), model: f.Model, key: f.Key, salt: f.Salt,
		sent: &f.sent, held: &f.held, late: &f.late, trouble: &f.trouble, stuck: f.stuck, exhausted: f.exhausted, whole: whole,
	}
	if w.model == "" {
		w.model = "stampede"
	}
	if w.key == nil {
		w.key = func(string) string { return "" }
	}
	if f.Cap.N > 0 {
		w.cap = newCap(f.books.timeline, f.Cap)
	}
	return w, nil
}

// Progress is how far a fleet has come.
type Progress struct {
	Started, Ended int64 // operations
	Sent           int64 // requests
	Held           int64 // requests that the cap made wait
	Late           int64 // of them, those that were sent in the end
}

// Progress is how far it has come by now.
func (f *Fleet) Progress() Progress {
	return Progress{Started: f.started.Load(), Ended: f.ended.Load(), Sent: f.sent.Load(), Held: f.held.Load(), Late: f.late.Load()}
}

// Trouble is what kept the first request that failed before its response from one, or in it by a
// bound of this fleet's; "" if none did. Who gave up waiting has no trouble.
func (f *Fleet) Trouble() string { return f.trouble.said() }

// begin lets a group's clients come.
func (f *Fleet) begin(ctx context.Context, w *wire, group int) {
	co := &f.cohorts[group]
	if co.Arrive.Open() {
		f.going.Go(func() { f.come(ctx, w, group) })
		return
	}
	for n := range co.Count {
		first := f.call(group, int32(n), 0)
		f.start(ctx, w, first, co.Draws.Arrival(first.key))
	}
}
