package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func TestListProviders(t *testing.T) {
	code, stdout, stderr := simulate(t, "list", "--providers")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		`openai/gpt-4o/tier-1 +500 RPM, 30k TPM +exact: seconds, ms, body +2026-10 +T`,
		`azure/gpt-4o/measured +10 requests/10s, 10k TPM +exact: seconds, ms, body +2024-08 +O\n +a deployment of 10k TPM;`,
		`anthropic/sonnet-4/tier-1 +50 RPM, 30k ITPM, 8k OTPM +exact: seconds +2026-04 +T`,
		`anthropic/sonnet-4/tier-1/old-output +50 RPM, 30k ITPM, 8k OTPM +none +2026-04 +T`,
		`gemini/2.5-flash/free +10 RPM, 250k ITPM, 250 RPD +exact: body +2025 +T`,
		`groq/llama-3.3-70b/free +30 RPM, 12k TPM, 1k RPD, 100k TPD +exact: seconds, body`,
		`mistral/free +1 RPS, 500k TPM, 1B tokens/30d`,
		`deepseek/500-slots +500 at once +none`,
		`\nO: observed on the wire\n`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no line is like %s in\n%s", want, stdout)
		}
	}
	for line := range strings.SplitSeq(stdout, "\n") {
		if len(line) > 120 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestListPolicies(t *testing.T) {
	if listed, all := len(listedFirst), len(policies.Default()); listed != all {
		t.Errorf("%d policies are listed of the %d that need no definition", listed, all)
	}
	code, stdout, _ := simulate(t, "list", "--policies")
	for _, want := range []string{
		"\nnone\n  one attempt, no retry\n",
		"\nnaive\n  attempt      least      most\n  2            200ms     200ms\n  3            400ms     400ms\n",
		"\nfull-jitter\n  attempt      least      most\n  2               0s     200ms\n",
		"\ndecorrelated\n  attempt      least      most\n  2            200ms     600ms\n  3            200ms      1.8s\n  4            200ms      5.4s\n",
		"\nopenai-node@6.49                       3  375ms to 500ms       obey, however long\n",
		"\nvercel-ai@7                            3  2s                   obey below 1m, else backoff\n",
		"\nopenai-python@3.3\n  attempt      least      most\n  2            375ms     500ms\n  3            750ms        1s\n  retries    connection, timeout, 408, 409, 429, 5xx; not stream\n  hint       obey up to 2m, else give up; 0: backoff,",
		"\n  time-outs  first event 10m, silence 5m\n",
		"\n  open       retries, backoff, statuses and time-outs are those of 3.3\n",
	} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, and %q is not in\n%s", code, want, stdout)
		}
	}
	for line := range strings.SplitSeq(stdout, "\n") {
		if len(line) > 120 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if code, _, stderr := simulate(t, "list", "--policies", "--providers"); code != exitBadInput || !strings.Contains(stderr, "two lists") {
		t.Errorf("both lists: exit code %d: %s", code, stderr)
	}
}

func TestListPoliciesAsJSON(t *testing.T) {
	code, stdout, stderr := simulate(t, "list", "--policies", "--json")
	var got struct {
		Policies []struct {
			Name, Attempts string
			Waits          []map[string]float64
			Preset         *struct{ Hint, Retries, Source, YAML string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
		t.Fatalf("exit code %d: %v%s", code, err, stderr)
	}
	presets := 0
	for _, p := range got.Policies {
		if p.Preset != nil {
			if presets++; p.Preset.Source == "" || !strings.Contains(p.Preset.YAML, p.Name) {
				t.Errorf("%+v", p)
			}
		}
	}
	if presets != len(scenarios.ClientPresets()) || len(got.Policies) != presets+len(listedFirst) {
		t.Errorf("%d policies, %d of them presets", len(got.Policies), presets)
	}
}

func TestShowSaysWhatAPolicyIsCalled(t *testing.T) {
	for name, want := range map[string]string{
		"openai-node": "whose version is part of its name; write openai-node@7.59", "openai-node@5": "there is no version", "none": "needs no definition; `simulate list --policies`",
	} {
		if code, _, stderr := simulate(t, "show", name); code != exitBadInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
	}
}

// What show prints of a preset is a scenario's policies, and the same client.
func TestShowAPreset(t *testing.T) {
	code, stdout, stderr := simulate(t, "show", "azcore-go@1.24")
	s, err := scenarios.Decode("x.yaml", []byte("name: x\nclients: [{policy: azcore-go@1.24}]\n"+stdout))
	if code != 0 || err != nil || s.Policies["azcore-go@1.24"].Attempts != 4 {
		t.Errorf("exit code %d: %v%s\n%s", code, err, stderr, stdout)
	}
}
