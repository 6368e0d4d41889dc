package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func runVerb() verb {
	var f common
	var p pictures
	var until string
	var flags *pflag.FlagSet
	return verb{
		name: "run", args: "SCENARIO", does: "one run, or several replicates, in virtual time",
		help: "SCENARIO is a file, or the name of a built-in scenario. Where it says `against: POLICY`,\n" +
			"the same seed is also shown under that policy.",
		examples: []string{
			"simulate run herd-100",
			"simulate run herd-100 --seeds 50",
			"simulate run herd-100 --until 'median(wall_s) within 5%'",
			"simulate run herd-100 --set clients.0.arrive.over=10s --set policy=decorrelated --out off",
			"simulate run gate-20 --json --out off",
		},
		flags: func(set *pflag.FlagSet) {
			flags = set
			f.bindRuns(flags, 1, "out/<scenario>")
			flags.Var(&text{to: &until, once: true}, "until", "`CONDITION`: as many seeds as it takes, such as 'median(wall_s) within 2%'; --seeds is then the most, by default 1000")
			p.bind(flags)
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "run", args)
			if err != nil {
				return err
			}
			s, err := f.load(src)
			if err != nil {
				return err
			}
			r := runCommand{command: c, common: &f, pictures: &p, source: src, scenario: s}
			if s.Against != "" {
				if r.rival, err = s.With(s.Against); err != nil {
					return err
				}
			}
			if err := r.until(until, flags.Changed("seeds")); err != nil {
				return err
			}
			if err := errors.Join(p.check(ctx), checkDisk(f.seeds, r.arms()...), c.checkPlaces(&f, s.Name, &p)); err != nil {
				return err
			}
			if f.seeds > 1 && checkSeeds(f.seeds, r.arms()...) != nil {
				return r.spooled(ctx)
			}
			if f.seeds > 1 {
				return r.many(ctx)
			}
			return r.once(ctx)
		},
	}
}

// runCommand is one call of `run`.
type runCommand struct {
	command
	*common
	*pictures
	source   source
	scenario *scenarios.Scenario
	rival    *scenarios.Scenario // under the scenario's `against`; nil without
	enough   *experiment.Until   // nil without --until
}

// until reads --until, with which --seeds is the most there may be.
func (r *runCommand) until(text string, seedsGiven bool) (err error) {
	if text == "" {
		return nil
	}
	if r.enough, err = experiment.ParseUntil(text); err == nil {
		err = r.scenario.CheckFigure(r.enough.Figure)
	}
	if err != nil {
		return badInput("--until: %w", err)
	}
	if !seedsGiven {
		r.seeds = experiment.UntilMost
	}
	return nil
}

// arms are the scenario, and before it what it is shown against.
func (r *runCommand) arms() []*scenarios.Scenario {
	if r.rival != nil {
		return []*scenarios.Scenario{r.rival, r.scenario}
	}
	return []*scenarios.Scenario{r.scenario}
}

// once runs one seed, and the same seed under the scenario's `against`.
func (r *runCommand) once(ctx context.Context) error {
	s := r.scenario
	main, err := experiment.Run(ctx, s, s.Seed, nil)
	if main == nil {
		return err
	}
	var other *experiment.Result
	if r.rival != nil && err == nil {
		if other, err = experiment.Run(ctx, r.rival, s.Seed, nil); other == nil {
			return err
		}
		main.Summary.Against = other.Summary
	}
	err, wrong := r.writeAll(ctx, s.Seed, err, func(dir string, partial bool) error {
		main.Summary.Partial = partial
		if err := writeDocument(filepath.Join(dir, "summary.json"), main.Summary); err != nil {
			return err
		}
		return writeSlots(dir, main.Tally)
	})
	if wrong != nil {
		return wrong
	}
	main.Summary.Partial = err != nil
	timed := withEngine(main)
	if other != nil {
		timed.Against = withEngine(other)
	}
	var shown error
	if r.json {
		shown = report.Document(r.stdout, timed)
	} else {
		shown = r.show(timed, main.Tally, other)
	}
	r.tell(r.common, s.Name)
	return errors.Join(shown, r.kept(r.common, s.Name, err), expect(s, []experiment.Result{*main}))
}

// writeAll writes the files, and then, unless the work was interrupted, the pages. If
// it is while the pages are made, the files are written again, to say so.
func (r *runCommand) writeAll(ctx context.Context, seed uint64, interrupted error, files func(dir string, partial bool) error) (stillInterrupted, wrong error) {
	write := func() error {
		return r.write(r.common, r.scenario.Name, func(dir string) error { return files(dir, interrupted != nil) })
	}
	if err := write(); err != nil || interrupted != nil {
		return interrupted, err
	}
	err := r.draw(ctx, seed)
	if !isInterrupted(ctx, err) {
		return nil, err
	}
	interrupted = err
	return interrupted, write()
}

func (r *runCommand) show(timed *model.Summary, tally *model.Tally, other *experiment.Result) error {
	run := report.Run{Policy: policyOf(r.scenario), Summary: timed, Tally: tally}
	var against *report.Run
	if other != nil {
		against = &report.Run{Policy: policyOf(r.rival), Summary: timed.Against, Tally: other.Tally}
	}
	return report.Terminal(r.stdout, report.Style{Color: r.styled}, run, against)
}

// draw writes the pages and the chart of a seed's run, as far as they are wanted.
func (r *runCommand) draw(ctx context.Context, seed uint64) error {
	return r.command.draw(r.common, r.scenario.Name, r.pictures, func() (report.PageInput, error) {
		in, err := pageInput(ctx, r.source, commandOf(r.common, r.scenario.Seed, "run", r.source.name), r.arms(), seed, true)
		if in.Seeds = r.seeds; in.Seeds <= 1 {
			in.Spread = commandOf(r.overSeeds(50), r.scenario.Seed, "run", r.source.name)
		}
		return in, err
	})
}

// policyOf names the policy of a scenario whose groups all have the same.
func policyOf(s *scenarios.Scenario) string {
	all := func(g *model.Group) string { return strings.Join(g.Stack(), " > ") }
	name := all(&s.Clients[0])
	for i := range s.Clients {
		if all(&s.Clients[i]) != name {
			return ""
		}
	}
	return name
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

// expect checks the scenario's expectations of every run.
func expect(s *scenarios.Scenario, runs []experiment.Result) error {
	return expectationsFailed(unmet(s, runs, ""))
}

// unmet says which expectations fail, in how many seeds, and under which arm if that
// has a name.
func unmet(s *scenarios.Scenario, runs []experiment.Result, under string) []string {
	counts, first := make([]int, len(s.Expect)), make([]error, len(s.Expect))
	for e := range s.Expect {
		for i := range runs {
			if err := s.Expect[e].Check(runs[i].Summary); err != nil {
				if counts[e]++; first[e] == nil {
					first[e] = err
				}
			}
		}
	}
	return unmetOf(counts, first, len(runs), under)
}

// unmetOf says so of counts by expectation, and of what each first came to.
func unmetOf(counts []int, first []error, runs int, under string) []string {
	var failed []string
	for e, n := range counts {
		if n == 0 {
			continue
		}
		var where []string
		if runs > 1 {
			where = append(where, fmt.Sprintf("in %d of %d seeds", n, runs))
		}
		if under != "" {
			where = append(where, "under "+under)
		}
		text := first[e].Error()
		if where != nil {
			text += " (" + strings.Join(where, " ") + ")"
		}
		failed = append(failed, text)
	}
	return failed
}

func expectationsFailed(failed []string) error {
	if failed == nil {
		return nil
	}
	return expectError{errors.New(strings.Join(failed, "\n"))}
}
