package experiment

import (
	"context"
	"math"
	"slices"

	"golang.org/x/exp/stats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Arm is one of the scenarios of a comparison.
type Arm struct {
	Label    string
	Scenario *scenarios.Scenario
	Runs     *Replicates
}

// Compared is a figure that comparisons look at, and which way is better.
type Compared struct {
	Name, Label string
	Seconds     bool // the unit; else a plain number
	MoreIsGood  bool
}

// ComparedFigures are the figures a comparison shows. Few, because each that is
// added makes every other harder to tell apart.
func ComparedFigures() []Compared {
	return []Compared{
		{Name: "success", Label: "success", MoreIsGood: true},
		{Name: "wall_s", Label: "wall", Seconds: true},
		{Name: "attempts.total", Label: "attempts"},
		{Name: "herd.busiest_retry", Label: "busiest retry slot"},
		{Name: "latency_s.p50", Label: "p50 latency", Seconds: true},
		{Name: "latency_s.p99", Label: "p99 latency", Seconds: true},
	}
}

// Verdict is what a comparison says of one figure.
type Verdict string

// The verdicts.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference seen"
	Identical    Verdict = "identical, seed by seed"
	Incomparable Verdict = "not comparable" // defined in fewer than two pairs of runs
)

// Difference is one figure of an arm against the first arm, seed by seed.
type Difference struct {
	Figure   Compared
	Arm      int
	Pairs    int             // seeds in which both have the figure
	Base     model.Number    // mean of the first arm over the pairs
	Mean     model.Number    // of the differences, the arm minus the first
	CI95     [2]model.Number // of that mean, by the paired t
	P        float64         // two-sided, paired t, before Holm's correction; 1 where incomparable
	Adjusted float64         // after it
	Verdict  Verdict
}

// Comparison holds arms run with the same seeds. Each figure of each later arm is
// compared with the first arm by a paired t over the seeds; verdicts are at 5 %
// for all of them together, by Holm's method (Holm 1979, Scand. J. Statist. 6:65-70).
type Comparison struct {
	Arms        []Arm
	Differences []Difference // by arm, then by figure
}

// Compare runs every arm over n seeds, the same for all, and compares them. done is
// as in [Replicate], counting the runs of all arms. With the context over it compares
// the seeds that every arm finished, and returns the context's cause.
func Compare(ctx context.Context, arms []Arm, n, jobs int, done func(int)) (*Comparison, error) {
	c := &Comparison{Arms: arms}
	var first error
	for i := range arms {
		report := done
		if done != nil {
			report = func(finished int) { done(i*n + finished) }
		}
		runs, err := Replicate(ctx, arms[i].Scenario, n, jobs, report)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		arms[i].Runs = runs
		if first == nil {
			first = err
		}
	}
	c.judge(ComparedFigures())
	return c, first
}

func (c *Comparison) judge(figures []Compared) {
	for arm := 1; arm < len(c.Arms); arm++ {
		for _, f := range figures {
			base, other := c.pairs(arm, f.Name)
			c.Differences = append(c.Differences, difference(f, arm, base, other))
		}
	}
	holm(c.Differences)
	for i := range c.Differences {
		c.Differences[i].decide()
	}
}

// pairs returns a figure in the first arm and in another, for the seeds in which
// both have it.
func (c *Comparison) pairs(arm int, name string) (base, other []float64) {
	bySeed := map[uint64]model.Number{}
	for _, run := range c.Arms[0].Runs.Runs {
		if v, known := run.Summary.Figure(name); known && v.Defined() {
			bySeed[run.Seed] = v
		}
	}
	for _, run := range c.Arms[arm].Runs.Runs {
		b, paired := bySeed[run.Seed]
		if v, known := run.Summary.Figure(name); known && v.Defined() && paired {
			base, other = append(base, float64(b)), append(other, float64(v))
		}
	}
	return base, other
}

func difference(f Compared, arm int, base, other []float64) Difference {
	none := model.Undefined()
	d := Difference{Figure: f, Arm: arm, Pairs: len(base), Base: none, Mean: none, CI95: [2]model.Number{none, none}, P: 1}
	if d.Pairs < 2 {
		return d
	}
	diffs := make([]float64, len(base))
	for i := range base {
		diffs[i] = other[i] - base[i]
	}
	mean := stats.Mean(diffs)
	sd := sampleSD(diffs, mean)
	half := studentT(d.Pairs-1) * sd / math.Sqrt(float64(d.Pairs))
	d.Base, d.Mean = model.Number(stats.Mean(base)), model.Number(mean)
	d.CI95 = [2]model.Number{model.Number(mean - half), model.Number(mean + half)}
	switch {
	case sd > 0:
		t := mean / (sd / math.Sqrt(float64(d.Pairs)))
		d.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(d.Pairs - 1)}.CDF(-math.Abs(t))
	case mean != 0:
		d.P = 0 // the same difference in every seed
	}
	return d
}

// holm corrects the p values for their number.
func holm(all []Difference) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case all[a].P < all[b].P:
			return -1
		case all[a].P > all[b].P:
			return 1
		}
		return 0
	})
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, all[i].P*float64(len(all)-rank)))
		all[i].Adjusted = least
	}
}

func (d *Difference) decide() {
	switch {
	case d.Pairs < 2:
		d.Verdict = Incomparable
	case d.Mean == 0 && d.CI95[0] == 0 && d.CI95[1] == 0:
		d.Verdict = Identical
	case d.Adjusted >= 0.05:
		d.Verdict = NoDifference
	case (d.Mean > 0) == d.Figure.MoreIsGood:
		d.Verdict = Better
	default:
		d.Verdict = Worse
	}
}
