package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// pageFigure is a line of the page's table. Where of is defined for two arms, the page
// says how many times the one is the other.
type pageFigure struct {
	label string
	text  func(*arm) string
	of    func(*arm) model.Number
}

func pageFigures(pause string) []pageFigure {
	n := func(v int64) model.Number { return model.Number(v) }
	return []pageFigure{
		{"until the last operation ended", func(a *arm) string { return wall(a.Summary) }, func(a *arm) model.Number { return a.Summary.Wall }},
		{"operations that succeeded", func(a *arm) string {
			o := a.Summary.Operations
			return count(o.Succeeded) + " of " + count(o.Total)
		}, nil},
		{"attempts sent", func(a *arm) string { return count(a.Summary.Attempts.Total) }, func(a *arm) model.Number { return n(a.Summary.Attempts.Total) }},
		{"attempts for an operation, on average", func(a *arm) string { return decimal(a.Summary.Amplify) }, func(a *arm) model.Number { return a.Summary.Amplify }},
		{"attempts that were rejected", func(a *arm) string {
			t := a.Summary.Attempts
			if t.Total == 0 {
				return dash
			}
			return count(t.Rejected) + " (" + percent(n(t.Rejected)/n(t.Total)) + ")"
		}, func(a *arm) model.Number { return n(a.Summary.Attempts.Rejected) }},
		{"retries in the busiest slot", func(a *arm) string {
			return count(a.Summary.Herd.BusiestRetry) + " in " + duration(a.facts.slot)
		}, func(a *arm) model.Number { return n(a.Summary.Herd.BusiestRetry) }},
		{pause, func(a *arm) string { return duration(a.facts.pause) }, func(a *arm) model.Number { return model.Number(a.facts.pause.Seconds()) }},
		{"seats busy, over the whole run", func(a *arm) string { return percent(a.Summary.Provider.Utilisation) }, func(a *arm) model.Number { return a.Summary.Provider.Utilisation }},
		{"half of the callers waited at most", func(a *arm) string { return waited(a, a.Summary.Latency.P50) }, func(a *arm) model.Number { return a.Summary.Latency.P50 }},
		{"90 % of the callers waited at most", func(a *arm) string { return waited(a, a.Summary.Latency.P90) }, func(a *arm) model.Number { return a.Summary.Latency.P90 }},
		{"99 % of the callers waited at most", func(a *arm) string { return waited(a, a.Summary.Latency.P99) }, func(a *arm) model.Number { return a.Summary.Latency.P99 }},
		{"half waited at most, from their first send", func(a *arm) string { return sinceSend(a, a.Summary.FromSend.P50) }, func(a *arm) model.Number { return a.Summary.FromSend.P50 }},
		{"99 % waited at most, from their first send", func(a *arm) string { return sinceSend(a, a.Summary.FromSend.P99) }, func(a *arm) model.Number { return a.Summary.FromSend.P99 }},
		{"longest wait at a gate", func(a *arm) string { return seconds(a.Summary.Gate.Waited.Max) }, func(a *arm) model.Number { return a.Summary.Gate.Waited.Max }},
		{"tokens wasted", func(a *arm) string {
			if a.Summary.Tokens.Wasted == 0 {
				return dash
			}
			return count(a.Summary.Tokens.Wasted) + " of " + count(a.Summary.Tokens.Billed)
		}, func(a *arm) model.Number { return n(a.Summary.Tokens.Wasted) }},
		{"cost", func(a *arm) string { text, _ := cost(a.Summary); return text }, func(a *arm) model.Number { return a.Summary.Cost.Total }},
	}
}

// sinceSend is left out where an operation's start and its first send are one.
func sinceSend(a *arm, n model.Number) string {
	if !waitsToSend(a.Summary) {
		return dash
	}
	return seconds(n)
}

func waited(a *arm, n model.Number) string {
	if !n.Defined() {
		return dash + " (no completed requests)"
	}
	return seconds(n)
}

// figureRows are the figures that matter, those left out that no arm has.
func figureRows(as []arm) [][]string {
	var rows [][]string
	for _, f := range pageFigures(pauseNameOf(as)) {
		row, any := []string{f.label}, false
		for i := range as {
			text := f.text(&as[i])
			any = any || text != dash
			row = append(row, text)
		}
		if !any {
			continue
		}
		if len(as) == 2 {
			row = append(row, f.ratio(&as[0], &as[1]))
		}
		rows = append(rows, row)
	}
	return rows
}

// ratio says how many times b's figure a's is.
func (f *pageFigure) ratio(a, b *arm) string {
	if f.of == nil {
		return ""
	}
	x, y := asShown(f.of(a)), asShown(f.of(b))
	if !x.Defined() || !y.Defined() || x <= 0 || y <= 0 {
		return ""
	}
	return times(float64(x / y))
}

// asShown is a figure as exact as it is written, so that a ratio agrees with what it
// stands beside.
func asShown(n model.Number) model.Number {
	if !n.Defined() || n >= 100 {
		return n
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(n), 'g', 3, 64), 64)
	if err != nil {
		return n
	}
	return model.Number(rounded)
}

// pauseNameOf is what the longest pause is called where it is known of all arms.
func pauseNameOf(as []arm) string {
	for i := range as {
		if as[i].facts.toldBy == bySlots {
			return as[i].facts.pauseName()
		}
	}
	return as[0].facts.pauseName()
}

func times(r float64) string {
	switch {
	case r >= 10:
		return "× " + count(int64(math.Round(r)))
	case r >= 0.095:
		return "× " + decimal(model.Number(math.Round(r*10)/10))
	}
	return "1 / " + count(int64(math.Round(1/r)))
}

// allFigures are the lines that the terminal shows.
func allFigures(as []arm) [][]string {
	var rows [][]string
	for _, f := range entries() {
		row, any := []string{strings.TrimLeft(f.label, " ")}, false
		if f.label != row[0] {
			row[0] = "· " + row[0]
		}
		for i := range as {
			text, shown := f.of(as[i].Summary)
			any = any || shown
			row = append(row, text)
		}
		if any && f.label != "simulated in" {
			rows = append(rows, row)
		}
	}
	return rows
}

// race puts arms that ended beside each other, as parts of the slowest.
func race(as []arm) (lanes []lane, ratio string) {
	slowest, fastest := 0.0, math.Inf(1)
	for i := range as {
		end, done := as[i].ended()
		if !done || end <= 0 {
			return nil, ""
		}
		slowest, fastest = max(slowest, end), min(fastest, end)
	}
	if len(as) < 2 {
		return nil, ""
	}
	for i := range as {
		end, _ := as[i].ended()
		lanes = append(lanes, lane{as[i].label, durationOf(end), as[i].role.look().name, fmt.Sprintf("%.2f", max(0.4, 100*end/slowest))})
	}
	if slowest >= 2*fastest {
		ratio = strings.TrimPrefix(times(slowest/fastest), "× ") + " times as long"
	}
	return lanes, ratio
}
