package scenarios_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func TestClientPresetsInScenarios(t *testing.T) {
	type get = func(*scenarios.Scenario) any
	policy := func(name string, of func(policies.Policy) any) get {
		return func(s *scenarios.Scenario) any { return of(s.Policies[name]) }
	}
	attempts := func(p policies.Policy) any { return p.Attempts }
	for _, row := range []struct {
		says, text string
		set        []string
		get        get
		want       any
	}{
		{"a preset is a policy by its name", "clients: [{policy: openai-node@6.49}]\n", nil, policy("openai-node@6.49", attempts), policies.Count(3)},
		{"also behind --set", "clients: [{count: 1}]\n", []string{"policy=langchain-core@1.4"}, policy("langchain-core@1.4", attempts), policies.Count(7)},
		{"also as the last of layers", "clients: [{layers: [naive, litellm]}]\n", nil, policy("litellm", attempts), policies.Count(3)},
		{"also under against", "against: p-retry@9.0.0\nclients: [{count: 1}]\n", nil, policy("p-retry@9.0.0", attempts), policies.Count(11)},
		{"a definition of that name wins", "policies: {litellm: {attempts: 2}}\nclients: [{policy: litellm}]\n", nil, policy("litellm", attempts), policies.Count(2)},
		{"and is not mixed with it", "policies: {litellm: {attempts: 2}}\nclients: [{policy: litellm}]\n", nil, policy("litellm", func(p policies.Policy) any { return p.Hint.Mode }), policies.IgnoreHint},
		{"a policy may stand on one", "policies: {p: {preset: openai-node@6.49, attempts: 9}}\nclients: [{policy: p}]\n", nil, policy("p", attempts), policies.Count(9)},
		{"and has its other keys", "policies: {p: {preset: openai-node@6.49, attempts: 9}}\nclients: [{policy: p}]\n", nil, policy("p", func(p policies.Policy) any { return p.Hint.Malformed }), policies.ImmediateMalformed},
		{"a part of a mapping leaves the rest", "policies: {p: {preset: openai-python@3.3, hint: {up_to: 5s}}}\nclients: [{policy: p}]\n", nil, policy("p", func(p policies.Policy) any { return []any{p.Hint.UpTo, p.Hint.Zero} }), []any{5 * time.Second, policies.BackoffZero}},
		{"a word replaces a mapping whole", "policies: {p: {preset: openai-python@3.3, hint: ignore}}\nclients: [{policy: p}]\n", nil, policy("p", func(p policies.Policy) any { return len(p.Hint.Reads) }), 0},
		{"another formula takes the place of the preset's", "policies: {p: {preset: openai-python@3.3, backoff: {constant: 1s}}}\nclients: [{policy: p}]\n", nil, policy("p", func(p policies.Policy) any {
			return []any{p.Backoff.Exponential == nil, string(p.Backoff.Jitter)}
		}), []any{true, "-25%"}},
		{"--set names a preset", "policies: {p: {attempts: 9}}\nclients: [{policy: p}]\n", []string{"policies.p.preset=vercel-ai@7"}, policy("p", func(p policies.Policy) any { return []any{p.Attempts, p.Backoff.Exponential.Base} }), []any{policies.Count(9), 2 * time.Second}},
		{"whichever comes first", "policies: {p: {preset: litellm}}\nclients: [{policy: p}]\n", []string{"policies.p.hint.up_to=7s", "policies.p.preset=openai-python@3.3"}, policy("p", func(p policies.Policy) any { return []any{p.Hint.UpTo, p.Hint.Beyond} }), []any{7 * time.Second, policies.FailBeyond}},
		{"--set reaches into a preset", "clients: [{policy: openai-node@6.49}]\n", []string{`policies["openai-node@6.49"].hint.up_to=1m`}, policy("openai-node@6.49", func(p policies.Policy) any { return []any{p.Hint.UpTo, p.Attempts} }), []any{time.Minute, policies.Count(3)}},
		{"and into a list of one", "policies: {p: {preset: openai-python@3.3}}\nclients: [{policy: p}]\n", []string{"policies.p.triage.as_told.0=404"}, policy("p", func(p policies.Policy) any { return fmt.Sprint(p.Triage.AsTold) }), "[404 timeout 408 409 429 5xx]"},
	} {
		s, err := scenarios.Decode("x.yaml", []byte("name: x\n"+row.text), row.set...)
		if err != nil {
			t.Errorf("%s: %v", row.says, err)
			continue
		}
		if got := row.get(s); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.says, got, row.want)
		}
	}
}

func TestClientPresetsThatAreNotThere(t *testing.T) {
	for _, row := range []struct{ says, text, want string }{
		{"a name without its version", "clients: [{policy: openai-node}]\n", "openai-node is a client preset, whose version is part of its name; write openai-node@7.59, openai-node@6.49 or openai-node@6.20"},
		{"another version", "clients: [{policy: openai-node@5}]\n", `there is no version "5" of the client preset openai-node; write openai-node@7.59, openai-node@6.49 or openai-node@6.20`},
		{"a version that none has", "clients: [{policy: litellm@1}]\n", "litellm has no versions here; write litellm"},
		{"a slip", "clients: [{policy: opneai-node@6.49}]\n", "did you mean openai-node@6.49?"},
		{"a slip without a version", "clients: [{policy: antropic-go}]\n", "did you mean anthropic-go@1.84?"},
		{"a slip of a policy that is no preset", "clients: [{policy: naiv}]\n", "did you mean naive?"},
		{"under preset", "policies: {p: {preset: vercel-ai}}\nclients: [{policy: p}]\n", "vercel-ai is a client preset, whose version is part of its name; write vercel-ai@7"},
		{"a provider's preset", "policies: {p: {preset: openai/gpt-4o/tier-1}}\nclients: [{policy: p}]\n", `there is no client preset "openai/gpt-4o/tier-1"`},
		{"what both together make wrong, where the preset is named", "policies: {p: {preset: openai-python@3.3, hint: {mode: ignore}}}\nclients: [{policy: p}]\n", "has no effect while the hint is ignored"},
	} {
		_, err := scenarios.Decode("x.yaml", []byte("name: x\n"+row.text))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.says, err, row.want)
		}
	}
}

// What the scenario writes itself wins over what its preset has: written in the file or by
// an override.
func TestAClientPresetYieldsToTheScenario(t *testing.T) {
	const whole = "name: x\npolicies: {p: {preset: openai-node@6.49, timeouts: {attempt: 60s}, triage: {retry: [429], fatal: [4xx]}}}\nclients: [{policy: p}]\n"
	const bare = "name: x\npolicies: {p: {preset: openai-node@6.49}}\nclients: [{policy: p}]\n"
	for _, row := range []struct {
		says, text string
		set        []string
	}{
		{"in the file", whole, nil},
		{"in the file, though another key is overridden", whole, []string{"policies.p.attempts=3"}},
		{"by overrides", bare, []string{"policies.p.timeouts.attempt=60s", "policies.p.triage.retry=[429]", "policies.p.triage.fatal=[4xx]"}},
	} {
		s, err := scenarios.Decode("x.yaml", []byte(row.text), row.set...)
		if err != nil {
			t.Errorf("%s: %v", row.says, err)
			continue
		}
		p := s.Policies["p"]
		if p.Timeouts != (policies.Timeouts{Attempt: time.Minute}) {
			t.Errorf("%s: time-outs %+v", row.says, p.Timeouts)
		}
		if got, want := fmt.Sprint(p.Triage.Retry, p.Triage.AsTold, p.Triage.Fatal), "[429] [connection timeout 5xx] [4xx]"; got != want {
			t.Errorf("%s: triage %s, want %s", row.says, got, want)
		}
	}
}

// A scenario that changes a preset, or is run with one, leaves it and the scenario it came
// from as they are.
func TestClientPresetsAreNobodysToChange(t *testing.T) {
	text := []byte("name: x\nclients: [{policy: openai-node@6.49}]\n")
	if _, err := scenarios.Decode("x.yaml", text, `policies["openai-node@6.49"].attempts=9`); err != nil {
		t.Fatal(err)
	}
	first, err := scenarios.Decode("x.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	first.Policies["openai-node@6.49"].Backoff.Exponential.Base = time.Hour
	s, err := scenarios.Decode("x.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if base := s.Policies["openai-node@6.49"].Backoff.Exponential.Base; base != 500*time.Millisecond {
		t.Errorf("its base is now %v", base)
	}
	with, err := s.With("litellm")
	if err != nil {
		t.Fatal(err)
	}
	_, before := s.Policies["litellm"]
	_, after := with.Policies["litellm"]
	if s.Policies["openai-node@6.49"].Attempts != 3 || before || !after {
		t.Errorf("now it has %d attempts; litellm is in the scenario (%v) and in the one with it (%v)", s.Policies["openai-node@6.49"].Attempts, before, after)
	}
}

// By hand: one client, a provider that is full and asks for 90 s. openai-python 3.3 and
// openai-node 6.49 wait that long twice, openai-node 7.59 its own 0.375 to 0.5 s and then
// 0.75 to 1 s, @langchain/core throws at once.
func TestTheSameHintToFourClients(t *testing.T) {
	for name, want := range map[string][3]float64{
		"openai-python@3.3": {180, 180, 3}, "openai-node@6.49": {180, 180, 3}, "openai-node@7.59": {1.125, 1.5, 3}, "langchain-core@1.4": {0, 0, 1},
	} {
		s, err := scenarios.Decode("x.yaml", []byte("name: x\nprovider: {seats: 1, service: {first_token: 1h}, hint: {retry_after: 90s}}\n"+
			"clients: [{name: blocker, count: 1, policy: none}, {name: sdk, count: 1, arrive: {at: 1s}, policy: "+name+"}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		sum := run(t, s, 1)
		sdk := sum.Groups["sdk"]
		took := float64(sum.FailLatency.Max)
		if took < want[0] || took > want[1] || float64(sdk.Attempts.Total) != want[2] {
			t.Errorf("%s fails after %v s and %d attempts, want %v", name, took, sdk.Attempts.Total, want)
		}
	}
}
