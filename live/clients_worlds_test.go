package live

import (
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// What clients are like, in both worlds: each row's figures are the same to the nanosecond.
// The service and the network are random, so that nothing happens at one instant by chance.
func TestClientsSameAsVirtualTime(t *testing.T) {
	const head = `
name: clients
stop: {after: 20s, when: horizon}
provider:
  seats: 6
  service: {first_token: {exponential: {mean: 40ms}}, per_token: {uniform: [1ms, 20ms]}}
  abandoned: {frees_seat_after: 30ms}
`
	const group = `
    count: 8
    arrive: {over: 200ms}
    request: {input_tokens: 20, output_tokens: {lognormal: {p50: 12, p99: 60}}, stream: true}
    network: {one_way: {sum: [1ms, {exponential: {mean: 5ms}}]}}
`
	for _, row := range []struct{ says, provider, group, rest string }{
		{"a first-event time-out", "", "timeouts: {first_event: 60ms}\n    policy: full-jitter", ""},
		{"an idle time-out that also waits for the first event", "", "timeouts: {idle: 35ms}\n    policy: full-jitter", ""},
		{"an idle time-out shorter than some tokens take", "", "timeouts: {idle: 12ms, first_event: 1s}\n    stream: {retry: always}\n    policy: full-jitter", ""},
		{"a stall with keep-alives, told from silence by its tokens", "faults: [{first: 1, stall: true, after_tokens: 3, keep_alive: 20ms}]", "timeouts: {idle: 60ms, first_event: 400ms}\n    policy: full-jitter", ""},
		{"a stall with keep-alives, not told from an answer", "faults: [{first: 1, stall: true, after_tokens: 3, keep_alive: 20ms}]", "timeouts: {idle: 60ms, idle_reset: any-byte, operation: 3s}\n    policy: full-jitter", ""},
		{"a stall after the header alone", "faults: [{first: 1, stall: true, after_tokens: 0, keep_alive: 70ms}]", "timeouts: {idle: 60ms, idle_reset: any-byte}\n    policy: full-jitter", ""},
		{"broken streams that are asked for again and shown twice", "faults: [{first: 1, cut: reset, after_tokens: 4}]", "stream: {retry: always, partial: keep}\n    policy: full-jitter", ""},
		{"broken streams that are asked for again and buffered", "faults: [{first: 1, cut: close, after_tokens: 4}]", "stream: {retry: always}\n    policy: full-jitter", ""},
		{"broken streams whose parts are kept", "faults: [{first: 1, cut: reset, after_tokens: 4}]", "stream: {partial: keep}\n    policy: full-jitter", ""},
		{"broken streams that are taken for whole", "faults: [{first: 1, cut: close, after_tokens: 4}]", "stream: {completeness: naive}\n    policy: full-jitter", ""},
		{"streams never asked for again", "faults: [{first: 1, in_stream: overloaded_error}]", "stream: {retry: never}\n    policy: full-jitter", ""},
		{"users who take back, wherever their call is", "", "cancel: {probability: 70%, after: {exponential: {mean: 100ms}}}\n    gate: {concurrency: 4}\n    policy: full-jitter", ""},
		{"three layers", "faults: [{first: 9, status: 500}]", "layers: [queue, job, client]", `policies:
  client: {attempts: 2, backoff: {constant: 37ms}}
  job: {attempts: 3, backoff: {exponential: {base: 50ms}, jitter: full}, deadline: 800ms}
  queue: {attempts: 2, backoff: {constant: 113ms}, triage: everything}`},
		{"layers with deadlines, in flight and while waiting", "faults: [{first: 3, hang: true}]", "layers: [job, client]\n    timeouts: {attempt: 90ms}", `policies:
  client: {attempts: 5, backoff: {constant: 37ms}, deadline: 210ms}
  job: {attempts: 4, backoff: {constant: 50ms}}`},
		{"hedges after a while", "", "policy: hedged", "policies: {hedged: {hedge: {after: 90ms, at_most: 2}, backoff: {exponential: {base: 50ms}, jitter: full}}}"},
		{"hedges that join an answer hear its tokens as they come", "idempotency: attach", "idempotency_key: operation\n    timeouts: {idle: 35ms, first_event: 1s}\n    stream: {partial: keep}\n    policy: hedged", "policies: {hedged: {hedge: {after: 90ms, at_most: 2}, backoff: {exponential: {base: 50ms}, jitter: full}}}"},
		{"who asks again joins what is still made, and keeps what has come of it", "idempotency: attach", "idempotency_key: operation\n    timeouts: {attempt: 90ms}\n    stream: {retry: always, partial: keep}\n    policy: again", "policies: {again: {attempts: 4, backoff: {constant: 10ms}}}"},
		{"hedges after a percentile that moves, of clients that listen", "", "repeat: {operations: 12}\n    timeouts: {idle: 1s}\n    policy: hedged", "policies: {hedged: {hedge: {after: p60, at_most: 2}, backoff: {exponential: {base: 50ms}, jitter: full}}}"},
		{"hedges with time-outs of their own", "", "policy: hedged\n    timeouts: {first_event: 70ms, attempt: 200ms}", "policies: {hedged: {hedge: {after: 45ms, at_most: 2}, backoff: {exponential: {base: 50ms}, jitter: full}}}"},
	} {
		t.Run(row.says, func(t *testing.T) {
			text := head
			if row.provider != "" {
				text += "  " + row.provider + "\n"
			}
			text += "clients:\n  - name: callers" + group + "    " + row.group + "\n" + row.rest
			s, err := scenarios.Decode("row.yaml", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			happened := false
			for seed := range uint64(5) {
				want := virtually(t, &s.Config, seed)
				happened = happened || matters(want)
				sameFigures(t, seed, want, inBubble(t, &s.Config, seed))
			}
			if !happened {
				t.Error("nothing of what the row is about happened")
			}
		})
	}
}

// matters says whether a run has anything but plain attempts.
func matters(s *model.Summary) bool {
	a := s.Attempts
	return a.TimedOut+a.Cancelled+a.Incomplete+a.Hedges+s.Operations.Truncated+s.Operations.Cancelled > 0 || a.Errored > 0
}
