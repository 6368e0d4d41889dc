package report

import (
	"fmt"

	"github.com/stampede-sim/stampede/model"
)

// latencyPoints is how many points of a distribution are drawn at most.
const latencyPoints = 300

// wideRange is how many times the least the greatest latency is, for the axis to be
// logarithmic.
const wideRange = 30

// latencyChart is the cumulative distribution of the successes' latencies.
func latencyChart(as []arm) Chart {
	c := Chart{
		ID: "latency", Title: "How long callers waited",
		Reads: "The share of successful operations that had their answer by then, counted from when they wanted to start. Further left is better.",
		Table: DataTable{Head: []string{"policy", "share", "latency"}},
	}
	p := Panel{
		Title: "successful operations", Height: 200,
		X: ChartAxis{Title: "time from the intended start to the whole answer", Unit: Seconds},
		Y: ChartAxis{Title: "share of successes", Unit: Shares, Max: 1},
	}
	least := 0.0
	for i := range as {
		a := &as[i]
		points, of := a.Tally.Latencies(latencyPoints)
		if of == 0 {
			c.Says = append(c.Says, a.label+": no completed requests.")
			continue
		}
		s := ChartSeries{Name: a.label, Role: a.role, Mark: Rise}
		for _, l := range points {
			s.Points = append(s.Points, Point{X: inSeconds(l.At), Y: roundSignificant(float64(l.Rank) / float64(of))})
		}
		p.Series = append(p.Series, s)
		if at := s.Points[0].X; at > 0 && (least == 0 || at < least) {
			least = at
		}
		p.X.Max = max(p.X.Max, s.Points[len(s.Points)-1].X)
		c.Table.Rows = append(c.Table.Rows, latencyRows(a, points, of)...)
		l := a.Summary.Latency
		c.Says = append(c.Says, fmt.Sprintf("%s: half were answered within %s, 90 %% within %s, 99 %% within %s.", a.label, seconds(l.P50), seconds(l.P90), seconds(l.P99)))
	}
	if len(p.Series) == 0 {
		c.Empty = "No completed requests."
		return c
	}
	if p.X.Max == 0 {
		p.X.Max = 1
	}
	if least > 0 && p.X.Max > wideRange*least {
		p.X.Log, p.X.Min = true, roundSignificant(least*0.8)
		p.About = "on a logarithmic time axis"
	}
	c.Panels = []Panel{p}
	return c
}

func latencyRows(a *arm, points []model.LatencyPoint, of int64) [][]string {
	var rows [][]string
	step := max(1, (len(points)+99)/100)
	for i := 0; i < len(points); i += step {
		l := points[min(i, len(points)-1)]
		rows = append(rows, []string{a.label, percent(model.Number(float64(l.Rank) / float64(of))), duration(l.At)})
	}
	if last := points[len(points)-1]; (len(points)-1)%step != 0 {
		rows = append(rows, []string{a.label, percent(model.Number(float64(last.Rank) / float64(of))), duration(last.At)})
	}
	return rows
}
