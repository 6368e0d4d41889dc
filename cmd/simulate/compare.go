package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func compareVerb() verb {
	var f common
	var p pictures
	var vary string
	return verb{
		name: "compare", args: "SCENARIO", does: "the same workload under several values of a key, paired seed by seed",
		help: "The first value is what the others are compared with. All arms share their seeds, so chance\n" +
			"is the same on both sides and small differences can be seen. report.html says which is better,\n" +
			"how sure that is, and shows the herds of one seed. Every `expect` must hold under every value\n" +
			"in every seed, or the exit code is 1; --set 'expect=[]' leaves them out.",
		examples: []string{
			"simulate compare herd-100 --vary 'policy=naive,full-jitter' --seeds 5",
			"simulate compare herd-100 --vary provider.seats=3,4,6 --out off",
			"simulate compare herd-100 --vary policy=full-jitter,equal-jitter,decorrelated --chart herds.svg",
		},
		flags: func(flags *pflag.FlagSet) {
			flags.Var(&text{to: &vary, once: true}, "vary", "`KEY=A,B,...`: the key and its values; one key, so once")
			f.bindRuns(flags, 20, "out/<scenario>-compared")
			p.bind(flags)
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "compare", args)
			if err != nil {
				return err
			}
			key, values, err := varied(vary)
			if err != nil {
				return err
			}
			arms, err := f.loadArms(src, key, values)
			if err != nil {
				return err
			}
			r := compareCommand{command: c, common: &f, pictures: &p, source: src, key: key, vary: vary, arms: arms}
			if err := errors.Join(p.check(ctx), checkSeeds(f.seeds, r.scenarios(len(arms))...), c.checkPlaces(&f, r.folder(), &p)); err != nil {
				return err
			}
			return r.run(ctx)
		},
	}
}

// loadArms reads the scenario once for each value. What is wrong with one of them is
// told as a mistake in --vary.
func (f *common) loadArms(src source, key string, values []string) ([]experiment.Arm, error) {
	var plain scenarios.Mistakes
	_, err := f.load(src)
	errors.As(err, &plain)
	var arms []experiment.Arm
	var wrong scenarios.Mistakes
	for _, value := range values {
		s, err := f.load(src, key+"="+value)
		var mistakes scenarios.Mistakes
		if err != nil && !errors.As(err, &mistakes) {
			return nil, err
		}
		for _, m := range mistakes {
			if m.File == "--set" && !slices.Contains(plain, m) {
				m.File = "--vary"
			}
			if !slices.Contains(wrong, m) {
				wrong = append(wrong, m)
			}
		}
		for _, before := range arms {
			if wrong == nil && reflect.DeepEqual(before.Scenario, s) {
				return nil, badInput("--vary %s: %q and %q are the same value; write each once", key, before.Label, value)
			}
		}
		arms = append(arms, experiment.Arm{Label: value, Scenario: s})
	}
	if wrong != nil {
		return nil, wrong
	}
	return arms, nil
}

// compareCommand is one call of `compare`.
type compareCommand struct {
	command
	*common
	*pictures
	source    source
	key, vary string
	arms      []experiment.Arm
}

// folder names the default folder of the files.
func (r *compareCommand) folder() string { return r.arms[0].Scenario.Name + "-compared" }

// scenarios are those of the first arms.
func (r *compareCommand) scenarios(n int) []*scenarios.Scenario {
	var out []*scenarios.Scenario
	for _, arm := range r.arms[:n] {
		out = append(out, arm.Scenario)
	}
	return out
}

func (r *compareCommand) run(ctx context.Context) error {
	p := r.progress(r.common, "runs", r.seeds*len(r.arms))
	comparison, err := experiment.Compare(ctx, r.arms, r.seeds, r.jobs, p.at)
	p.end()
	if comparison == nil {
		return err
	}
	shown := comparisonShown(r.key, r.seeds, comparison)
	write := func() error {
		return r.write(r.common, r.folder(), func(dir string) error {
			if err := writeRunsFile(filepath.Join(dir, "compare.json"), newCompared(r.key, comparison, r.seeds, err != nil)); err != nil {
				return err
			}
			if err := report.WriteFile(filepath.Join(dir, "compare.md"), shown.Markdown); err != nil {
				return err
			}
			return report.WriteFile(filepath.Join(dir, "compare.csv"), shown.CSV)
		})
	}
	if wrong := write(); wrong != nil {
		return wrong
	}
	if err == nil {
		wrong := r.draw(ctx, shown)
		if isInterrupted(ctx, wrong) {
			err = wrong
			wrong = write()
		}
		if wrong != nil {
			return wrong
		}
	}
	var printed error
	if r.json {
		printed = writeRuns(r.stdout, newCompared(r.key, comparison, r.seeds, err != nil))
	} else {
		printed = r.showCompared(shown, comparison)
	}
	if !r.quiet {
		for _, arm := range r.arms {
			r.warn(r.under(arm)+": ", &arm.Scenario.Config)
		}
	}
	r.tell(r.common, r.folder())
	return errors.Join(printed, r.kept(r.common, r.folder(), err), r.expect())
}

// draw writes the pages and the chart, as far as they are wanted.
func (r *compareCommand) draw(ctx context.Context, shown *report.Comparison) error {
	typical, any := r.arms[0].Runs.Typical()
	if !any {
		return nil
	}
	return r.command.draw(r.common, r.folder(), r.pictures, func() (report.PageInput, error) {
		command := commandOf(r.common, r.arms[0].Scenario.Seed, "compare", r.source.name, "--vary", r.vary)
		in, err := pageInput(ctx, r.source, command, r.scenarios(min(len(r.arms), report.MostArms)), typical.Seed, false)
		in.Compared = shown
		return in, err
	})
}

// expect checks each arm's expectations.
func (r *compareCommand) expect() error {
	var failed []string
	for _, arm := range r.arms {
		failed = append(failed, unmet(arm.Scenario, arm.Runs.Runs, r.under(arm))...)
	}
	return expectationsFailed(failed)
}

// under says what an arm is run under.
func (r *compareCommand) under(arm experiment.Arm) string {
	if r.key == "policy" {
		return arm.Label
	}
	return r.key + "=" + arm.Label
}

func (c command) showCompared(shown *report.Comparison, comparison *experiment.Comparison) error {
	for _, arm := range comparison.Arms {
		if err := c.table(titleOf(shown.Key, arm.Label, arm.Runs), arm.Runs); err != nil {
			return err
		}
		io.WriteString(c.stdout, "\n")
	}
	return shown.Sentences(c.stdout, report.Style{Color: c.styled})
}

// varied reads KEY=A,B,...; commas inside brackets, braces or quotes part nothing.
func varied(vary string) (key string, values []string, err error) {
	key, list, given := strings.Cut(vary, "=")
	if !given || key == "" {
		return "", nil, badInput("--vary %q: write a key and its values, such as --vary policy=naive,full-jitter", vary)
	}
	depth, start, quote := 0, 0, rune(0)
	for i, r := range list + "," {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '[' || r == '{':
			depth++
		case r == ']' || r == '}':
			depth--
		case r == ',' && depth == 0:
			values = append(values, strings.TrimSpace(list[start:min(i, len(list))]))
			start = i + 1
		}
	}
	if depth != 0 || quote != 0 {
		return "", nil, badInput("--vary %q: a bracket or a quote is not closed", vary)
	}
	if len(values) < 2 {
		return "", nil, badInput("--vary %q: one value has nothing to be compared with; write %s=A,B", vary, key)
	}
	for _, v := range values {
		if v == "" {
			return "", nil, badInput("--vary %q: a value is empty; write %s=A,B", vary, key)
		}
	}
	return key, values, nil
}

// compared is the document of `compare`.
type compared struct {
	Partial bool           `json:"partial"`
	Vary    string         `json:"vary"`
	Method  string         `json:"method"`
	Arms    []comparedArm  `json:"arms"`
	Figures []comparedItem `json:"figures"`
}

type comparedArm struct {
	Value string `json:"value"`
	*replicated
}

type comparedItem struct {
	Figure     string          `json:"figure"`
	Base       string          `json:"base"`
	Arm        string          `json:"arm"`
	Pairs      int             `json:"pairs"`
	BaseMean   model.Number    `json:"base_mean"`
	Difference model.Number    `json:"difference"`
	CI95       [2]model.Number `json:"ci95"`
	P          model.Number    `json:"p_holm"`
	Verdict    string          `json:"verdict"`
}

func newCompared(key string, c *experiment.Comparison, seeds int, partial bool) *compared {
	d := &compared{Partial: partial, Vary: key, Method: report.ComparisonMethod}
	for _, arm := range c.Arms {
		d.Arms = append(d.Arms, comparedArm{arm.Label, newReplicated(arm.Runs, partial && len(arm.Runs.Runs) < seeds, false)})
	}
	for _, diff := range c.Differences {
		d.Figures = append(d.Figures, comparedItem{
			diff.Figure.Name, c.Arms[0].Label, c.Arms[diff.Arm].Label, diff.Pairs,
			diff.Base, diff.Mean, diff.CI95, model.Number(diff.Adjusted), string(diff.Verdict),
		})
	}
	return d
}

func comparisonShown(key string, seeds int, c *experiment.Comparison) *report.Comparison {
	shown := &report.Comparison{Key: key, Seeds: seeds}
	for _, arm := range c.Arms {
		shown.Arms = append(shown.Arms, arm.Label)
	}
	for _, d := range c.Differences {
		unit := report.InNumbers
		switch {
		case d.Figure.Seconds:
			unit = report.InSeconds
		case d.Figure.Name == "success":
			unit = report.InPercent
		}
		shown.Rows = append(shown.Rows, report.ComparedFigure{
			Figure: d.Figure.Label, Path: d.Figure.Name, Unit: unit, Arm: d.Arm, Pairs: d.Pairs,
			Base: d.Base, Value: d.Base + d.Mean, Diff: d.Mean, CI95: d.CI95, P: d.Adjusted, Verdict: string(d.Verdict),
		})
	}
	return shown
}
