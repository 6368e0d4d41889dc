package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// CrossVerdict is what a cross-check says of one figure.
type CrossVerdict string

// The verdicts.
const (
	Agrees        CrossVerdict = "agrees"
	AgreesInCrowd CrossVerdict = "agrees in a crowd" // with virtual time whose exchanges are as late as a crowd's are here
	Differs       CrossVerdict = "differs"
	Unjudged      CrossVerdict = "not judged" // of too few runs, or ended before
)

// CheckedFigure is one figure in both worlds, with times in the scenario's own.
type CheckedFigure struct {
	Name    string
	Seconds bool
	Certain bool // the same in every seed of virtual time

	Virtual   model.Number    // the median
	Interval  [2]model.Number // 99 % of virtual runs
	Real      model.Number    // the median
	RealRange [2]model.Number
	Allowance float64 // of a time, in seconds: how far the wall's clock may be off

	Edge     *[2]model.Number // what it becomes where answers are late by less than the allowance; nil where it was not asked
	Crowd    *InCrowd         // what p is of, where that is not virtual time as it is; else nil
	P        float64          // of the exact test by ranks; 1 of a certain figure
	Adjusted float64          // by Holm
	Verdict  CrossVerdict
	Why      string // how near, or by how much; a time that agrees does so "within" the allowance
}

// InCrowd is a figure of virtual time whose exchanges are as late as a crowd's are here.
type InCrowd struct {
	Virtual  model.Number    // the median
	Interval [2]model.Number // 99 % of runs
	p        float64
}

// quantile is the nearest rank of sorted values.
func quantile(sorted []float64, n, of int) model.Number {
	return model.Number(sorted[nearest(len(sorted), n, of)])
}

func newCheckedFigure(name string, virtual, real []float64, allowance float64) CheckedFigure {
	v, r := slices.Clone(virtual), slices.Clone(real)
	slices.SortFunc(v, compareLast)
	slices.SortFunc(r, compareLast)
	f := CheckedFigure{
		Name: name, Seconds: model.InSeconds(name), Certain: compareLast(v[0], v[len(v)-1]) == 0,
		Virtual: quantile(v, 1, 2), Interval: [2]model.Number{quantile(v, 5, 1000), quantile(v, 995, 1000)},
		Real: quantile(r, 1, 2), RealRange: [2]model.Number{model.Number(r[0]), model.Number(r[len(r)-1])},
		P: 1, Adjusted: 1,
	}
	if f.Seconds {
		f.Allowance = allowance
	}
	return f
}

// Nothing says whether there is nothing of the figure in either world.
func (f *CheckedFigure) Nothing() bool {
	none := func(n model.Number) bool { return !n.Defined() || n == 0 }
	return f.Certain && none(f.Virtual) && none(f.RealRange[0]) && none(f.RealRange[1])
}

// judgeCertain compares a figure that is the same in every seed. A count must be so in every
// real run. A time must lie within the allowance, which has the latest timer in it, in all of them but one, and
// near in the earliest: what the machine does between two timers of one run nobody can see, and it can only make
// that run late, while what virtual time has wrong is wrong in all.
func (f *CheckedFigure) judgeCertain(real []float64, calm float64) {
	if first := float64(f.RealRange[0]); f.Seconds && !tail(f.Name) && math.Abs(first-float64(f.Virtual)) > calm {
		f.Verdict, f.Why = Differs, "in the earliest run"
		return
	}
	off := f.off(real, float64(f.Virtual), float64(f.Virtual))
	few := f.forgiven(off, real) && (f.Seconds || f.Name == slotsFigure)
	switch {
	case few && f.Seconds:
		f.Verdict, f.Why = Agrees, fmt.Sprintf("within, but for %d of %d runs", off, len(real))
	case few:
		f.Verdict, f.Why = Agrees, fmt.Sprintf("but for %d of %d runs", off, len(real))
	case off == 0 && f.Seconds:
		f.Verdict, f.Why = Agrees, "within"
	case off == 0:
		f.Verdict, f.Why = Agrees, "exactly"
	case f.Seconds:
		f.Verdict, f.Why = Differs, fmt.Sprintf("by more than is allowed in %d of %d runs", off, len(real))
	default:
		f.Verdict, f.Why = Differs, fmt.Sprintf("in %d of %d runs", off, len(real))
	}
}

// tail says whether a time is made by the worst of a run's many operations, so that every run
// has something of the machine's worst in it: not a median, nor the end of the run.
func tail(name string) bool {
	return model.InSeconds(name) && name != "wall_s" && !strings.HasSuffix(name, ".p50")
}

// onEdge judges it again where it hangs on an instant: two things that virtual time has at
// once, and no wall can. What it becomes where starts, answers and time-outs are a little late
// is as true; all runs but one must have that, as with a time.
func (f *CheckedFigure) onEdge(shaken, real []float64) {
	least, most := float64(f.Virtual), float64(f.Virtual)
	for _, v := range shaken {
		if compareLast(v, least) < 0 {
			least = v
		}
		if compareLast(v, most) > 0 {
			most = v
		}
	}
	if compareLast(least, most) == 0 {
		return
	}
	f.Edge = &[2]model.Number{model.Number(least), model.Number(most)}
	switch off := f.off(real, least, most); {
	case off == 0:
		f.Verdict, f.Why = Agrees, "on an edge"
	case f.forgiven(off, real):
		f.Verdict, f.Why = Agrees, fmt.Sprintf("but for %d of %d runs, on an edge", off, len(real))
	default:
		f.Why += ", beyond its edge"
	}
}

// forgiven says whether so many runs that are off may be the machine's: one of three or more, in
// which what virtual time has came about at all.
func (f *CheckedFigure) forgiven(off int, real []float64) bool {
	return off == 1 && len(real) >= LeastReal && !slices.ContainsFunc(real, math.IsNaN)
}

// off is how many real values do not lie between two others.
func (f *CheckedFigure) off(real []float64, least, most float64) int {
	off := 0
	for _, r := range real {
		if !f.within(r, least, most) {
			off++
		}
	}
	return off
}

// within says whether a real value lies between two others, give or take the allowance.
func (f *CheckedFigure) within(real, least, most float64) bool {
	if math.IsNaN(real) || math.IsNaN(least) || math.IsNaN(most) {
		return compareLast(real, least) >= 0 && compareLast(real, most) <= 0
	}
	const rounding = 1e-9
	slack := f.Allowance + rounding*math.Abs(most)
	if f.Allowance == 0 {
		slack = 0
	}
	return real >= least-slack && real <= most+slack
}

// holmFigures corrects the p values of those that are not certain for their number, and
// judges them at the level.
func holmFigures(all []CheckedFigure, level float64, reachable bool) {
	var order []int
	for i := range all {
		if !all[i].Certain {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareLast(all[a].P, all[b].P) })
	least := 0.0
	for rank, i := range order {
		f := &all[i]
		least = max(least, min(1, f.P*float64(len(order)-rank)))
		f.Adjusted = least
		switch {
		case !reachable:
			f.Verdict, f.Why = Unjudged, "too few runs for the level"
		case f.Adjusted < level:
			f.Verdict, f.Why = Differs, fmt.Sprintf("p = %.2g", f.Adjusted)
		default:
			f.Verdict, f.Why = Agrees, fmt.Sprintf("p = %.2g", f.Adjusted)
			if f.Crowd != nil {
				f.Verdict = AgreesInCrowd
			}
		}
	}
}
