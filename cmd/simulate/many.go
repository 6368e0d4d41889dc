package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
)

// many runs replicates, and the same seeds under the scenario's `against`.
func (r *runCommand) many(ctx context.Context) error {
	s := r.scenario
	progress := r.progress(r.common, "runs", r.seeds*len(r.arms()))
	defer progress.end()
	runs, err := experiment.ReplicateUntil(ctx, s, r.enough, r.seeds, r.jobs, progress.at)
	if err != nil && ctx.Err() == nil {
		return err
	}
	var rival *experiment.Replicates
	if r.rival != nil && err == nil {
		rival, err = experiment.Replicate(ctx, r.rival, len(runs.Runs), r.jobs, func(done int) { progress.at(r.seeds + done) })
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	progress.end()
	if err == nil {
		r.seeds = len(runs.Runs) // what --until came to
	}
	typical, any := runs.Typical()
	document := func(timed, partial bool) *replicated {
		d := newReplicated(runs, partial, timed)
		if any {
			d.Shown = typical.Summary.Seed
		}
		if rival != nil {
			d.Against = newReplicated(rival, partial && len(rival.Runs) < r.seeds, timed)
		}
		return d
	}
	err, wrong := r.writeAll(ctx, typical.Seed, err, func(dir string, partial bool) error {
		if err := writeRunsFile(filepath.Join(dir, "summary.json"), document(false, partial)); err != nil {
			return err
		}
		if !any {
			return removeFile(filepath.Join(dir, "slots.csv"))
		}
		shown, err := experiment.Run(context.WithoutCancel(ctx), s, typical.Seed, nil)
		if err != nil {
			return err
		}
		return writeSlots(dir, shown.Tally)
	})
	if wrong != nil {
		return wrong
	}
	var shown error
	if r.json {
		shown = writeRuns(r.stdout, document(true, err != nil))
	} else {
		shown = r.showMany(s, runs, rival)
	}
	if !r.quiet {
		r.warn("", &s.Config)
	}
	r.tell(r.common, s.Name)
	return errors.Join(shown, r.kept(r.common, s.Name, err), expect(s, runs.Runs))
}

// replicated is the document of `run --seeds N`.
type replicated struct {
	Partial   bool             `json:"partial"`
	Shown     string           `json:"shown_seed,omitempty"` // whose slots are in slots.csv: the median wall
	Runs      []*model.Summary `json:"runs"`
	Aggregate map[string]any   `json:"aggregate"`
	Pooled    model.Pooled     `json:"pooled"`
	Against   *replicated      `json:"against,omitempty"`
}

func newReplicated(r *experiment.Replicates, partial, timed bool) *replicated {
	d := &replicated{Partial: partial, Runs: []*model.Summary{}, Aggregate: r.Aggregate(), Pooled: r.Pool.Figures()}
	for i := range r.Runs {
		if timed {
			d.Runs = append(d.Runs, withEngine(&r.Runs[i]))
		} else {
			d.Runs = append(d.Runs, r.Runs[i].Summary)
		}
	}
	return d
}
