package report

import (
	"fmt"
	"math"

	"github.com/stampede-sim/stampede/model"
)

// farOff is from which relative difference on an axis of ratios shows more than one of
// differences.
const farOff = 2

// verdictLooks are the verdicts in the order of the legend.
var verdictLooks = []struct {
	name string
	role Role
}{
	{verdictBetter, RoleAccepted},
	{verdictWorse, RoleRejected},
	{verdictNone, RoleCancelled},
	{verdictSame, RoleInFlight},
}

// intervals draws every difference with its interval, relative to the first arm's mean:
// as percentages or, where some are large, as ratios on a logarithmic axis.
func intervals(c *Comparison) Chart {
	base := c.label(0)
	chart := Chart{ID: "intervals", Title: "How sure the differences are", Empty: "Nothing could be compared."}
	ratios := false
	least, most := 1.0, 1.0
	for _, f := range c.Rows {
		if mid, lo, hi, known := f.relative(); known {
			ratios = ratios || max(math.Abs(lo), math.Abs(hi)) > farOff
			for _, v := range []float64{mid, lo, hi} {
				if v+1 > 0 {
					least, most = min(least, v+1), max(most, v+1)
				}
			}
		}
	}
	x := ChartAxis{Title: "difference from the mean under " + base, Unit: Changes}
	if ratios {
		x = ChartAxis{Title: "as a multiple of the mean under " + base, Unit: Multiples, Log: true}
		x.Min, x.Max = min(0.5, decadeBelow(least)), max(2, 1/decadeBelow(1/most))
	} else {
		margin := 0.08 * max(most-least, 0.1)
		x.Min, x.Max = roundSignificant(least-1-margin), roundSignificant(most-1+margin)
	}
	chart.Reads = fmt.Sprintf("A mark for each mean difference from %s and a bar for its 95 %% interval. A bar that reaches across the line may be chance.", base)
	for arm := range c.Arms[1:min(len(c.Arms), MostArms)] {
		p, notes := c.intervalPanel(arm+1, x)
		chart.Notes = append(chart.Notes, notes...)
		if len(p.Rows) > 0 {
			chart.Empty = ""
			chart.Panels = append(chart.Panels, p)
		}
	}
	return chart
}

// decadeBelow returns the greatest power of ten up to v, from a millionth to 1.
func decadeBelow(v float64) float64 {
	for decade := 1.0; decade > 1e-6; decade = roundSignificant(decade / 10) {
		if decade <= v {
			return decade
		}
	}
	return 1e-6
}

// relative returns the difference and its interval as parts of the first arm's mean.
func (f *ComparedFigure) relative() (mid, lo, hi float64, known bool) {
	if f.Pairs < 2 || !(f.Base > 0) {
		return 0, 0, 0, false
	}
	part := func(n model.Number) float64 { return roundSignificant(float64(n / f.Base)) }
	return part(f.Diff), part(f.CI95[0]), part(f.CI95[1]), true
}

func (c *Comparison) intervalPanel(arm int, x ChartAxis) (p Panel, notes []string) {
	var rows []ComparedFigure
	for _, f := range c.Rows {
		switch _, _, _, known := f.relative(); {
		case f.Arm != arm:
		case known:
			rows = append(rows, f)
		default:
			notes = append(notes, fmt.Sprintf("%s, %s: not drawn, as there is no mean above 0 to relate it to.", c.label(arm), f.Figure))
		}
	}
	p = Panel{Title: c.label(arm), About: "against " + c.label(0), Height: 12 + 20*len(rows), X: x}
	p.Y = ChartAxis{Min: -0.6, Max: float64(len(rows)) - 0.4}
	line := Rule{Vertical: true, Role: RoleMuted}
	if x.Log {
		line.At = 1
	}
	p.Rules = []Rule{line}
	for _, look := range verdictLooks {
		s := ChartSeries{Name: look.name, Role: look.role, Mark: Intervals}
		for i, f := range rows {
			if f.Verdict == look.name {
				s.Points = append(s.Points, f.point(&x, len(rows)-1-i, c.sentence(f)))
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	for i := range rows {
		p.Rows = append(p.Rows, rows[len(rows)-1-i].Figure)
	}
	return p, notes
}

func (f *ComparedFigure) point(x *ChartAxis, row int, note string) Point {
	mid, lo, hi, _ := f.relative()
	if x.Log {
		within := func(v float64) float64 { return min(max(roundSignificant(1+v), x.Min), x.Max) }
		mid, lo, hi = within(mid), within(lo), within(hi)
	}
	return Point{X: lo, Mid: mid, X2: hi, Y: float64(row), Note: note}
}
