//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends a process that waits for a pipe, whatever it waits for.
func TestASignalEndsTheWaitingForAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"run", fifo},
		{"check", fifo},
		{"trace", fifo},
		{"compare", fifo, "--vary", "policy=naive,none"},
		{"run", "herd-100", "--echarts", fifo},
	} {
		ctx, stop := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(20*time.Millisecond, func() { stop(interrupted{syscall.SIGINT}) })
		done := make(chan int)
		go func() {
			code, _, _ := call(ctx, args...)
			done <- code
		}()
		select {
		case code := <-done:
			if code != 130 {
				t.Errorf("%s: exit code %d", args[0], code)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%v still waits", args)
		}
		timer.Stop()
	}
}

// A pipe is read once, whatever is made of it.
func TestAScenarioMayComeFromAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	_, text, _ := call(context.Background(), "show", "herd-100")
	for _, args := range [][]string{
		{"run"}, {"check"}, {"trace"}, {"run", "--seeds", "2"}, {"compare", "--vary", "policy=naive,full-jitter", "--seeds", "2"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = w.WriteString(text)
			w.Close()
		}()
		path := filepath.Join("/dev/fd", strconv.Itoa(int(r.Fd())))
		code, _, stderr := call(context.Background(), append([]string{args[0], path}, args[1:]...)...)
		if code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
		r.Close()
	}
	if page, err := os.ReadFile(filepath.Join("out", "herd-100", "report.html")); err != nil || !strings.Contains(string(page), "seats: 3") {
		t.Errorf("the page does not show the scenario (%v)", err)
	}
}
