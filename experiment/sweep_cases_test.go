package experiment

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

// means runs a sweep of a text without files and returns a figure's mean by cell.
func means(t *testing.T, text, figure string, seeds int, axes ...string) []float64 {
	t.Helper()
	s, err := NewSweep(SweepSpec{Scenario: "x", File: "x.yaml", Text: text, Figures: []string{figure}, Vary: vary(t, axes...), Seed: 1, Seeds: seeds}, Shard{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), nil, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := len(r.Columns) - 1
	for i, name := range r.Columns {
		if name == figure {
			at = i
		}
	}
	var out []float64
	for _, cell := range r.Cells {
		out = append(out, float64(cell.Figures[at].Mean))
	}
	return out
}

// EN-D6: from 1 to 1,024 users, 16 of them coming a second, measured for 120 s from when
// all are there. The whole run grows from 120.06 to 184 s and the measured part does not:
// in it each user, who asks once a second, starts 120 operations.
func TestSweepsMeasureAsLongAtEveryPoint(t *testing.T) {
	const text = `
name: ramp
stop: {when: horizon, after: 2m}
provider: {service: {first_token: 1s}}
clients: [{name: users, count: 1, arrive: {over: 1s}, repeat: {loop: closed, operations: unlimited}}]
`
	axis := "clients.0.count=1,16,256,1024; clients.0.arrive.over=62.5ms,1s,16s,64s; warm_up=62.5ms,1s,16s,64s; stop.after=120062.5ms,121s,136s,184s"
	users := []float64{1, 16, 256, 1024}
	for i, total := range means(t, text, "operations.total", 2, axis) {
		if each := total / users[i]; math.Abs(each-120) > 0.01 {
			t.Errorf("%v users start %v operations each in the measured part, want 120", users[i], each)
		}
	}
	s, err := NewSweep(SweepSpec{Scenario: "x", File: "x.yaml", Text: text, Vary: vary(t, axis), Seed: 1, Seeds: 1}, Shard{})
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range []float64{120.0625, 121, 136, 184} {
		scenario, err := s.Scenario(cell)
		if err != nil {
			t.Fatal(err)
		}
		if got := scenario.Stop.After.Seconds(); got != want || scenario.Stop.After-scenario.WarmUp != 120e9 {
			t.Errorf("cell %d lasts %v s, of which %v are measured", cell, got, scenario.Stop.After-scenario.WarmUp)
		}
	}
}

// EN-D6: at 90 % load a queue that starts empty looks too good. Its mean wait in the long
// run is 9 s (Pollaczek and Khinchine); without a warm-up it is measured lower than with.
func TestSweepsOfWarmUp(t *testing.T) {
	const text = `
name: warm
stop: {after: 10000h}
slot: 10h
provider: {seats: 1, queue: unlimited, service: {first_token: {exponential: {mean: 1s}}}}
clients: [{name: customers, arrive: {rate: 0.9/s, process: poisson, for: 500s}}]
`
	waits := means(t, text, "provider.queue_wait_s.mean", 400, "warm_up=0s,3000s; clients.0.arrive.for=500s,3500s")
	if !(waits[0] < waits[1] && math.Abs(waits[1]-9) < math.Abs(waits[0]-9)) {
		t.Errorf("mean waits are %.2f s without a warm-up and %.2f s with, in theory 9 s", waits[0], waits[1])
	}
}

// RS-D4: forty open arrivals a second send as many attempts however long they back off;
// forty clients who wait for their answers send fewer.
func TestSweepsOfBackoffTellOpenFromClosed(t *testing.T) {
	const text = `
name: backoff
stop: {when: horizon, after: 400s}
warm_up: 100s
slot: 1s
provider: {limits: [{axis: requests, limit: 20, per: 1s}]}
clients: [{name: a, GROUP, policy: four}]
policies: {four: {attempts: 4, backoff: {exponential: {base: 1s, cap: 80s}, jitter: full}, hint: ignore}}
`
	axis := "policies.four.backoff.exponential.base=log:100ms..10s/3"
	for _, loop := range []struct{ says, group string }{
		{"open", "arrive: {rate: 40/s, process: poisson}"},
		{"closed", "count: 40, arrive: {over: 1s}, repeat: {gap: {exponential: {mean: 1s}}, operations: unlimited}"},
	} {
		sent := means(t, strings.Replace(text, "GROUP", loop.group, 1), "attempts.total", 3, axis)
		open := loop.says == "open"
		for i := 1; i < len(sent); i++ {
			if ratio := sent[i] / sent[i-1]; open && math.Abs(ratio-1) > 0.1 || !open && ratio > 0.9 {
				t.Errorf("%s: attempts go from %v to %v as the backoff grows tenfold", loop.says, sent[i-1], sent[i])
			}
		}
	}
}

// The table of ranges and what they stand for.
func TestVariedValues(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"k=1..9/5", []string{"1", "3", "5", "7", "9"}},
		{"k=9..1/5", []string{"9", "7", "5", "3", "1"}},
		{"k=0.1..0.5/5", []string{"0.1", "0.2", "0.3", "0.4", "0.5"}},
		{"k=1..2/4", []string{"1", "1.33333333", "1.66666667", "2"}},
		{"k=log:1..1000/4", []string{"1", "10", "100", "1000"}},
		{"k=0s..20s/5", []string{"0s", "5s", "10s", "15s", "20s"}},
		{"k=0..1m/3", []string{"0s", "30s", "1m"}},
		{"k=log:10ms..10s/4", []string{"10ms", "100ms", "1s", "10s"}},
		{"k=10%..50%/3", []string{"10%", "30%", "50%"}},
		{"k=5/s..20/s/4", []string{"5/s", "10/s", "15/s", "20/s"}},
		{"k=100/min..400/min/2", []string{"100/min", "400/min"}},
		{"k=10000000000..30000000000/3", []string{"10000000000", "20000000000", "30000000000"}},
		{"k=-5..5/3", []string{"-5", "0", "5"}},
		{`k={uniform: [1s, 2s]}, 3s ,"a,b"`, []string{"{uniform: [1s, 2s]}", "3s", `"a,b"`}},
	} {
		axes := vary(t, test.text)
		of := axes[0].Keys[0]
		var got []string
		for i := range of.Points() {
			got = append(got, of.At(i))
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %q, want %q", test.text, got, test.want)
				break
			}
		}
	}
	for text, want := range map[string]float64{"250ms": 0.25, "20%": 0.2, "90/min": 1.5, "3": 3, "-5": -5} {
		if v, _, ok := scenarios.Number(text); !ok || v != want {
			t.Errorf("%s is %v, want %v", text, v, want)
		}
	}
	if _, _, ok := scenarios.Number("naive"); ok {
		t.Error("a word is no number")
	}
}
