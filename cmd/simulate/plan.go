package main

import (
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func planVerb() verb {
	var f common
	var p pictures
	var find, between, slo string
	return verb{
		name: "plan", args: "SCENARIO", does: "capacity: the greatest or least value of one key that still meets a target",
		help: "The targets are expectations with commas between them, held by the mean over the seeds. The\n" +
			"answer is the greatest value if the lower end of --between meets them, and the least if the\n" +
			"upper one does. It comes with its 95 % interval, the values on both sides of it, what binds\n" +
			"there, and what arithmetic alone says. Without an answer the exit code is 1, and words say why.\n" +
			"The scenario's own `expect` is not looked at.",
		examples: []string{
			"simulate plan herd-100 --find provider.seats --between 1..30 --slo 'wall<1s'",
			"simulate plan herd-100 --find clients.0.count --between 10..400 --slo 'p99_latency<5s,success>=0.999' --out off",
			"simulate plan herd-100 --find policies.full-jitter.backoff.exponential.base --between 10ms..2s --slo 'herd.busiest_retry<=20' --chart curve.svg",
		},
		flags: func(flags *pflag.FlagSet) {
			flags.Var(&text{to: &find, once: true}, "find", "`KEY` whose value is looked for")
			flags.Var(&text{to: &between, once: true}, "between", "`FROM..TO`: where to look")
			flags.Var(&text{to: &slo, once: true}, "slo", "`TARGETS` to meet, such as 'p99_latency<30s,success>=0.999'")
			f.bindRuns(flags, 40, "out/<scenario>-planned")
			flags.Var(&text{to: &p.chart, once: true}, "chart", "`FILE`.svg or .png: the curve of the first target")
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "plan", args)
			if err != nil {
				return err
			}
			for _, flag := range [][3]string{{"find", find, "clients.0.count"}, {"between", between, "1..200"}, {"slo", slo, "'p99_latency<30s'"}} {
				if flag[1] == "" {
					return badInput("plan needs --%s, such as --%s %s", flag[0], flag[0], flag[2])
				}
			}
			base, err := f.load(src)
			if err != nil {
				return err
			}
			rng, err := scenarios.ParseRange(between)
			if err != nil {
				return badInput("--between %w", err)
			}
			template, err := scenarios.NewTemplate(src.file, src.text, append(f.set[:len(f.set):len(f.set)], "seed="+strconv.FormatUint(base.Seed, 10))...)
			if err != nil {
				return err
			}
			plan, err := experiment.NewPlan(template, find, rng, slo, f.seeds)
			if err != nil && !errors.As(err, new(scenarios.Mistakes)) {
				return badInput("%w", err)
			}
			if err != nil {
				return err
			}
			r := planCommand{command: c, common: &f, pictures: &p, source: src, plan: plan, between: between, slo: slo}
			if err := errors.Join(p.check(ctx), checkSeeds(f.seeds, base), c.checkPlaces(&f, r.folder(), &p)); err != nil {
				return err
			}
			return r.run(ctx)
		},
	}
}

// planCommand is one call of `plan`.
type planCommand struct {
	command
	*common
	*pictures
	source       source
	plan         *experiment.Plan
	between, slo string
}

func (r *planCommand) folder() string { return r.plan.Scenario.Name + "-planned" }

func (r *planCommand) run(ctx context.Context) error {
	p := r.progress(r.common, "runs or so", r.plan.PlanRuns())
	result, err := r.plan.Run(ctx, r.jobs, p.at)
	p.end()
	if err != nil && !isInterrupted(ctx, err) {
		return err
	}
	document := newPlanned(r.plan, result, err != nil)
	wrong := r.write(r.common, r.folder(), func(dir string) error {
		return writeDocument(filepath.Join(dir, "plan.json"), document)
	})
	if wrong != nil {
		return wrong
	}
	shown := r.shown(result)
	if err == nil {
		if wrong := r.draw(shown); wrong != nil {
			return wrong
		}
	}
	var printed error
	switch {
	case r.json:
		printed = report.Document(r.stdout, document)
	case err == nil:
		printed = shown.Terminal(r.stdout, report.Style{Color: r.styled})
	}
	if !r.quiet {
		r.warn("", &r.plan.Scenario.Config)
	}
	r.tell(r.common, r.folder())
	if err == nil && !result.Found {
		return errors.Join(printed, expectError{errors.New("simulate: the plan has no answer")})
	}
	return errors.Join(printed, r.kept(r.common, r.folder(), err))
}

func (r *planCommand) draw(shown *report.Plan) error {
	if r.out != "off" {
		path := filepath.Join(r.dir(r.common, r.folder()), "report.html")
		if err := report.WriteFile(path, func(w io.Writer) error { return report.PlanPage(w, shown) }); err != nil {
			return err
		}
	}
	if r.chart == "" {
		return nil
	}
	return report.ChartFile(r.chart, shown.Charts()[0])
}

// shown makes a plan ready to be drawn.
func (r *planCommand) shown(result *experiment.PlanResult) *report.Plan {
	s := r.plan.Scenario
	_, isTime, _ := scenarios.Number(r.plan.Between.At(0.5))
	out := &report.Plan{
		Scenario: s.Name, About: s.About, Source: string(r.source.text), Version: version(), Seed: strconv.FormatUint(s.Seed, 10),
		Command: commandOf(r.common, s.Seed, "plan", r.source.name, "--find", r.plan.Key, "--between", r.between, "--slo", r.slo),
		Key:     r.plan.Key, Seconds: isTime, Log: r.plan.Wide(), Says: result.Says, Answer: math.NaN(),
	}
	if result.Found {
		out.Answer, out.Text = result.Answer.Value, result.Answer.Text
	}
	for _, e := range r.plan.Targets {
		t := report.PlanTarget{Figure: e.Figure, Text: e.String(), Value: e.Value}
		switch {
		case model.InSeconds(e.Figure):
			t.Unit = report.InSeconds
		case e.Figure == "success":
			t.Unit = report.InPercent
		}
		out.Targets = append(out.Targets, t)
	}
	for _, point := range result.Points {
		p := report.PlanPoint{Text: point.Text, Value: point.Value, Verdict: verdictOf(point), Binding: point.Use.Binding, Success: point.Use.Success}
		for _, t := range point.Targets {
			p.Figures = append(p.Figures, report.SweptValue{Mean: t.Mean, Lo: t.CI95[0], Hi: t.CI95[1]})
		}
		out.Points = append(out.Points, p)
	}
	return out
}

func verdictOf(point *experiment.PlanPoint) string {
	text := "meets"
	if point.Verdict == experiment.Misses {
		text = "misses"
	}
	if !point.Decided {
		text += ", not decided"
	}
	return text
}

// planned is the document of `plan`.
type planned struct {
	Partial  bool           `json:"partial"`
	Scenario string         `json:"scenario"`
	Seed     string         `json:"seed"`
	Seeds    int            `json:"seeds"`
	Key      string         `json:"key"`
	Targets  []string       `json:"slo"`
	Method   string         `json:"method"`
	Found    bool           `json:"found"`
	Which    *string        `json:"which"` // greatest or least
	Answer   *string        `json:"answer"`
	Beyond   *string        `json:"beyond"`      // the nearest value tried that misses
	CI95     [2]*string     `json:"ci95"`        // of the answer; null where it reaches beyond the range
	SE       model.Number   `json:"answer_se"`   // in the unit of the range, times in seconds
	Binding  *string        `json:"binding"`     // at the answer
	Against  *string        `json:"binding_out"` // on the other side
	Says     []string       `json:"says"`
	Bounds   []plannedBound `json:"bounds"`
	Points   []plannedPoint `json:"points"`
}

type plannedBound struct {
	Name string       `json:"name"`
	Per  model.Number `json:"requests_per_s"`
	Text string       `json:"text"`
}

type plannedPoint struct {
	Value   string          `json:"value"`
	Meets   bool            `json:"meets"`
	Decided bool            `json:"decided"`
	Success model.Number    `json:"success"` // share of the operations
	Load    model.Number    `json:"load"`
	Binding *string         `json:"binding"`
	Figures []plannedFigure `json:"figures"`
}

type plannedFigure struct {
	Figure string          `json:"figure"`
	Mean   model.Number    `json:"mean"`
	CI95   [2]model.Number `json:"ci95"`
}

const planMethod = "A value meets a target if the mean of its figure over the seeds does, and is decided if the whole 95 % interval of that mean (Student's t, with Hall's correction for skewness) lies on one side. The answer's interval is from the last value that surely meets the targets to the first that surely misses them."

func newPlanned(p *experiment.Plan, r *experiment.PlanResult, partial bool) *planned {
	d := &planned{
		Partial: partial, Scenario: p.Scenario.Name, Seed: strconv.FormatUint(p.Scenario.Seed, 10), Seeds: p.Seeds, Key: p.Key,
		Method: planMethod, Found: r.Found, SE: r.SE, Says: r.Says, Targets: []string{}, Bounds: []plannedBound{}, Points: []plannedPoint{},
	}
	if d.Says == nil {
		d.Says = []string{}
	}
	for _, e := range p.Targets {
		d.Targets = append(d.Targets, e.String())
	}
	if r.Found {
		which := "least"
		if r.Greatest {
			which = "greatest"
		}
		d.Which, d.Answer, d.Binding = &which, &r.Answer.Text, named(r.Answer.Use.Binding)
		if r.Beyond != nil {
			d.Beyond, d.Against = &r.Beyond.Text, named(r.Beyond.Use.Binding)
		}
		if !r.OpenLo {
			d.CI95[0] = &r.Lo.Text
		}
		if !r.OpenHi {
			d.CI95[1] = &r.Hi.Text
		}
	}
	for _, b := range r.Bounds {
		d.Bounds = append(d.Bounds, plannedBound{b.Name, b.PerSecond, b.Text})
	}
	for _, point := range r.Points {
		at := plannedPoint{Value: point.Text, Meets: point.Verdict == experiment.Meets, Decided: point.Decided, Success: point.Use.Success, Load: point.Use.Load, Binding: named(point.Use.Binding), Figures: []plannedFigure{}}
		for i, t := range point.Targets {
			at.Figures = append(at.Figures, plannedFigure{p.Targets[i].Figure, t.Mean, t.CI95})
		}
		d.Points = append(d.Points, at)
	}
	return d
}

func named(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
