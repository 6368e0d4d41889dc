package report

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func newPageChart(c *Chart) pageChart {
	out := pageChart{Chart: c, Body: tableBody(c.Table.Rows)}
	if c.Empty != "" {
		return out
	}
	for _, look := range []struct {
		class string
		width int
		log   bool
	}{
		{"wide linear", wideChart, false},
		{"narrow linear", narrowChart, false},
		{"wide log", wideChart, true},
		{"narrow log", narrowChart, true},
	} {
		if look.log && !c.CanLog {
			continue
		}
		out.Pictures = append(out.Pictures, picture(c, look.class, look.width, look.log))
	}
	for _, k := range c.keys() {
		out.Keys = append(out.Keys, keyMark(k))
	}
	out.Data = template.JS(chartData(c))
	return out
}

// picture draws a chart as SVG within the page.
func picture(c *Chart, class string, width int, log bool) template.HTML {
	_, keyed := c.rule()
	d := newDrawing(c, vg.Length(width), log, keyed)
	canvas := &svgCanvas{width: d.width, height: d.height}
	boxes := d.draw(canvas)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg class="%s" viewBox="0 0 %d %d" data-chart="%s" data-boxes="`, class, width, int(math.Ceil(float64(d.height))), c.ID)
	for i, box := range boxes {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, "%d,%d,%d,%d", box.x, box.y, box.w, box.h)
	}
	fmt.Fprintf(&b, `" role="img" aria-label="%s">`+"\n", html.EscapeString(c.Title))
	b.Write(canvas.b.Bytes())
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// keyMark is an entry of a legend.
func keyMark(k ChartSeries) template.HTML {
	width := k.swatchWidth() + 4
	canvas := &svgCanvas{width: width, height: 12}
	whole := draw.NewCanvas(canvas, width, 12)
	swatch(&whole, k, vg.Point{X: width / 2, Y: 6})
	return template.HTML(fmt.Sprintf(`<svg class="key" viewBox="0 0 %[1]g 12" width="%[1]g" height="12" aria-hidden="true">`, float64(width)) + canvas.b.String() + `</svg>` + html.EscapeString(k.Name))
}

func tableBody(rows [][]string) template.HTML {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("<tr>")
		for _, cell := range row {
			b.WriteString("<td>")
			b.WriteString(html.EscapeString(cell))
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	return template.HTML(b.String())
}

var markNames = [...]string{Bars: "bars", Steps: "steps", Line: "line", Rise: "rise", Dots: "dots", Spans: "spans", Intervals: "spans", Ribbon: "line", Tiles: "tiles"}

var unitNames = [...]string{Numbers: "n", Seconds: "s", Shares: "%", Changes: "±", Multiples: "×"}

// chartData writes what the page's script reads values from, as JSON that can stand
// in a script element.
func chartData(c *Chart) []byte {
	b := []byte("[")
	for i := range c.Panels {
		p := &c.Panels[i]
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, `{"name":`...)
		b = appendText(b, p.Title)
		b = append(b, `,"unit":`...)
		b = appendText(b, p.Y.Title)
		b = append(b, `,"x":`...)
		b = p.X.appendData(b)
		b = append(b, `,"y":`...)
		b = p.Y.appendData(b)
		b = append(b, `,"slot":`...)
		b = appendNumber(b, p.Slot)
		b = append(b, `,"series":[`...)
		said := 0
		for j := range p.Series {
			if p.Series[j].Silent {
				continue
			}
			if said > 0 {
				b = append(b, ',')
			}
			said++
			b = p.Series[j].appendData(b)
		}
		b = append(b, "]}"...)
	}
	return append(b, ']')
}

func (a *ChartAxis) appendData(b []byte) []byte {
	b = append(b, '[')
	b = appendText(b, unitNames[a.Unit])
	b = append(b, ',')
	b = appendNumber(b, a.Min)
	b = append(b, ',')
	b = appendNumber(b, a.Max)
	if a.Log {
		return append(b, ",1]"...)
	}
	return append(b, ",0]"...)
}

func (s *ChartSeries) appendData(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = appendText(b, s.Name)
	b = append(b, `,"mark":"`...)
	b = append(b, markNames[s.Mark]...)
	b = append(b, `","at":[`...)
	noted := false
	for i, pt := range s.Points {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, pt.X)
		b = append(b, ',')
		if s.Mark == Spans || s.Mark == Intervals || s.Mark == Tiles {
			b = appendNumber(b, pt.X2)
			b = append(b, ',')
		}
		b = appendNumber(b, pt.Y-pt.Y0)
		noted = noted || pt.Note != ""
	}
	b = append(b, ']')
	if noted {
		b = append(b, `,"notes":[`...)
		for i, pt := range s.Points {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, pt.Note)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// appendText writes a JSON string without any character that means something to HTML.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r < ' ' || r == '"' || r == '\\' || r == '<' || r == '>' || r == '&' || r == '\'' || r == '\u2028' || r == '\u2029':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}
