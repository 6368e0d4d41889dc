package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panelPlotter draws a panel's data between its axes.
type panelPlotter struct {
	*Panel
	grid  plot.Ticker
	log   bool
	keyed bool // the legend has the label of the rules
}

// panelField maps a panel's values to places.
type panelField struct {
	*Panel
	c     *draw.Canvas
	x, y  func(float64) vg.Length
	keyed bool
}

// Plot draws the panel.
func (p panelPlotter) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	f := panelField{p.Panel, &c, x, y, p.keyed}
	f.bands()
	f.lines(p.grid.Ticks(0, 0))
	for i := range p.Series {
		f.series(&p.Series[i])
	}
	f.rules()
	f.bandLabels()
}

func paint(c *draw.Canvas, p vg.Path, role Role, fill bool) {
	c.SetLineStyle(draw.LineStyle{Color: role, Width: 1.2})
	if fill {
		c.Fill(p)
	} else {
		c.Stroke(p)
	}
}

func strokeLine(c *draw.Canvas, p vg.Path, role Role) {
	style := draw.LineStyle{Color: role, Width: 2, Dashes: role.look().dashes}
	switch role {
	case RoleLeast:
		style.Width = 1
	case RoleCapacity:
		style = ruleStyle(role)
	}
	c.SetLineStyle(style)
	c.Stroke(p)
}

// ruleStyle is how a rule looks.
func ruleStyle(role Role) draw.LineStyle {
	return draw.LineStyle{Color: role, Width: 1, Dashes: []vg.Length{5, 3}}
}

func rect(p *vg.Path, x0, y0, x1, y1 vg.Length) {
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x0, Y: y1})
	p.Close()
}

func (f *panelField) bands() {
	for _, b := range f.Bands {
		var p vg.Path
		from, to := f.x(b.From), f.x(b.To)
		rect(&p, from, f.c.Min.Y, to, f.c.Max.Y)
		paint(f.c, p, RoleBand, true)
	}
}

// bandLabels stand on the lines that cross them.
func (f *panelField) bandLabels() {
	style := textStyle(labelSize, RoleMuted)
	style.Color = halo{RoleMuted}
	for _, b := range f.Bands {
		from, wide := f.x(b.From)+8, style.Width(b.Label)
		if y, free := f.freeHeight(from + wide); free && wide < f.x(b.To)-from-8 {
			f.c.FillText(style, vg.Point{X: from, Y: y}, b.Label)
		}
	}
}

// freeHeight returns where a band's label that ends at x stands clear of those of rules;
// false if it can't.
func (f *panelField) freeHeight(x vg.Length) (y vg.Length, any bool) {
	middle := (f.c.Min.Y+f.c.Max.Y)/2 - 6
	for _, y := range []vg.Length{middle, f.c.Max.Y - 18, f.c.Min.Y + 8} {
		free := true
		for _, r := range f.Rules {
			label := textStyle(labelSize, r.Role)
			apart := r.Vertical || f.keyed && !r.Left || !r.Left && x+8 < f.c.Max.X-2-label.Width(r.Label)
			free = free && (apart || math.Abs(float64(f.ruleLabel(f.y(r.At))-y)) > labelSize+3)
		}
		if free {
			return y, true
		}
	}
	return 0, false
}

// ruleLabel returns where the label of a horizontal rule stands: on it, or below where
// that is beyond the panel.
func (f *panelField) ruleLabel(y vg.Length) vg.Length {
	if y+2+labelSize > f.c.Max.Y {
		return y - labelSize - 5
	}
	return y + 2
}

func (f *panelField) lines(ticks []plot.Tick) {
	var p vg.Path
	for _, t := range ticks {
		y := f.y(t.Value)
		p.Move(vg.Point{X: f.c.Min.X, Y: y})
		p.Line(vg.Point{X: f.c.Max.X, Y: y})
	}
	f.c.SetLineStyle(draw.LineStyle{Color: RoleGrid, Width: 1})
	f.c.Stroke(p)
}

func (f *panelField) series(s *ChartSeries) {
	switch s.Mark {
	case Bars:
		f.bars(s)
	case Steps:
		f.steps(s)
	case Line, Rise:
		f.line(s)
	case Dots:
		f.dots(s)
	case Spans:
		f.spans(s)
	case Intervals:
		f.intervals(s)
	case Ribbon:
		f.ribbon(s)
	case Tiles:
		f.tiles(s)
	}
}

// leastWidth is how wide a bar is at least, so that a single slot of a long run is seen.
const leastWidth = 1.4

func (f *panelField) bars(s *ChartSeries) {
	var p vg.Path
	for _, pt := range s.Points {
		x0, x1 := f.x(pt.X), f.x(pt.X+f.Slot)
		if x1-x0 > 4 {
			x0, x1 = x0+0.5, x1-0.5
		}
		if x1-x0 < leastWidth {
			middle := (x0 + x1) / 2
			x0, x1 = middle-leastWidth/2, middle+leastWidth/2
		}
		rect(&p, max(x0, f.c.Min.X), f.y(pt.Y0), min(x1, f.c.Max.X), f.y(pt.Y))
	}
	paint(f.c, p, s.Role, true)
}

func (f *panelField) steps(s *ChartSeries) {
	var line, area vg.Path
	down := true
	for _, pt := range s.Points {
		if math.IsNaN(pt.Y) {
			down = true
			continue
		}
		x0, x1, y := f.x(pt.X), min(f.x(pt.X+f.Slot), f.c.Max.X), f.y(pt.Y)
		if down {
			line.Move(vg.Point{X: x0, Y: y})
		} else {
			line.Line(vg.Point{X: x0, Y: y})
		}
		line.Line(vg.Point{X: x1, Y: y})
		if pt.Y > 0 {
			rect(&area, x0, f.c.Min.Y, x1, y)
		}
		down = false
	}
	if s.lined() {
		strokeLine(f.c, line, s.Role)
		return
	}
	f.c.SetColor(faint{s.Role})
	f.c.Fill(area)
	f.c.SetLineStyle(draw.LineStyle{Color: s.Role, Width: 1.2})
	f.c.Stroke(line)
}

func (f *panelField) line(s *ChartSeries) {
	var p vg.Path
	down, last := true, vg.Length(0)
	for _, pt := range s.Points {
		if math.IsNaN(pt.Y) {
			down = true
			continue
		}
		at := vg.Point{X: f.x(pt.X), Y: f.y(pt.Y)}
		switch {
		case !down && s.Mark == Rise:
			p.Line(vg.Point{X: at.X, Y: last})
			p.Line(at)
		case !down:
			p.Line(at)
		case s.Mark == Rise:
			p.Move(vg.Point{X: at.X, Y: f.c.Min.Y})
			p.Line(at)
		default:
			p.Move(at)
		}
		down, last = false, at.Y
	}
	strokeLine(f.c, p, s.Role)
}

func (f *panelField) dots(s *ChartSeries) {
	radius := vg.Length(2.6)
	if len(s.Points) > 1500 {
		radius = 1.9
	}
	var p vg.Path
	fill := true
	for _, pt := range s.Points {
		fill = glyph(&p, s.Role, vg.Point{X: f.x(pt.X), Y: f.y(pt.Y)}, radius)
	}
	paint(f.c, p, s.Role, fill)
}

// leastSpan is how long a span is drawn at least.
const leastSpan = 3

func (f *panelField) spans(s *ChartSeries) {
	half := min(4, (f.y(1)-f.y(0))*0.4)
	if s.Role == RoleWait {
		half = 0.7
	}
	var p vg.Path
	for _, pt := range s.Points {
		x0, x1, y := f.x(pt.X), f.x(pt.X2), f.y(pt.Y)
		if x1-x0 < leastSpan {
			x1 = x0 + leastSpan
			if x1 > f.c.Max.X {
				x0, x1 = f.c.Max.X-leastSpan, f.c.Max.X
			}
		}
		rect(&p, x0, y-half, x1, y+half)
	}
	paint(f.c, p, s.Role, true)
}

func (f *panelField) intervals(s *ChartSeries) {
	const cap = 4
	var bars, marks vg.Path
	fill := true
	for _, pt := range s.Points {
		x0, x1, y := f.x(pt.X), f.x(pt.X2), f.y(pt.Y)
		bars.Move(vg.Point{X: x0, Y: y})
		bars.Line(vg.Point{X: x1, Y: y})
		for _, x := range [...]vg.Length{x0, x1} {
			bars.Move(vg.Point{X: x, Y: y - cap})
			bars.Line(vg.Point{X: x, Y: y + cap})
		}
		fill = glyph(&marks, s.Role, vg.Point{X: f.x(pt.Mid), Y: y}, 4.5)
	}
	f.c.SetLineStyle(draw.LineStyle{Color: s.Role, Width: 1.5})
	f.c.Stroke(bars)
	paint(f.c, marks, s.Role, fill)
}

func (f *panelField) rules() {
	for _, r := range f.Rules {
		if r.Vertical {
			f.vertical(r)
			continue
		}
		y := f.y(r.At)
		if !f.c.ContainsY(y) {
			continue
		}
		f.c.StrokeLine2(ruleStyle(r.Role), f.c.Min.X, y, f.c.Max.X, y)
		if f.keyed && !r.Left {
			continue
		}
		label := textStyle(labelSize, r.Role)
		at := vg.Point{X: f.c.Max.X - 2, Y: f.ruleLabel(y)}
		if label.Color, label.XAlign = (halo{r.Role}), draw.XRight; r.Left {
			at.X, label.XAlign = f.c.Min.X+4, draw.XLeft
		}
		f.c.FillText(label, at, r.Label)
	}
}

func (f *panelField) vertical(r Rule) {
	x := f.x(r.At)
	if !f.c.ContainsX(x) {
		return
	}
	if r.Label == "" {
		f.c.StrokeLine2(draw.LineStyle{Color: r.Role, Width: 1}, x, f.c.Min.Y, x, f.c.Max.Y)
		return
	}
	var p vg.Path
	p.Move(vg.Point{X: x, Y: f.c.Max.Y - 6})
	p.Line(vg.Point{X: x - 4, Y: f.c.Max.Y})
	p.Line(vg.Point{X: x + 4, Y: f.c.Max.Y})
	p.Close()
	paint(f.c, p, r.Role, true)
	label := textStyle(labelSize, r.Role)
	label.Color, label.XAlign = halo{r.Role}, draw.XCenter
	half := label.Width(r.Label) / 2
	at := vg.Point{X: min(max(x, f.c.Min.X+half), f.c.Max.X-half), Y: f.c.Max.Y - 21}
	f.c.FillText(label, at, r.Label)
}
