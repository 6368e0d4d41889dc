package report

import (
	"fmt"
	"math"

	"github.com/stampede-sim/stampede/model"
)

// heats are the colours of a heatmap, from little to much.
var heats = [...]Role{RoleHeat1, RoleHeat2, RoleHeat3, RoleHeat4, RoleHeat5, RoleHeat6, RoleHeat7}

// mostPanels is how many values of a third key have a panel each.
const mostPanels = 6

// mostTiles is how many fields a heatmap has at most, and mostRead of how many each can
// be read: a page of more is too large.
const (
	mostTiles = 20_000
	mostRead  = 2_500
)

// heatmaps draw each figure over the first two axes, with a panel for each value of the
// third. Of any further axis the first value is shown.
func (s *Sweep) heatmaps() []Chart {
	x, y := s.Axes[0][0], s.Axes[1][0]
	var out []Chart
	for f := range s.Figures {
		figure := &s.Figures[f]
		c := Chart{
			ID: fmt.Sprintf("heat-%d", f+1), Title: capital(figure.Name),
			Reads: fmt.Sprintf("A field for each combination of %s and %s; the darker, the more. Each is the mean over the cell's runs.", longName(x.Name), longName(y.Name)),
			Says:  s.extremesOf(f), Table: s.table(f),
		}
		least, most, any := s.span(f)
		switch {
		case !any:
			c.Empty = capital(figure.Name) + " is defined in no cell."
		case len(x.Values)*len(y.Values) > mostTiles:
			c.Empty = fmt.Sprintf("%s fields are too many to draw; summary.csv has all.", count(int64(len(x.Values)*len(y.Values))))
		default:
			c.Panels, c.Notes = s.heatPanels(f, newHeat(least, most))
		}
		out = append(out, c)
	}
	return out
}

// heat parts a span into steps of colour.
type heat struct {
	least, most float64
	log         bool
}

// farApart is from how many times the least on the steps are each the same multiple of
// the one before.
const farApart = 20

func newHeat(least, most float64) heat {
	return heat{least, most, least > 0 && most > farApart*least}
}

func (h heat) step(v float64) int {
	if h.most <= h.least {
		return 0
	}
	part := (v - h.least) / (h.most - h.least)
	if h.log {
		part = math.Log(v/h.least) / math.Log(h.most/h.least)
	}
	return min(int(part*float64(len(heats))+1e-9), len(heats)-1)
}

// bounds are a step's ends.
func (h heat) bounds(step int) (from, to float64) {
	at := func(i int) float64 {
		part := float64(i) / float64(len(heats))
		if h.log {
			return roundSignificant(h.least * math.Pow(h.most/h.least, part))
		}
		return roundSignificant(h.least + (h.most-h.least)*part)
	}
	return at(step), at(step + 1)
}

func (s *Sweep) heatPanels(f int, h heat) ([]Panel, []string) {
	x, y := s.Axes[0][0], s.Axes[1][0]
	var notes []string
	panels := 1
	if len(s.Axes) > 2 {
		third := s.Axes[2][0]
		if panels = min(mostPanels, len(third.Values)); panels < len(third.Values) {
			notes = append(notes, fmt.Sprintf("The first %d of %d values of %s are drawn.", panels, len(third.Values), longName(third.Name)))
		}
	}
	for _, axis := range s.Axes[min(3, len(s.Axes)):] {
		notes = append(notes, fmt.Sprintf("Drawn for %s=%s, its first value.", name(axis[0].Name), name(axis[0].Values[0])))
	}
	undefined := 0
	out := make([]Panel, panels)
	for i := range out {
		p := Panel{
			Title: s.Figures[f].Name, Height: min(max(26*len(y.Values), 40), 700),
			X: ChartAxis{Title: longName(x.Name), Min: -0.5, Max: float64(len(x.Values)) - 0.5},
			Y: ChartAxis{Title: longName(y.Name), Min: -0.5, Max: float64(len(y.Values)) - 0.5},
		}
		p.Cols, p.Rows = shownValues(x), shownValues(y)
		if len(s.Axes) > 2 {
			p.About = shortKey(s.Axes[2][0].Name) + "=" + name(s.Axes[2][0].Values[i])
		}
		series := make([]ChartSeries, len(heats))
		for c := range s.Cells {
			cell := &s.Cells[c]
			if !inPanel(cell, i) {
				continue
			}
			v := &cell.Figures[f]
			if !v.Mean.Defined() {
				undefined++
				continue
			}
			step := h.step(float64(v.Mean))
			at := float64(cell.Places[0])
			series[step].Points = append(series[step].Points, Point{
				X: at - 0.5, X2: at + 0.5, Y: float64(cell.Places[1]),
				Label: s.Figures[f].write(v.Mean), Note: s.cell(cell) + "; " + s.Figures[f].tell(v),
			})
		}
		for step := range series {
			if of := series[step]; len(of.Points) > 0 {
				from, to := h.bounds(step)
				of.Name = s.Figures[f].write(model.Number(from))
				if to > from {
					of.Name += " to " + s.Figures[f].write(model.Number(to))
				}
				of.Role, of.Mark, of.Silent = heats[step], Tiles, len(s.Cells) > mostRead
				p.Series = append(p.Series, of)
			}
		}
		out[i] = p
	}
	if undefined > 0 {
		notes = append(notes, fmt.Sprintf("%s without a colour: the figure is not defined in any run.", plural(int64(undefined), "field is", "fields are")))
	}
	return out, notes
}

// inPanel says whether a cell is one of those that a panel shows.
func inPanel(c *SweptCell, panel int) bool {
	for axis, place := range c.Places[min(2, len(c.Places)):] {
		if axis == 0 && place != panel || axis > 0 && place != 0 {
			return false
		}
	}
	return true
}

func shownValues(key SweptKey) []string {
	out := make([]string, len(key.Values))
	for i, v := range key.Values {
		out[i] = name(v)
	}
	return out
}
