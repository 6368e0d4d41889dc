package experiment

import (
	"context"
	"slices"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/sim"
)

// Replicates are the runs of one scenario over several seeds, in the order of
// their replicate numbers. A run that was not finished is missing.
type Replicates struct {
	Runs []Result // without their tallies
	Pool *model.Pool
}

// Seed returns the seed of replicate r, from 0: the base itself, then hashes of
// (base, r).
func Seed(base uint64, r int) uint64 {
	if r == 0 {
		return base
	}
	return uint64(sim.NewKey(base, "replicate").At(uint64(r)))
}

// Replicate plays n replicates of a scenario on so many jobs, as far as there are
// processors for them. done, which may be nil, is called after each with the number
// finished. With the context over it returns what was finished and the context's cause.
func Replicate(ctx context.Context, s *scenarios.Scenario, n, jobs int, done func(int)) (*Replicates, error) {
	return ReplicateUntil(ctx, s, nil, n, jobs, done)
}

// ReplicateUntil plays replicates until there are enough, which may be nil for never, and
// at most so many.
func ReplicateUntil(ctx context.Context, s *scenarios.Scenario, enough *Until, most, jobs int, done func(int)) (*Replicates, error) {
	out := &Replicates{Pool: model.NewPool()}
	err := playUntil(ctx, s, enough, most, jobs, out.Pool, done, func(r *Result) error {
		out.Runs = append(out.Runs, *r)
		return nil
	})
	return out, err
}

// playUntil hands runs on in the order of their replicate numbers, their tallies pooled.
// After an interruption some may be missing in between.
func playUntil(ctx context.Context, s *scenarios.Scenario, enough *Until, most, jobs int, pool *model.Pool, done func(int), take func(*Result) error) error {
	if enough == nil {
		return playInOrder(ctx, s, 0, most, jobs, pool, done, take)
	}
	var values []model.Number
	read := model.FigureReader(enough.Figure)
	look := func(r *Result) error {
		values = append(values, read(r.Summary))
		return take(r)
	}
	for from, to := 0, firstLook; ; from, to = to, to+to/2 {
		to = min(to, most)
		if err := playInOrder(ctx, s, from, to, jobs, pool, done, look); err != nil || to == most || enough.enough(values) {
			return err
		}
	}
}

// Typical returns the run with the median wall (nearest rank; a wall that never
// came is the longest), and false where there are no runs.
func (r *Replicates) Typical() (Result, bool) {
	if len(r.Runs) == 0 {
		return Result{}, false
	}
	sorted := slices.Clone(r.Runs)
	slices.SortStableFunc(sorted, func(a, b Result) int {
		return compareDefined(a.Summary.Wall, b.Summary.Wall)
	})
	return sorted[(len(sorted)-1)/2], true
}

func compareDefined(a, b model.Number) int {
	switch {
	case a.Defined() && (!b.Defined() || a < b):
		return -1
	case b.Defined() && (!a.Defined() || b < a):
		return 1
	}
	return 0
}
