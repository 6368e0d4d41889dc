package report

import (
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// crossPath is an X of filled strokes, as ECharts fills its symbols.
const crossPath = "path://M0 1.5L1.5 0L5 3.5L8.5 0L10 1.5L6.5 5L10 8.5L8.5 10L5 6.5L1.5 10L0 8.5L3.5 5Z"

const plusPath = "path://M4 0L6 0L6 4L10 4L10 6L6 6L6 10L4 10L4 6L0 6L0 4L4 4Z"

// option is a panel as ECharts understands it. A series' id is its role and its place;
// colours and number formats are the page's script's.
func (p *Panel) option() map[string]any {
	c := charts.NewLine()
	c.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithXAxisOpts(opts.XAxis{Type: p.X.kind(), Name: p.X.Title, NameLocation: "middle", NameGap: 28, Min: p.X.Min, Max: p.X.Max}),
		charts.WithYAxisOpts(opts.YAxis{Type: p.Y.kind(), Name: p.Y.Title, Min: p.Y.Min, Max: p.Y.Max}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: p.trigger()}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(len(p.Series) > 1), Right: "8", Top: "0"}),
		charts.WithDataZoomOpts(
			opts.DataZoom{Type: "inside", FilterMode: "none"},
			opts.DataZoom{Type: "slider", FilterMode: "none"},
		),
	)
	xs := p.barPlaces()
	for i := range p.Series {
		c.MultiSeries = append(c.MultiSeries, p.Series[i].echarts(p, i, xs))
	}
	if len(xs) > 0 {
		slices.Reverse(c.MultiSeries) // the bars above go behind those below
	}
	if len(c.MultiSeries) > 0 {
		p.markRules(&c.MultiSeries[0])
	}
	c.Validate()
	return c.JSON()
}

func (a *ChartAxis) kind() string {
	if a.Log {
		return "log"
	}
	return "value"
}

func (p *Panel) trigger() string {
	if len(p.Series) > 0 && p.Series[0].Mark.each() {
		return "item"
	}
	return "axis"
}

// each says whether a mark stands for one thing by itself.
func (m Mark) each() bool { return m == Dots || m == Spans || m == Intervals }

// barPlaces returns where any series has a bar.
func (p *Panel) barPlaces() []float64 {
	var xs []float64
	for i := range p.Series {
		if s := &p.Series[i]; s.Mark == Bars {
			for _, pt := range s.Points {
				xs = append(xs, pt.X)
			}
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

func (s *ChartSeries) echarts(p *Panel, place int, xs []float64) charts.SingleSeries {
	out := charts.SingleSeries{
		Name: s.Name, Type: types.ChartLine, Id: s.Role.look().name + "-" + string(rune('0'+place)),
		ItemStyle: &opts.ItemStyle{}, LineStyle: &opts.LineStyle{Width: 2}, ShowSymbol: opts.Bool(false),
	}
	switch s.Mark {
	case Bars:
		out.Type, out.LineStyle, out.ShowSymbol = types.ChartBar, nil, nil
		out.BarGap, out.BarCategoryGap = "-100%", "5%"
		out.Data = s.barData(p, xs)
		return out
	case Steps:
		out.Step = "end"
		if !s.lined() {
			out.AreaStyle = &opts.AreaStyle{Opacity: opts.Float(0.25)}
		}
	case Dots:
		out.Type, out.LineStyle, out.ShowSymbol = types.ChartScatter, nil, nil
		out.Symbol, out.SymbolSize = s.Role.symbol(), 6
	case Spans:
		out.LineStyle.Width, out.ShowSymbol, out.Symbol, out.SymbolSize = 7, opts.Bool(true), "rect", 5
		if s.Role == RoleWait {
			out.LineStyle.Width, out.ShowSymbol = 1, opts.Bool(false)
		}
	case Intervals:
		out.ShowSymbol, out.Symbol, out.SymbolSize = opts.Bool(true), s.Role.symbol(), 10
	}
	out.Data = s.data()
	return out
}

// barData are a bar's middle, its top and its own height for every place. ECharts does
// not stack on a continuous axis: a bar reaches down to 0, behind those it stands on.
func (s *ChartSeries) barData(p *Panel, xs []float64) []any {
	out := make([]any, 0, len(xs))
	next := 0
	for _, x := range xs {
		top, height := 0.0, 0.0
		if next < len(s.Points) && s.Points[next].X == x {
			top, height = s.Points[next].Y, s.Points[next].Y-s.Points[next].Y0
			next++
		}
		out = append(out, [3]float64{roundSignificant(x + p.Slot/2), top, height})
	}
	return out
}

func (s *ChartSeries) data() []any {
	out := make([]any, 0, len(s.Points))
	for i, pt := range s.Points {
		if s.Mark == Rise && i > 0 {
			out = append(out, [2]float64{pt.X, s.Points[i-1].Y})
		}
		switch {
		case s.Mark == Intervals:
			end := func(x float64) any { return map[string]any{"value": []any{x, pt.Y, pt.Note}, "symbol": "none"} }
			out = append(out, end(pt.X), []any{pt.Mid, pt.Y, pt.Note}, end(pt.X2), []any{pt.X2, "-", ""})
		case s.Mark == Spans:
			out = append(out, []any{pt.X, pt.Y, pt.Note}, []any{pt.X2, pt.Y, pt.Note}, []any{pt.X2, "-", ""})
		case math.IsNaN(pt.Y):
			out = append(out, []any{pt.X, "-"})
		case pt.Note != "":
			out = append(out, []any{pt.X, pt.Y, pt.Note})
		default:
			out = append(out, [2]float64{pt.X, pt.Y})
		}
	}
	return out
}

func (r Role) symbol() string {
	switch r {
	case RoleRejected:
		return crossPath
	case RoleCancelled:
		return plusPath
	case RoleErrored:
		return "triangle"
	case RoleTimedOut:
		return "diamond"
	case RoleIncomplete:
		return "rect"
	case RoleInFlight:
		return "emptyCircle"
	}
	return "circle"
}

// markRules draws a panel's rules and bands with its first series.
func (p *Panel) markRules(s *charts.SingleSeries) {
	for _, r := range p.Rules {
		if s.MarkLines == nil {
			s.MarkLines = &opts.MarkLines{MarkLineStyle: opts.MarkLineStyle{Symbol: []string{"none", "none"}}}
		}
		switch {
		case r.Vertical:
			s.MarkLines.Data = append(s.MarkLines.Data, opts.MarkLineNameXAxisItem{Name: r.Label, XAxis: r.At})
		case r.Left:
			s.MarkLines.Data = append(s.MarkLines.Data, map[string]any{"name": r.Label, "yAxis": r.At, "label": map[string]any{"position": "insideStartBottom"}})
		default:
			s.MarkLines.Data = append(s.MarkLines.Data, opts.MarkLineNameYAxisItem{Name: r.Label, YAxis: r.At})
		}
	}
	for _, b := range p.Bands {
		if b.To-b.From < (p.X.Max-p.X.Min)/5 {
			b.Label = ""
		}
		if s.MarkAreas == nil {
			s.MarkAreas = &opts.MarkAreas{}
		}
		s.MarkAreas.Data = append(s.MarkAreas.Data, []map[string]any{{"name": b.Label, "xAxis": b.From}, {"xAxis": b.To}})
	}
}
