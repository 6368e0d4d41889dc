package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/scenarios"
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
	for _, want := range []string{"triage-first: virtual time and sockets agree", "attempts.errored", "agrees exactly", "agrees within", "Loopback: an exchange takes", "one false alarm in 10,000"} {
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

// What takes long is told before it begins, on the wall's clock; and who ends it before the first
// run over sockets has ended is told that there is nothing.
func TestCrosscheckSaysHowLongItTakes(t *testing.T) {
	path := writeFile(t, "long.yaml", "name: long\nprovider: {service: {first_token: 4m}}\nclients: [{count: 1, policy: none}]\n")
	for _, row := range []struct {
		says string
		args []string
		want string
	}{
		{"as many as it likes", nil, "3 runs over sockets, of about 4m0s each\n"},
		{"by the wall's clock", []string{"--runs", "2", "--scale", "0.05"}, "2 runs over sockets, of about 12s each\n"},
	} {
		ctx, stop := context.WithCancelCause(context.Background())
		var stdout strings.Builder
		said := &signalling{signal: func() { stop(interrupted{syscall.SIGTERM}) }}
		code := command{stdout: &stdout, stderr: said}.run(ctx, append([]string{"crosscheck", path, "--out", "off"}, row.args...))
		stop(nil)
		row.want += "simulate: interrupted before the first run over sockets had ended, so there is nothing to compare\n"
		if code != 143 || stdout.Len() > 0 || !strings.HasSuffix(said.String(), row.want) {
			t.Errorf("%s: exit code %d: %s%s; want %s", row.says, code, stdout.String(), said.String(), row.want)
		}
	}
	for _, row := range []struct {
		says  string
		runs  int
		each  time.Duration
		quiet bool
		want  string
	}{
		{"minutes", 3, 206 * time.Second, false, "3 runs over sockets, of about 3m26s each\n"},
		{"one of minutes", 1, 206 * time.Second, false, "a run over sockets, of about 3m26s\n"},
		{"soon over", 10, 2 * time.Second, false, ""},
		{"quiet", 3, 206 * time.Second, true, ""},
	} {
		var stderr strings.Builder
		r := crosscheckCommand{command: command{stderr: &stderr}, common: &common{quiet: row.quiet}}
		r.begins(row.runs, row.each)
		if stderr.String() != row.want {
			t.Errorf("%s: %q, want %q", row.says, stderr.String(), row.want)
		}
	}
}

// signalling is a stderr that sends a signal when the runs over sockets are announced.
type signalling struct {
	strings.Builder
	signal func()
}

func (s *signalling) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "runs over sockets, of about") {
		s.signal()
	}
	return s.Builder.Write(b)
}

// The command that shows it again plays as many runs, whoever chose how many.
func TestCrosscheckShowsItAgainWithItsRuns(t *testing.T) {
	for _, row := range []struct {
		says         string
		runs, played int
		want         string
	}{
		{"as many as it liked", 0, 7, "simulate crosscheck gate-20 --runs 7 --seed 1"},
		{"as many as were asked for", 5, 5, "simulate crosscheck gate-20 --runs 5 --seed 1"},
		{"fewer, since some were not fair", 5, 4, "simulate crosscheck gate-20 --runs 5 --seed 1"},
	} {
		r := crosscheckCommand{common: &common{}, source: source{name: "gate-20"}, scenario: &scenarios.Scenario{}, runs: row.runs, scale: 1}
		if got := r.shown(&experiment.CrossChecked{Seed: 1, Lateness: make([]experiment.Lateness, row.played)}).Command; got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
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
