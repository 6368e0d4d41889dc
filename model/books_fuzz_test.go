package model_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// TS-D5: 100,000 operations whose clients give up, or are taken back, in every state they
// can be in: before the gate, granted at that instant, on their way, queued, being served,
// streaming, stalled, waiting to try again. The books of each balance to the nanosecond,
// and when all is over nobody holds a permit, a seat or a place.
func TestWhoeverLeavesLeavesNothing(t *testing.T) {
	runs, clients := 100, 50
	if testing.Short() || raced {
		runs = 10
	}
	const operations = 20
	ends := map[string]int64{}
	for seed := range runs {
		frees := []string{"0s", "30ms", "never"}[seed%3]
		network := []string{"0", "{exponential: {mean: 2ms}}"}[seed%2]
		scope := []string{"group", "client", "fleet"}[seed/2%3]
		permit := []string{"attempt", "operation"}[seed/6%2]
		stalls := "{probability: 2%, stall: true, after_tokens: 2, keep_alive: 3ms}, "
		if frees == "never" {
			stalls = "" // each would keep its seat for ever
		}
		s, err := scenarios.Decode("fuzz.yaml", fmt.Appendf(nil, `
name: fuzz
stop: {after: 10m}
provider:
  seats: 8
  queue: {places: 6, wait_limit: 60ms, order: %s}
  service: {first_token: {exponential: {mean: 10ms}}, per_token: {uniform: [0ms, 4ms]}}
  abandoned: {frees_seat_after: %s}
  faults: [%s{probability: 2%%, hang: true}, {probability: 2%%, cut: reset, after_tokens: 3}, {probability: 2%%, status: 500}]
clients:
  - name: callers
    count: %d
    arrive: {over: 100ms}
    repeat: {operations: %d, gap: {exponential: {mean: 5ms}}}
    request: {output_tokens: {lognormal: {p50: 8, p99: 40}}, stream: true}
    network: {one_way: %s}
    timeouts: {first_event: 25ms, idle: 9ms, attempt: 70ms, operation: 400ms}
    cancel: {probability: 40%%, after: {exponential: {mean: 60ms}}}
    stream: {retry: %s}
    gate: {concurrency: %d, scope: %s, permit: %s}
    layers: %s
policies:
  outer: {attempts: 2, backoff: {constant: 10ms}, deadline: 300ms}
  plain: {attempts: 4, backoff: {exponential: {base: 2ms}, jitter: full}}
  hedged: {attempts: 4, backoff: {exponential: {base: 2ms}, jitter: full}, hedge: {after: 12ms, at_most: 2}}
`, []string{"fifo", "lifo", "random"}[seed/3%3], frees, stalls, clients, operations, network,
			[]string{"always", "before-first-token"}[seed/5%2], map[string]int{"group": 12, "client": 1, "fleet": 12}[scope], scope, permit,
			[]string{"[plain]", "[outer, plain]", "[hedged]", "[outer, hedged]"}[seed%4]))
		if err != nil {
			t.Fatal(err)
		}
		r, err := playWith(context.Background(), &s.Config, uint64(seed), nil)
		if err != nil {
			t.Fatal(err)
		}
		if problems := r.audit(); problems != "" {
			t.Fatalf("seed %d: %s", seed, problems)
		}
		o, last := r.summary.Operations, r.tally.Slot(r.tally.Slots()-1)
		if o.Total != int64(clients*operations) || o.InFlight != 0 || last.Held != 0 {
			t.Fatalf("seed %d: %+v, at the end %+v", seed, o, last)
		}
		r.summary.EachFigure(func(path []string, n model.Number) {
			if name := model.JoinPath(path); isEnd(name) && n > 0 {
				ends[name] += int64(n)
			}
		})
	}
	for _, end := range []string{
		"operations.succeeded", "operations.cancelled", "operations.failures.timed_out", "operations.failures.incomplete", "operations.failures.deadline", "operations.failures.attempts_exhausted",
		"attempts.cancelled", "attempts.timed_out_by.first_event", "attempts.timed_out_by.idle", "attempts.timed_out_by.attempt", "attempts.timed_out_by.operation", "attempts.timed_out_by.deadline",
		"attempts.hedges", "attempts.incomplete", "attempts.errored", "attempts.rejected_by.queue",
	} {
		if ends[end] == 0 {
			t.Errorf("%s never came about", end)
		}
	}
	t.Log(ends)
}
