package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Every way in which operations come, in both worlds: each row's figures are the same to the
// nanosecond. The service and the network are random, so that nothing happens at one
// instant by chance.
func TestWorkloadsSameAsVirtualTime(t *testing.T) {
	const head = `
name: workloads
provider:
  seats: 6
  service: {first_token: {exponential: {mean: 40ms}}, per_token: {uniform: [1ms, 20ms]}}
  hint: {retry_after: exact, format: [seconds, ms]}
clients:
  - name: callers
    request: {input_tokens: {lognormal: {p50: 20, p99: 90}}, output_tokens: {lognormal: {p50: 12, p99: 60}}, stream: true}
    network: {one_way: {sum: [1ms, {exponential: {mean: 5ms}}]}}
    policy: full-jitter
`
	trace := filepath.Join(t.TempDir(), "trace.csv")
	var rows strings.Builder
	rows.WriteString("when,in,out\n")
	for i := range 60 { // three bursts, no two rows at one instant
		fmt.Fprintf(&rows, "%.3f,10,5\n", float64(i/20)*0.3+float64(i%20)*0.001)
	}
	if err := os.WriteFile(trace, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	seeds := 3
	if raced {
		seeds = 1
	}
	const steps = "{0s: 20/s, 1s: 120/s, 2s: 5/s}"
	for _, row := range []struct{ says, group, rest string }{
		{"evenly spaced arrivals", "arrive: {rate: 40/s, for: 3s}", ""},
		{"arrivals up to the horizon", "arrive: {rate: 40/s, process: poisson}", "stop: {when: horizon, after: 3s}"},
		{"memoryless arrivals", "arrive: {rate: 40/s, process: poisson, for: 3s}", ""},
		{"arrivals in bursts", "arrive: {rate: 40/s, process: {gamma: {cv: 3}}, for: 3s}", ""},
		{"steps of a rate", "arrive: {at: 100ms, rate: " + steps + ", process: poisson, for: 3s}", ""},
		{"a rate that changes evenly", "arrive: {rate: " + steps + ", ramp: true, for: 3s}", ""},
		{"a trace, each row a client of its own", "arrive: {trace: TRACE, columns: {time: when, input: in}}", ""},
		{"a trace, dealt out to clients with a gate each", "arrive: {trace: TRACE, columns: {time: when, output: out}, speed: 2, over_clients: 7}\n    gate: {concurrency: 1, scope: client}", ""},
		{"a piece of real traffic", "arrive: {trace: azure-conv.csv, speed: 10, slice: [10s, 40s]}\n    idempotency_key: operation", ""},
		{"closed loops with gaps", "count: 9\n    repeat: {gap: {exponential: {mean: 50ms}}, operations: 8}\n    arrive: {over: 100ms}", ""},
		{"closed loops for ever", "count: 9\n    repeat: {gap: {exponential: {mean: 50ms}}, operations: unlimited}", "stop: {when: horizon, after: 2s}"},
		{"open loops, in which a client asks before it has its answer", "count: 9\n    repeat: {loop: open, gap: {exponential: {mean: 80ms}}, operations: 8}\n    arrive: {over: 100ms}", ""},
		{"open loops before a gate", "count: 9\n    repeat: {loop: open, gap: {exponential: {mean: 80ms}}, operations: 8}\n    arrive: {over: 100ms}\n    gate: {concurrency: 4}", ""},
		{"operations of the warm-up, which count in the series alone", "count: 9\n    arrive: {over: 100ms}\n    repeat: {gap: {exponential: {mean: 50ms}}, operations: 20}\n    gate: {concurrency: 7}", "warm_up: 700ms"},
		{"a warm-up of open arrivals, priced, that reaches into what follows", "arrive: {rate: 60/s, process: poisson, for: 3s}\n    priority: 3\n    stream: {partial: keep}\n    timeouts: {attempt: 300ms}", "warm_up: 1s"},
		{"workers, each with a gate", "arrive: {rate: 60/s, process: poisson, for: 3s}\n    workers: 3\n    gate: {concurrency: 2, scope: worker}", ""},
		{"workers of a closed group", "count: 9\n    repeat: {operations: 6}\n    arrive: {over: 100ms}\n    workers: 4\n    gate: {concurrency: 1, scope: worker}", ""},
		{"a paced gate before open arrivals", "arrive: {rate: 60/s, process: poisson, for: 2s}\n    gate: {requests: 50/s, burst: 100ms}", ""},
		{"a gate that counts the tokens of a trace", "arrive: {trace: TRACE, columns: {time: when, input: in, output: out}}\n    gate: {tokens: 2000/s, burst: 200ms, estimate: {input: actual, output: none}}", ""},
		{"priorities before a queue", "arrive: {rate: 50/s, process: poisson, for: 3s}\n    priority: 1\n  - name: urgent\n    count: 4\n    arrive: {over: 50ms}\n    repeat: {gap: {exponential: {mean: 20ms}}, operations: 30}\n    request: {output_tokens: 9}\n    network: {one_way: {exponential: {mean: 3ms}}}", "provider: {queue: {places: 40, order: priority, aging: 2s, reserve: 1}}"},
	} {
		t.Run(row.says, func(t *testing.T) {
			text := head + "    " + strings.ReplaceAll(row.group, "TRACE", filepath.Base(trace)) + "\n"
			if over, is := strings.CutPrefix(row.rest, "provider: {"); is {
				text = strings.Replace(text, "  seats: 6\n", "  seats: 6\n  "+strings.TrimSuffix(over, "}")+"\n", 1)
			} else {
				text += row.rest + "\n"
			}
			s, err := scenarios.Decode(filepath.Join(filepath.Dir(trace), "row.yaml"), []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for seed := range uint64(seeds) {
				want := virtually(t, &s.Config, seed)
				if want.Operations.Total < 30 || want.Attempts.Rejected+want.Provider.MaxQueue+want.Gate.MaxInFlight == 0 {
					t.Errorf("seed %d: too little happens: %+v", seed, want.Operations)
				}
				sameFigures(t, seed, want, inBubble(t, &s.Config, seed))
			}
		})
	}
}

// A trace's row that there is not is a stranger's business, and disturbs nobody.
func TestErrandsOutsideATrace(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Clients[0].Arrive.Trace = "t.csv"
	c.Clients[0].Arrive.Playback = model.Playback{Rows: make([]model.TraceRow, 10), Input: true}
	for over, rows := range map[int]map[errand]bool{
		0: {{client: 9}: true, {client: 10}: false, {client: 1, operation: 1}: false},
		4: {{client: 1, operation: 2}: true, {client: 2, operation: 2}: false, {client: 4}: false, {client: 3, operation: 1 << 30}: false},
	} {
		c.Clients[0].Arrive.OverClients = over
		crowd, err := c.Crowd()
		if err != nil {
			t.Fatal(err)
		}
		for e, want := range rows {
			e.group = "herd"
			if _, _, ok := errandOf(e.String(), crowd.Cohorts); ok != want {
				t.Errorf("over %d clients, %v: known %v, want %v", over, e, ok, want)
			}
		}
	}
}
