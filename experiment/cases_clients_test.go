package experiment

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// The reference chapter's experiments with clients, and the public cases of time-outs and
// streams (cases.md), each with the numbers of the page or of a hand calculation.

const oneStream = `
provider: {service: {first_token: 60ms, per_token: 60ms}, faults: [%s]}
clients: [{request: {output_tokens: 13, stream: true}, network: {one_way: 5ms}, %s}]
policies: {again: {attempts: 3, backoff: {constant: 1s}}}
stop: {after: 10m}
`

// stream is one call of 13 tokens, 60 ms apart, 5 ms away from a provider with faults.
func stream(faults, client string, set ...string) func(testing.TB) *scenarios.Scenario {
	return func(t testing.TB) *scenarios.Scenario {
		return inline(t, fmt.Sprintf(oneStream, faults, client), set...)
	}
}

func TestFiguresOfClients(t *testing.T) {
	for _, test := range []struct {
		says string
		of   func(testing.TB) *scenarios.Scenario
		want map[string]float64
	}{
		{
			"E4: max_tokens 5 ends normally after 5 chunks; a close after 5 too, for a naive client, 5 chunks; a reset is an error after 4; a strict client takes only the first for an answer",
			builtin("endings"),
			map[string]float64{
				"groups.naive-length.operations.succeeded": 1, "groups.naive-length.tokens.delivered": 5, "groups.naive-length.operations.truncated": 0,
				"groups.naive-closed.operations.succeeded": 1, "groups.naive-closed.tokens.delivered": 5, "groups.naive-closed.operations.truncated": 1,
				"groups.naive-reset.operations.succeeded": 0, "groups.naive-reset.attempts.incomplete": 1, "groups.naive-reset.tokens.delivered": 4,
				"groups.strict-length.operations.succeeded": 1, "groups.strict-closed.operations.succeeded": 0, "groups.strict-reset.operations.succeeded": 0,
				"groups.strict-closed.tokens.useful": 0, "groups.strict-closed.tokens.billed": 5,
				"operations.succeeded": 9, "operations.failures.incomplete": 5, "operations.truncated": 3,
			},
		},
		{
			"E11: a hang ends at 5.0 s with a deadline, and at 300.8 s by Node's headers time-out",
			builtin("hang"),
			map[string]float64{"failure_latency_s.p50": 5, "failure_latency_s.max": 300.8, "attempts.timed_out_by.operation": 1, "attempts.timed_out_by.first_event": 1},
		},
		{
			"E12: silence after the token of 300 ms ends at 15.3 s, a deadline for the whole at 20 s, for the long answer of 30 s too; comments every 10 s hold off who counts bytes for ever",
			builtin("stall"),
			map[string]float64{
				"attempts.timed_out_by.idle": 1, "attempts.timed_out_by.attempt": 2, "attempts.in_flight": 1, "operations.succeeded": 1, "latency_s.max": 30, "failure_latency_s.mean": (15.3 + 20 + 20) / 3,
				"groups.by-byte.attempts.in_flight": 1, "groups.long-whole.attempts.timed_out": 1,
			},
		},
		{
			"E13: Stop and deadline at 300 ms, five tokens each by then; both answers go on to 13, billed and wasted",
			builtin("cancel"),
			map[string]float64{"operations.cancelled": 1, "operations.failures.timed_out": 1, "attempts.cancelled": 1, "attempts.timed_out": 1, "tokens.billed": 26, "tokens.wasted": 26, "tokens.delivered": 10, "wall": 0.3},
		},
		{
			"E13, where leaving stops the work: five tokens each are billed, of a token that leaves as the client does the provider has heard nothing yet",
			builtin("cancel", "provider.abandoned.frees_seat_after=0s"),
			map[string]float64{"tokens.billed": 10, "tokens.wasted": 10},
		},
		{
			"E15: 6 sends and 6.2 s an SDK call, 4 calls 10 s apart a job of 54.8 s, 5 jobs 30 s apart: 120 sends, 394 s; the SDK's 100 retries wait 20 x 6.2 s",
			builtin("nested-retries"),
			map[string]float64{"attempts": 120, "failure_latency_s.max": 394, "attempts.errored": 120, "operations.failures.attempts_exhausted": 1},
		},
		{
			"E15, one SDK call alone: six seconds",
			builtin("nested-retries", "clients.0.layers=[sdk]"),
			map[string]float64{"attempts": 6, "failure_latency_s.max": 6.2},
		},
		{
			"E15, with 100 s for the queue's call: its second job begins at 84.8 s, and the SDK call in it ends at 91 s; the next would begin at 101 s, so all ends there and then, after 24 + 6 sends",
			builtin("nested-retries", "policies.queue.deadline=100s"),
			map[string]float64{"attempts": 30, "operations.failures.deadline": 1, "failure_latency_s.max": 91},
		},
		{
			"E16: not asked for again, a stream that broke has cost its tokens, and its text is thrown away",
			stream("{first: 1, cut: close, after_tokens: 5}", "policy: again"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts": 1, "tokens.billed": 5, "tokens.wasted": 5, "tokens.delivered": 5},
		},
		{
			"E16: or its text is kept, marked as incomplete, and of use",
			stream("{first: 1, cut: close, after_tokens: 5}", "policy: again, stream: {partial: keep}"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts": 1, "tokens.billed": 5, "tokens.useful": 5, "tokens.wasted": 0},
		},
		{
			"E16: or it begins again, 1 s later, and is paid for again; the reader has waited for the whole, 310 + 1,000 + 790 ms",
			stream("{first: 1, cut: close, after_tokens: 5}", "policy: again, stream: {retry: always}"),
			map[string]float64{"operations.succeeded": 1, "attempts": 2, "tokens.billed": 18, "tokens.wasted": 5, "tokens.delivered": 13, "tokens.duplicated": 0, "first_token_s.max": 2.1, "latency_s.max": 2.1},
		},
		{
			"E16: or it begins again before the reader's eyes, who gets both halves",
			stream("{first: 1, cut: close, after_tokens: 5}", "policy: again, stream: {retry: always, partial: keep}"),
			map[string]float64{"operations.succeeded": 1, "tokens.delivered": 18, "tokens.duplicated": 5, "first_token_s.max": 0.31 + 1 + 0.07},
		},
		{
			"TS-D2: an error inside a 200 before any token is asked for again; after five it is not, without a word",
			stream("{first: 1, in_stream: overloaded_error}", "policy: again"),
			map[string]float64{"operations.succeeded": 1, "attempts": 2, "attempts.by_status.200": 2, "attempts.errored": 1},
		},
		{
			"TS-D2: after five",
			stream("{first: 1, in_stream: overloaded_error, after_tokens: 5}", "policy: again"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts": 1, "attempts.by_status.200": 1, "attempts.errored": 1},
		},
		{
			"TS-D1: a hang is ended by the time to the first event, on the nanosecond, and asked for again",
			stream("{first: 1, hang: true}", "policy: again, timeouts: {first_event: 7.000000001s}"),
			map[string]float64{"operations.succeeded": 1, "attempts.timed_out_by.first_event": 1, "latency_s.max": 7.000000001 + 1 + 0.79},
		},
		{
			"TS-D1: a stall after output is a failure: the third token reaches the client at 190 ms, and 2 s of silence end at 2.19 s",
			stream("{first: 1, stall: true, after_tokens: 3, keep_alive: 500ms}", "policy: again, timeouts: {first_event: 1s, idle: 2s}"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts.timed_out_by.idle": 1, "failure_latency_s.max": 2.19, "tokens.delivered": 3},
		},
		{
			"TS-D1: comments every half second are bytes, so who counts these is ended by the attempt's time-out; every 3 s they come too late for 2 s of patience",
			stream("{first: 1, stall: true, after_tokens: 3, keep_alive: 500ms}", "policy: again, timeouts: {first_event: 1s, idle: 2s, idle_reset: any-byte, attempt: 40s}"),
			map[string]float64{"attempts.timed_out_by.attempt": 1, "failure_latency_s.max": 40},
		},
		{
			"TS-D1: every 3 s",
			stream("{first: 1, stall: true, after_tokens: 3, keep_alive: 3s}", "policy: again, timeouts: {first_event: 1s, idle: 2s, idle_reset: any-byte, attempt: 40s}"),
			map[string]float64{"attempts.timed_out_by.idle": 1, "failure_latency_s.max": 2.19},
		},
		{
			"TS-D1: without either knob the run ends at the horizon and lists what hangs",
			stream("{hang: true}", "policy: again"),
			map[string]float64{"operations.in_flight": 1, "attempts.in_flight": 1, "attempts.timed_out": 0},
		},
		{
			"a token that is on its way when the idle time-out is due, and comes at that instant, is in time: tokens 60 ms apart, 60 ms of patience",
			stream("{first: 1, status: 500}", "policy: again, timeouts: {idle: 60ms, first_event: 1s}"),
			map[string]float64{"operations.succeeded": 1, "attempts.timed_out": 0},
		},
		{
			"and one nanosecond later it is not: the second token of the second attempt is awaited in vain",
			stream("{first: 1, status: 500}", "policy: again, timeouts: {idle: 59.999999ms, first_event: 1s}"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts.timed_out_by.idle": 1, "failure_latency_s.max": 0.010 + 1 + 0.070 + 0.059999999},
		},
		{
			"a hedge after 2 s wins over a hang: the answer is there at 2 + 0.79 s, the loser is cancelled",
			stream("{first: 1, hang: true}", "policy: hedged, timeouts: {operation: 1m}", "policies.hedged={hedge: {after: 2s}, attempts: 1}"),
			map[string]float64{"operations.succeeded": 1, "attempts": 2, "attempts.hedges": 1, "attempts.cancelled": 1, "latency_s.max": 2.79, "tokens.billed": 13},
		},
		{
			"a hedge that loses has its tokens billed and wasted: it is sent at 400 ms, and when the first answer comes at 790 ms six of its tokens are made by the time the provider hears of it, 5 ms later",
			stream("{first: 1, hang: true, keys: [nobody]}", "key: nobody-else, policy: hedged", "policies.hedged={hedge: {after: 400ms}, attempts: 1}", "provider.abandoned.frees_seat_after=0s", "provider.faults=[]", "stop.when=horizon"),
			map[string]float64{"operations.succeeded": 1, "attempts.hedges": 1, "attempts.cancelled": 1, "tokens.billed": 13 + 6, "tokens.useful": 13, "tokens.wasted": 6, "tokens.delivered": 13},
		},
		{
			"a layer's deadline at 420 ms finds six tokens of the attempt sent first, and none of its hedge, sent at 400 ms: what was begun to be read is not asked for again by the layer around it",
			stream("{hang: true}", "layers: [outer, hedged]", "provider.faults=[]", "policies.hedged={hedge: {after: 400ms}, attempts: 1, deadline: 420ms}", "policies.outer={attempts: 2, backoff: {constant: 1s}}"),
			map[string]float64{"operations.failures.deadline": 1, "attempts": 2, "attempts.hedges": 1, "attempts.timed_out_by.deadline": 2, "failure_latency_s.max": 0.42},
		},
		{
			"nor is it after the attempt sent first has ended, with its time-out at 410 ms, six tokens and the hedge beside it",
			stream("{hang: true}", "layers: [outer, hedged], timeouts: {attempt: 410ms}", "provider.faults=[]", "policies.hedged={hedge: {after: 400ms}, attempts: 1, deadline: 420ms}", "policies.outer={attempts: 2, backoff: {constant: 1s}}"),
			map[string]float64{"operations.failures.deadline": 1, "attempts": 2, "attempts.hedges": 1, "attempts.timed_out_by.attempt": 1, "attempts.timed_out_by.deadline": 1, "failure_latency_s.max": 0.42},
		},
		{
			"nor where the hedge fails by itself: the first attempt is cut after five tokens, at 310 ms, while its hedge of 300 ms meets an error, at 310 ms too",
			stream("{first: 1, cut: close, after_tokens: 5}", "policy: hedged", "policies.hedged={hedge: {after: 300ms}, attempts: 3, backoff: {constant: 1s}}", "provider.faults=[{keys: [k], first: 1, cut: close, after_tokens: 5}, {keys: [k], status: 500}]", "clients.0.key=k"),
			map[string]float64{"operations.failures.incomplete": 1, "attempts": 2, "attempts.hedges": 1, "attempts.incomplete": 1, "attempts.errored": 1, "failure_latency_s.max": 0.31},
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			s := test.of(t)
			result, err := Run(context.Background(), s, s.Seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				got, known := result.Summary.Figure(name)
				if !known || math.Abs(float64(got)-want) > 1e-9*max(1, math.Abs(want)) || !got.Defined() {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
		})
	}
}

// TS-D1: a tenth of the calls have no header ever, a tenth fall silent after five tokens. With
// 30 s of patience for silence no attempt lasts longer than 30 s after the last sign of it.
func TestNobodyWaitsLongerThanSilence(t *testing.T) {
	s := inline(t, `
provider:
  service: {first_token: {exponential: {mean: 2s}}, per_token: {exponential: {mean: 50ms}}}
  faults: [{probability: 10%, hang: true}, {probability: 10%, stall: true, after_tokens: 5, keep_alive: 7s}]
clients: [{count: 2000, arrive: {over: 1m}, request: {output_tokens: 50, stream: true}, network: {one_way: {exponential: {mean: 20ms}}}, timeouts: {idle: 30s}, policy: full-jitter}]
stop: {after: 1h}
`)
	result, lines := recorded(t, s)
	draws, err := s.Config.Crowd()
	if err != nil {
		t.Fatal(err)
	}
	hung, stalled := 0, 0
	for _, line := range lines {
		if line.Answer.End != policies.TimedOut {
			continue
		}
		last := line.Sent
		if line.FirstSeen != policies.Never {
			key := model.OperationKey(model.ClientKey(s.Seed, line.Group, line.Client), line.Operation)
			last = line.FirstSeen + 4*draws.Cohorts[0].Draws.Request(key, int32(line.Attempt)).PerToken
			stalled++
		} else {
			hung++
		}
		if line.Answered-last != 30*time.Second {
			t.Fatalf("client %d attempt %d: given up %v after its last sign", line.Client, line.Attempt, line.Answered-last)
		}
	}
	o := result.Summary.Operations
	// A stall after output is a failure, a hang is tried again.
	if hung < 150 || stalled < 150 || o.InFlight > 0 || o.Failures.Incomplete != int64(stalled) || o.Succeeded != o.Total-int64(stalled) {
		t.Errorf("%d hung, %d stalled, operations %+v", hung, stalled, o)
	}
}

// Independent failures f and R retries: an operation makes (1 - f^(R+1)) / (1 - f) sends
// on average, a geometric sum; and f^(R+1) of them fail.
func TestSendsOfIndependentFailures(t *testing.T) {
	const operations = 1_000_000
	for _, pair := range []struct {
		f       float64
		retries int
	}{{0.1, 2}, {0.3, 5}, {0.5, 3}, {0.8, 1}} {
		t.Run(fmt.Sprintf("f=%v, R=%d", pair.f, pair.retries), func(t *testing.T) {
			t.Parallel()
			n := operations
			if testing.Short() || raceDetector {
				n /= 20
			}
			s := inline(t, fmt.Sprintf(`
provider: {faults: [{probability: %v, status: 500}]}
clients: [{count: %d, repeat: {operations: 100}, policy: some}]
policies: {some: {attempts: %d, backoff: none}}
`, pair.f, n/100, pair.retries+1))
			result, err := Run(context.Background(), s, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 0.005 * math.Sqrt(operations/float64(n))
			want := (1 - math.Pow(pair.f, float64(pair.retries+1))) / (1 - pair.f)
			if got := float64(result.Summary.Amplify); math.Abs(got/want-1) > tolerance {
				t.Errorf("%v sends an operation, want %v", got, want)
			}
			lost := math.Pow(pair.f, float64(pair.retries+1))
			if got := float64(result.Summary.Operations.Failed) / float64(n); math.Abs(got-lost) > 5*math.Sqrt(lost*(1-lost)/float64(n)) {
				t.Errorf("%v of the operations failed, want %v", got, lost)
			}
		})
	}
}
