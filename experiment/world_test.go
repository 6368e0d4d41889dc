package experiment

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/scenarios"
)

func decode(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Decode("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestArrivalsThatNoRunCanHoldAreRefusedAtOnce(t *testing.T) {
	for _, test := range []struct {
		says, provider, arrive string
		want                   string // in the error; "" if the run may begin
	}{
		{"rate x service", "{service: {first_token: 1h}}", "{rate: 100000/s, for: 50m}", "in flight at once"},
		{"within for, all of them", "{service: {first_token: 1h}}", "{rate: 100000/s, for: 1m}", "in flight at once"},
		{"before the horizon, few of them", "{service: {first_token: 1h}}", "{rate: 100000/s, at: 3599.99s}", ""},
		{"a step too high", "{service: {first_token: 2h}}", "{rate: {0s: 1/s, 10s: 1000000/s, 20s: 1/s}}", "in flight at once"},
		{"seats, which refuse", "{seats: 1, service: {first_token: 1h}}", "{rate: 100000/s, for: 10ms}", ""},
	} {
		s := decode(t, "name: flood\nprovider: "+test.provider+"\nclients: [{name: chat, arrive: "+test.arrive+"}]\n")
		began := time.Now()
		_, err := Run(context.Background(), s, 1, nil)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.says, err)
		case test.want != "" && (!errors.As(err, new(TooManyError)) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `"chat"`) || !strings.Contains(err.Error(), "; write ")):
			t.Errorf("%s: %v", test.says, err)
		case test.want != "" && time.Since(began) > 5*time.Second:
			t.Errorf("%s: known after %v", test.says, time.Since(began))
		}
	}
}

func TestARunThatStandsStillIsNamed(t *testing.T) {
	for _, test := range []struct{ says, text, want string }{
		{
			"retries without a wait",
			"provider: {seats: 1, service: {first_token: 1h}}\nclients: [{name: calm}, {name: hasty, count: 2, policy: mad}]\npolicies: {mad: {backoff: none}}\n",
			`group "hasty", under policy "mad"`,
		},
		{
			"operations without a gap",
			"clients: [{name: endless, repeat: {operations: 10000000}}]\n",
			"write a gap under its repeat",
		},
	} {
		_, err := Run(context.Background(), decode(t, "name: looping\n"+test.text), 1, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "the clock does not move") {
			t.Errorf("%s: %v", test.says, err)
		}
	}
}

// What Memory reckons is near what the summaries and their statistics do take.
func TestMemoryOfReplicates(t *testing.T) {
	many := "name: many\nclients:\n"
	for range 40 {
		many += "  - {name: g" + string(rune('A'+len(many)%26)) + strings.Repeat("x", len(many)/26) + "}\n"
	}
	const n = 400
	for _, s := range []*scenarios.Scenario{load(t, "blocking"), load(t, "two-axes"), decode(t, many)} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		runs, err := Replicate(context.Background(), s, n, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		aggregate := runs.Aggregate()
		runtime.GC()
		runtime.ReadMemStats(&after)
		took, reckoned := float64(after.HeapAlloc)-float64(before.HeapAlloc), Memory(s, n)
		if took > reckoned || took < reckoned/12 {
			t.Errorf("%s: %d runs take %.0f bytes, and Memory says %.0f", s.Name, n, took, reckoned)
		}
		t.Logf("%s: %.0f bytes a run, reckoned %.0f", s.Name, took/n, reckoned/n)
		runtime.KeepAlive(runs)
		runtime.KeepAlive(aggregate)
	}
}

func TestPercentilesOfManyOperationsSayHowExactTheyAre(t *testing.T) {
	for count, want := range map[string]bool{"100000": false, "100001": true} {
		s := decode(t, "name: many\nprovider: {service: {first_token: 1ms}}\nclients: [{name: a, count: "+count+"}]\n")
		result, err := Run(context.Background(), s, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(result.Summary.Warnings, "\n"), "the percentiles of latency_s, first_token_s, provider.queue_wait_s can be up to 0.098 %"); said != want {
			t.Errorf("%s operations: %q", count, result.Summary.Warnings)
		}
	}
}
