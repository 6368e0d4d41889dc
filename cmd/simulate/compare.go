package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
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
			"how sure that is, and shows the herds of one seed.",
		examples: []string{
			"simulate compare herd-100 --vary 'policy=naive,full-jitter' --seeds 5",
			"simulate compare herd-100 --vary provider.seats=3,4,6 --out off",
			"simulate compare herd-100 --vary policy=full-jitter,equal-jitter,decorrelated --chart herds.svg",
		},
		flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&vary, "vary", "", "`KEY=A,B,...`: the key and its values")
			f.bindRuns(flags)
			p.bind(flags)
			f.seeds = 20
			flags.Lookup("seeds").DefValue = "20"
		},
		run: func(ctx context.Context, c command, args []string) error {
			name, err := one(args, "compare", "a scenario")
			if err != nil {
				return err
			}
			if err := p.check(); err != nil {
				return err
			}
			return c.compare(ctx, &f, &p, name, vary)
		},
	}
}

func (c command) compare(ctx context.Context, f *common, pics *pictures, name, vary string) error {
	key, values, err := varied(vary)
	if err != nil {
		return err
	}
	var arms []experiment.Arm
	for _, value := range values {
		arm := *f
		arm.set = append(append([]string(nil), f.set...), key+"="+value)
		s, err := arm.load(name)
		if err != nil {
			return err
		}
		arms = append(arms, experiment.Arm{Label: value, Scenario: s})
	}
	p := c.progress(f, "runs", f.seeds*len(arms))
	comparison, err := experiment.Compare(ctx, arms, f.seeds, f.jobs, p.at)
	p.end()
	if comparison == nil {
		return err
	}
	shown := comparisonShown(key, f.seeds, comparison)
	scenario := arms[0].Scenario
	if wrong := c.write(f, scenario.Name+"-compared", func(dir string) error {
		document := newCompared(key, comparison, f.seeds)
		return errors.Join(
			writeDocument(filepath.Join(dir, "compare.json"), document),
			report.WriteFile(filepath.Join(dir, "compare.md"), shown.Markdown),
			report.WriteFile(filepath.Join(dir, "compare.csv"), shown.CSV),
		)
	}); wrong != nil {
		return wrong
	}
	if typical, any := arms[0].Runs.Typical(); any && err == nil {
		if wrong := c.draw(f, scenario.Name+"-compared", pics, func() (report.PageInput, error) {
			var drawn []*scenarios.Scenario
			for _, arm := range arms[:min(len(arms), report.MostArms)] {
				drawn = append(drawn, arm.Scenario)
			}
			in, err := pageInput(ctx, name, commandOf(f, "compare", name, "--vary", vary), drawn, typical.Seed, false)
			in.Compared = shown
			return in, err
		}); wrong != nil {
			return wrong
		}
	}
	var printed error
	if f.json {
		printed = report.Document(c.stdout, newCompared(key, comparison, f.seeds))
	} else {
		printed = c.showCompared(shown, comparison)
	}
	return errors.Join(printed, err)
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

func newCompared(key string, c *experiment.Comparison, seeds int) compared {
	d := compared{Vary: key, Method: report.ComparisonMethod}
	for _, arm := range c.Arms {
		runs := newReplicated(arm.Runs, seeds, false)
		d.Partial = d.Partial || runs.Partial
		d.Arms = append(d.Arms, comparedArm{arm.Label, runs})
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
