package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crosschecking calls `crosscheck`; a machine that is too busy to be a fair witness skips
// the test.
func crosschecking(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	code, stdout, stderr = call(context.Background(), append([]string{"crosscheck"}, args...)...)
	if code == exitStuck && strings.Contains(stderr, "fair witness") {
		t.Skip(stderr)
	}
	return code, stdout, stderr
}

func TestCrosscheckExamplesWork(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, example := range crosscheckVerb().examples {
		args := shellWords(example)
		if code, _, stderr := crosschecking(t, args[2:]...); code != 0 {
			t.Errorf("%s: exit code %d: %s", example, code, stderr)
		}
	}
}

// One refusal that is fatal: one attempt, in both worlds, in the table, the document and the
// page.
func TestCrosscheckWritesWhatItFound(t *testing.T) {
	out := t.TempDir()
	code, stdout, stderr := crosschecking(t, "triage-first", "--runs", "3", "--out", out, "--quiet")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"triage-first: virtual time and sockets agree", "attempts.errored", "agrees exactly", "agrees within", "Loopback: an exchange takes", "One false alarm in 10,000"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("the table does not say %q: %s", want, stdout)
		}
	}
	b, err := os.ReadFile(filepath.Join(out, "crosscheck.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document crosschecked
	if err := json.Unmarshal(b, &document); err != nil {
		t.Fatal(err)
	}
	if document.Agrees == nil || !*document.Agrees || document.Real != 3 || document.Virtual != 1000 || document.Short != nil || document.Loopback.Delay <= 0 {
		t.Errorf("%+v", document)
	}
	for _, f := range document.Figures {
		if f.Figure == "attempts.total" && (f.Virtual != 1 || f.Real != 1 || !f.Certain) {
			t.Errorf("%+v", f)
		}
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cross-checked", "virtual time and sockets agree", "Figure by figure", "data-chart=\"herd\"", "simulate crosscheck triage-first --runs 3"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}

// Fewer than three real runs cannot reach the level, and it says what would.
func TestCrosscheckSaysWhenItsLevelIsOutOfReach(t *testing.T) {
	code, stdout, stderr := crosschecking(t, "triage-first", "--runs", "2", "--out", "off", "--quiet")
	if code != 0 || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "out of the reach of 2 real and 1000 virtual runs; write --runs 3") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

func TestCrosscheckFindsMistakesFirst(t *testing.T) {
	for _, test := range []struct {
		says string
		args []string
		want string
	}{
		{"no scenario", nil, "crosscheck needs a scenario"},
		{"a scale of nothing", []string{"gate-20", "--scale", "0"}, `--scale "0": write a number from 0.000001`},
		{"a scale that is no number", []string{"gate-20", "--scale", "half"}, `--scale "half": write a number from 0.000001`},
		{"no run", []string{"gate-20", "--runs", "0"}, "write a whole number from 1"},
		{"a date that cannot be scaled", []string{"herd-20", "--scale", "0.5", "--set", "provider.hint.format=[date]"}, "a date has whole seconds"},
	} {
		code, stdout, stderr := call(context.Background(), append([]string{"crosscheck"}, append(test.args, "--out", "off")...)...)
		if code != exitBadInput || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, %s", test.says, code, stderr)
		}
	}
}
