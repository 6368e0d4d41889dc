package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/vgimg"
)

// ChartFile writes a chart to a file: .svg or .png.
func ChartFile(path string, c Chart) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if format != "svg" && format != "png" {
		return fmt.Errorf("--chart %s: a chart is an .svg or a .png file", path)
	}
	return WriteFile(path, func(w io.Writer) error { return WriteChart(w, format, c) })
}

// WriteChart writes a chart with its title and legend as "svg" or "png".
func WriteChart(w io.Writer, format string, c Chart) error {
	if c.Empty != "" {
		c.Panels = []Panel{{Title: c.Empty, Height: 40, X: ChartAxis{Max: 1}, Y: ChartAxis{Max: 1}}}
	}
	d := newPoster(&c)
	switch format {
	case "svg":
		return writeSVG(w, d)
	case "png":
		return writePNG(w, d)
	}
	return fmt.Errorf("a chart can be svg or png, not %q", format)
}

func writePNG(w io.Writer, d *poster) error {
	canvas := vgimg.NewWith(vgimg.UseWH(posterWidth, d.height), vgimg.UseDPI(144))
	d.draw(canvas)
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

func writeSVG(w io.Writer, d *poster) error {
	canvas := &svgCanvas{width: posterWidth, height: d.height}
	canvas.pen.width = 1
	d.draw(canvas)
	var b bytes.Buffer
	size := func(v float64) []byte { return appendTenths(nil, tenths(v)) }
	width, height := size(posterWidth), size(float64(d.height))
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" role=\"img\" font-family=\"%s\">\n", width, height, width, height, html.EscapeString(chartFonts))
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s@media (prefers-color-scheme: dark){\n%s}\n</style>\n", html.EscapeString(d.Title), roleStyles(false), roleStyles(true))
	fmt.Fprintf(&b, "<rect class=\"f-paper\" width=\"%s\" height=\"%s\"/>\n", width, height)
	b.Write(canvas.b.Bytes())
	b.WriteString("</svg>\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

const chartFonts = `"Liberation Sans", Arial, Helvetica, sans-serif`

// roleStyles are the style sheet of a chart that stands alone.
func roleStyles(dark bool) string {
	var b strings.Builder
	for role := range roles {
		look := role.look()
		c := look.light
		if dark {
			c = look.dark
		}
		fmt.Fprintf(&b, ".f-%s{fill:#%06x}.s-%s{stroke:#%06x}\n", look.name, c, look.name, c)
	}
	paper := RolePaper.look().light
	if dark {
		paper = RolePaper.look().dark
	}
	fmt.Fprintf(&b, "[class^=s-],[class*=\" s-\"]{fill:none}.faint{fill-opacity:.28}.halo{paint-order:stroke;stroke:#%06x;stroke-width:3px;stroke-linejoin:round}\n", paper)
	return b.String()
}
