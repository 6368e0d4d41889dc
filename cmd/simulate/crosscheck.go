package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func crosscheckVerb() verb {
	var f common
	var runs int
	scale := factor{1}
	return verb{
		name: "crosscheck", args: "SCENARIO", does: "the same scenario in virtual time and over real sockets: do they agree?",
		help: "Measures the loopback of this machine first, then plays many seeds in virtual time, and the\n" +
			"scenario's provider and clients over TCP on 127.0.0.1, by the wall's clock. Each figure is\n" +
			"shown in both worlds with a verdict: counts that are the same in every seed must come out so in\n" +
			"every real run, times within an allowance that is measured and stated in all but one; the rest\n" +
			"is tested by ranks, with one false alarm in 10,000 for all of it together. `On an edge` is what\n" +
			"hangs on an instant; `in a crowd` is what agrees only with virtual time whose exchanges are as\n" +
			"late as a crowd's are on this machine. Exit code 1 where they differ.\n\n" +
			"A run in which the machine's timers were too late is no fair witness: it is told, and played\n" +
			"again. --scale S makes all times S times as long, but for dates in hints, which cannot be\n" +
			"scaled; whole seconds of a Retry-After become decimals. Figures are shown in the\n" +
			"scenario's own time. Below a service of a few milliseconds the machine decides who gets\n" +
			"through, which is told.\n\n" +
			"Runs over sockets take as long as the scenario does, at least three of them for a verdict: write\n" +
			"--scale 0.1 for a long one. What a scenario expects is not checked; `simulate run` does.",
		examples: []string{
			"simulate crosscheck gate-20 --runs 3 --out off",
			"simulate crosscheck hang --scale 0.01 --runs 3",
			"simulate crosscheck triage-first --json --out off",
		},
		flags: func(flags *pflag.FlagSet) {
			f.jobs, f.seeds = runtime.GOMAXPROCS(0), experiment.LeastVirtual
			flags.Var(number{&runs}, "runs", "`N`: real runs (default: as many as take 30 s, from 3 to 10)")
			flags.Lookup("runs").DefValue = "0"
			flags.Var(&scale, "scale", "`S`: all times are so many times as long")
			f.bindScenario(flags)
			flags.Var(number{&f.seeds}, "seeds", "`N`: runs in virtual time, each with a seed of its own")
			f.bindJSON(flags)
			flags.Var(&text{to: &f.out}, "out", "`DIR` for the files; off writes none (default out/<scenario>-crosschecked)")
			flags.BoolVar(&f.quiet, "quiet", false, "no progress and no notices on stderr")
			flags.Var(number{&f.jobs}, "jobs", "`N`: how many virtual runs at once; changes no result")
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "crosscheck", args)
			if err != nil {
				return err
			}
			s, err := f.load(src)
			if err != nil {
				return err
			}
			r := crosscheckCommand{command: c, common: &f, source: src, scenario: s, runs: runs, scale: scale.f}
			if err := errors.Join(checkSeeds(f.seeds, s), c.checkPlaces(&f, r.folder(), &pictures{})); err != nil {
				return err
			}
			return r.run(ctx)
		},
	}
}

// factor is a flag that takes a number above 0.
type factor struct{ f float64 }

func (f *factor) Set(value string) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0) || v < 1e-6 || v > 1e6 {
		return fmt.Errorf("%q: write a number from 0.000001 to 1000000, such as 0.1", value)
	}
	f.f = v
	return nil
}

func (f *factor) String() string { return strconv.FormatFloat(f.f, 'g', -1, 64) }
func (f *factor) Type() string   { return "float" }

// crosscheckCommand is one call of `crosscheck`.
type crosscheckCommand struct {
	command
	*common
	source   source
	scenario *scenarios.Scenario
	runs     int
	scale    float64
}

func (r *crosscheckCommand) folder() string { return r.scenario.Name + "-crosschecked" }

func (r *crosscheckCommand) run(ctx context.Context) error {
	part, p := "", r.progress(r.common, "", 0)
	check := experiment.CrossCheck{
		Scenario: r.scenario, Seeds: r.seeds, Runs: r.runs, Scale: r.scale, Jobs: r.jobs,
		Progress: func(of string, done, total int) {
			if of != part {
				p.end()
				part, p = of, r.progress(r.common, of, total)
			}
			if done > 0 {
				p.at(done)
			}
		},
		Begins: func(runs int, each time.Duration) {
			p.end()
			r.begins(runs, each)
		},
	}
	if _, err := experiment.Scaled(r.scenario, r.scale); err != nil {
		return badInput("--scale: %w", err)
	}
	checked, err := check.Run(ctx)
	p.end()
	var cannot experiment.UnplayableError
	switch {
	case errors.As(err, &cannot):
		return badInput("%w", cannot)
	case checked == nil && isInterrupted(ctx, err):
		return emptyError{err, "before the first run over sockets had ended, so there is nothing to compare"}
	case checked == nil:
		return err
	}
	shown := r.shown(checked)
	wrong := r.write(r.common, r.folder(), func(dir string) error {
		if err := writeDocument(filepath.Join(dir, "crosscheck.json"), newCrosschecked(checked)); err != nil {
			return err
		}
		return report.WriteFile(filepath.Join(dir, "report.html"), func(w io.Writer) error { return report.CrossPage(w, shown) })
	})
	if wrong != nil {
		return wrong
	}
	var printed error
	if r.json {
		printed = report.Document(r.stdout, newCrosschecked(checked))
	} else {
		printed = shown.Text(r.stdout, report.Style{Color: r.styled, Width: 110})
	}
	r.tell(r.common, r.folder())
	if !checked.Agrees() && err == nil {
		err = expectError{errors.New("simulate: " + shown.Headline())}
		return errors.Join(printed, err)
	}
	return errors.Join(printed, r.kept(r.common, r.folder(), err))
}

// soonOver is how long the runs over sockets may take without a word before they begin.
const soonOver = 20 * time.Second

// begins tells how long the runs over sockets take, where somebody could wonder.
func (r *crosscheckCommand) begins(runs int, each time.Duration) {
	if took := time.Duration(runs) * each; r.quiet || took <= soonOver {
		return
	}
	what := fmt.Sprintf("%d runs over sockets, of about %v each", runs, each.Round(time.Second))
	if runs == 1 {
		what = fmt.Sprintf("a run over sockets, of about %v", each.Round(time.Second))
	}
	fmt.Fprintln(r.stderr, what)
}

// shown is the cross-check for people.
func (r *crosscheckCommand) shown(c *experiment.CrossChecked) *report.CrossCheck {
	runs := r.runs
	if runs == 0 {
		runs = len(c.Lateness)
	}
	flags := []string{"--runs", strconv.Itoa(runs)}
	if r.scale != 1 {
		flags = append(flags, "--scale", strconv.FormatFloat(r.scale, 'g', -1, 64))
	}
	l := c.Loopback
	out := &report.CrossCheck{
		Scenario: c.Scenario, About: r.scenario.About, Source: string(r.source.text), Version: version(),
		Command: commandOf(r.common, c.Seed, "crosscheck", r.source.name, flags...),
		Seed:    strconv.FormatUint(c.Seed, 10), Virtual: c.Virtual, Real: len(c.Lateness), Partial: c.Partial, Scale: c.Scale,
		Level: "1 in 10,000", Short: c.Short, Nothing: c.Nothing, Agrees: c.Agrees(), Warnings: c.Warnings, Slot: c.Slot,
		Machine: report.CrossMachine{
			Exchanges: l.Exchanges, Crowd: l.Crowd, Crowded: l.Crowded, CrowdedMost: l.CrowdedMost, Delay: l.Delay, Jitter: l.Jitter, Unit: l.Unit(), Mean: l.Mean, Taken: c.Taken,
			Chain: c.Chain, Within: c.Within, Allowance: c.Allowance, Calm: c.Calm, NotFair: len(c.Late),
		},
	}
	for _, late := range c.Lateness {
		out.Machine.TimersP90, out.Machine.TimersWorst = max(out.Machine.TimersP90, late.P90), max(out.Machine.TimersWorst, late.Worst)
	}
	for _, late := range c.Late {
		out.Machine.NotFairP90, out.Machine.NotFairMost = max(out.Machine.NotFairP90, late.P90), max(out.Machine.NotFairMost, late.Worst)
	}
	for _, f := range c.Figures {
		unit := report.InNumbers
		if f.Seconds {
			unit = report.InSeconds
		}
		row := report.CrossRow{
			Figure: f.Name, Unit: unit, Certain: f.Certain, Virtual: f.Virtual, Low: f.Interval[0], High: f.Interval[1],
			Real: f.Real, RealLow: f.RealRange[0], RealHigh: f.RealRange[1],
			Allowance: f.Allowance, Verdict: string(f.Verdict), Why: f.Why, Differs: f.Verdict == experiment.Differs,
		}
		if f.Edge != nil {
			row.Low, row.High = f.Edge[0], f.Edge[1]
		}
		if f.Crowd != nil {
			row.Crowd = &report.CrossCrowd{Virtual: f.Crowd.Virtual, Low: f.Crowd.Interval[0], High: f.Crowd.Interval[1]}
		}
		out.Rows = append(out.Rows, row)
	}
	for _, s := range c.Slots {
		out.Slots = append(out.Slots, report.CrossSlot(s))
	}
	return out
}

// crosschecked is the document of `crosscheck`.
type crosschecked struct {
	Scenario  string             `json:"scenario"`
	Seed      string             `json:"seed"`
	Partial   bool               `json:"partial"`
	Agrees    *bool              `json:"agrees"` // null where nothing differs, but too little was judged
	Level     float64            `json:"false_alarms"`
	Short     *string            `json:"level_out_of_reach"` // why; null where it is not
	Scale     float64            `json:"scale"`
	Virtual   int                `json:"virtual_runs"`
	Real      int                `json:"real_runs"`
	Loopback  loopbackItem       `json:"loopback"`
	Taken     model.Number       `json:"taken_off_one_way_s"`
	Chain     int                `json:"exchanges_in_a_row"`
	Allowance model.Number       `json:"allowance_s"`          // of the scenario's time
	Calm      model.Number       `json:"allowance_earliest_s"` // of times that are the same in every seed
	Within    int                `json:"slots_off"`
	Lateness  []latenessItem     `json:"timers"`
	Late      []latenessItem     `json:"not_fair"` // runs that were played again
	Warnings  []string           `json:"warnings"`
	Figures   []crosscheckedItem `json:"figures"`
	Slot      model.Number       `json:"slot_s"`
	Slots     crosscheckedSlots  `json:"sent_by_slot"`
}

type loopbackItem struct {
	Exchanges int          `json:"exchanges"`
	Delay     model.Number `json:"delay_s"` // the median
	Mean      model.Number `json:"mean_s"`
	Jitter    model.Number `json:"jitter_p90_s"`
	Unit      model.Number `json:"allowance_of_an_exchange_s"`
	Crowd     int          `json:"crowd"`            // at one instant; 0: not measured
	Crowded   model.Number `json:"crowd_p90_s"`      // of the calmest try
	Latest    model.Number `json:"crowd_p90_most_s"` // of the latest
}

type latenessItem struct {
	Timers int          `json:"timers"`
	P90    model.Number `json:"late_p90_s"`
	Worst  model.Number `json:"late_max_s"`
}

type crosscheckedItem struct {
	Figure    string           `json:"figure"`
	Certain   bool             `json:"same_in_every_seed"`
	Virtual   model.Number     `json:"virtual"`
	Interval  [2]model.Number  `json:"virtual99"`
	Real      model.Number     `json:"real"`
	RealRange [2]model.Number  `json:"real_range"`
	Edge      *[2]model.Number `json:"on_an_edge"`
	Crowd     *crowdItem       `json:"in_a_crowd"` // what p is of, where virtual time's exchanges are as late as a crowd's; else null
	P         model.Number     `json:"p"`
	Adjusted  model.Number     `json:"p_holm"`
	Verdict   string           `json:"verdict"`
	Why       string           `json:"why"`
}

type crowdItem struct {
	Virtual  model.Number    `json:"virtual"`
	Interval [2]model.Number `json:"virtual99"`
}

func newCrowdItem(c *experiment.InCrowd) *crowdItem {
	if c == nil {
		return nil
	}
	return &crowdItem{c.Virtual, c.Interval}
}

type crosscheckedSlots struct {
	Virtual []model.Number `json:"virtual"`
	Real    []model.Number `json:"real"`
}

func inSeconds(d time.Duration) model.Number { return model.Number(d.Seconds()) }

func newCrosschecked(c *experiment.CrossChecked) *crosschecked {
	d := &crosschecked{
		Scenario: c.Scenario, Seed: strconv.FormatUint(c.Seed, 10), Partial: c.Partial, Level: c.Level,
		Scale: c.Scale, Virtual: c.Virtual, Real: len(c.Lateness),
		Loopback: loopbackItem{c.Loopback.Exchanges, inSeconds(c.Loopback.Delay), inSeconds(c.Loopback.Mean), inSeconds(c.Loopback.Jitter), inSeconds(c.Loopback.Unit()), c.Loopback.Crowd, inSeconds(c.Loopback.Crowded), inSeconds(c.Loopback.CrowdedMost)},
		Taken:    inSeconds(c.Taken), Chain: c.Chain, Allowance: model.Number(c.Allowance), Calm: model.Number(c.Calm), Within: c.Within,
		Lateness: latenessItems(c.Lateness), Late: latenessItems(c.Late), Warnings: append([]string{}, c.Warnings...), Slot: model.Number(c.Slot),
		Slots: crosscheckedSlots{[]model.Number{}, []model.Number{}},
	}
	if agrees := c.Agrees(); !agrees || c.Short == "" {
		d.Agrees = &agrees
	}
	if c.Short != "" {
		d.Short = &c.Short
	}
	for _, f := range c.Figures {
		d.Figures = append(d.Figures, crosscheckedItem{
			f.Name, f.Certain, f.Virtual, f.Interval, f.Real, f.RealRange, f.Edge, newCrowdItem(f.Crowd),
			model.Number(f.P), model.Number(f.Adjusted), string(f.Verdict), strings.TrimSpace(f.Why),
		})
	}
	for _, s := range c.Slots {
		d.Slots.Virtual, d.Slots.Real = append(d.Slots.Virtual, model.Number(s.Virtual)), append(d.Slots.Real, model.Number(s.Real))
	}
	return d
}

func latenessItems(all []experiment.Lateness) []latenessItem {
	out := []latenessItem{}
	for _, l := range all {
		out = append(out, latenessItem{l.Timers, inSeconds(l.P90), inSeconds(l.Worst)})
	}
	return out
}
