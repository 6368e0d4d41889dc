package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Fleet is a scenario's clients as real HTTP clients: a goroutine for each, in order
// of their group's name, and the gates they stand before.
type Fleet struct {
	config  *model.Config
	books   *Books
	clients []*client
	gates   []*Gate
}

// NewFleet returns the clients of a scenario; the books are those of the run.
func NewFleet(c *model.Config, seed uint64, books *Books) (*Fleet, error) {
	if c.WarmUp > 0 {
		return nil, errors.New("a warm-up is not played over sockets yet")
	}
	crowd, err := c.Crowd()
	if err != nil {
		return nil, err
	}
	f := &Fleet{config: c, books: books}
	for _, make := range crowd.Gates {
		f.gates = append(f.gates, newGate(books.timeline, make()))
	}
	for g := range crowd.Cohorts {
		co := &crowd.Cohorts[g]
		if co.Arrive.Trace != "" {
			return nil, fmt.Errorf("group %q: traces are not replayed over sockets yet", co.Name)
		}
		if co.Arrive.Open() {
			return nil, fmt.Errorf("group %q: arrivals at a rate are not played over sockets yet", co.Name)
		}
		if co.Repeat.Operations != 1 {
			return nil, fmt.Errorf("group %q: clients that ask more than once are not played over sockets yet", co.Name)
		}
		took := &policies.Took{} // written in under the books' lock
		for n := range co.Count {
			one := &client{
				Cohort: co, provider: &c.Provider, books: books, group: g, number: n,
				ticket: policies.Ticket(co.First + n),
				key:    model.OperationKey(model.ClientKey(seed, co.Name, n), 0),
				news:   make(chan news), flights: map[int32]*flight{},
			}
			if co.Loop.HasSide() {
				one.side = &policies.Side{Loops: make([]policies.LoopState, co.Loop.Layers()), Flights: make([]policies.Flight, co.Loop.Hedges()), Took: took}
			}
			if at := co.GateOf(n); at >= 0 {
				one.gate = f.gates[at]
			}
			f.clients = append(f.clients, one)
		}
	}
	return f, nil
}

// Run lets the clients live until the scenario's stop, against the server at a base
// URL without the /v1 part. It returns when no goroutine of theirs is left, with the
// context's error where that ended it; what was in flight then is left as it is.
func (f *Fleet) Run(ctx context.Context, transport http.RoundTripper, base string) error {
	cut, err := f.play(ctx, transport, base)
	cut()
	return err
}

// play does the same up to the stop. What is in flight then goes on until it is cut.
func (f *Fleet) play(ctx context.Context, transport http.RoundTripper, base string) (cut func(), err error) {
	stop, cancel := f.books.clock.WithDeadline(ctx, f.books.start.Add(f.config.Stop.After))
	defer cancel()
	whole, tear := context.WithCancel(ctx)
	w := &wire{transport: transport, url: strings.TrimSuffix(base, "/") + "/v1/chat/completions", whole: whole}
	var all sync.WaitGroup
	for _, c := range f.clients {
		all.Go(func() { c.live(stop, w) })
	}
	all.Wait()
	for _, g := range f.gates {
		g.Close()
	}
	if f.config.Stop.When == model.Horizon {
		<-stop.Done()
	}
	cut = func() {
		tear()
		w.carrying.Wait()
	}
	return cut, ctx.Err()
}
