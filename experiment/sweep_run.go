package experiment

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

const (
	// mostAhead is how many units may be done before one that is not yet: results are
	// written in order, and those ahead are held.
	mostAhead = 1024
	// mostInUnit is how many runs of a cell one worker does in a row.
	mostInUnit = 64
	flushEvery = time.Second
)

// unit is some replicates of one cell, a worker's next work.
type unit struct {
	number  int
	cell    int
	from, n int
	prior   []model.Number // what Until has seen of the cell before
	rows    [][]model.Number
	done    bool
}

// sweeper runs the units of a sweep and hands their results on in order.
type sweeper struct {
	*Sweep
	tables *sweepTables
	ahead  map[runID][]model.Number // done before an interruption
	report func(int)
	inUnit int

	mu      sync.Mutex
	wake    sync.Cond
	cell    int // of the next unit
	from    int
	handed  int
	written int
	pending map[int]*unit
	stopped bool
	writing bool  // a worker writes; others go on
	err     error // the first in writing

	files sync.Mutex // of the tables

	counting sync.Mutex
	finished int
}

type runID struct{ cell, replicate int }

// Run plays what is not yet in the folder, which may be nil, on so many jobs. done, which
// may be nil, is called with the number of runs finished. With the context over, or where
// a run or a file fails, it keeps what was finished and returns the cause.
func (s *Sweep) Run(ctx context.Context, folder *SweepFolder, jobs int, done func(int)) (*SweepResult, error) {
	w := &sweeper{Sweep: s, report: done, pending: map[int]*unit{}}
	if folder != nil {
		w.tables, w.ahead = folder.tables, folder.ahead
	} else {
		w.tables = s.newTables(nil, nil)
	}
	w.wake.L = &w.mu
	w.cell, w.from = w.tables.now.cell, w.tables.now.runs
	jobs = max(1, min(jobs, 2*runtime.GOMAXPROCS(0)))
	w.inUnit = min(mostInUnit, max(1, s.MostRuns()/(8*jobs)))
	runContext, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	release := context.AfterFunc(runContext, w.stop)
	defer release()
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for u := w.next(); u != nil; u = w.next() {
				err := w.work(runContext, u)
				if err == nil {
					err = w.finish(u)
				} else {
					w.keep(u)
				}
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		w.flushNowAndThen(runContext)
	}()
	workers.Wait()
	cause := context.Cause(runContext)
	stop(nil)
	<-flushed
	if folder != nil {
		if err := folder.close(w, cause == nil); err != nil && cause == nil {
			cause = err
		}
	}
	return w.tables.result, cause
}

func (w *sweeper) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.wake.Broadcast()
}

// next hands out the next unit; nil where there is none, or the work is stopped.
func (w *sweeper) next() *unit {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.stopped && w.handed-w.written >= mostAhead {
		w.wake.Wait()
	}
	if w.stopped || w.cell >= w.grid.cells {
		return nil
	}
	u := &unit{number: w.handed, cell: w.cell, from: w.from, n: w.Spec.Seeds - w.from}
	switch {
	case w.until != nil:
		if u.from > 0 { // the cell that an interruption left
			u.prior = append(u.prior, w.tables.now.values[w.untilAt]...)
		}
	default:
		u.n = min(u.n, w.inUnit)
	}
	w.handed++
	if w.from += u.n; w.from == w.Spec.Seeds {
		w.cell, w.from = w.cell+w.Shard.step(), 0
	}
	return u
}

// work plays a unit's runs. With an error, the unit has those that came before it.
func (w *sweeper) work(ctx context.Context, u *unit) error {
	var world *model.World
	s, err := w.Scenario(u.cell)
	if err != nil {
		return w.inCell(u.cell, err)
	}
	seen := u.prior
	for r := u.from; r < u.from+u.n; r++ {
		figures, known := w.ahead[runID{u.cell, r}]
		if !known {
			if world == nil {
				if world, err = newWorld(s); err != nil {
					return w.inCell(u.cell, err)
				}
			}
			result, err := play(ctx, world, s, Seed(w.Spec.Seed, r), nil)
			if err != nil {
				if ctx.Err() == nil {
					err = w.inCell(u.cell, err)
				}
				return err
			}
			figures = w.figuresOf(s.Expect, result.Summary)
		}
		u.rows = append(u.rows, figures)
		w.count()
		if w.until != nil {
			if seen = append(seen, figures[w.untilAt]); w.until.enough(seen) {
				return nil
			}
		}
	}
	return nil
}

func (w *sweeper) count() {
	w.counting.Lock()
	defer w.counting.Unlock()
	if w.finished++; w.report != nil {
		w.report(w.finished)
	}
}

// keep holds what there is of a unit that was cut short.
func (w *sweeper) keep(u *unit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[u.number] = u
}

// finish hands a unit on, and whatever waited for it, unless another worker is at it.
func (w *sweeper) finish(u *unit) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	u.done = true
	w.pending[u.number] = u
	if w.writing {
		return w.err
	}
	w.writing = true
	for w.err == nil {
		next := w.pending[w.written]
		if next == nil || !next.done {
			break
		}
		delete(w.pending, w.written)
		w.written++
		w.mu.Unlock()
		err := w.put(next.rows)
		w.mu.Lock()
		if w.err == nil {
			w.err = err
		}
		w.wake.Broadcast()
	}
	w.writing = false
	return w.err
}

func (w *sweeper) put(rows [][]model.Number) error {
	w.files.Lock()
	defer w.files.Unlock()
	for _, figures := range rows {
		if err := w.tables.add(figures); err != nil {
			return err
		}
	}
	return nil
}

// flushNowAndThen keeps the files no more than about a second behind.
func (w *sweeper) flushNowAndThen(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.files.Lock()
			err := w.tables.flush()
			w.files.Unlock()
			w.mu.Lock()
			if w.err == nil {
				w.err = err
			}
			w.mu.Unlock()
		}
	}
}

// figuresOf are a run's figures in the order of the columns.
func (s *Sweep) figuresOf(expect []scenarios.Expectation, summary *model.Summary) []model.Number {
	figures := make([]model.Number, 0, len(s.columns))
	for _, read := range s.readers {
		figures = append(figures, rounded(read(summary)))
	}
	unmet := 0
	for _, e := range expect {
		if e.Check(summary) != nil {
			unmet++
		}
	}
	return append(figures, model.Number(unmet))
}
