package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets a test start this program as a process of its own, to be killed.
func TestMain(m *testing.M) {
	if os.Getenv("SIMULATE_AS_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SIMULATE_AS_PROGRAM=1")
	return cmd
}

// sameFolders compares all files of two folders.
func sameFolders(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadDir(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != len(other) {
		t.Errorf("%d files and %d", len(one), len(other))
	}
	for _, e := range one {
		x, errX := os.ReadFile(filepath.Join(a, e.Name()))
		y, errY := os.ReadFile(filepath.Join(b, e.Name()))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs (%v, %v)", e.Name(), errX, errY)
		}
	}
}

// Killed ten times at random and started again each time, a sweep comes to the same bytes.
func TestASweepSurvivesKills(t *testing.T) {
	t.Chdir(t.TempDir())
	args := func(out string) []string {
		return []string{"sweep", "herd-100", "--vary", "provider.seats=2..21/20", "--vary", "policy=naive,full-jitter", "--seeds", "20", "--quiet", "--set", "expect=[]", "--out", out}
	}
	began := time.Now()
	if out, err := program(args("whole")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	took := time.Since(began)
	seed := uint64(time.Now().UnixNano())
	t.Logf("times of the kills by seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := 0
	for tries := 0; kills < 10 && tries < 40; tries++ {
		cmd := program(args("killed")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Float64()*float64(took)/4), func() { cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil {
			kills++
		} else if kills < 10 { // it was done before it could be killed: begin anew
			if err := os.RemoveAll("killed"); err != nil {
				t.Fatal(err)
			}
		}
		timer.Stop()
	}
	if err := os.WriteFile(filepath.Join("killed", ".stampede-1.tmp"), []byte("half"), 0o600); err != nil { // as a kill can leave
		t.Fatal(err)
	}
	if out, err := program(args("killed")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if kills < 10 {
		t.Errorf("it was killed %d times", kills)
	}
	sameFolders(t, "whole", "killed")
}

// The first Ctrl-C stops a long sweep within 2 s, with what was finished on the disk.
func TestASweepStopsAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := program("sweep", "herd-100", "--vary", "provider.seats=2..21/20", "--vary", "policy=naive,full-jitter", "--seeds", "20000", "--set", "expect=[]", "--json", "--out", "cut")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cells := filepath.Join("cut", "cells.csv")
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C { // until something is there
		if info, err := os.Stat(cells); err == nil && info.Size() > 10_000 {
			tick.Stop()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it wrote nothing")
		}
	}
	began := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v to stop", took)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 || !strings.Contains(errs.String(), "what was finished is in cut and marked partial") {
		t.Errorf("%v: %s", err, errs.String())
	}
	if !partial(t, filepath.Join("cut", "sweep.json")) || !json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"partial":true`) {
		t.Errorf("it does not say that it is partial: %.200s", out.String())
	}
	b, err := os.ReadFile(cells)
	if err != nil || !bytes.HasSuffix(b, []byte("\n")) {
		t.Errorf("cells.csv does not end with a line (%v)", err)
	}
	if _, err := os.Stat(filepath.Join("cut", "report.html")); err == nil {
		t.Error("a page was made of what was not finished")
	}
}

func TestSweepsFindMistakesFirst(t *testing.T) {
	file := func(text string) string { return writeFile(t, "sweep.yaml", text) }
	for _, test := range []struct {
		says string
		args []string
		want string
	}{
		{"nothing to vary", []string{"herd-100"}, "write --vary KEY=A,B"},
		{"a key that is not there", []string{"herd-100", "--vary", "provider.seat=1,2"}, "--vary: provider.seat: unknown key; did you mean seats?"},
		{"a value that is not there", []string{"herd-100", "--vary", "policy=naive,ful-jitter"}, "did you mean full-jitter?"},
		{"one wrong of two axes", []string{"herd-100", "--vary", "provider.seats=1,2", "--vary", "policy=naiv,none"}, "did you mean naive?"},
		{"a range without points", []string{"herd-100", "--vary", "provider.seats=1..9"}, "/POINTS"},
		{"a point that is not whole", []string{"herd-100", "--vary", "provider.seats=1..10/3"}, "point 5.5 of 1..10/3 is not a whole number, and the key takes no others; write 1..11/3"},
		{"one below the end", []string{"herd-100", "--vary", "provider.seats=10..1/3"}, "write 10..2/3"},
		{"more points than there are whole numbers down", []string{"herd-100", "--vary", "provider.seats=3..1/9"}, "write 3..1/3"},
		{"a whole key by ratio", []string{"herd-100", "--vary", "provider.seats=log:1..1000/5"}, "write a list"},
		{"an end that is no value", []string{"herd-100", "--vary", "provider.seats=0..4/5"}, "provider.seats"},
		{"a range without an end", []string{"herd-100", "--vary", "provider.seats=1../5"}, "lacks an end"},
		{"a range of one point", []string{"herd-100", "--vary", "provider.seats=1..9/1"}, "at least 2"},
		{"ends of two kinds", []string{"herd-100", "--vary", "clients.0.arrive.over=1s..9/2"}, "different units"},
		{"ratios from 0", []string{"herd-100", "--vary", "clients.0.arrive.over=log:0s..9s/2"}, "above 0"},
		{"a time without its unit", []string{"herd-100", "--vary", "clients.0.arrive.over=1..9/2"}, "has no unit; write 1s"},
		{"a value twice", []string{"herd-100", "--vary", "provider.seats=3,3"}, "given twice"},
		{"a key twice", []string{"herd-100", "--vary", "provider.seats=3,4", "--vary", "provider.seats=5,6"}, "varied twice"},
		{"a key above another", []string{"herd-100", "--vary", "provider.seats=3,4", "--vary", "provider={},{seats: 3}"}, "undoes the other"},
		{"a range within a list", []string{"herd-100", "--vary", "provider.seats=1,3..5/2"}, "a range stands alone"},
		{"keys together of unlike numbers", []string{"herd-100", "--vary", "provider.seats=1,2; clients.0.count=1,2,3"}, "as many each"},
		{"seeds", []string{"herd-100", "--vary", "seed=1,2"}, "--seeds N"},
		{"a figure that is not there", []string{"herd-100", "--vary", "provider.seats=1,2", "--figure", "wall_"}, "did you mean wall"},
		{"a condition that is none", []string{"herd-100", "--vary", "provider.seats=1,2", "--until", "wall within 2%"}, "write STATISTIC(FIGURE) within SHARE"},
		{"a statistic that is none", []string{"herd-100", "--vary", "provider.seats=1,2", "--until", "medain(wall_s) within 2%"}, "did you mean median?"},
		{"a condition on no figure", []string{"herd-100", "--vary", "provider.seats=1,2", "--until", "mean(wal_s) within 2%"}, "did you mean wall"},
		{"a method without a sample", []string{"herd-100", "--vary", "provider.seats=1,2", "--sample-method", "lhs"}, "--sample N"},
		{"a method that is none", []string{"herd-100", "--vary", "provider.seats=1..9", "--sample", "4", "--sample-method", "sobol"}, "random or lhs"},
		{"a format that is none", []string{"herd-100", "--vary", "provider.seats=1,2", "--format", "xml"}, "csv or parquet"},
		{"a shard that is none", []string{"herd-100", "--vary", "provider.seats=1,2", "--shard", "3/2"}, "goes from 1 to 2"},
		{"a cell that is no scenario though its values are", []string{"herd-100", "--vary", "slot=50ms,1us", "--vary", "stop.after=1s,1h"}, "cell 3, slot=1us, stop.after=1h"},
		{"a file that is misspelled", []string{file("scenario: herd-100\nvarry: [provider.seats=1..9/5]\n")}, "did you mean vary?"},
		{"a file of no axis", []string{file("scenario: herd-100\n")}, "vary"},
		{"a file with a wrong axis", []string{file("scenario: herd-100\nvary:\n  - provider.seats=1../5\n")}, "sweep.yaml:3:5: vary.0: "},
		{"a file of no scenario", []string{file("scenario: herd-10\nvary: [provider.seats=1..9/5]\n")}, "herd-100"},
		{"a place that cannot be written", []string{"herd-100", "--vary", "provider.seats=1,2", "--out", "/proc/nowhere"}, "--out /proc/nowhere: cannot be written"},
	} {
		code, stdout, stderr := simulate(t, append([]string{"sweep"}, append(test.args, "--seeds", "2")...)...)
		if code != exitBadInput || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, which is to hold %q:\n%s", test.says, code, test.want, stderr)
		}
	}
}

// A sweep as a file is the sweep that the same words as flags are.
func TestASweepCanBeAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.yaml", "name: mine\nprovider: {seats: 3, service: {first_token: 30ms}}\nclients: [{name: herd, count: 20, policy: full-jitter}]\n")
	write("sweep.yaml", "about: Seats against patience.\nscenario: mine.yaml\nvary:\n  - provider.seats=2..8/4\n  - policy=full-jitter,naive\nset: [clients.0.count=30]\nseeds: 3\nseed: 7\nfigures: [latency_s.max]\n")
	t.Chdir(dir)
	calls := [][]string{
		{"sweep", "sweep.yaml", "--out", "a"},
		{"sweep", "mine.yaml", "--vary", "provider.seats=2..8/4", "--vary", "policy=full-jitter,naive", "--set", "clients.0.count=30", "--seeds", "3", "--seed", "7", "--figure", "latency_s.max", "--out", "b"},
		{"sweep", "sweep.yaml", "--vary", "provider.seats=3,4", "--seeds", "2", "--out", "c"},
	}
	for _, args := range calls {
		if code, _, stderr := call(context.Background(), args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	sameFolders(t, "a", "b")
	b, err := os.ReadFile(filepath.Join("c", "cells.csv"))
	if lines := bytes.Count(b, []byte("\n")); err != nil || lines != 1+2*2*2 {
		t.Errorf("%d lines (%v): the flags are to win", lines, err)
	}
}

func TestSweepsDraw(t *testing.T) {
	for _, test := range []struct {
		says  string
		args  []string
		shown []string
	}{
		{"a response curve", []string{"--vary", "provider.seats=2..8/4"}, []string{"Wall over seats", "95 % interval of the mean", "Attempts against p99 latency", "Wall is least with seats="}},
		{"words in place of a curve", []string{"--vary", "policy=naive,full-jitter,decorrelated"}, []string{"Wall over policy", "mean and its 95 % interval"}},
		{"heatmaps", []string{"--vary", "provider.seats=2..8/4", "--vary", "policy=naive,full-jitter"}, []string{"A field for each combination of provider.seats and policy", "seats=2, policy=naive; wall"}},
		{"heatmaps, a panel for each value of a third key", []string{"--vary", "provider.seats=2,4", "--vary", "policy=naive,full-jitter", "--vary", "clients.0.count=20,40"}, []string{"count=40"}},
		{"a sample", []string{"--vary", "provider.seats=2..8", "--vary", "clients.0.arrive.over=0s..5s", "--sample", "12"}, []string{"A dot for each cell of the sample", "drawn at random"}},
		{"keys together", []string{"--vary", "provider.seats=2,4; clients.0.count=20,40"}, []string{"provider.seats with clients.0.count varied"}},
		{"nothing happens", []string{"--vary", "provider.seats=2,4", "--set", "stop.after=0"}, []string{"is defined in no cell"}},
		{"a figure of one's own", []string{"--vary", "provider.seats=2,4", "--figure", "latency_s.max"}, []string{"latency_s.max"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			out := t.TempDir()
			var pages [2]string
			for i, jobs := range []string{"1", "3"} {
				dir := filepath.Join(out, jobs)
				args := append([]string{"sweep", "herd-100", "--seeds", "3", "--jobs", jobs, "--set", "expect=[]", "--out", dir, "--chart", filepath.Join(dir, "best.svg")}, test.args...)
				if code, stdout, stderr := simulate(t, args...); code != 0 || stdout == "" {
					t.Fatalf("exit code %d: %s", code, stderr)
				}
				b, err := os.ReadFile(filepath.Join(dir, "report.html"))
				if err != nil {
					t.Fatal(err)
				}
				pages[i] = strings.ReplaceAll(string(b), "\u00a0", " ")
				holdsNoNaN(t, dir)
			}
			if pages[0] != pages[1] {
				t.Error("the page hangs on the jobs")
			}
			for _, want := range test.shown {
				if !strings.Contains(pages[0], want) {
					t.Errorf("the page does not say %q", want)
				}
			}
		})
	}
}

// holdsNoNaN checks the files of a folder.
func holdsNoNaN(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
			t.Errorf("%s holds no number (%v)", e.Name(), err)
		}
	}
}

func TestMoreJobsThanRunsAreNoMore(t *testing.T) {
	if code, _, stderr := simulate(t, "sweep", "herd-20", "--vary", "provider.seats=3,4", "--jobs", "99999999", "--out", "off"); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestSweepsCheckExpectations(t *testing.T) {
	code, _, stderr := simulate(t, "sweep", "herd-100", "--vary", "policy=none,full-jitter", "--seeds", "3", "--set", "expect=[success == 1]", "--out", "off")
	if code != exitExpect || !strings.Contains(stderr, "in 3 of 6 runs, in 1 of 2 cells") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestAFinishedSweepIsNotRunAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "herd-100", "--vary", "provider.seats=3,4", "--seeds", "3", "--out", "out"}
	call(context.Background(), args...)
	code, _, stderr := call(context.Background(), append(args, "--format", "parquet")...)
	if code != 0 || !strings.Contains(stderr, "the sweep is in out already, all 6 runs; --fresh runs it again") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join("out", "summary.parquet")); err != nil {
		t.Error(err)
	}
	if partial(t, filepath.Join("out", "sweep.json")) {
		t.Error("it is partial")
	}
}

func TestMergeIsTheWholeSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	sweep := []string{"sweep", "herd-100", "--vary", "provider.seats=2..8/4", "--vary", "policy=full-jitter,decorrelated", "--seeds", "3", "--format", "parquet"}
	ctx := context.Background()
	for _, args := range [][]string{
		append(sweep, "--out", "whole"), append(sweep, "--out", "a", "--shard", "1/2"), append(sweep, "--out", "b", "--shard", "2/2"),
		{"merge", "b", "a", "--out", "merged", "--format", "parquet"},
	} {
		if code, _, stderr := call(ctx, args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	sameFolders(t, "whole", "merged")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"merge"}, "needs the folders"},
		{[]string{"merge", "a"}, "shards are missing: 2/2"},
		{[]string{"merge", "a", "b", "--out", "a"}, "folder of a shard"},
		{[]string{"merge", "a", "nowhere"}, "no sweep.json"},
	} {
		if code, _, stderr := call(ctx, test.args...); code != exitBadInput || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit code %d: %s", test.args, code, stderr)
		}
	}
}

func TestAnInterruptedSweepIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for after := time.Duration(0); after < 60*time.Millisecond; after += 6 * time.Millisecond {
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
		old(t, "out")
		ctx, stop := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(after, func() { stop(interrupted{syscall.SIGTERM}) })
		code, stdout, _ := call(ctx, "sweep", "herd-100", "--vary", "provider.seats=2..31/30", "--json", "--quiet", "--out", "out")
		timer.Stop()
		stop(nil)
		if code != 0 && code != 143 {
			t.Fatalf("exit code %d", code)
		}
		if stdout == "" { // it came before anything began
			continue
		}
		var document struct{ Partial *bool }
		if err := json.Unmarshal([]byte(stdout), &document); err != nil || document.Partial == nil || *document.Partial != (code == 143) || partial(t, filepath.Join("out", "sweep.json")) != (code == 143) {
			t.Errorf("exit code %d: %.100s (%v)", code, stdout, err)
		}
	}
}

func TestPlans(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := call(context.Background(), "plan", "herd-100", "--find", "provider.seats", "--between", "1..30", "--slo", "wall<1s,success==1", "--seeds", "5", "--out", "out", "--chart", "curve.svg")
	if code != 0 || !strings.Contains(stdout, "The least provider.seats that meets wall < 1s and success == 1 is ") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	holdsNoNaN(t, "out")
	if partial(t, filepath.Join("out", "plan.json")) {
		t.Error("it is partial")
	}
	code, stdout, stderr = call(context.Background(), "plan", "tokens-bind", "--find", "gates.fifty.concurrency", "--between", "1..50", "--slo", "attempts.rejected==0", "--seeds", "2", "--out", "off", "--json")
	var document struct {
		Found  bool
		Answer *string
		Says   []string
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatal(err)
	}
	if code != exitExpect || document.Found || document.Answer != nil || !strings.Contains(strings.Join(document.Says, " "), "TPM-bound") || !strings.Contains(stderr, "no answer") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "plan needs --find"},
		{[]string{"--find", "provider.seat", "--between", "1..9", "--slo", "wall<1s"}, "--find: provider.seat: unknown key; did you mean seats?"},
		{[]string{"--find", "provider.seats", "--between", "1", "--slo", "wall<1s"}, "FROM..TO"},
		{[]string{"--find", "provider.seats", "--between", "1..9/5", "--slo", "wall<1s"}, "the two ends alone"},
		{[]string{"--find", "provider.seats", "--between", "1..9", "--slo", "wal<1s"}, "did you mean wall"},
	} {
		if code, _, stderr := call(context.Background(), append([]string{"plan", "herd-100"}, test.args...)...); code != exitBadInput || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit code %d: %s", test.args, code, stderr)
		}
	}
}
