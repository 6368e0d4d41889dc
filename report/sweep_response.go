package report

import (
	"fmt"
	"math"
)

// responses draw each figure over the one axis: a line through the means and a band for
// their intervals, or an interval for each value where these are words.
func (s *Sweep) responses() []Chart {
	key := s.Axes[0][0]
	var out []Chart
	for f := range s.Figures {
		figure := &s.Figures[f]
		c := Chart{
			ID: fmt.Sprintf("response-%d", f+1), Title: fmt.Sprintf("%s over %s", capital(figure.Name), shortKey(key.Name)),
			Says: s.extremesOf(f), Table: s.table(f),
		}
		if _, _, any := s.span(f); !any {
			c.Empty = capital(figure.Name) + " is defined in no cell."
			out = append(out, c)
			continue
		}
		if key.Numbers != nil {
			c.Reads = "The mean over the runs of each cell, and a band for its 95 % interval."
			c.Panels = []Panel{s.curve(f)}
		} else {
			c.Reads = "A mark for the mean over the runs of each cell, and a bar for its 95 % interval."
			c.Panels = []Panel{s.intervalRows(f)}
		}
		out = append(out, c)
	}
	return out
}

func (s *Sweep) curve(f int) Panel {
	key, figure := s.Axes[0][0], &s.Figures[f]
	p := Panel{
		Title: figure.Name, Height: 260,
		X: ChartAxis{Title: longName(key.Name), Log: key.Log, Fine: true},
		Y: ChartAxis{Unit: figure.axisUnit(), Fine: true},
	}
	if key.Seconds {
		p.X.Unit = Seconds
	}
	p.X.Min, p.X.Max = math.Inf(1), math.Inf(-1)
	band := ChartSeries{Name: "95 % interval of the mean", Role: RoleThird, Mark: Ribbon, Silent: true}
	line := ChartSeries{Name: "mean", Role: RoleFirst, Mark: Line, Silent: true}
	dots := ChartSeries{Name: "mean", Role: RoleFirst, Mark: Dots}
	top, bottom := 0.0, 0.0
	for _, c := range inOrder(s.Cells) {
		v := &c.Figures[f]
		x := roundSignificant(c.Numbers[0])
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
		mean, lo, hi := roundSignificant(float64(v.Mean)), roundSignificant(float64(v.Lo)), roundSignificant(float64(v.Hi))
		line.Points = append(line.Points, Point{X: x, Y: mean})
		band.Points = append(band.Points, Point{X: x, Y0: lo, Y: hi})
		if v.Mean.Defined() {
			dots.Points = append(dots.Points, Point{X: x, Y: mean, Note: figure.tell(v)})
			top, bottom = max(top, mean), min(bottom, mean)
		}
		if v.Lo.Defined() {
			top, bottom = max(top, hi), min(bottom, lo)
		}
	}
	p.Y.Max = niceCeil(top, 5)
	if figure.Unit == InPercent {
		p.Y.Max = max(1, p.Y.Max)
	}
	if bottom < 0 {
		p.Y.Min = -niceCeil(-bottom, 5)
	}
	p.Series = []ChartSeries{band, line, dots}
	return p
}

// inOrder are cells of one axis of numbers, the least first.
func inOrder(cells []SweptCell) []*SweptCell {
	out := make([]*SweptCell, len(cells))
	for i := range cells {
		out[i] = &cells[i]
	}
	sortBy(out, func(c *SweptCell) float64 { return c.Numbers[0] })
	return out
}

func (s *Sweep) intervalRows(f int) Panel {
	figure := &s.Figures[f]
	p := Panel{
		Title: figure.Name, Height: min(16+22*len(s.Cells), 900),
		X: ChartAxis{Title: figure.Name, Unit: figure.axisUnit(), Fine: true},
		Y: ChartAxis{Min: -0.6, Max: float64(len(s.Cells)) - 0.4},
	}
	series := ChartSeries{Name: "mean and its 95 % interval", Role: RoleFirst, Mark: Intervals}
	top := 0.0
	for i := range s.Cells {
		c := &s.Cells[len(s.Cells)-1-i]
		p.Rows = append(p.Rows, name(c.Values[0]))
		v := &c.Figures[f]
		if !v.Mean.Defined() {
			continue
		}
		lo, hi := v.Lo, v.Hi
		if !lo.Defined() {
			lo, hi = v.Mean, v.Mean
		}
		top = max(top, float64(hi))
		series.Points = append(series.Points, Point{
			X: max(0, roundSignificant(float64(lo))), X2: roundSignificant(float64(hi)), Mid: roundSignificant(float64(v.Mean)),
			Y: float64(i), Note: s.cell(c) + ", " + figure.tell(v),
		})
	}
	p.X.Max = niceCeil(top, 5)
	p.Series = []ChartSeries{series}
	return p
}
