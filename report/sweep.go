package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// Sweep is what a sweep came to, to be shown.
type Sweep struct {
	Scenario, About, Source, Command, Version string

	Seed    string
	Runs    int
	Total   int    // cells
	Sampled string // how the cells were drawn; "" for a whole grid
	Axes    [][]SweptKey
	Figures []SweptFigure
	Cells   []SweptCell
}

// SweptKey is a key that was varied, and its values in order.
type SweptKey struct {
	Name    string
	Values  []string  // nil in a sample
	Numbers []float64 // what they are as numbers; nil where they are words, or in a sample
	Seconds bool      // the numbers
	Log     bool
}

// SweptFigure is a figure that is drawn.
type SweptFigure struct {
	Name, Path string
	Unit       Unit
	MoreIsGood bool
}

// SweptCell is a cell with its figures.
type SweptCell struct {
	Number  int
	Values  []string  // by key
	Numbers []float64 // of the keys; NaN for words
	Places  []int     // of its values, by axis; nil in a sample
	Runs    int
	Figures []SweptValue
}

// SweptValue is a figure's mean over a cell's runs, and its 95 % interval.
type SweptValue struct {
	Mean, Lo, Hi model.Number
	N            int
}

func (f *SweptFigure) write(n model.Number) string {
	return ComparedFigure{Unit: f.Unit}.write(n)
}

func (f *SweptFigure) axisUnit() AxisUnit {
	switch f.Unit {
	case InSeconds:
		return Seconds
	case InPercent:
		return Shares
	}
	return Numbers
}

// tell writes a figure with its interval.
func (f *SweptFigure) tell(v *SweptValue) string {
	switch {
	case !v.Mean.Defined():
		return f.Name + ": not defined in any run"
	case !v.Lo.Defined():
		return f.Name + ": " + f.write(v.Mean)
	}
	return fmt.Sprintf("%s: %s (95 %% %s to %s)", f.Name, f.write(v.Mean), f.write(v.Lo), f.write(v.Hi))
}

// shortKey is the last part of a key's path.
func shortKey(key string) string {
	return name(key[strings.LastIndexByte(key, '.')+1:])
}

// longName is a key in a sentence or on an axis.
func longName(key string) string { return shorten(clean(key), 70) }

// cell names a cell by its values.
func (s *Sweep) cell(c *SweptCell) string {
	var parts []string
	i := 0
	for _, axis := range s.Axes {
		for _, key := range axis {
			parts = append(parts, shortKey(key.Name)+"="+name(c.Values[i]))
			i++
		}
	}
	return strings.Join(parts, ", ")
}

// Charts are the pictures of a sweep, the one that shows it best first.
func (s *Sweep) Charts() []Chart {
	var out []Chart
	switch {
	case s.Sampled != "":
		out = s.clouds()
	case len(s.Axes) == 1:
		out = s.responses()
	default:
		out = s.heatmaps()
	}
	// What is the same in every cell shows least.
	var telling, flat []Chart
	for f, c := range out {
		if least, most, any := s.span(f); any && least < most {
			telling = append(telling, c)
		} else {
			flat = append(flat, c)
		}
	}
	return slices.Concat(telling, s.fronts(), flat)
}

// Chart is the one that shows the sweep best.
func (s *Sweep) Chart() Chart { return s.Charts()[0] }

// table lists figures of the cells.
func (s *Sweep) table(figures ...int) DataTable {
	t := DataTable{Head: []string{"cell"}}
	for _, axis := range s.Axes {
		for _, key := range axis {
			t.Head = append(t.Head, name(key.Name))
		}
	}
	for _, f := range figures {
		t.Head = append(t.Head, s.Figures[f].Name, "95 % interval")
	}
	cells := s.Cells
	if len(cells) > tableRows {
		cells = cells[:tableRows]
		t.Note = fmt.Sprintf("The first %s of %s cells; summary.csv has all.", count(tableRows), count(int64(s.Total)))
	}
	for i := range cells {
		c := &cells[i]
		row := []string{count(int64(c.Number))}
		for _, v := range c.Values {
			row = append(row, name(v))
		}
		for _, f := range figures {
			v := &c.Figures[f]
			interval := dash
			if v.Lo.Defined() {
				interval = s.Figures[f].write(v.Lo) + " to " + s.Figures[f].write(v.Hi)
			}
			row = append(row, s.Figures[f].write(v.Mean), interval)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// span is the least and the greatest of a figure over the cells; false where it is
// defined in none.
func (s *Sweep) span(figure int) (least, most float64, any bool) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range s.Cells {
		if v := s.Cells[i].Figures[figure].Mean; v.Defined() {
			least, most = min(least, float64(v)), max(most, float64(v))
		}
	}
	return least, most, least <= most
}

// extremesOf says where a figure is least and where greatest.
func (s *Sweep) extremesOf(figure int) []string {
	var lo, hi *SweptCell
	for i := range s.Cells {
		c := &s.Cells[i]
		v := c.Figures[figure].Mean
		if !v.Defined() {
			continue
		}
		if lo == nil || v < lo.Figures[figure].Mean {
			lo = c
		}
		if hi == nil || v > hi.Figures[figure].Mean {
			hi = c
		}
	}
	f := &s.Figures[figure]
	switch {
	case lo == nil:
		return nil
	case lo.Figures[figure].Mean == hi.Figures[figure].Mean:
		return []string{fmt.Sprintf("%s is %s in every cell.", capital(f.Name), f.write(lo.Figures[figure].Mean))}
	}
	return []string{fmt.Sprintf("%s is least with %s, %s, and greatest with %s, %s.", capital(f.Name),
		s.cell(lo), f.write(lo.Figures[figure].Mean), s.cell(hi), f.write(hi.Figures[figure].Mean))}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// sweepPage is what the template of the report.html of a sweep or a plan is given.
type sweepPage struct {
	Title, About, Command, Source, Seed, Version string

	Lead   string
	Note   string
	Same   string // what the command gives again
	Says   []string
	Charts []pageChart
	Links  []pageLink
	Table  DataTable
	Body   template.HTML
	dress
}

// write fills in what all such pages have and writes the page.
func (p *sweepPage) write(w io.Writer, charts []Chart) error {
	t, err := parsePage()
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	dress, err := dressed("page.js")
	if err != nil {
		return err
	}
	p.dress = dress
	p.Body = tableBody(p.Table.Rows)
	for _, c := range charts {
		p.Charts = append(p.Charts, newPageChart(&c))
		p.Links = append(p.Links, pageLink{c.ID, c.Title})
	}
	p.Links = append(p.Links, pageLink{"cells", "The table"}, pageLink{"again", "To see it again"})
	if err := fill(w, t.Lookup("sweep.html.tmpl"), p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}

// SweepPage writes a sweep's report.html: one file that asks nothing of anybody, the same
// bytes for the same sweep.
func SweepPage(w io.Writer, s *Sweep) error {
	all := make([]int, len(s.Figures))
	for i := range all {
		all[i] = i
	}
	p := &sweepPage{
		Title: s.Scenario + ", swept", About: s.About, Command: s.Command, Source: s.Source, Seed: s.Seed, Version: s.Version,
		Lead: s.lead(), Table: s.table(all...), Same: "sweep",
		Note: "Every cell has the same seeds, so that much of the chance in their differences cancels. Figures are means over a cell's runs; intervals are their 95 % by Student's t. cells.csv has every run, summary.csv every cell with medians and their intervals.",
	}
	for i := range s.Figures {
		p.Says = append(p.Says, s.extremesOf(i)...)
	}
	return p.write(w, s.Charts())
}

func (s *Sweep) lead() string {
	var keys []string
	for _, axis := range s.Axes {
		var together []string
		for _, key := range axis {
			together = append(together, longName(key.Name))
		}
		keys = append(keys, strings.Join(together, " with "))
	}
	text := fmt.Sprintf("%s of %s, %s in all: %s varied", plural(int64(s.Total), "cell", "cells"), name(s.Scenario), plural(int64(s.Runs), "run", "runs"), listed(keys, "and"))
	if s.Sampled != "" {
		text += ", " + s.Sampled
	}
	return text + "."
}
