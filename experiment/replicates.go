package experiment

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
// processors for them. done, which may be
// nil, is called after each with the number finished. With the context over it
// returns what was finished and the context's cause.
func Replicate(ctx context.Context, s *scenarios.Scenario, n, jobs int, done func(int)) (*Replicates, error) {
	results := make([]*Result, n)
	out := &Replicates{Pool: model.NewPool()}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, finished atomic.Int64
	var pooling sync.Mutex
	var workers sync.WaitGroup
	for range min(jobs, n, 2*runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			world, err := newWorld(s)
			if err != nil {
				stop(err)
				return
			}
			for {
				r := int(next.Add(1)) - 1
				if r >= n || ctx.Err() != nil {
					return
				}
				result, err := play(ctx, world, s, Seed(s.Seed, r), nil)
				if err != nil {
					stop(err)
					return
				}
				pooling.Lock()
				out.Pool.Add(result.Tally)
				result.Tally = nil
				results[r] = result
				if done != nil {
					done(int(finished.Add(1)))
				}
				pooling.Unlock()
			}
		})
	}
	workers.Wait()
	for _, r := range results {
		if r != nil {
			out.Runs = append(out.Runs, *r)
		}
	}
	return out, context.Cause(ctx)
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
