package report

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tiles fills a field of a heatmap for each point.
func (f *panelField) tiles(s *ChartSeries) {
	var p vg.Path
	high := (f.y(1) - f.y(0)) / 2
	gap := vg.Length(0.5)
	if high < 3 {
		gap = 0
	}
	for _, pt := range s.Points {
		y := f.y(pt.Y)
		rect(&p, f.x(pt.X)+gap, y-high+gap, f.x(pt.X2)-gap, y+high-gap)
	}
	paint(f.c, p, s.Role, true)
	style := textStyle(labelSize, RoleText)
	style.Color, style.XAlign = halo{RoleText}, draw.XCenter
	if s.Role >= RoleHeat5 {
		style.Color = RolePaper
	}
	for _, pt := range s.Points {
		if wide := f.x(pt.X2) - f.x(pt.X); pt.Label != "" && high > 7 && style.Width(pt.Label) < wide-6 {
			f.c.FillText(style, vg.Point{X: (f.x(pt.X) + f.x(pt.X2)) / 2, Y: f.y(pt.Y) - 4}, pt.Label)
		}
	}
}

// ribbon fills what lies between two lines.
func (f *panelField) ribbon(s *ChartSeries) {
	var p vg.Path
	for i := 1; i < len(s.Points); i++ {
		a, b := s.Points[i-1], s.Points[i]
		if math.IsNaN(a.Y) || math.IsNaN(b.Y) || math.IsNaN(a.Y0) || math.IsNaN(b.Y0) {
			continue
		}
		p.Move(vg.Point{X: f.x(a.X), Y: f.y(a.Y0)})
		p.Line(vg.Point{X: f.x(b.X), Y: f.y(b.Y0)})
		p.Line(vg.Point{X: f.x(b.X), Y: f.y(b.Y)})
		p.Line(vg.Point{X: f.x(a.X), Y: f.y(a.Y)})
		p.Close()
	}
	f.c.SetColor(faint{s.Role})
	f.c.Fill(p)
}
