package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/model"
)

// Plan is what a plan came to, to be shown.
type Plan struct {
	Scenario, About, Source, Command, Version, Seed string

	Key     string
	Seconds bool // its values are times
	Log     bool
	Says    []string
	Targets []PlanTarget
	Points  []PlanPoint
	Answer  float64 // NaN without one
	Text    string  // of the answer
	Bounds  [][]string
}

// PlanTarget is a figure and what it has to be.
type PlanTarget struct {
	Figure string
	Text   string // of the whole target
	Value  float64
	Unit   Unit
}

// PlanPoint is one value of the key with the figures of the targets.
type PlanPoint struct {
	Text    string
	Value   float64
	Verdict string
	Binding string
	Success model.Number
	Figures []SweptValue
}

// Charts are a curve for each target.
func (p *Plan) Charts() []Chart {
	var out []Chart
	for t := range p.Targets {
		out = append(out, p.curve(t))
	}
	return out
}

func (p *Plan) curve(t int) Chart {
	target := &p.Targets[t]
	f := SweptFigure{Name: target.Figure, Path: target.Figure, Unit: target.Unit}
	c := Chart{
		ID: fmt.Sprintf("curve-%d", t+1), Title: fmt.Sprintf("%s over %s", target.Figure, shortKey(p.Key)),
		Reads: "The mean over the seeds at every value that was tried, a band for its 95 % interval, and a line for the target.",
		Table: p.table(true),
	}
	panel := Panel{
		Title: target.Text, Height: 280,
		X: ChartAxis{Title: longName(p.Key), Log: p.Log, Fine: true, Min: math.Inf(1), Max: math.Inf(-1)},
		Y: ChartAxis{Unit: f.axisUnit(), Fine: true},
	}
	if p.Seconds {
		panel.X.Unit = Seconds
	}
	band := ChartSeries{Name: "95 % interval of the mean", Role: RoleThird, Mark: Ribbon, Silent: true}
	line := ChartSeries{Name: "mean", Role: RoleFirst, Mark: Line, Silent: true}
	dots := ChartSeries{Name: "mean", Role: RoleFirst, Mark: Dots}
	values := []float64{target.Value}
	for i := range p.Points {
		pt := &p.Points[i]
		v := &pt.Figures[t]
		x := roundSignificant(pt.Value)
		panel.X.Min, panel.X.Max = min(panel.X.Min, x), max(panel.X.Max, x)
		mean, lo, hi := roundSignificant(float64(v.Mean)), roundSignificant(float64(v.Lo)), roundSignificant(float64(v.Hi))
		line.Points = append(line.Points, Point{X: x, Y: mean})
		band.Points = append(band.Points, Point{X: x, Y0: lo, Y: hi})
		if v.Mean.Defined() {
			dots.Points = append(dots.Points, Point{X: x, Y: mean, Note: pt.Text + "\n" + f.tell(v) + "\n" + pt.Verdict})
			values = append(values, mean)
		}
	}
	if len(dots.Points) == 0 {
		c.Empty = target.Figure + " is defined at no value."
		return c
	}
	for _, v := range values {
		panel.Y.Max = max(panel.Y.Max, v)
	}
	// Where it explodes, what is near the target would lie flat at the bottom.
	if t := target.Value; t > 0 && panel.Y.Max > 8*t {
		panel.Y.Max = 4 * t
		c.Notes = append(c.Notes, fmt.Sprintf("What is above %s is not drawn; the table has it.", f.write(model.Number(niceCeil(panel.Y.Max, 5)))))
	}
	panel.Y.Max = niceCeil(panel.Y.Max, 5)
	cut := func(points []Point) {
		for i := range points {
			if points[i].Y > panel.Y.Max || points[i].Y0 > panel.Y.Max {
				points[i].Y = math.NaN()
			}
		}
	}
	cut(line.Points)
	cut(band.Points)
	kept := dots.Points[:0]
	for _, pt := range dots.Points {
		if pt.Y <= panel.Y.Max {
			kept = append(kept, pt)
		}
	}
	dots.Points = kept
	panel.Rules = []Rule{{At: target.Value, Label: target.Text, Role: RoleCapacity}}
	if !math.IsNaN(p.Answer) {
		panel.Rules = append(panel.Rules, Rule{At: p.Answer, Vertical: true, Label: p.Text, Role: RoleRun})
	}
	panel.Series = []ChartSeries{band, line, dots}
	c.Panels = []Panel{panel}
	return c
}

func (p *Plan) table(intervals bool) DataTable {
	t := DataTable{Head: []string{longName(p.Key)}}
	for i := range p.Targets {
		if t.Head = append(t.Head, p.Targets[i].Figure); intervals {
			t.Head = append(t.Head, "95 % interval")
		}
	}
	success := !slices.ContainsFunc(p.Targets, func(t PlanTarget) bool { return t.Figure == "success" })
	if success {
		t.Head = append(t.Head, "success")
	}
	t.Head = append(t.Head, "verdict", "bound by")
	for i := range p.Points {
		pt := &p.Points[i]
		row := []string{pt.Text}
		for f := range p.Targets {
			figure := SweptFigure{Unit: p.Targets[f].Unit}
			v := &pt.Figures[f]
			interval := dash
			if v.Lo.Defined() {
				interval = figure.write(v.Lo) + " to " + figure.write(v.Hi)
			}
			if row = append(row, figure.write(v.Mean)); intervals {
				row = append(row, interval)
			}
		}
		if success {
			row = append(row, (&SweptFigure{Unit: InPercent}).write(pt.Success))
		}
		t.Rows = append(t.Rows, append(row, pt.Verdict, pt.Binding))
	}
	return t
}

// Terminal prints a plan: what it came to in words, and the curve as a table.
func (p *Plan) Terminal(w io.Writer, style Style) error {
	out := &screen{style: style}
	for i, text := range p.Says {
		ink := plain
		if i == 0 {
			ink = headingInk
		}
		out.paragraph(ink, clean(text), "")
	}
	out.end()
	rows := func(intervals bool) [][]string {
		t := p.table(intervals)
		t.Head[0] = shortKey(p.Key)
		return append([][]string{t.Head}, t.Rows...)
	}
	if !out.table(rows(true), true) && !out.table(rows(false), true) {
		out.narrow(rows(false))
	}
	_, err := io.WriteString(w, out.b.String())
	return err
}

// PlanPage writes a plan's report.html.
func PlanPage(w io.Writer, p *Plan) error {
	lead, says := p.Says[0], p.Says[1:]
	page := &sweepPage{
		Title: p.Scenario + ", planned", About: p.About, Command: p.Command, Source: p.Source, Seed: p.Seed, Version: p.Version,
		Lead: clean(lead), Table: p.table(true), Same: "plan",
		Note: "Every value has the same seeds, so that chance is the same at all. Figures are means over the seeds; intervals are their 95 % by Student's t with Hall's correction for skewness.",
	}
	for _, text := range says {
		page.Says = append(page.Says, clean(text))
	}
	return page.write(w, p.Charts())
}
