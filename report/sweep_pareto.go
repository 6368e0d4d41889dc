package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// fronts draw two figures against each other, a dot a cell, and join those that no other
// cell beats in both.
func (s *Sweep) fronts() []Chart {
	at := func(path string) int {
		return slices.IndexFunc(s.Figures, func(f SweptFigure) bool { return f.Path == path })
	}
	var out []Chart
	for _, pair := range [][2]string{{"attempts.total", "latency_s.p99"}, {"attempts.total", "success"}, {"herd.busiest_retry", "wall_s"}} {
		if x, y := at(pair[0]), at(pair[1]); x >= 0 && y >= 0 && len(s.Cells) > 2 {
			if c, drawn := s.front(x, y); drawn {
				out = append(out, c)
			}
		}
	}
	return out
}

func (s *Sweep) front(x, y int) (Chart, bool) {
	fx, fy := &s.Figures[x], &s.Figures[y]
	better := func(f *SweptFigure) string {
		if f.MoreIsGood {
			return "more"
		}
		return "less"
	}
	c := Chart{
		ID: fmt.Sprintf("front-%d-%d", x+1, y+1), Title: fmt.Sprintf("%s against %s", capital(fx.Name), fy.Name),
		Reads: fmt.Sprintf("A dot for each cell; %s of %s and %s of %s is better. The line joins the cells that no other beats in both: whoever leaves it pays more for the same.", better(fx), fx.Name, better(fy), fy.Name),
	}
	var cells []*SweptCell
	for i := range s.Cells {
		if cell := &s.Cells[i]; cell.Figures[x].Mean.Defined() && cell.Figures[y].Mean.Defined() {
			cells = append(cells, cell)
		}
	}
	best := s.unbeaten(cells, x, y)
	if len(cells) < 3 || s.flat(cells, x) || s.flat(cells, y) {
		return c, false
	}
	p := Panel{Title: capital(fy.Name), Height: 300, X: ChartAxis{Title: fx.Name, Unit: fx.axisUnit(), Fine: true}, Y: ChartAxis{Unit: fy.axisUnit(), Fine: true}}
	line := ChartSeries{Name: "not beaten in both", Role: RoleRun, Mark: Line, Silent: true}
	front := ChartSeries{Name: "not beaten in both", Role: RoleRun, Mark: Dots}
	others := ChartSeries{Name: "beaten", Role: RoleWait, Mark: Dots}
	for _, cell := range cells {
		pt := Point{X: roundSignificant(float64(cell.Figures[x].Mean)), Y: roundSignificant(float64(cell.Figures[y].Mean))}
		pt.Note = s.cell(cell) + "\n" + fx.tell(&cell.Figures[x]) + "\n" + fy.tell(&cell.Figures[y])
		p.X.Max, p.Y.Max = max(p.X.Max, pt.X), max(p.Y.Max, pt.Y)
		if slices.Contains(best, cell) {
			front.Points = append(front.Points, pt)
		} else if len(others.Points) < mostDots {
			others.Points = append(others.Points, pt)
		} else {
			c.Notes = []string{fmt.Sprintf("Of the beaten cells the first %s are drawn.", count(mostDots))}
		}
	}
	for _, cell := range best {
		line.Points = append(line.Points, Point{X: roundSignificant(float64(cell.Figures[x].Mean)), Y: roundSignificant(float64(cell.Figures[y].Mean))})
	}
	p.X.Max, p.Y.Max = niceCeil(p.X.Max, 6), niceCeil(p.Y.Max, 5)
	p.Series = []ChartSeries{others, line, front}
	c.Panels = []Panel{p}
	only := *s
	only.Cells = nil
	for _, cell := range best {
		only.Cells = append(only.Cells, *cell)
	}
	all := only.table(x, y)
	all.Note = "The cells that no other beats in both. " + all.Note
	c.Table = all
	c.Says = []string{fmt.Sprintf("%s of %s not beaten.", count(int64(len(best))), plural(int64(len(cells)), "cell is", "cells are"))}
	return c, true
}

// unbeaten are the cells that no other beats in one figure without being worse in the
// other, in order of the first. Of equals all stay.
func (s *Sweep) unbeaten(cells []*SweptCell, x, y int) []*SweptCell {
	badness := func(c *SweptCell, f int) float64 {
		v := float64(c.Figures[f].Mean)
		if s.Figures[f].MoreIsGood {
			return -v
		}
		return v
	}
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, b *SweptCell) int {
		return cmp.Or(cmp.Compare(badness(a, x), badness(b, x)), cmp.Compare(badness(a, y), badness(b, y)))
	})
	var best []*SweptCell
	least, at := math.Inf(1), math.Inf(1)
	for _, c := range sorted {
		bx, by := badness(c, x), badness(c, y)
		if by < least || by == least && bx == at {
			best, least, at = append(best, c), by, bx
		}
	}
	return best
}

func (s *Sweep) flat(cells []*SweptCell, f int) bool {
	return !slices.ContainsFunc(cells, func(c *SweptCell) bool { return c.Figures[f].Mean != cells[0].Figures[f].Mean })
}

// sortBy sorts by a number, equals as they stood.
func sortBy[T any](items []T, of func(T) float64) {
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(of(a), of(b)) })
}
