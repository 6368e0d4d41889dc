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
)

// countdown is a context that a signal ends when it is looked at for the n-th time.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return interrupted{syscall.SIGINT}
	}
	return nil
}

// partial reads what a document says of itself.
func partial(t *testing.T, path string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Partial *bool }
	if err := json.Unmarshal(b, &document); err != nil || document.Partial == nil {
		t.Fatalf("%s: partial is not said (%v)", path, err)
	}
	return *document.Partial
}

// holds checks that an exit code, the documents and the pages of a folder agree, in
// which older pages lay.
func holds(t *testing.T, says string, code int, stdout, document string) {
	t.Helper()
	if code != 0 && code != 130 {
		t.Fatalf("%s: exit code %d", says, code)
	}
	var shown struct{ Partial bool }
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil {
		t.Fatalf("%s: %v", says, err)
	}
	if cut := code == 130; partial(t, document) != cut || shown.Partial != cut {
		t.Errorf("%s: exit code %d, %s says partial %v, stdout %v", says, code, document, partial(t, document), shown.Partial)
	}
	for _, page := range pages {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(document), page))
		if there := err == nil; there != (code == 0) || string(b) == "old" {
			t.Errorf("%s: exit code %d, and %s is there: %v", says, code, page, there)
		}
	}
}

// old puts pages of another run into a folder.
func old(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if err := os.WriteFile(filepath.Join(dir, page), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnInterruptAtAnyMomentOfARunIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	codes := map[int]int{}
	for n := range 30 {
		old(t, "out")
		code, stdout, stderr := call(countdown{context.Background(), &n}, "run", "herd-100", "--json", "--out", "out")
		codes[code]++
		holds(t, "run", code, stdout, filepath.Join("out", "summary.json"))
		if code == 130 && !strings.Contains(stderr, "what was finished is in out and marked partial") {
			t.Errorf("stderr: %s", stderr)
		}
		if code == 0 {
			break
		}
	}
	if codes[0] != 1 || codes[130] < 5 {
		t.Errorf("exit codes: %v", codes)
	}
}

// What was in flight when a signal came was so because of the signal: no horizon came.
func TestAnInterruptIsNoHorizon(t *testing.T) {
	told := 0
	for n := range 8 {
		_, stdout, _ := call(countdown{context.Background(), &n}, "run", "herd-100", "--json", "--out", "off", "--set", "clients.0.count=5000", "--set", "against=none")
		if strings.Contains(stdout, "the horizon came") {
			t.Errorf("a horizon came: %s", stdout)
		}
		told += strings.Count(stdout, "the run was interrupted while ")
	}
	if told == 0 {
		t.Error("no run was interrupted with operations in flight")
	}
}

func TestAnInterruptOfManyRunsIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, verb := range [][]string{
		{"summary.json", "run", "herd-100", "--seeds", "40"},
		{"compare.json", "compare", "herd-100", "--vary", "policy=naive,full-jitter", "--seeds", "20"},
	} {
		for after := time.Duration(0); after < 80*time.Millisecond; after += 8 * time.Millisecond {
			old(t, "out")
			ctx, stop := context.WithCancelCause(context.Background())
			timer := time.AfterFunc(after, func() { stop(interrupted{syscall.SIGINT}) })
			code, stdout, _ := call(ctx, append(verb[1:], "--json", "--quiet", "--out", "out")...)
			timer.Stop()
			stop(nil)
			holds(t, verb[1], code, stdout, filepath.Join("out", verb[0]))
		}
	}
}

// What keeps nothing does not say that it did.
func TestAnInterruptedTraceKeepsNothing(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	stop(interrupted{syscall.SIGTERM})
	code, stdout, stderr := call(ctx, "trace", "herd-100")
	if code != 143 || stdout != "" || strings.Contains(stderr, "partial") || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
}

// A run that fails leaves no pages of another beside its figures either.
func TestStalePagesGo(t *testing.T) {
	t.Chdir(t.TempDir())
	old(t, "out")
	if err := os.Mkdir(filepath.Join("out", "slots.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := call(context.Background(), "run", "gate-20", "--out", "out"); code == 0 {
		t.Fatal("slots.csv was written over a folder")
	}
	for _, page := range pages {
		if _, err := os.Stat(filepath.Join("out", page)); err == nil {
			t.Errorf("%s of another run is still there", page)
		}
	}
}
