package model

import (
	"fmt"
	"time"
)

// says tells a run in one sentence.
func says(s *Summary) string {
	o := s.Operations
	if o.Total == 0 {
		return "No operation started before the run ended."
	}
	calls := plural(o.Total, "operation")
	if o.Succeeded+o.Failed+o.Cancelled == 0 {
		return fmt.Sprintf("No completed requests: %s still in flight when the run ended, after %s.", calls, plural(s.Attempts.Total, "attempt"))
	}
	took := "had not all ended when the run did"
	if s.Wall.Defined() {
		took = "took " + humanSeconds(s.Wall)
	}
	sentence := fmt.Sprintf("%s %s and %s", calls, took, plural(s.Attempts.Total, "attempt"))
	if s.Herd.BusiestRetry > 0 {
		sentence += fmt.Sprintf("; the busiest retry slot held %d", s.Herd.BusiestRetry)
	}
	switch {
	case o.Failed == o.Total:
		sentence += "; all of them failed"
		if o.Total == 1 {
			sentence = sentence[:len(sentence)-len("all of them failed")] + "it failed"
		}
	case o.Failed > 0:
		sentence += fmt.Sprintf("; %d failed", o.Failed)
	}
	if o.InFlight > 0 {
		sentence += fmt.Sprintf("; %d still in flight", o.InFlight)
	}
	return sentence + "."
}

// warnings says what a reader of the figures must know.
func warnings(s *Summary) []string {
	var out []string
	if n := s.Operations.InFlight; n > 0 {
		out = append(out, fmt.Sprintf("stop.after: the horizon came while %s still in flight; they count as infinitely slow in all_latency_s and are in no other latency", were(n, "operation")))
	}
	return out
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func were(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return plural(n, noun) + " were"
}

// humanSeconds writes a time with about three digits and the unit that suits it.
func humanSeconds(n Number) string {
	d := time.Duration(float64(n) * 1e9)
	switch {
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	case d < 100*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
