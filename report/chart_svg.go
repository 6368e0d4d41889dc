package report

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// svgCanvas is a vg.Canvas that writes the body of an SVG in which a unit is a pixel.
// It names colours by their roles, for a style sheet to give, and rounds places to
// tenths: the same bytes on every machine, and few of them.
type svgCanvas struct {
	b             bytes.Buffer
	width, height vg.Length
	pen           svgPen
	stack         []svgPen
}

type svgPen struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	origin vg.Point
}

// halo makes text readable across lines.
type halo struct{ Role }

// faint is a role's colour let through.
type faint struct{ Role }

func (f faint) RGBA() (r, g, b, a uint32) {
	c := f.look().light
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0x48}.RGBA()
}

func (c *svgCanvas) Size() (w, h vg.Length)                 { return c.width, c.height }
func (c *svgCanvas) SetLineWidth(w vg.Length)               { c.pen.width = w }
func (c *svgCanvas) SetLineDash(d []vg.Length, _ vg.Length) { c.pen.dashes = d }
func (c *svgCanvas) SetColor(col color.Color)               { c.pen.color = col }
func (c *svgCanvas) Push()                                  { c.stack = append(c.stack, c.pen) }
func (c *svgCanvas) Rotate(float64)                         { panic("report: charts don't rotate") }
func (c *svgCanvas) Scale(x, y float64)                     { panic("report: charts don't scale") }
func (c *svgCanvas) Translate(by vg.Point)                  { c.pen.origin = c.pen.origin.Add(by) }

func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) { panic("report: charts have no images") }

func (c *svgCanvas) Pop() {
	c.pen = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *svgCanvas) class(fill bool) string {
	kind := "s-"
	if fill {
		kind = "f-"
	}
	switch col := c.pen.color.(type) {
	case Role:
		return kind + col.look().name
	case halo:
		return "halo " + kind + col.look().name
	case faint:
		return "faint " + kind + col.look().name
	}
	return kind + RoleText.look().name
}

// Fill fills a path.
func (c *svgCanvas) Fill(p vg.Path) {
	if len(p) > 0 {
		fmt.Fprintf(&c.b, "<path class=%q d=\"%s\"/>\n", c.class(true), c.data(p))
	}
}

// Stroke strokes a path.
func (c *svgCanvas) Stroke(p vg.Path) {
	if len(p) == 0 || c.pen.width <= 0 {
		return
	}
	fmt.Fprintf(&c.b, "<path class=%q", c.class(false))
	if w := tenths(float64(c.pen.width)); w != 10 {
		fmt.Fprintf(&c.b, " stroke-width=\"%s\"", appendTenths(nil, w))
	}
	if len(c.pen.dashes) > 0 {
		c.b.WriteString(" stroke-dasharray=\"")
		for i, d := range c.pen.dashes {
			if i > 0 {
				c.b.WriteByte(' ')
			}
			c.b.Write(appendTenths(nil, tenths(float64(d))))
		}
		c.b.WriteByte('"')
	}
	fmt.Fprintf(&c.b, " d=\"%s\"/>\n", c.data(p))
}

// FillString writes text that starts at a place. Charts write theirs by [anchored].
func (c *svgCanvas) FillString(f font.Face, at vg.Point, s string) {
	c.text(f.Font, at, 0, s)
}

func (c *svgCanvas) text(f font.Font, at vg.Point, align text.XAlignment, s string) {
	at = at.Add(c.pen.origin)
	fmt.Fprintf(&c.b, "<text x=\"%s\" y=\"%s\" class=%q font-size=\"%s\"",
		appendTenths(nil, tenths(float64(at.X))), appendTenths(nil, tenths(float64(c.height-at.Y))), c.class(true), appendTenths(nil, tenths(float64(f.Size))))
	if f.Weight > 0 {
		c.b.WriteString(` font-weight="bold"`)
	}
	switch align {
	case draw.XCenter:
		c.b.WriteString(` text-anchor="middle"`)
	case draw.XRight:
		c.b.WriteString(` text-anchor="end"`)
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", html.EscapeString(s))
}

// data writes a path with relative steps.
func (c *svgCanvas) data(p vg.Path) []byte {
	out := make([]byte, 0, 8*len(p))
	var x, y, startX, startY int
	for i := range p {
		step := &p[i]
		to := step.Pos.Add(c.pen.origin)
		toX, toY := tenths(float64(to.X)), tenths(float64(c.height-to.Y))
		switch step.Type {
		case vg.MoveComp:
			if i == 0 {
				out = appendPair(append(out, 'M'), toX, toY)
			} else {
				out = appendPair(append(out, 'm'), toX-x, toY-y)
			}
			startX, startY = toX, toY
		case vg.LineComp:
			switch {
			case toY == y:
				out = appendTenths(append(out, 'h'), toX-x)
			case toX == x:
				out = appendTenths(append(out, 'v'), toY-y)
			default:
				out = appendPair(append(out, 'l'), toX-x, toY-y)
			}
		case vg.CloseComp:
			out = append(out, 'z')
			toX, toY = startX, startY
		default:
			panic("report: charts are drawn with straight lines")
		}
		x, y = toX, toY
	}
	return out
}

// tenths rounds to tenths. A place that lies between two of them, as far as arithmetic
// can tell, goes the same way on machines whose last bits differ.
func tenths(v float64) int { return int(math.Floor(v*10 + 0.5003)) }

func appendPair(b []byte, x, y int) []byte {
	b = appendTenths(b, x)
	if y >= 0 {
		b = append(b, ' ')
	}
	return appendTenths(b, y)
}

func appendTenths(b []byte, v int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	if v >= 10 || v == 0 {
		b = strconv.AppendInt(b, int64(v/10), 10)
	}
	if v%10 != 0 {
		b = append(b, '.', byte('0'+v%10))
	}
	return b
}

// anchored writes text with the browser's alignment instead of measured widths, as
// the reader's fonts are not known.
type anchored struct{ text.Plain }

func (a anchored) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	out := svgOf(c)
	if out == nil {
		a.Plain.Draw(c, s, style, at)
		return
	}
	face := a.Fonts.Lookup(style.Font, style.Font.Size)
	at.Y += style.Height(s)*vg.Length(style.YAlign) - face.Extents().Ascent + style.Font.Size
	out.SetColor(style.Color)
	out.text(style.Font, at, style.XAlign, s)
}

func svgOf(c vg.Canvas) *svgCanvas {
	for {
		switch inner := c.(type) {
		case *svgCanvas:
			return inner
		case draw.Canvas:
			c = inner.Canvas
		case *draw.Canvas:
			c = inner.Canvas
		default:
			return nil
		}
	}
}
