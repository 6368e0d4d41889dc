package experiment

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// inHand is how many runs may be done before one that is not yet: they are handed on in
// order, and those ahead are held, without their tallies.
const inHand = 64

// streamer plays replicates and hands them on in order.
type streamer struct {
	mu       sync.Mutex
	wake     sync.Cond
	next, to int // the next to play; the end
	taken    int // those handed on
	from     int
	held     map[int]*Result
	stopped  bool
	pool     *model.Pool
	take     func(*Result) error
	done     func(int)
	finished int
}

// playInOrder plays the replicates from one number up to another and hands each to take, one
// at a time and in order; done is called with how many of all are finished.
func playInOrder(ctx context.Context, s *scenarios.Scenario, from, to, jobs int, pool *model.Pool, done func(int), take func(*Result) error) error {
	w := &streamer{next: from, from: from, to: to, held: map[int]*Result{}, pool: pool, take: take, done: done, finished: from}
	w.wake.L = &w.mu
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	release := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		w.stopped = true
		w.mu.Unlock()
		w.wake.Broadcast()
	})
	defer release()
	var workers sync.WaitGroup
	for range min(jobs, to-from, 2*runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			world, err := newWorld(s)
			if err != nil {
				stop(err)
				return
			}
			for r, any := w.hand(); any; r, any = w.hand() {
				if err := w.play(ctx, world, s, r); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	workers.Wait()
	cause := context.Cause(ctx)
	if cause == nil {
		return nil
	}
	// What was finished beyond a gap is kept too.
	for _, r := range slices.Sorted(maps.Keys(w.held)) {
		if err := take(w.held[r]); err != nil {
			return err
		}
	}
	return cause
}

// hand gives out the next replicate to play; false where there is none.
func (w *streamer) hand() (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.stopped && w.next-w.from-w.taken >= inHand && w.next < w.to {
		w.wake.Wait()
	}
	if w.stopped || w.next >= w.to {
		return 0, false
	}
	w.next++
	return w.next - 1, true
}

func (w *streamer) play(ctx context.Context, world *model.World, s *scenarios.Scenario, r int) error {
	result, err := play(ctx, world, s, Seed(s.Seed, r), nil)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pool.Add(result.Tally) // in whatever order, it is the same
	result.Tally = nil
	w.held[r] = result
	if w.finished++; w.done != nil {
		w.done(w.finished)
	}
	for {
		next := w.held[w.from+w.taken]
		if next == nil {
			return nil
		}
		delete(w.held, w.from+w.taken)
		w.taken++
		w.wake.Broadcast()
		if err := w.take(next); err != nil {
			return err
		}
	}
}
