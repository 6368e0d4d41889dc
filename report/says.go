package report

import (
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// Says tells a run in one sentence, for [model.Summary] and whoever reads only that.
func Says(s *model.Summary) string {
	o := s.Operations
	operations := plural(o.Total, "operation", "operations")
	attempts := plural(s.Attempts.Total, "attempt", "attempts")
	switch {
	case o.Total == 0 && s.Herd.Busiest > 0:
		return "No operation counts: all of them began in the warm-up."
	case o.Total == 0:
		return "No operation started before the run ended."
	case o.InFlight == o.Total:
		return "No completed requests: " + operations + " still in flight when the run ended, after " + attempts + "."
	}
	var parts []string
	who := operations
	if o.Succeeded > 0 && o.Succeeded < o.Total {
		parts, who = append(parts, succeeded(o)), "they"
	}
	took := who + " took " + seconds(s.Wall) + " and " + attempts
	if !s.Wall.Defined() {
		took = who + " had not all ended when the run did, after " + attempts
	}
	parts = append(parts, took)
	if text := impossible(s); text != "" {
		parts = append(parts, text)
	}
	if n := s.Herd.BusiestRetry; n > 0 {
		parts = append(parts, "the busiest retry slot held "+count(n))
	}
	switch {
	case o.Failed == 1 && o.Total == 1:
		parts = append(parts, "it failed")
	case o.Failed == o.Total:
		parts = append(parts, "all of them failed")
	case o.Failed > 0:
		parts = append(parts, count(o.Failed)+" failed")
	}
	if o.Truncated > 0 {
		parts = append(parts, count(o.Truncated)+" of those that succeeded had stopped before their end")
	}
	if o.Cancelled > 0 {
		were := " were"
		if o.Cancelled == 1 {
			were = " was"
		}
		parts = append(parts, count(o.Cancelled)+were+" taken back")
	}
	if o.InFlight > 0 {
		parts = append(parts, count(o.InFlight)+" still in flight")
	}
	parts = append(parts, aftermath(s)...)
	if text := binding(s); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "."
}

// succeeded is the share of the operations that did, or how many, where they are few or
// the share is as good as all.
func succeeded(o model.Operations) string {
	of := " of " + plural(o.Total, "operation", "operations") + " succeeded"
	if part := share(model.Number(float64(o.Succeeded) / float64(o.Total))); o.Total > 100 && part != "100 %" {
		return part + of
	}
	return count(o.Succeeded) + of
}

// impossible says how many requests no wait would get admitted, and what they are larger
// than; "" if there are none.
func impossible(s *model.Summary) string {
	n := s.Attempts.RejectedAs.Impossible
	if n == 0 {
		return ""
	}
	text := count(n) + " of " + plural(s.Attempts.Total, "attempt", "attempts")
	if n == s.Operations.Failures.Impossible {
		text = count(n) + " of " + count(s.Operations.Total)
	}
	text += " can never be admitted"
	var most *model.LimitSummary
	for i := range s.Provider.Limits {
		if l := &s.Provider.Limits[i]; l.TooLarge > 0 && (most == nil || l.TooLarge > most.TooLarge) {
			most = l
		}
	}
	if most == nil {
		return text
	}
	larger := ": they are larger than"
	if n == 1 {
		larger = ": it is larger than"
	}
	return text + larger + " the " + count(most.Holds) + " " + limitName(most.Axis) + " that the limit can hold"
}
