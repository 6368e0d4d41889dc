package experiment

import (
	"maps"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/model"
)

// checkedFigures are the figures that a cross-check looks at, beside statuses, groups and
// slots: of what both worlds can count, those that tell most, as each one more makes all harder to
// find ([holmFigures]).
var checkedFigures = []string{
	"wall_s",
	"operations.total", "operations.succeeded", "operations.failed", "operations.cancelled", "operations.in_flight", "operations.truncated",
	"operations.failures.attempts_exhausted", "operations.failures.deadline", "operations.failures.timed_out", "operations.failures.fatal",
	"operations.failures.incomplete", "operations.failures.impossible", "operations.failures.quota", "operations.failures.budget",
	"operations.failures.breaker", "operations.failures.throttled", "operations.failures.gate",
	"attempts.total", "attempts.succeeded", "attempts.rejected", "attempts.errored", "attempts.timed_out", "attempts.incomplete",
	"attempts.cancelled", "attempts.in_flight",
	"attempts.timed_out_by.first_event", "attempts.timed_out_by.idle", "attempts.timed_out_by.attempt",
	"attempts.timed_out_by.operation", "attempts.timed_out_by.deadline",
	"attempts.rejected_by.seats", "attempts.rejected_by.queue", "attempts.rejected_by.concurrency", "attempts.rejected_by.requests",
	"attempts.rejected_by.tokens", "attempts.rejected_by.input_tokens", "attempts.rejected_by.output_tokens", "attempts.rejected_by.slope",
	"retries_per_operation.max", "herd.busiest", "herd.busiest_retry",
	"latency_s.mean", "latency_s.p50", "latency_s.p90", "latency_s.p99", "latency_s.max",
	"failure_latency_s.p50", "failure_latency_s.max",
	"first_token_s.p50", "first_token_s.p90", "first_token_s.p99",
	"gate.waited_s.p50", "gate.waited_s.p99", "gate.waited_s.max", "gate.max_in_flight",
	"tokens.billed", "tokens.useful", "tokens.wasted", "tokens.delivered", "tokens.duplicated",
	"provider.max_in_flight", "provider.max_queue", "provider.answers_generated", "provider.queue_wait_s.mean", "provider.queue_wait_s.p90",
}

// groupFigures are those of each group, where there are several; the latencies tell who is served first.
var groupFigures = []string{
	"operations.succeeded", "operations.failed", "operations.in_flight", "attempts.total", "attempts.rejected", "tokens.delivered",
	"latency_s.mean", "latency_s.p50",
}

// slotsFigure is the name of the distance between a run's sends over slots and those of all.
const slotsFigure = "slots"

// observed is what a cross-check keeps of a run.
type observed struct {
	*model.Summary
	slots []slotCount
	sent  int64
	end   float64 // seconds
}

// slotCount is how many attempts were sent in a slot.
type slotCount struct {
	slot int
	n    int64
}

// observe keeps of a run what is compared; a tally takes far more memory.
func observe(r *model.Summary, t *model.Tally) observed {
	s := observed{Summary: r, end: t.End().Seconds()}
	for i := range t.Slots() {
		if row := t.Slot(i); row.First+row.Retries > 0 {
			s.slots = append(s.slots, slotCount{i, row.First + row.Retries})
			s.sent += row.First + row.Retries
		}
	}
	return s
}

// column is a figure of every run, with times in the scenario's own; NaN where undefined.
func column(runs []observed, name string, scale float64) []float64 {
	var out []float64
	for i := range runs {
		v, known := runs[i].Figure(name)
		switch {
		case !known:
			v = model.Undefined()
		case model.InSeconds(name):
			v /= model.Number(scale)
		}
		out = append(out, float64(v))
	}
	return out
}

// chainOf is how many exchanges follow one another at most before an operation ends: its
// own attempts, or, where it waits at a gate or in the provider's queue, the rounds that all
// attempts take through the places there are.
func chainOf(r *observed) float64 {
	chain := float64(r.Retries.Max + 1)
	rounds := func(waited bool, places int64) {
		if waited && places > 0 {
			chain = max(chain, math.Ceil(float64(r.Attempts.Total)/float64(places)))
		}
	}
	rounds(r.Gate.Waited.Max > 0, r.Gate.MaxInFlight)
	rounds(r.Provider.MaxQueue > 0, r.Provider.MaxInFlight)
	return chain
}

// figureNames are the names of the figures of a scenario: those of all, statuses as they
// came about in these runs, and the groups'.
func figureNames(c *model.Config, runs []observed) []string {
	names := slices.Clone(checkedFigures)
	statuses := map[string]bool{}
	for i := range runs {
		for status := range runs[i].Attempts.ByStatus {
			statuses[status] = true
		}
	}
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		names = append(names, "attempts.by_status."+status)
	}
	if len(c.Clients) > 1 {
		for i := range c.Clients {
			for _, f := range groupFigures {
				names = append(names, model.JoinPath([]string{"groups", c.Clients[i].Name})+"."+f)
			}
		}
	}
	return names
}
