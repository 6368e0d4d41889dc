package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// entry is a line of the figures: what it shows of a summary, and whether there is
// anything to show.
type entry struct {
	label string
	of    func(*model.Summary) (value string, shown bool)
}

// number is an entry that is shown where it is not 0.
func number(label string, of func(*model.Summary) int64) entry {
	return entry{label, func(s *model.Summary) (string, bool) { return count(of(s)), of(s) != 0 }}
}

// entries are the lines of the figures, in order.
func entries() []entry {
	out := []entry{
		{"wall", func(s *model.Summary) (string, bool) { return wall(s), true }},
		{"operations", func(s *model.Summary) (string, bool) { return operations(s.Operations), true }},
	}
	for why := policies.AttemptsExhausted; why < policies.EndReasons; why++ {
		out = append(out, number("  "+why.String(), func(s *model.Summary) int64 { return failures(s.Operations.Failures)[why] }))
	}
	out = append(out,
		number("  truncated", func(s *model.Summary) int64 { return s.Operations.Truncated }),
		number("  cancelled", func(s *model.Summary) int64 { return s.Operations.Cancelled }),
		number("  in flight", func(s *model.Summary) int64 { return s.Operations.InFlight }),
		entry{"attempts", func(s *model.Summary) (string, bool) { return attempts(s.Attempts), true }},
	)
	for axis := range model.Axes {
		out = append(out, number("  rejected: "+axis.String(), func(s *model.Summary) int64 { return rejections(s.Attempts.RejectedBy)[axis] }))
	}
	return append(out,
		number("  errored", func(s *model.Summary) int64 { return s.Attempts.Errored }),
		number("  timed_out", func(s *model.Summary) int64 { return s.Attempts.TimedOut }),
		entry{"  timed out by", timeouts},
		number("  incomplete", func(s *model.Summary) int64 { return s.Attempts.Incomplete }),
		number("  cancelled", func(s *model.Summary) int64 { return s.Attempts.Cancelled }),
		number("  in flight", func(s *model.Summary) int64 { return s.Attempts.InFlight }),
		entry{"  statuses", func(s *model.Summary) (string, bool) { return statuses(s.Attempts), s.Attempts.Errored != 0 }},
		number("hedges", func(s *model.Summary) int64 { return s.Attempts.Hedges }),
		entry{"retries", retries},
		entry{"  by layer", layers},
		entry{"latency", latency},
		entry{"  p99, max", func(s *model.Summary) (string, bool) {
			return seconds(s.Latency.P99) + ", " + seconds(s.Latency.Max), s.Latency.P99.Defined()
		}},
		entry{"  from the send, p50", func(s *model.Summary) (string, bool) {
			return seconds(s.FromSend.P50) + "; p99, max " + seconds(s.FromSend.P99) + ", " + seconds(s.FromSend.Max), waitsToSend(s)
		}},
		entry{"first token p50", firstToken},
		entry{"failed after, p50", func(s *model.Summary) (string, bool) {
			return seconds(s.FailLatency.P50), s.FailLatency.P50.Defined()
		}},
		entry{"seats busy", func(s *model.Summary) (string, bool) {
			return percent(s.Provider.Utilisation), s.Provider.Utilisation.Defined()
		}},
		entry{"weather over, goodput back", recovery},
		number("queued at most", func(s *model.Summary) int64 { return s.Provider.MaxQueue }),
		entry{"gate wait p50, max", func(s *model.Summary) (string, bool) {
			w := s.Gate.Waited
			return seconds(w.P50) + ", " + seconds(w.Max), w.P50.Defined()
		}},
		entry{"tokens wasted", func(s *model.Summary) (string, bool) {
			return count(s.Tokens.Wasted) + " of " + count(s.Tokens.Billed), s.Tokens.Wasted != 0
		}},
		entry{"tokens shown twice", shown},
		entry{"cost", cost},
		entry{"simulated in", func(s *model.Summary) (string, bool) {
			if s.Engine.RealSeconds == nil {
				return dash, false
			}
			return seconds(model.Number(*s.Engine.RealSeconds)) + ", " + plural(s.Engine.Events, "event", "events"), true
		}},
	)
}

func wall(s *model.Summary) string {
	switch {
	case s.Wall.Defined():
		return seconds(s.Wall)
	case s.Operations.Total == 0:
		return dash + " (nothing started)"
	}
	return dash + " (not all ended)"
}

func operations(o model.Operations) string {
	switch {
	case o.Total == 0:
		return "0"
	case o.Succeeded == o.Total:
		return count(o.Total) + ", all succeeded"
	case o.Succeeded == 0:
		return count(o.Total) + ", none succeeded"
	}
	return count(o.Total) + ", " + count(o.Succeeded) + " succeeded"
}

func attempts(a model.Attempts) string {
	if a.Total == 0 {
		return "0"
	}
	return count(a.Total) + ", " + count(a.Succeeded) + " succeeded"
}

func statuses(a model.Attempts) string {
	var each []string
	for _, status := range slices.Sorted(maps.Keys(a.ByStatus)) {
		each = append(each, status+": "+count(a.ByStatus[status]))
	}
	return strings.Join(each, ", ")
}

func retries(s *model.Summary) (string, bool) {
	r := s.Retries
	if !r.Mean.Defined() {
		return dash, false
	}
	return decimal(r.Mean) + " mean, " + count(r.Max) + " at most", r.Max > 0
}

func latency(s *model.Summary) (string, bool) {
	if !s.Latency.P50.Defined() {
		return dash + " (no completed requests)", true
	}
	text := "p50 " + seconds(s.Latency.P50)
	if waitsToSend(s) {
		text += " (from the intended start)"
	}
	return text, true
}

// waitsToSend says whether operations waited before they sent anything, so that it matters
// what a latency is counted from.
func waitsToSend(s *model.Summary) bool { return s.FromSend != s.Latency && s.FromSend.P50.Defined() }

// firstToken is shown where it tells much more than the latency.
func firstToken(s *model.Summary) (string, bool) {
	p := s.FirstToken.P50
	return seconds(p), p.Defined() && p < 0.9*s.Latency.P50
}

func cost(s *model.Summary) (string, bool) {
	c := s.Cost
	if !c.Total.Defined() {
		return dash, false
	}
	currency := ""
	if c.Currency != nil {
		currency = " " + name(*c.Currency)
	}
	return decimal(c.Total) + currency + ", " + decimal(c.Wasted) + " wasted", true
}

func failures(f model.Failures) [policies.EndReasons]int64 {
	return [policies.EndReasons]int64{
		policies.AttemptsExhausted: f.AttemptsExhausted, policies.Deadline: f.Deadline, policies.OperationTimedOut: f.TimedOut,
		policies.Fatal: f.Fatal, policies.Unfinished: f.Incomplete, policies.Impossible: f.Impossible, policies.Quota: f.Quota,
		policies.Budget: f.Budget, policies.Breaker: f.Breaker, policies.Throttled: f.Throttled, policies.GateRefused: f.Gate,
	}
}

func rejections(r model.RejectedBy) [model.Axes]int64 {
	return [model.Axes]int64{
		model.Seats: r.Seats, model.Queue: r.Queue, model.Concurrency: r.Concurrency, model.Requests: r.Requests,
		model.Tokens: r.Tokens, model.InputTokens: r.InputTokens, model.OutputTokens: r.OutputTokens, model.Slope: r.Slope,
	}
}

// figures puts the figures of one run, or of two side by side where they fit.
func (s *screen) figures(runs ...Run) {
	head, named := []string{""}, len(runs) > 1
	for _, run := range runs {
		head = append(head, s.name(run))
	}
	var rows [][]string
	if named {
		rows = append(rows, head)
	}
	for _, e := range entries() {
		row, any := []string{e.label}, false
		for _, run := range runs {
			value, shown := e.of(run.Summary)
			row = append(row, shorten(value, s.style.width()-30))
			any = any || shown
		}
		if any {
			rows = append(rows, row)
		}
	}
	if s.table(rows, false) {
		return
	}
	for _, run := range runs {
		s.put(headingInk, s.name(run))
		s.end()
		s.figures(run)
	}
}
