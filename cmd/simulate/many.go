package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// many runs replicates, and the same seeds under the scenario's `against`.
func (r *runCommand) many(ctx context.Context) error {
	s := r.scenario
	runs, err := r.replicate(ctx, s)
	if err != nil && ctx.Err() == nil {
		return err
	}
	var rival *experiment.Replicates
	if r.rival != nil && err == nil {
		if rival, err = r.replicate(ctx, r.rival); err != nil && ctx.Err() == nil {
			return err
		}
	}
	typical, any := runs.Typical()
	document := func(timed bool) *replicated {
		d := newReplicated(runs, r.seeds, timed)
		if any {
			d.Shown = typical.Summary.Seed
		}
		if rival != nil {
			d.Against = newReplicated(rival, r.seeds, timed)
		}
		return d
	}
	if wrong := r.write(r.common, s.Name, func(dir string) error {
		if err := writeDocument(filepath.Join(dir, "summary.json"), document(false)); err != nil || !any {
			return err
		}
		shown, err := experiment.Run(context.WithoutCancel(ctx), s, typical.Seed, nil)
		if err != nil {
			return err
		}
		return writeSlots(dir, shown.Tally)
	}); wrong != nil {
		return wrong
	}
	if any {
		if wrong := r.draw(ctx, typical.Seed, err); wrong != nil {
			return wrong
		}
	}
	var shown error
	if r.json {
		shown = report.Document(r.stdout, document(true))
	} else {
		shown = r.showMany(s, runs, rival)
	}
	return errors.Join(shown, err, expect(s, runs.Runs))
}

func (r *runCommand) replicate(ctx context.Context, s *scenarios.Scenario) (*experiment.Replicates, error) {
	p := r.progress(r.common, "runs", r.seeds)
	defer p.end()
	return experiment.Replicate(ctx, s, r.seeds, r.jobs, p.at)
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

func newReplicated(r *experiment.Replicates, of int, timed bool) *replicated {
	d := &replicated{Partial: len(r.Runs) < of, Runs: []*model.Summary{}, Aggregate: r.Aggregate(), Pooled: r.Pool.Figures()}
	for i := range r.Runs {
		if timed {
			d.Runs = append(d.Runs, withEngine(&r.Runs[i]))
		} else {
			d.Runs = append(d.Runs, r.Runs[i].Summary)
		}
	}
	return d
}
