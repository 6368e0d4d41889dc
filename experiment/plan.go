package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"golang.org/x/exp/stats"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Plan looks for the greatest or the least value of one key that still meets targets.
//
// Each value is simulated over the same seeds, and a target is met where the mean of its
// figure over the seeds meets it; it is decided where the whole 95 % interval of that
// mean does, or none of it. Between the ends a curve is taken first and then the place
// where it crosses is halved. The answer's interval is where a mean might still cross:
// from the last value that surely meets the targets to the first that surely does not,
// which holds the true place as often as the mean's interval holds the true mean.
type Plan struct {
	Scenario *scenarios.Scenario
	Key      string
	Between  *scenarios.Range
	Targets  []scenarios.Expectation
	Seeds    int

	template *scenarios.Template
	whole    bool // the key takes whole numbers only
	points   map[string]*PlanPoint
	jobs     int
	done     func(int)
	ran      int
}

// Met is the verdict on one value.
type Met uint8

// The verdicts.
const (
	Meets Met = iota
	Misses
)

// PlanPoint is one value of the key, simulated.
type PlanPoint struct {
	Text    string
	Value   float64 // as the range counts: a time in seconds, a rate in its unit
	Verdict Met     // by the means
	Decided bool    // by their intervals too
	Targets []TargetPoint
	Use     Use
}

// TargetPoint is the figure of one target at a value.
type TargetPoint struct {
	Mean      model.Number // null where a run does not have the figure
	CI95      [2]model.Number
	Undefined int // runs that do not have it
	Verdict   Met
	Decided   bool
}

// PlanResult is what a plan came to.
type PlanResult struct {
	Found    bool
	Greatest bool // the targets are met up to the answer; else from it on
	Answer   *PlanPoint
	Beyond   *PlanPoint // the nearest value tried that misses the targets
	Lo, Hi   *PlanPoint // the answer's 95 % interval
	OpenLo   bool       // it goes on beyond the end of the range
	OpenHi   bool
	SE       model.Number // standard error of the answer: the interval's half over Student's t; null for whole numbers
	Points   []*PlanPoint // all that were simulated, in order
	Bounds   []Bound
	Says     []string // the answer in words, and what to know of it
}

// NewPlan makes a plan ready. Mistakes in its key name --find as their file.
func NewPlan(template *scenarios.Template, key string, between *scenarios.Range, slo string, seeds int) (*Plan, error) {
	base, err := template.Scenario()
	if err != nil {
		return nil, err
	}
	p := &Plan{Scenario: base, Key: key, Between: between, Seeds: seeds, template: template, points: map[string]*PlanPoint{}}
	if key == "seed" {
		return nil, errors.New("--find seed: is no key to plan with; a seed is chance")
	}
	for _, u := range []float64{0, 1} {
		if _, err := p.at(between.At(u)); err != nil {
			var mistakes scenarios.Mistakes
			if !errors.As(err, &mistakes) {
				return nil, err
			}
			for i := range mistakes {
				if mistakes[i].File == "--set" {
					mistakes[i].File = "--find"
				}
			}
			return nil, mistakes
		}
	}
	if p.Targets, err = base.ParseTargets(slo); err != nil {
		return nil, fmt.Errorf("--slo: %w", err)
	}
	if middle := between.Between(); middle != "" {
		_, err := p.at(middle)
		p.whole = err != nil
	}
	return p, nil
}

func (p *Plan) at(value string) (*scenarios.Scenario, error) {
	return p.template.Scenario(p.Key + "=" + value)
}

// value is the text of a value, rounded as the key is or else to what is worth telling,
// and the value it stands for.
func (p *Plan) value(v float64) (string, float64) {
	from, to := p.Between.Numbers()
	switch {
	case p.whole:
		v = math.Round(v)
		return strconv.FormatFloat(v, 'f', -1, 64), v
	case v == from, v == to: // as they were written
	case p.Wide():
		v = rounding(v, math.Abs(v)/5000)
	default:
		v = rounding(v, math.Abs(to-from)*fineness/2)
	}
	return p.Between.Write(v), v
}

// rounding rounds to the greatest power of ten up to a width.
func rounding(v, width float64) float64 {
	places := -int(math.Floor(math.Log10(width)))
	if places < 0 {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', places, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// measure simulates a value, unless it was before.
func (p *Plan) measure(ctx context.Context, v float64) (*PlanPoint, error) {
	text, v := p.value(v)
	if known := p.points[text]; known != nil {
		return known, nil
	}
	s, err := p.at(text)
	if err != nil {
		return nil, err
	}
	before := p.ran
	runs, err := Replicate(ctx, s, p.Seeds, p.jobs, func(n int) {
		if p.ran = before + n; p.done != nil {
			p.done(p.ran)
		}
	})
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s=%s: %w", p.Key, text, err)
		}
		return nil, err
	}
	point := &PlanPoint{Text: text, Value: v, Verdict: Meets, Use: useOf(s, runs)}
	all, missed := true, false // decided
	for _, e := range p.Targets {
		t := targetAt(e, runs)
		if t.Verdict == Misses {
			point.Verdict = Misses
			missed = missed || t.Decided
		}
		all = all && t.Decided
		point.Targets = append(point.Targets, t)
	}
	point.Decided = all || missed // one target surely missed decides, whatever of the others
	p.points[text] = point
	return point, nil
}

// targetAt holds the mean of a figure over the runs against its target.
func targetAt(e scenarios.Expectation, runs *Replicates) TargetPoint {
	t := TargetPoint{Mean: model.Undefined(), CI95: undefinedPair(), Verdict: Misses, Decided: true}
	read := model.FigureReader(e.Figure)
	var values []float64
	for i := range runs.Runs {
		v := read(runs.Runs[i].Summary)
		if !v.Defined() {
			t.Undefined++
		}
		values = append(values, float64(v))
	}
	if t.Undefined > 0 || len(values) == 0 { // as an `expect` does: what is not defined meets nothing
		return t
	}
	t.Mean = model.Number(stats.Mean(values))
	if len(values) > 1 {
		lo, hi := skewedInterval(values)
		t.CI95 = [2]model.Number{model.Number(lo), model.Number(hi)}
	}
	if e.Holds(float64(t.Mean)) {
		t.Verdict = Meets
	}
	if t.CI95[0].Defined() {
		t.Decided = e.Holds(float64(t.CI95[0])) == (t.Verdict == Meets) && e.Holds(float64(t.CI95[1])) == (t.Verdict == Meets)
		if e.Op == "==" || e.Op == "!=" {
			t.Decided = t.CI95[0] == t.CI95[1] || t.Verdict == Misses
		}
	}
	return t
}

// sorted are the points so far, the least first.
func (p *Plan) sorted() []*PlanPoint {
	var all []*PlanPoint
	for _, point := range p.points {
		all = append(all, point)
	}
	slices.SortFunc(all, func(a, b *PlanPoint) int { return cmp.Compare(a.Value, b.Value) })
	return all
}

// isGateOfConcurrency says whether the key is how many a gate lets through at once.
func (p *Plan) isGateOfConcurrency() bool {
	path, err := model.SplitPath(p.Key)
	return err == nil && len(path) > 1 && path[len(path)-1] == "concurrency" && (path[0] == "gates" || slices.Contains(path, "gate"))
}
