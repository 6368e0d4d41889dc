package report

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// limitNames are what limits count, in words.
var limitNames = map[string]string{
	string(model.LimitInputTokens):  "input tokens",
	string(model.LimitOutputTokens): "output tokens",
}

func limitName(axis string) string {
	if name, other := limitNames[axis]; other {
		return name
	}
	return axis
}

// binding says which limit made most requests wait and how many it admits for ever; ""
// if none did, or more found no seat.
func binding(s *model.Summary) string {
	b, seats := bindingLimit(s), s.Attempts.RejectedBy.Seats+s.Attempts.RejectedBy.Queue
	if b == nil || b.Rejected-b.TooLarge < seats {
		return ""
	}
	name, per := limitName(b.Axis), perWords(b.Per)
	limit := count(b.Limit) + per + scopeOf(b)
	switch {
	case b.Algorithm == model.SlopeAlgorithm:
		return fmt.Sprintf("the slope binds, above %s %s%s", count(b.Limit), name, per)
	case !b.Per.Defined():
		return fmt.Sprintf("%s binds: %s at once%s", name, count(b.Limit), scopeOf(b))
	case b.Axis == string(model.LimitRequests):
		return fmt.Sprintf("%s bind: %s", name, limit)
	case !b.Bound.Defined():
		return fmt.Sprintf("%s bind: %s", name, limit)
	}
	return fmt.Sprintf("%s bind: %s at %s a request admit %s requests%s", name, limit, digits(b.MeanCharge, 4), digits(b.Bound*b.Per, 4), per)
}

// bindingLimit is the limit that made most requests wait, by the summary's rule.
func bindingLimit(s *model.Summary) (found *model.LimitSummary) {
	for i := range s.Provider.Limits {
		l := &s.Provider.Limits[i]
		if n := l.Rejected - l.TooLarge; n > 0 && (found == nil || n > found.Rejected-found.TooLarge) {
			found = l
		}
	}
	return found
}

// perWords writes the time a limit is for: " a minute".
func perWords(per model.Number) string { words, _ := perTexts(per); return words }

// perUnit writes the same as short as a scenario does: "/min".
func perUnit(per model.Number) string { _, unit := perTexts(per); return unit }

func perTexts(per model.Number) (words, unit string) {
	if !per.Defined() {
		return "", ""
	}
	switch d := perTime(per); d {
	case time.Second:
		return " a second", "/s"
	case time.Minute:
		return " a minute", "/min"
	case time.Hour:
		return " an hour", "/h"
	case 24 * time.Hour:
		return " a day", "/d"
	default:
		return " in " + duration(d), " in " + duration(d)
	}
}

func perTime(per model.Number) time.Duration {
	return time.Duration(float64(per) * float64(time.Second)).Round(time.Microsecond)
}

// scopeOf says whom a limit is for, where that is not everybody.
func scopeOf(l *model.LimitSummary) string {
	switch l.Scope {
	case "all":
		return ""
	case "key", "tenant":
		return " for each " + l.Scope
	}
	return " for the " + clean(l.Scope)
}

// limitLabel names a limit: 60,000 tokens/min, each key.
func limitLabel(l *model.LimitSummary) string {
	text := count(l.Limit) + " " + limitName(l.Axis) + perUnit(l.Per)
	switch {
	case l.Algorithm == model.SlopeAlgorithm:
		text = "slope above " + text
	case l.Scope == "key" || l.Scope == "tenant":
		text += ", each " + l.Scope
	case l.Scope != "all":
		text += ", " + name(l.Scope)
	}
	return text
}

// admits is how many requests a limit lets through for ever.
func admits(l *model.LimitSummary) string {
	if !l.Bound.Defined() {
		return dash
	}
	return digits(l.Bound*l.Per, 4) + perUnit(l.Per)
}

// limitRows are the limits and what became of them.
func limitRows(limits []model.LimitSummary) [][]string {
	rows := [][]string{{"", "a request costs", "admits", "rejected", "fullest", "of the rate"}}
	for i := range limits {
		l := &limits[i]
		rows = append(rows, []string{
			limitLabel(l), digits(l.MeanCharge, 4), admits(l), count(l.Rejected), share(l.PeakShare), share(l.MeanShare),
		})
	}
	return rows
}

// share writes a share in whole percent, or in more digits where it is small.
func share(n model.Number) string {
	if n.Defined() && n >= 0.01 {
		return count(int64(float64(100*n)+0.5)) + " %"
	}
	return percent(n)
}

// limits puts a table of the limits of each run that has some.
func (s *screen) limits(runs ...Run) {
	for _, run := range runs {
		if len(run.Summary.Provider.Limits) == 0 {
			continue
		}
		rows := limitRows(run.Summary.Provider.Limits)
		s.end()
		if len(runs) > 1 {
			s.put(headingInk, s.name(run))
			s.end()
		}
		if !s.table(rows, true) {
			s.narrow(rows)
		}
	}
}
