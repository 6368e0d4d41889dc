package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// traceOf runs a scenario and returns the lines of one group, and the summary.
func traceOf(t *testing.T, text, group string) ([]model.TraceLine, *model.Summary) {
	t.Helper()
	s, err := scenarios.Decode("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := model.NewWorld(&s.Config)
	if err != nil {
		t.Fatal(err)
	}
	tally, trace := model.NewTally(&s.Config), &model.Trace{Client: model.AllClients}
	if err := w.Run(context.Background(), 1, tally, trace); err != nil {
		t.Fatal(err)
	}
	var lines []model.TraceLine
	for _, l := range trace.Lines {
		if l.Group == group {
			lines = append(lines, l)
		}
	}
	return lines, model.Summarise(tally)
}

// RS-D1 of the cases: a server answers once with each form of a hint, at 0.3 s, and the
// client waits what that means: a number its time, a date what is left until then by the
// clock of the run, 0 and what is past nothing, and what is no wait the client's own 800 ms.
func TestEveryFormOfAHint(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		says, hint string
		want       time.Duration
		malformed  bool
	}{
		{"whole seconds", "{retry_after: 2s, format: [seconds]}", 2 * time.Second, false},
		{"a fraction of a second", "{retry_after: 1.5s, format: [float]}", 1500 * ms, false},
		{"milliseconds", "{retry_after: 1.5s, format: [ms]}", 1500 * ms, false},
		{"a date ahead: 0.3 s + 120 s, and the next whole second", "{retry_after: 2m, format: [date]}", 120_700 * ms, false},
		{"a date that is past: at once", "{retry_after: 1s, malformed: 'Wed, 21 Oct 2015 07:28:00 GMT'}", 0, false},
		{"0: at once", "{retry_after: 0s, format: [seconds]}", 0, false},
		{"negative: the client's own", "{retry_after: 1s, malformed: -5}", 800 * ms, true},
		{"no number: the client's own", "{retry_after: 1s, malformed: NaN}", 800 * ms, true},
		{"junk: the client's own", "{retry_after: 1s, malformed: in a while}", 800 * ms, true},
	} {
		lines, sum := traceOf(t, fmt.Sprintf(`
name: x
stop: {after: 1h}
provider: {seats: 1, service: {first_token: 1h}, hint: %s}
clients:
  - {name: blocker, count: 1, policy: none}
  - {name: told, count: 1, arrive: {at: 300ms}, policy: polite}
policies:
  polite: {attempts: 2, backoff: {constant: 800ms}, hint: obey}
`, row.hint), "told")
		if len(lines) != 2 || lines[0].Wait != row.want {
			t.Errorf("%s: waits %v, want %v: %d attempts", row.says, lines[0].Wait, row.want, len(lines))
		}
		hints := sum.Groups["told"].Attempts.Hints
		if (hints.Malformed > 0) != row.malformed || hints.Malformed+hints.Given != 2 {
			t.Errorf("%s: %+v", row.says, hints)
		}
	}
}

// RS-D1's invariant, in whole runs: nobody who honours hints comes back before the hint.
func TestNobodyComesBackBeforeTheHint(t *testing.T) {
	for _, hint := range []string{"obey", "floor", "{mode: obey, spread: 10%}", "{mode: floor, spread: 750ms}", "{mode: obey, reads: [seconds]}", "{mode: obey, up_to: 3s, beyond: fail, spread: 100%}"} {
		lines, _ := traceOf(t, `
name: x
stop: {after: 1m}
provider: {limits: [{axis: requests, limit: 5, per: 1s}], hint: {retry_after: exact, format: [seconds, ms]}}
clients: [{name: herd, count: 100, arrive: {over: 2s}, network: {one_way: 5ms}, policy: p}]
policies:
  p: {backoff: {exponential: {base: 10ms}, jitter: full}, hint: `+hint+`}
`, "herd")
		told := 0
		for _, l := range lines {
			if l.Why == policies.NotEnded && l.Answer.Hint.Kind == policies.GivenHint {
				if told++; l.Wait < l.Answer.Hint.Wait {
					t.Errorf("%s: told to wait %v, it waits %v", hint, l.Answer.Hint.Wait, l.Wait)
				}
			}
		}
		if told < 100 {
			t.Errorf("%s: only %d were told", hint, told)
		}
	}
}

// A policy that sends a cohort at one instant is told of it.
func TestNoSpreadAtTheCap(t *testing.T) {
	for _, row := range []struct {
		says, policy string
		count        int
		want         string // in the only such warning; "" for none
	}{
		{"a cap without jitter", "{attempts: 5, backoff: {exponential: {base: 1s, cap: 1s}}}", 50, "policies.p: no spread at the cap: 200 of 200 waits were exactly 1s, so those who fail together come back together; write jitter: full"},
		{"full jitter", "{attempts: 5, backoff: {exponential: {base: 1s, cap: 1s}, jitter: full}}", 50, ""},
		{"waits below the cap", "{attempts: 4, backoff: {exponential: {base: 1s, cap: 20s}}}", 50, ""},
		{"a hint for all", "{attempts: 5, hint: obey}", 50, "policies.p: no spread at the cap: 200 of 200 waits were exactly 3s, as the provider's hint asked, so those who fail together come back together; write hint.spread: 10%"},
		{"a hint that is spread", "{attempts: 5, hint: {mode: obey, spread: 10%}}", 50, ""},
		{"a hint that is cut to a cap, and spread", "{attempts: 5, hint: {mode: obey, up_to: 2s, beyond: clamp, spread: 10%}}", 50, ""},
		{"a hint that is cut to a cap", "{attempts: 5, hint: {mode: obey, up_to: 2s, beyond: clamp}}", 50, "200 of 200 waits were exactly 2s"},
		{"a few clients are no herd", "{attempts: 20, backoff: {constant: 1s}}", 5, ""},
		{"a cap that few reach", "{attempts: 4, backoff: {steps: [1s, 2s, 4s]}}", 50, ""},
		{"draws that are cut", "{attempts: 5, backoff: {constant: 1s, jitter: 1s, most: 1s}}", 50, "write a greater most"},
	} {
		_, sum := traceOf(t, fmt.Sprintf(`
name: x
stop: {after: 10m}
provider: {seats: 1, service: {first_token: 10m}, hint: {retry_after: 3s}}
clients:
  - {name: blocker, count: 1, policy: none}
  - {name: herd, count: %d, arrive: {at: 1s}, policy: p}
policies: {p: %s}
`, row.count, row.policy), "herd")
		var found []string
		for _, w := range sum.Warnings {
			if strings.Contains(w, "no spread at the cap") {
				found = append(found, w)
			}
		}
		if row.want == "" && found != nil || row.want != "" && (len(found) != 1 || !strings.Contains(found[0], row.want)) {
			t.Errorf("%s: %q, want %q", row.says, found, row.want)
		}
	}
}
