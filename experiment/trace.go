package experiment

import (
	"context"
	"errors"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Worst stands for the client whose operation ended last, and of those the one
// with most attempts; one that never ended is worse than any that did.
const Worst = -1

// ErrNoClients says that a scenario has nobody to trace.
var ErrNoClients = errors.New("the scenario has no clients; set a group's count to 1 or more")

// Trace plays a scenario once and returns the attempts of one client, numbered
// from 0 over all groups in order of name, or of the Worst.
func Trace(ctx context.Context, s *scenarios.Scenario, seed uint64, client int) (*model.Trace, error) {
	if Clients(s) == 0 {
		return nil, ErrNoClients
	}
	world, err := model.NewWorld(&s.Config)
	if err != nil {
		return nil, err
	}
	if client == Worst {
		if _, err := play(ctx, world, s, seed, nil); err != nil {
			return nil, err
		}
		client = world.Worst()
	}
	// A run is the same whenever it is played, so the one client is recorded the second time.
	trace := &model.Trace{Client: client}
	_, err = play(ctx, world, s, seed, trace)
	return trace, err
}

// Clients counts the clients of a scenario.
func Clients(s *scenarios.Scenario) int {
	n := 0
	for i := range s.Clients {
		n += s.Clients[i].Count
	}
	return n
}
