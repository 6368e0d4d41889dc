package report

import (
	"fmt"
	"strconv"
)

// attemptsChart is how many attempts operations needed.
func attemptsChart(as []arm) Chart {
	c := Chart{
		ID: "attempts", Title: "How often each operation had to ask",
		Reads: "Operations by the number of their attempts: the further right, the more often they were sent away.",
		Table: DataTable{Head: []string{"policy", "attempts", "operations"}},
	}
	most, longest := 0.0, 0
	for i := range as {
		counts := as[i].Summary.Retries.Counts
		longest = max(longest, len(counts))
		for _, n := range counts {
			most = max(most, float64(n))
		}
	}
	if most == 0 {
		c.Empty = "No operation ended."
		return c
	}
	c.CanLog = true
	for i := range as {
		a := &as[i]
		counts := a.Summary.Retries.Counts
		shown := extremes(len(counts), buckets/2, func(n int) int64 { return counts[n] })
		s := ChartSeries{Name: "operations", Role: RoleFirst}
		for _, n := range shown.kept {
			if counts[n] > 0 {
				s.Points = append(s.Points, Point{X: float64(n) + 0.5, Y: float64(counts[n])})
				if len(c.Table.Rows) < 2*tableRows {
					c.Table.Rows = append(c.Table.Rows, []string{a.label, strconv.Itoa(n + 1), count(counts[n])})
				}
			}
		}
		if shown.thinned() {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: of %s numbers of attempts the least and the greatest bar of each of %s stretches are shown.", a.label, count(int64(len(counts))), count(buckets/2)))
		}
		c.Panels = append(c.Panels, Panel{
			Title: a.label, Height: low(90, len(as)), Slot: 1,
			X:      ChartAxis{Title: "attempts for one operation", Min: 0.5, Max: float64(longest) + 0.5},
			Y:      ChartAxis{Title: "operations", Max: niceCeil(most, 3)},
			Series: []ChartSeries{s},
		})
		if r := a.Summary.Retries; r.Mean.Defined() {
			c.Says = append(c.Says, fmt.Sprintf("%s: %s attempts for an operation on average, %s at most.", a.label, decimal(r.Mean+1), count(r.Max+1)))
		}
	}
	return c
}
