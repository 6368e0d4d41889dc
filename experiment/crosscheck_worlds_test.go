package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

// A cross-check finds a lie that one side alone is told: each at least 9 times of 10, at the
// default number of runs. LIES says how often each is told; by default only the shortest
// is, once. What is told once may be missed once in ten: then it is told again, up to three times.
func TestCrossCheckFindsLies(t *testing.T) {
	times, all := often(t, "LIES")
	for _, row := range []struct {
		says, scenario, lie string
		scale               float64
		shows               string // in which figure, at least
		always              bool
	}{
		{"a service that is 10 % longer", "gate-20", "provider.service={first_token: 10.67ms, per_token: 10.67ms}", 1, "wall_s", true},
		{"four seats and not three", "herd-100", "provider.seats=4", 1, "provider.max_in_flight", false},
		{"equal jitter and not full", "herd-100", "policy=equal-jitter", 1, "attempts.total", false},
		{"a hint that is ignored", "herd-20", "policies.patient.hint=ignore", 1, "wall_s", false},
		{"a sliding log and not a bucket", "two-axes", "provider.limits.1.algorithm=sliding-log", 0.01, "attempts.rejected_by.tokens", false},
		{"any byte and not content alone", "stall", "clients.0.timeouts.idle_reset=any-byte", 0.01, "attempts.timed_out_by.idle", false},
		{"the other group goes first", twoPriorities, "clients.0.priority=2", 1, "groups.a.latency_s.p50", false},
	} {
		if !all && !row.always {
			continue
		}
		t.Run(row.says, func(t *testing.T) {
			found, fair := 0, 0
			enough := func() bool { return fair >= times && (times > 1 || found > 0) }
			for time := 0; time < 3*times && !enough(); time++ {
				load := scenario
				if row.scenario == twoPriorities {
					load = func(t *testing.T, yaml string, set ...string) *scenarios.Scenario { return inline(t, yaml, set...) }
				}
				s, lie := load(t, row.scenario), load(t, row.scenario, row.lie)
				s.Seed += uint64(time) << 32
				lie.Seed = s.Seed
				checked, err := CrossCheck{Scenario: s, Lie: lie, Seeds: LeastVirtual, Scale: row.scale, Jobs: 2}.Run(t.Context())
				switch {
				case IsUnfair(err):
					t.Log(err) // told again, when the machine has less to do
					continue
				case err != nil:
					t.Fatal(err)
				}
				var differ []string
				for _, f := range checked.Figures {
					if f.Verdict == Differs {
						differ = append(differ, f.Name)
					}
				}
				if slices.Contains(differ, row.shows) {
					found++
				}
				fair++
				t.Logf("found %d of %d; %d real runs, %d played again; differ: %v", found, fair, len(checked.Lateness), len(checked.Late), differ)
			}
			if fair == 0 {
				t.Skip("the machine was too busy for every one")
			}
			if found*10 < fair*9 && (times > 1 || found == 0) {
				t.Errorf("found %d times of %d", found, fair)
			}
		})
	}
}

// Ctrl-C keeps what was finished, marked partial, and too few runs for the level.
func TestCrossCheckInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	over := errors.New("enough")
	c := CrossCheck{Scenario: scenario(t, "triage-first"), Seeds: LeastVirtual, Scale: 1, Jobs: 2, Progress: func(part string, done, _ int) {
		if part == "runs over sockets" && done == 2 {
			stop(over)
		}
	}}
	checked, err := c.Run(ctx)
	if IsUnfair(err) {
		t.Skip(err)
	}
	if !errors.Is(err, over) || checked == nil || !checked.Partial || len(checked.Lateness) != 2 || checked.Short == "" {
		t.Errorf("%v %+v", err, checked)
	}
}

// And it says nothing where both are told the truth. CROSSCHECKS says how often the whole set
// is played in a row, each at the default number of runs; by default only the two that take
// least time are, once.
func TestCrossCheckAgrees(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector slows sockets down")
	}
	times, all := often(t, "CROSSCHECKS")
	for round := range times {
		for _, row := range []struct {
			scenario string
			scale    float64
			always   bool
		}{
			{"blocking", 1, false},
			{"streaming", 1, false},
			{"herd-20", 1, false},
			{"herd-100", 1, false},
			{"gate-20", 1, true},
			{"endings", 1, false},
			{"retry-everything", 1, false},
			{"triage-first", 1, true},
			{"hang", 0.01, false},
			{"stall", 0.01, false},
			{"cancel", 1, false},
			{"idempotency", 1, false},
			{"two-axes", 0.01, false},
		} {
			if !all && !row.always {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", row.scenario, round+1), func(t *testing.T) {
				c := CrossCheck{Scenario: scenario(t, row.scenario), Scale: row.scale}
				if !all {
					c.Runs = LeastReal
				}
				agrees(t, c, round)
			})
		}
	}
}

// Public cases whose check asks for real sockets, over TCP: on pipes they are the same to the nanosecond (live).
func TestCrossCheckAgreesOnCases(t *testing.T) {
	times, all := often(t, "CROSSCHECKS")
	if !all {
		t.Skip("CROSSCHECKS=1 plays them: two minutes")
	}
	for round := range times {
		for _, row := range []struct {
			says, yaml string
			scale      float64
		}{
			{"TS-D1: no header, or silence after five tokens, and 30 s of patience for it", `
provider:
  service: {first_token: {exponential: {mean: 2s}}, per_token: {exponential: {mean: 50ms}}}
  faults: [{probability: 10%, hang: true}, {probability: 10%, stall: true, after_tokens: 5, keep_alive: 7s}]
clients: [{count: 300, arrive: {over: 1m}, request: {output_tokens: 50, stream: true}, network: {one_way: {exponential: {mean: 20ms}}}, timeouts: {idle: 30s}, policy: full-jitter}]
`, 0.05},
			{"TS-D1: without patience the run ends at the horizon and lists what hangs", `
provider: {faults: [{probability: 50%, hang: true}]}
clients: [{count: 40, arrive: {over: 10s}, request: {stream: true}}]
stop: {after: 5m}
`, 0.01},
			{"TS-D2: an error event inside a 200, before any content", `
provider: {service: {first_token: 100ms, per_token: 10ms}, faults: [{probability: 5%, after_tokens: 0, in_stream: overloaded_error}]}
clients: [{count: 1000, arrive: {over: 6s}, request: {input_tokens: 20, output_tokens: 13, stream: true}, policy: full-jitter}]
`, 1},
			{"TS-D3: streams that break at the sixtieth of a hundred tokens", `
provider: {service: {first_token: 200ms, per_token: 20ms}, faults: [{probability: 20%, cut: close, after_tokens: 60}]}
clients:
  - {name: shown, count: 25, arrive: {over: 2s}, request: &ask {input_tokens: 20, output_tokens: 100, stream: true}, stream: {retry: always, partial: keep}, policy: full-jitter}
  - {name: buffered, count: 25, arrive: {over: 2s}, request: *ask, stream: {retry: always, partial: discard}, policy: full-jitter}
  - {name: given-up, count: 25, arrive: {over: 2s}, request: *ask, stream: {retry: before-first-token}, policy: full-jitter}
`, 1},
		} {
			t.Run(fmt.Sprintf("%s, %d", row.says, round+1), func(t *testing.T) {
				agrees(t, CrossCheck{Scenario: inline(t, row.yaml), Scale: row.scale}, round)
			})
		}
	}
}

// agrees wants no figure to differ; each round has seeds of its own.
func agrees(t *testing.T, c CrossCheck, round int) {
	t.Helper()
	c.Scenario.Seed += uint64(round) << 32
	c.Seeds, c.Jobs = LeastVirtual, 2
	checked, err := c.Run(t.Context())
	if IsUnfair(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d figures, %d real runs, %d played again", len(checked.Figures), len(checked.Lateness), len(checked.Late))
	if checked.Short != "" {
		t.Error(checked.Short)
	}
	for _, f := range checked.Figures {
		if f.Verdict == Differs {
			t.Errorf("%s: %v in virtual time (%v), %v over sockets (%v): %s", f.Name, f.Virtual, f.Interval, f.Real, f.RealRange, f.Why)
		}
	}
}

// Without jitter a herd comes in waves, over sockets too: after 200, 400, ... 12,800 ms and then
// after every 20 s, with silence between. A wall of virtual time, or of the chapter, lies no more than 0.6 s above
// such a tooth (facts/experiments.md); here a send may be off by what a time may be besides.
// How many waves there are is the machine's doing, whose crowds are spread wider than a service is long.
func TestCrossCheckShowsComb(t *testing.T) {
	if _, all := often(t, "CROSSCHECKS"); !all {
		t.Skip("CROSSCHECKS=1 plays it: three runs of ten seconds")
	}
	checked, err := CrossCheck{Scenario: scenario(t, "herd-100-naive"), Seeds: LeastVirtual, Runs: 3, Scale: 0.05, Jobs: 2}.Run(t.Context())
	if IsUnfair(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	sent := map[float64]float64{} // in the wave of a tooth
	for slot, s := range checked.Slots {
		at := float64(slot) * checked.Slot
		tooth := 0.0
		for wait := 0.2; tooth+wait < at+checked.Slot; wait = min(20, 2*wait) {
			tooth += wait
		}
		sent[tooth] += s.Real
		if s.Real > 0 && at > tooth+0.6+checked.Allowance {
			t.Errorf("%.2f sends at %.2f s, more than %.2f s after a wave", s.Real, at, 0.6+checked.Allowance)
		}
	}
	for _, tooth := range []float64{3, 6.2} {
		if sent[tooth] == 0 {
			t.Errorf("no wave after %v s", tooth)
		}
	}
	t.Logf("a send may be off by %.2f s; sent in waves: %v", checked.Allowance, sent)
}

// often is how many times a variable of the environment says that something is done; once,
// and not all of it, without.
func often(t *testing.T, variable string) (times int, all bool) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 1, false
	}
	times, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return times, true
}
