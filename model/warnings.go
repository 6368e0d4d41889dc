package model

import "fmt"

// warnings says what a reader of the figures must know.
func warnings(s *Summary) []string {
	var out []string
	if n := s.Operations.InFlight; n > 0 {
		out = append(out, fmt.Sprintf("stop.after: the horizon came while %s still in flight; they count as infinitely slow in all_latency_s and are in no other latency", were(n)))
	}
	return out
}

func were(operations int64) string {
	if operations == 1 {
		return "1 operation was"
	}
	return fmt.Sprintf("%d operations were", operations)
}
