package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func runVerb() verb {
	var f common
	return verb{
		name: "run", args: "SCENARIO", does: "one run, or several replicates, in virtual time",
		help: "SCENARIO is a file, or the name of a built-in scenario. Where it says `against: POLICY`,\n" +
			"the same seed is also shown under that policy.",
		examples: []string{
			"simulate run herd-100",
			"simulate run herd-100 --seeds 50",
			"simulate run herd-100 --set clients.0.arrive.over=10s --set policy=decorrelated --out off",
			"simulate run gate-20 --json --out off",
		},
		flags: f.bindRuns,
		run: func(ctx context.Context, c command, args []string) error {
			name, err := one(args, "run", "a scenario")
			if err != nil {
				return err
			}
			s, err := f.load(name)
			if err != nil {
				return err
			}
			if f.seeds > 1 {
				return c.runMany(ctx, &f, s)
			}
			return c.runOnce(ctx, &f, s)
		},
	}
}

// runOnce runs one seed, and the same seed under the scenario's `against`.
func (c command) runOnce(ctx context.Context, f *common, s *scenarios.Scenario) error {
	main, err := experiment.Run(ctx, s, s.Seed, nil)
	if main == nil {
		return err
	}
	other, rival := (*experiment.Result)(nil), (*scenarios.Scenario)(nil)
	if s.Against != "" && err == nil {
		if rival, err = s.With(s.Against); err != nil {
			return err
		}
		if other, err = experiment.Run(ctx, rival, s.Seed, nil); other == nil {
			return err
		}
		main.Summary.Against = other.Summary
	}
	summary := main.Summary
	if wrong := c.write(f, s.Name, func(dir string) error {
		return writeRun(dir, summary, main.Tally)
	}); wrong != nil {
		return wrong
	}
	timed := withEngine(main)
	if other != nil {
		timed.Against = withEngine(other)
	}
	var shown error
	if f.json {
		shown = report.Document(c.stdout, timed)
	} else {
		shown = c.show(s, rival, &report.Run{Summary: timed, Tally: main.Tally}, other)
	}
	return errors.Join(shown, err, expect(s, []experiment.Result{*main}))
}

func (c command) show(s, rival *scenarios.Scenario, run *report.Run, other *experiment.Result) error {
	run.Policy = policyOf(s)
	var against *report.Run
	if other != nil {
		against = &report.Run{Policy: policyOf(rival), Summary: run.Summary.Against, Tally: other.Tally}
	}
	return report.Terminal(c.stdout, report.Style{Color: c.styled}, *run, against)
}

// policyOf names the policy of a scenario whose groups all have the same.
func policyOf(s *scenarios.Scenario) string {
	name := s.Clients[0].Policy
	for _, g := range s.Clients {
		if g.Policy != name {
			return ""
		}
	}
	return name
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

// runMany runs replicates, and the same seeds under the scenario's `against`.
func (c command) runMany(ctx context.Context, f *common, s *scenarios.Scenario) error {
	runs, err := c.replicate(ctx, f, s)
	if err != nil && ctx.Err() == nil {
		return err
	}
	var rival *experiment.Replicates
	if s.Against != "" && err == nil {
		other, wrong := s.With(s.Against)
		if wrong != nil {
			return wrong
		}
		if rival, err = c.replicate(ctx, f, other); err != nil && ctx.Err() == nil {
			return err
		}
	}
	typical, any := runs.Typical()
	document := func(timed bool) *replicated {
		d := newReplicated(runs, f.seeds, timed)
		if any {
			d.Shown = typical.Summary.Seed
		}
		if rival != nil {
			d.Against = newReplicated(rival, f.seeds, timed)
		}
		return d
	}
	if wrong := c.write(f, s.Name, func(dir string) error {
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
	var shown error
	if f.json {
		shown = report.Document(c.stdout, document(true))
	} else {
		shown = c.showMany(s, runs, rival)
	}
	return errors.Join(shown, err, expect(s, runs.Runs))
}

func (c command) replicate(ctx context.Context, f *common, s *scenarios.Scenario) (*experiment.Replicates, error) {
	p := c.progress(f, "runs", f.seeds)
	defer p.end()
	return experiment.Replicate(ctx, s, f.seeds, f.jobs, p.at)
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

// withEngine returns the summary with the figures that hang on the machine.
func withEngine(r *experiment.Result) *model.Summary {
	s := *r.Summary
	real := r.Real.Seconds()
	s.Engine.RealSeconds = &real
	if real > 0 {
		speed := float64(s.Engine.Events) / real
		s.Engine.EventsPerSecond = &speed
	}
	return &s
}

// write writes files into --out, or out/<name>, unless --out is off, and says where.
func (c command) write(f *common, name string, files func(dir string) error) error {
	if f.out == "off" {
		return nil
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join("out", name)
	}
	if err := files(dir); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(c.stderr, "files are in %s\n", dir)
	}
	return nil
}

func writeRun(dir string, summary *model.Summary, tally *model.Tally) error {
	if err := writeDocument(filepath.Join(dir, "summary.json"), summary); err != nil {
		return err
	}
	return writeSlots(dir, tally)
}

func writeDocument(path string, v any) error {
	return report.WriteFile(path, func(w io.Writer) error { return report.Document(w, v) })
}

func writeSlots(dir string, tally *model.Tally) error {
	return report.WriteFile(filepath.Join(dir, "slots.csv"), func(w io.Writer) error { return report.Slots(w, tally) })
}

// expect checks the scenario's expectations of every run.
func expect(s *scenarios.Scenario, runs []experiment.Result) error {
	var failed []string
	for _, e := range s.Expect {
		n := 0
		var first error
		for i := range runs {
			if err := e.Check(runs[i].Summary); err != nil {
				if n++; first == nil {
					first = err
				}
			}
		}
		switch {
		case n == 0:
		case len(runs) == 1:
			failed = append(failed, first.Error())
		default:
			failed = append(failed, fmt.Sprintf("%v (in %d of %d seeds)", first, n, len(runs)))
		}
	}
	if failed == nil {
		return nil
	}
	return expectError{errors.New(strings.Join(failed, "\n"))}
}
