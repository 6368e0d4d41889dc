package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// simulate calls the program in a folder of its own.
func simulate(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	return call(context.Background(), args...)
}

func call(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = command{stdout: &out, stderr: &errs}.run(ctx, args)
	return code, out.String(), errs.String()
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// UX-D6: what the exit codes mean.
func TestExitCodes(t *testing.T) {
	looping := "name: looping\nprovider: {seats: 1, service: {first_token: 1h}}\nclients: [{name: a, count: 2, policy: mad}]\n" +
		"policies: {mad: {backoff: none}}\n"
	// 3,822 operations of which one is refused: a provider of 3,821 seats.
	oneFails := "name: one-fails\nprovider: {seats: 3821, service: {first_token: 1s}}\nclients: [{name: a, count: 3822}]\nexpect: [success >= "
	tests := []struct {
		says string
		args []string
		want int
		err  string
	}{
		{"a run whose expectations hold", []string{"run", "herd-100"}, 0, ""},
		{"failed requests alone fail nothing", []string{"run", writeFile(t, "a.yaml", "name: a\nprovider: {faults: [{status: 500}]}\nclients: [{name: a}]\n")}, 0, ""},
		{"one of 3,822 fails: 0.999 holds", []string{"run", writeFile(t, "b.yaml", oneFails+"0.999]\n")}, 0, ""},
		{"one of 3,822 fails: 0.9999 does not", []string{"run", writeFile(t, "c.yaml", oneFails+"0.9999]\n")}, 1, "success >= 0.9999"},
		{"an expectation fails in some seeds, and they are counted", []string{"run", "herd-20", "--seeds", "5", "--set", "expect=[attempts == 0]"}, 1, "5 of 5 seeds"},
		{"a misspelled key", []string{"run", "herd-100", "--set", "provider.seat=3"}, 2, "seats"},
		{"a scenario that is not there", []string{"run", "herd-1000"}, 2, "herd-100"},
		{"a verb that is not there", []string{"ruin", "herd-100"}, 2, "there is no verb"},
		{"a flag that is not there", []string{"run", "herd-100", "--sed", "3"}, 2, "--help"},
		{"a seed that is no number", []string{"run", "herd-100", "--seed", "x"}, 2, "--seed"},
		{"no seeds at all", []string{"run", "herd-100", "--seeds", "0"}, 2, "--seeds"},
		{"no verb", nil, 2, "run herd-100"},
		{"no scenario", []string{"run"}, 2, "needs a scenario"},
		{"two scenarios", []string{"run", "herd-20", "herd-100"}, 2, "takes one"},
		{"a client that is not there", []string{"trace", "herd-20", "--client", "20"}, 2, "0 to 19"},
		{"a run that can never go on", []string{"run", writeFile(t, "d.yaml", looping)}, 3, "the clock does not move"},
		{"an output that is a file", []string{"run", "gate-20", "--out", writeFile(t, "out", "")}, 2, "simulate:"},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			code, _, stderr := simulate(t, test.args...)
			if code != test.want || !strings.Contains(stderr, test.err) {
				t.Errorf("exit code %d, want %d; stderr, which should hold %q:\n%s", code, test.want, test.err, stderr)
			}
		})
	}
}

// UX-D5: stdout carries results only, and no escape codes reach a file.
func TestPipes(t *testing.T) {
	for _, args := range [][]string{
		{"run", "herd-100"},
		{"run", "herd-100", "--json"},
		{"run", "herd-100", "--seeds", "3"},
		{"trace", "herd-20"},
		{"list"},
		{"show", "herd-100"},
		{"check", "herd-100"},
		{"schema"},
		{"version"},
		{"run", "--help"},
		{"help"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			code, stdout, stderr := simulate(t, args...)
			if code != 0 || stdout == "" {
				t.Errorf("exit code %d and %d bytes on stdout", code, len(stdout))
			}
			if strings.ContainsRune(stdout+stderr, 0x1b) {
				t.Error("an escape code is in the output")
			}
			if n := strings.Count(stderr, "\n"); n > 1 {
				t.Errorf("%d lines on stderr, want at most the one that says where the files are", n)
			}
			if !strings.HasSuffix(stdout, "\n") {
				t.Error("the last line is not ended")
			}
			if slices.Contains(args, "--json") && !json.Valid([]byte(stdout)) {
				t.Error("stdout is no JSON document")
			}
		})
	}
}

// UX-D3: no data, no NaN.
func TestNothingToShow(t *testing.T) {
	tests := []struct {
		says string
		args []string
		text string
	}{
		{"a horizon of 0", []string{"--set", "stop.after=0"}, "No operation started"},
		{"a horizon before the first answer", []string{"--set", "stop.after=20us"}, "No completed requests"},
		{"everything refused", []string{"--set", "provider.faults=[{status: 500}]", "--set", "policy=none"}, "all of them failed"},
		{"a single operation", []string{"--set", "clients.0.count=1"}, "1 operation took"},
		{"no clients", []string{"--set", "clients.0.count=0"}, "No operation started"},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			args := append([]string{"run", "herd-100-naive", "--set", "expect=[]"}, test.args...)
			code, stdout, stderr := simulate(t, args...)
			if code != 0 || !strings.Contains(stdout, test.text) {
				t.Errorf("exit code %d, %s; stdout, which should hold %q:\n%s", code, stderr, test.text, stdout)
			}
			for _, bad := range []string{"NaN", "Inf", "-0 "} {
				if strings.Contains(stdout, bad) {
					t.Errorf("%s in:\n%s", bad, stdout)
				}
			}
			_, document, _ := simulate(t, append(args, "--json")...)
			var any map[string]any
			if err := json.Unmarshal([]byte(document), &any); err != nil {
				t.Errorf("--json: %v in\n%s", err, document)
			}
		})
	}
}

func TestSeedOfTheFlagAndOfTheFileAreOne(t *testing.T) {
	_, byFlag, _ := simulate(t, "trace", "herd-20", "--seed", "18446744073709551615")
	_, bySet, _ := simulate(t, "trace", "herd-20", "--set", "seed=18446744073709551615")
	_, other, _ := simulate(t, "trace", "herd-20")
	if byFlag != bySet || byFlag == other {
		t.Errorf("--seed gives\n%s--set seed gives\n%sthe scenario's own gives\n%s", byFlag, bySet, other)
	}
}

func TestFilesAreTheSameWhateverElseIsAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx := context.Background()
	call(ctx, "run", "herd-100", "--out", "a")
	call(ctx, "run", "herd-100", "--out", "b", "--json", "--quiet", "--jobs", "1")
	for _, file := range []string{"summary.json", "slots.csv"} {
		a, err := os.ReadFile(filepath.Join("a", file))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join("b", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", file)
		}
		if bytes.Contains(a, []byte("real_s")) {
			t.Errorf("%s holds a time of the machine's", file)
		}
	}
}

// What was finished when the signal came is kept and says that it is partial.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"run", "herd-100", "--out", "one"}, {"run", "herd-100", "--seeds", "40", "--out", "many"}} {
		ctx, stop := context.WithCancelCause(context.Background())
		stop(interrupted{syscall.SIGINT})
		code, _, stderr := call(ctx, args...)
		if code != 130 || !strings.Contains(stderr, "partial") {
			t.Errorf("%v: exit code %d, stderr %s", args, code, stderr)
		}
		b, err := os.ReadFile(filepath.Join(args[len(args)-1], "summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		var summary struct{ Partial bool }
		if err := json.Unmarshal(b, &summary); err != nil || !summary.Partial {
			t.Errorf("%v: partial is %v (%v)", args, summary.Partial, err)
		}
	}
}

// shellWords parts a command as a shell does that knows single quotes alone.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		words = append(words, strings.Fields(part)...)
		if strings.HasSuffix(part, " ") {
			words = append(words, "")
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

func TestHelpExamplesWork(t *testing.T) {
	for _, v := range verbs() {
		if len(v.examples) == 0 {
			t.Errorf("%s has no example", v.name)
		}
		_, help, _ := simulate(t, v.name, "--help")
		t.Chdir(t.TempDir())
		if _, mine, _ := call(context.Background(), "show", "herd-100"); os.WriteFile("mine.yaml", []byte(mine), 0o600) != nil {
			t.Fatal("cannot write mine.yaml")
		}
		for _, example := range v.examples {
			if !strings.Contains(help, example) {
				t.Errorf("%s --help does not show %q", v.name, example)
			}
			line, _, _ := strings.Cut(example, " > ") // what a shell does with the output is its own affair
			args := shellWords(line)
			if v.name == "serve" || v.name == "load" {
				continue // one does not end by itself, one needs the other: TestServeExamplesWork, TestLoadExamplesWork
			}
			if v.name == "crosscheck" {
				continue // which a busy machine may not be fit for: TestCrosscheckExamplesWork
			}
			if code, _, stderr := call(context.Background(), args[1:]...); code != 0 {
				t.Errorf("%s: exit code %d: %s", example, code, stderr)
			}
		}
	}
}
