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
	case o.Total == 0:
		return "No operation started before the run ended."
	case o.InFlight == o.Total:
		return "No completed requests: " + operations + " still in flight when the run ended, after " + attempts + "."
	}
	parts := []string{operations + " took " + seconds(s.Wall) + " and " + attempts}
	if !s.Wall.Defined() {
		parts[0] = operations + " had not all ended when the run did, after " + attempts
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
	if o.Cancelled > 0 {
		parts = append(parts, count(o.Cancelled)+" were taken back")
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
