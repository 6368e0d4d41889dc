package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// The public cases of limits (cases.md), each with the numbers that a hand calculation
// gives. Cases of hints are in cases_hints_test.go, of gates and herds in cases_herds_test.go.

func inline(t testing.TB, yaml string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Decode("case.yaml", []byte("name: case\n"+yaml), set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recorded runs a scenario's own seed and keeps every attempt.
func recorded(t testing.TB, s *scenarios.Scenario) (*Result, []model.TraceLine) {
	t.Helper()
	trace := &model.Trace{Client: model.AllClients}
	r, err := Run(context.Background(), s, s.Seed, trace)
	if err != nil {
		t.Fatal(err)
	}
	return r, trace.Lines
}

// accepted counts what the provider let in within [from, to).
func accepted(tally *model.Tally, from, to time.Duration) (n int64) {
	for i := range tally.Slots() {
		if at := time.Duration(i) * tally.SlotWidth(); from <= at && at < to {
			n += tally.Slot(i).Accepted
		}
	}
	return n
}

func TestFiguresOfCases(t *testing.T) {
	for _, test := range []struct {
		says string
		name string
		set  []string
		want map[string]float64
	}{
		{
			"E10: 30 requests a minute are half the limit of requests; 500 tokens each are a quarter of the tokens, 6,000 three times them: 10 from the bucket and, the last after 9 min 58 s, 99 more",
			"two-axes", nil,
			map[string]float64{"groups.short.attempts.rejected": 0, "groups.long.operations.succeeded": 109, "groups.long.attempts.rejected_by.tokens": 191, "attempts.rejected_by.requests": 0},
		},
		{
			"RL-D2: 0.9 s and 1.1 s are in two windows of the clock, so both hundreds pass",
			"window-edge",
			[]string{"provider.limits.0.algorithm=fixed-window"},
			map[string]float64{"operations.succeeded": 200, "attempts.rejected_by.requests": 0},
		},
		{
			"RL-D2: the second before 1.1 s holds the hundred of 0.9 s",
			"window-edge",
			[]string{"provider.limits.0.algorithm=sliding-log"},
			map[string]float64{"operations.succeeded": 100, "attempts.rejected_by.requests": 100},
		},
		{
			"RL-D2: at 1.1 s the window before weighs 0.9, so 10 of the second hundred pass",
			"window-edge",
			[]string{"provider.limits.0.algorithm=two-window"},
			map[string]float64{"operations.succeeded": 110, "attempts.rejected_by.requests": 90},
		},
		{
			"RL-D6 (a): 20 of 25 are within the quota; the hint of a day is beyond the 120 s that the client may wait, so each of the rest takes one attempt and a network round trip of 20 ms",
			"daily-quota", nil,
			map[string]float64{
				"operations.succeeded": 20, "operations.failures.quota": 5, "attempts": 25, "attempts.rejected_as.quota": 5,
				"failure_latency_s.max": 0.02, "wall": 24*60 + 0.02,
			},
		},
		{
			"RL-D6 (c): the same limit, not called a quota, asks for too long a wait all the same",
			"daily-quota",
			[]string{"provider.limits.0.kind=temporary"},
			map[string]float64{"operations.succeeded": 20, "operations.failures.throttled": 5, "attempts": 25},
		},
		{
			"RL-D6 (b): 30,601 tokens never fit into 30,000, so one attempt is the last",
			"too-large", nil,
			map[string]float64{"groups.large.operations.failures.impossible": 1, "groups.large.attempts.total": 1, "attempts.rejected_as.impossible": 1, "operations.succeeded": 1},
		},
		{
			"RL-D6 (b): 30,000 tokens fit into 30,000, once the first 30,000 have drained, after a minute",
			"too-large",
			[]string{"clients.0.request.input_tokens=30000"},
			map[string]float64{"operations.succeeded": 2, "attempts": 3, "wall": 60},
		},
		{
			"RL-D5: small comes when the fill has left the window, at exactly a minute",
			"drained-gauge", nil,
			map[string]float64{"groups.small.operations.succeeded": 1, "groups.probes.attempts.rejected": 100},
		},
		{
			"RL-D5: were refused requests charged, the probes of the last minute would fill it still",
			"drained-gauge",
			[]string{"provider.limits.0.rejected=charged"},
			map[string]float64{"groups.small.operations.succeeded": 0},
		},
	} {
		t.Run(test.name+" "+strings.Join(test.set, " "), func(t *testing.T) {
			s := load(t, test.name, test.set...)
			r := run(t, s, s.Seed)
			checkBooks(t, test.name, r.Summary)
			for figure, want := range test.want {
				got, known := r.Summary.Figure(figure)
				if !known {
					t.Fatalf("there is no figure %s", figure)
				}
				if math.Abs(float64(got)-want) > 1e-9 {
					t.Errorf("%s: %s is %v, want %v", test.says, figure, got, want)
				}
			}
		})
	}
}

func TestTwoAxesNamesTokens(t *testing.T) {
	s := load(t, "two-axes")
	sum := run(t, s, s.Seed).Summary
	const want = "tokens bind: 60,000 a minute for each key at 6,000 a request admit 10 requests a minute"
	if !strings.Contains(sum.Says, want) || sum.Provider.BindingAxis == nil || *sum.Provider.BindingAxis != "tokens" {
		t.Errorf("says %q, want in it %q", sum.Says, want)
	}
}

// RL-D1: the sustained rate is the least of the limit of requests and 1,000,000 / 8,503
// = 117.6 a minute.
func TestTokensBind(t *testing.T) {
	const tokens = 1_000_000.0 / 8503
	for _, test := range []struct {
		says     string
		requests int64
		gate     string
		rate     float64 // a minute, from the second minute to the fifth
		off      float64
		axis     string
		set      []string
	}{
		{"a gate of tokens, 5,000 requests a minute", 5000, "paced", tokens, 0.5, "tokens", nil},
		{"a gate of tokens, 500 requests a minute", 500, "paced", tokens, 0.5, "tokens", nil},
		{"a gate of tokens, 120 requests a minute", 120, "paced", tokens, 0.5, "tokens", nil},
		{"fifty at a time, 5,000 requests a minute: no faster, and jitter leaves gaps", 5000, "fifty", tokens - 1, 1.5, "tokens", nil},
		{"fifty at a time, 100 requests a minute, none saved up: now they bind", 100, "fifty", 100 - 1, 1.5, "requests", []string{"provider.limits.0.start=empty"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			s := load(t, "tokens-bind", append(test.set, fmt.Sprintf("provider.limits.0.limit=%d", test.requests), "clients.0.gate="+test.gate)...)
			r := run(t, s, s.Seed)
			rate := float64(accepted(r.Tally, time.Minute, 5*time.Minute)) / 4
			between(t, "the sustained rate", model.Number(rate), test.rate-test.off, test.rate+test.off)
			p := r.Summary.Provider
			if p.BindingAxis == nil || *p.BindingAxis != test.axis {
				t.Errorf("the binding axis is not %s, in %q", test.axis, r.Summary.Says)
			}
			between(t, "the bound of tokens, a minute", 60*p.Limits[1].Bound, tokens-1e-6, tokens+1e-6)
			between(t, "the bound of requests, a minute", 60*p.Limits[0].Bound, float64(test.requests)-1e-6, float64(test.requests)+1e-6)
			if test.gate == "paced" {
				// 742 x 8,503 tokens take 378.55 s from an empty bucket; the gate starts with a full second, two requests ahead.
				between(t, "the wall", r.Summary.Wall, 378.55, 381)
				between(t, "rejections", model.Number(r.Summary.Attempts.Rejected), 0, 5)
			} else {
				between(t, "rejections", model.Number(r.Summary.Attempts.Rejected), 277, math.Inf(1))
			}
		})
	}
	s := load(t, "tokens-bind")
	const want = "tokens bind: 1,000,000 a minute at 8,503 a request admit 117.6 requests a minute"
	if says := run(t, s, s.Seed).Summary.Says; !strings.Contains(says, want) {
		t.Errorf("says %q, want in it %q", says, want)
	}
}

// RL-D3: 80,000 output tokens a minute at 1,000 a request admit 80; those use 80,000 of
// the 400,000 input tokens, 20 %. What is counted as it is made lets waves of 5.5 s
// through, so the rate is a mean over two minutes.
func TestOutputBinds(t *testing.T) {
	s := load(t, "split-budgets")
	r := run(t, s, s.Seed)
	for minute := 2 * time.Minute; minute < 10*time.Minute; minute += 2 * time.Minute {
		n := accepted(r.Tally, minute, minute+2*time.Minute)
		between(t, fmt.Sprintf("accepted a minute from %v on", minute), model.Number(n)/2, 79, 81)
	}
	p := r.Summary.Provider
	if p.BindingAxis == nil || *p.BindingAxis != "output_tokens" || r.Summary.Attempts.RejectedBy.InputTokens != 0 {
		t.Errorf("%s, want output to bind alone", r.Summary.Says)
	}
	between(t, "use of the input", p.Limits[0].MeanShare, 0.195, 0.205)
	between(t, "use of the output", p.Limits[1].MeanShare, 0.98, 1.02)
	between(t, "the bound of output, a minute", 60*p.Limits[1].Bound, 80, 80)
}

// RL-D5: refused requests leave the use as it was, and with no traffic for a window it
// is exactly 0 again. Use is noted a nanosecond before each second.
func TestUseDrains(t *testing.T) {
	const limit, fill = 5_000_000, 5_000_000
	for _, test := range []struct {
		algorithm string
		says      string
		at        func(second int64) int64 // use of the fill at the end of it, until small comes
		empty     int                      // the first second at whose end nothing is used
	}{
		{"sliding-log", "the fill counts for a minute", func(int64) int64 { return fill }, 120},
		{"fixed-window", "the window ends with the first minute, and small's with the second", func(int64) int64 { return fill }, 120},
		{"two-window", "the fill still weighs all when small comes, then less and less to the end of the second minute", func(int64) int64 { return fill }, 120},
		{"bucket", "5,000,000 drain in a minute, and 1,000 in 12 ms", func(second int64) int64 {
			drained := (limit*((second+1)*int64(time.Second)-1) + int64(time.Minute) - 1) / int64(time.Minute) // in whole tokens, rounded up
			return fill - drained + 1
		}, 60},
	} {
		t.Run(test.algorithm, func(t *testing.T) {
			s := load(t, "drained-gauge", "provider.limits.0.algorithm="+test.algorithm, "clients.1.arrive.over=50s", "stop.after=4m")
			r := run(t, s, s.Seed)
			if got, want := r.Summary.Groups["small"].Operations.Succeeded == 1, test.algorithm != "two-window"; got != want {
				t.Errorf("%s: small is admitted: %v, want %v", test.says, got, want)
			}
			for second := range int64(60) {
				if got, want := r.Tally.LimitUsed(0, int(second)), test.at(second); got != want {
					t.Fatalf("%s: %d are used at the end of second %d, want %d", test.says, got, second, want)
				}
			}
			if got := r.Tally.LimitUsed(0, test.empty-1); got == 0 && test.algorithm != "bucket" {
				t.Errorf("%s: nothing is used at the end of second %d, too early", test.says, test.empty-1)
			}
			for second := test.empty; second <= 240; second++ {
				if got := r.Tally.LimitUsed(0, second); got != 0 {
					t.Fatalf("%s: %d are used at the end of second %d, want 0", test.says, got, second)
				}
			}
		})
	}
}

// EN-D3: one request each 200 ms is exactly 50 in each 10 s; in floating point 2 of 300
// would be refused.
func TestIntegerTimeLosesNobody(t *testing.T) {
	for _, algorithm := range []string{"sliding-log", "fixed-window", "bucket"} {
		s := inline(t, `
provider: {limits: [{axis: requests, limit: 50, per: 10s, algorithm: `+algorithm+`}]}
clients: [{arrive: {rate: 5/s, for: 60s}}]
`)
		sum := run(t, s, 1).Summary
		if sum.Operations.Succeeded != 300 || sum.Attempts.Rejected != 0 {
			t.Errorf("%s: %d of %d accepted, %d rejected, want 300 and 0", algorithm, sum.Operations.Succeeded, sum.Operations.Total, sum.Attempts.Rejected)
		}
	}
}

// Who shares a limit of five: two groups of ten, a and b, come at once.
func TestWhoSharesALimit(t *testing.T) {
	for _, test := range []struct {
		says, scope, a, b string
		want              int64
	}{
		{"everybody", "all", "key: x", "key: y", 5},
		{"one key", "key", "key: x", "key: x", 5},
		{"a key each", "key", "key: x", "key: y", 10},
		{"groups that name no key have their own", "key", "count: 10", "count: 10", 10},
		{"a tenant's two keys", "tenant", "tenant: t, key: x", "tenant: t, key: y", 5},
		{"two tenants, whose keys have one name", "tenant", "tenant: t, key: x", "tenant: u, key: x", 10},
		{"a pool of two keys", "pool p", "pool: p, key: x", "pool: p, key: y", 5},
		{"a pool limits nobody outside", "pool p", "pool: p", "key: y", 15},
	} {
		if !strings.Contains(test.a, "count") {
			test.a, test.b = test.a+", count: 10", test.b+", count: 10"
		}
		s := inline(t, fmt.Sprintf(`
provider: {limits: [{axis: requests, limit: 5, per: 1m, scope: %s}]}
clients: [{name: a, %s}, {name: b, %s}]
`, test.scope, test.a, test.b))
		if got := run(t, s, 1).Summary.Operations.Succeeded; got != test.want {
			t.Errorf("%s: %d admitted, want %d", test.says, got, test.want)
		}
	}
}

// From 1 s on: nothing for 10 s, 5/s for 10 s, nothing for 10 s, 1/s for 5 s: 50 and 5.
func TestArrivalsInSteps(t *testing.T) {
	_, lines := recorded(t, inline(t, `
clients: [{arrive: {at: 1s, rate: {0s: 0/s, 10s: 5/s, 20s: 0/s, 30s: 1/s}, for: 35s}}]
`))
	if len(lines) != 55 || lines[0].Sent != 11*time.Second || lines[49].Sent != 20800*time.Millisecond || lines[50].Sent != 31*time.Second || lines[54].Sent != 35*time.Second {
		t.Errorf("%d arrivals, want 55: 5/s from 11 s to 20.8 s, and 1/s from 31 s to 35 s", len(lines))
	}
}
