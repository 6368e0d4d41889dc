package report

import (
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of charts in pixels: for a screen, and for a telephone.
const (
	wideChart   = 1000
	narrowChart = 360
)

const (
	titleSize   = 14
	labelSize   = 12.5
	titleRoom   = 23 // for a panel's title
	captionRoom = 17 // for the title of its Y axis
	footRoom    = 17 // for the title of its X axis
	panelGap    = 10
)

var handler = anchored{text.Plain{Fonts: font.DefaultCache}}

func textStyle(size float64, role Role) text.Style {
	return text.Style{
		Color: role, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)),
		XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: handler,
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}

// drawing is a chart laid out for one width.
type drawing struct {
	*Chart
	width vg.Length
	log   bool // counts on a logarithmic scale
	keyed bool // the legend has the label of the rules

	plots  []*plot.Plot
	tiles  []tile
	height vg.Length
	left   vg.Length // of all plots
	right  vg.Length
}

// tile is a panel's place: its top, counted from the top of the drawing, and what
// its titles and axes take.
type tile struct {
	top, head, below, above, left, right vg.Length
}

// box is where a panel's data are, in pixels from the top left.
type box struct{ x, y, w, h int }

func newDrawing(c *Chart, width vg.Length, log, keyed bool) *drawing {
	d := &drawing{Chart: c, width: width, log: log && c.CanLog, keyed: keyed}
	d.right = 8
	for i := range c.Panels {
		p := d.plot(i)
		big := draw.NewCanvas(&svgCanvas{}, d.width, 1000)
		data := p.DataCanvas(big)
		t := tile{top: d.height, head: titleRoom, below: data.Min.Y + footRoom, above: 1000 - data.Max.Y, left: data.Min.X, right: d.width - data.Max.X}
		if d.captioned(i) {
			t.head += captionRoom
		}
		d.plots, d.tiles = append(d.plots, p), append(d.tiles, t)
		d.left, d.right = max(d.left, t.left+2), max(d.right, t.right)
		d.height += t.head + t.above + vg.Length(c.Panels[i].Height) + t.below + panelGap
	}
	return d
}

// captioned says whether a panel's Y axis has another title than the one above.
func (d *drawing) captioned(i int) bool {
	title := d.Panels[i].Y.Title
	return title != "" && (i == 0 || d.Panels[i-1].Y.Title != title)
}

// axis returns a panel's Y axis on the drawing's scale.
func (d *drawing) axis(i int) ChartAxis {
	y := d.Panels[i].Y
	if d.log && y.Unit == Numbers {
		y.Log, y.Min = true, 0.5
	}
	return y
}

func (d *drawing) plot(i int) *plot.Plot {
	panel := &d.Panels[i]
	p := plot.New()
	p.BackgroundColor = nil
	p.TextHandler = handler
	y := d.axis(i)
	style := textStyle(labelSize, RoleMuted)
	for axis, of := range map[*plot.Axis]*ChartAxis{&p.X: &panel.X, &p.Y: &y} {
		axis.Min, axis.Max = of.Min, of.Max
		axis.Padding = 0
		axis.Tick.Length = 0
		axis.Tick.Label.Color, axis.Tick.Label.Font, axis.Tick.Label.Handler = style.Color, style.Font, handler
		axis.Label.TextStyle.Color, axis.Label.TextStyle.Font, axis.Label.TextStyle.Handler = style.Color, style.Font, handler
		axis.Color = RoleMuted
		if of.Log {
			axis.Scale = logScale{}
		}
	}
	p.Y.Width = 0
	p.X.Tick.Length, p.X.Tick.Color = 4, RoleMuted
	p.X.Tick.Marker = plot.ConstantTicks(panel.X.ticks(max(5, int(d.width)/110)))
	p.Y.Tick.Marker = plot.ConstantTicks(y.ticks(max(3, panel.Height/34)))
	if panel.Rows != nil {
		p.Y.Tick.Marker = plot.ConstantTicks(rowTicks(panel.Rows))
	}
	if panel.Cols != nil {
		p.X.Tick.Marker = plot.ConstantTicks(columnTicks(panel.Cols, float64(d.width)))
	}
	p.Add(panelPlotter{panel, p.Y.Tick.Marker, d.log, d.keyed})
	return p
}

// draw draws on a canvas of the drawing's size and returns where the data are.
func (d *drawing) draw(canvas vg.Canvas) []box {
	whole := draw.NewCanvas(canvas, d.width, d.height)
	var boxes []box
	for i, t := range d.tiles {
		panel := &d.Panels[i]
		top := d.height - t.top
		d.head(&whole, panel, top, d.captioned(i))
		plotTop := top - t.head
		bottom := plotTop - t.above - vg.Length(panel.Height) - t.below
		c := draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: d.left - t.left, Y: bottom + footRoom}, Max: vg.Point{X: d.width - d.right + t.right, Y: plotTop},
		}}
		data := d.plots[i].DataCanvas(c)
		d.plots[i].Draw(c)
		d.foot(&whole, panel, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: bottom})
		boxes = append(boxes, box{
			tenths(float64(data.Min.X)) / 10, tenths(float64(d.height-data.Max.Y)) / 10,
			tenths(float64(data.Max.X-data.Min.X)) / 10, tenths(float64(data.Max.Y-data.Min.Y)) / 10,
		})
	}
	return boxes
}

// head writes a panel's titles.
func (d *drawing) head(c *draw.Canvas, p *Panel, top vg.Length, captioned bool) {
	title, about := bold(textStyle(titleSize, RoleText)), textStyle(titleSize, RoleMuted)
	text, more := p.Title, p.About
	tooWide := func() bool { return d.left+title.Width(text)+8+about.Width(more) > d.width }
	for n := 24; tooWide() && n > 6; n-- {
		text = shorten(p.Title, n)
	}
	if comma := strings.LastIndex(more, ", "); tooWide() && comma > 0 {
		more = more[:comma]
	}
	c.FillText(title, vg.Point{X: d.left, Y: top - 17}, text)
	c.FillText(about, vg.Point{X: d.left + title.Width(text) + 8, Y: top - 17}, more)
	if captioned {
		c.FillText(textStyle(labelSize, RoleMuted), vg.Point{X: d.left, Y: top - titleRoom - captionRoom + 5}, p.Y.Title)
	}
}

// foot writes the title of a panel's X axis.
func (d *drawing) foot(c *draw.Canvas, p *Panel, at vg.Point) {
	style := textStyle(labelSize, RoleMuted)
	style.XAlign = draw.XCenter
	c.FillText(style, at, p.X.Title)
}

// keys returns the series a legend explains, each look once.
func (c *Chart) keys() []ChartSeries {
	var out []ChartSeries
	seen := map[Role]bool{}
	for i := range c.Panels {
		for _, s := range c.Panels[i].Series {
			if !seen[s.Role] && len(s.Points) > 0 {
				seen[s.Role] = true
				out = append(out, ChartSeries{Name: s.Name, Role: s.Role, Mark: s.Mark})
			}
		}
	}
	if r, any := c.rule(); any {
		out = append(out, ChartSeries{Name: r.Label, Role: r.Role, Mark: Line})
	}
	return out
}

// rule returns the one line that all panels have across them, for the legend to say what
// it is. It reports false where there is none, or they differ.
func (c *Chart) rule() (one Rule, any bool) {
	for i := range c.Panels {
		found := false
		for _, r := range c.Panels[i].Rules {
			if r.Vertical || r.Left || r.Role != RoleCapacity {
				continue
			}
			if one.Label != "" && r != one {
				return Rule{}, false
			}
			one, found = r, true
		}
		if !found {
			return Rule{}, false
		}
	}
	return one, one.Label != ""
}

// swatchWidth is what a series takes in a legend: of a line, so much that its dashes
// are seen.
func (s *ChartSeries) swatchWidth() vg.Length {
	if s.lined() {
		return 28
	}
	return 12
}

func swatch(c *draw.Canvas, s ChartSeries, at vg.Point) {
	var p vg.Path
	switch {
	case s.Mark == Dots, s.Mark == Intervals:
		fill := glyph(&p, s.Role, at, 4.5)
		paint(c, p, s.Role, fill)
	case s.Mark == Ribbon:
		rect(&p, at.X-6, at.Y-5, at.X+6, at.Y+5)
		c.SetColor(faint{s.Role})
		c.Fill(p)
	case s.lined():
		p.Move(at.Add(vg.Point{X: -s.swatchWidth() / 2}))
		p.Line(at.Add(vg.Point{X: s.swatchWidth() / 2}))
		strokeLine(c, p, s.Role)
	default:
		h := vg.Length(5)
		if s.Role == RoleWait {
			h = 0.8
		}
		rect(&p, at.X-6, at.Y-h, at.X+6, at.Y+h)
		paint(c, p, s.Role, true)
	}
}

// logScale is logarithmic; what is below its least value lies at its start.
type logScale struct{}

func (logScale) Normalize(least, most, v float64) float64 {
	if !(v > least) {
		return 0
	}
	return math.Log(v/least) / math.Log(most/least)
}
