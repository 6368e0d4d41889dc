package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	posterWidth  = 900
	posterMargin = 14
	columnGap    = 12
)

// poster is a chart with its title and legend, for a file of its own.
type poster struct {
	*Chart
	columns []*drawing
	wide    vg.Length // of a column
	height  vg.Length
}

func newPoster(c *Chart) *poster {
	p := &poster{Chart: c}
	n := max(1, c.Abreast)
	p.wide = (posterWidth - 2*posterMargin - columnGap*vg.Length(n-1)) / vg.Length(n)
	_, keyed := c.rule()
	tallest := vg.Length(0)
	for column := range n {
		part := *c
		part.Panels = nil
		for i := column; i < len(c.Panels); i += n {
			part.Panels = append(part.Panels, c.Panels[i])
		}
		d := newDrawing(&part, p.wide, false, keyed)
		p.columns = append(p.columns, d)
		tallest = max(tallest, d.height)
	}
	p.height = p.head(nil) + tallest + posterMargin - panelGap
	return p
}

func (p *poster) draw(canvas vg.Canvas) {
	whole := draw.NewCanvas(canvas, posterWidth, p.height)
	top := p.height - p.head(&whole)
	for i, d := range p.columns {
		canvas.Push()
		canvas.Translate(vg.Point{X: posterMargin + vg.Length(i)*(p.wide+columnGap), Y: top - d.height})
		d.draw(canvas)
		canvas.Pop()
	}
}

// head writes title and legend, and returns the height they take.
func (p *poster) head(c *draw.Canvas) vg.Length {
	const line = 20
	y := vg.Length(posterMargin + 16)
	if c != nil {
		c.FillText(bold(textStyle(16, RoleText)), vg.Point{X: posterMargin, Y: p.height - y}, p.Title)
	}
	y += line + 2
	x := vg.Length(posterMargin)
	style := textStyle(labelSize+0.5, RoleText)
	for _, k := range p.keys() {
		wide := k.swatchWidth()
		w := wide + 6 + style.Width(k.Name) + 18
		if x+w > posterWidth && x > posterMargin {
			x, y = posterMargin, y+line
		}
		if c != nil {
			swatch(c, k, vg.Point{X: x + wide/2, Y: p.height - y + 5})
			c.FillText(style, vg.Point{X: x + wide + 6, Y: p.height - y}, k.Name)
		}
		x += w
	}
	return y + posterMargin
}
