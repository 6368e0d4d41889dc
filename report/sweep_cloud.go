package report

import (
	"fmt"
	"math"
)

// clouds draw each figure of a sample, a panel a key: a dot for each cell.
func (s *Sweep) clouds() []Chart {
	var keys []SweptKey
	var at []int
	column := 0
	for _, axis := range s.Axes {
		for _, key := range axis {
			if len(s.Cells) > 0 && !math.IsNaN(s.Cells[0].Numbers[column]) {
				keys, at = append(keys, key), append(at, column)
			}
			column++
		}
	}
	var out []Chart
	for f := range s.Figures {
		figure := &s.Figures[f]
		c := Chart{
			ID: fmt.Sprintf("sample-%d", f+1), Title: capital(figure.Name),
			Reads: "A dot for each cell of the sample, at its mean over the runs, once for each key.",
			Says:  s.extremesOf(f), Table: s.table(f),
		}
		_, most, any := s.span(f)
		switch {
		case !any:
			c.Empty = capital(figure.Name) + " is defined in no cell."
		case len(keys) == 0:
			c.Empty = "No key takes numbers, so there is nothing to draw it over."
		}
		for k, key := range keys {
			if c.Empty == "" {
				c.Panels = append(c.Panels, s.cloud(f, key, at[k], most))
			}
		}
		if len(s.Cells) > mostDots {
			c.Notes = []string{fmt.Sprintf("The first %s of %s cells are drawn.", count(mostDots), count(int64(s.Total)))}
		}
		out = append(out, c)
	}
	return out
}

func (s *Sweep) cloud(f int, key SweptKey, column int, most float64) Panel {
	figure := &s.Figures[f]
	p := Panel{
		Title: figure.Name, About: "over " + shortKey(key.Name), Height: 200,
		X: ChartAxis{Title: longName(key.Name), Log: key.Log, Fine: true, Min: math.Inf(1), Max: math.Inf(-1)},
		Y: ChartAxis{Unit: figure.axisUnit(), Max: niceCeil(most, 5), Fine: true},
	}
	if key.Seconds {
		p.X.Unit = Seconds
	}
	dots := ChartSeries{Name: "a cell", Role: RoleFirst, Mark: Dots}
	for i := range s.Cells[:min(len(s.Cells), mostDots)] {
		c := &s.Cells[i]
		x := roundSignificant(c.Numbers[column])
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
		if v := &c.Figures[f]; v.Mean.Defined() {
			dots.Points = append(dots.Points, Point{X: x, Y: roundSignificant(float64(v.Mean)), Note: s.cell(c) + "\n" + figure.tell(v)})
		}
	}
	if !key.Log {
		p.X.Min = min(p.X.Min, 0)
	}
	p.Series = []ChartSeries{dots}
	return p
}
