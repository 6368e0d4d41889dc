package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Worst stands for the client whose operation did not end, or ended last; of those
// with the same end the one with most attempts.
const Worst = -1

// ErrNobody says that a run has nobody to trace.
var ErrNobody = errors.New("no operation started, so there is nothing to trace; give a group clients or a rate, and a horizon after their start")

// NoClientError says that a run has fewer clients than the one asked for.
type NoClientError struct{ Asked, Clients int }

func (e NoClientError) Error() string {
	if e.Clients == 0 {
		return "no client counts, since all of them began in the warm-up; write a shorter warm_up"
	}
	return fmt.Sprintf("there is no client %d; write a number from 0 to %d", e.Asked, e.Clients-1)
}

// Trace plays a scenario once and returns the attempts of one client, or of the Worst.
// Clients are numbered from 0 over all groups in order of name; in an open group each
// arrival is one.
func Trace(ctx context.Context, s *scenarios.Scenario, seed uint64, client int) (*model.Trace, error) {
	world, err := newWorld(s)
	if err != nil {
		return nil, err
	}
	// A run is the same whenever it is played, so who it was is found in a first one.
	first, err := play(ctx, world, s, seed, nil)
	if err != nil {
		return nil, err
	}
	group, number, any := world.Worst()
	if !any {
		return nil, ErrNobody
	}
	if client != Worst {
		if group, number, any = first.Tally.Client(client); !any {
			return nil, NoClientError{client, int(first.Summary.Operations.Total)}
		}
	}
	trace := &model.Trace{Group: group, Client: number}
	_, err = play(ctx, world, s, seed, trace)
	return trace, err
}
