package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/scenarios"
)

// Runs that are kept in files come to the bytes of those kept in memory.
func TestSpooledRunsAreTheSame(t *testing.T) {
	enough, err := experiment.ParseUntil("mean(attempts.total) within 3%")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(interrupted{syscall.SIGINT})
	for _, test := range []struct {
		says, name string
		set        []string
		seeds      int
		enough     *experiment.Until
		ctx        context.Context
		json       bool
	}{
		{"against another policy", "herd-100", nil, 40, nil, context.Background(), false},
		{"figures that some runs have", "herd-20", []string{"provider.faults=[{probability: 1%, status: 500}]", "expect=[attempts.errored == 0]"}, 40, nil, context.Background(), true},
		{"limits and groups", "two-axes", nil, 5, nil, context.Background(), false},
		{"as many as it takes", "herd-100", []string{"expect=[]"}, 200, enough, context.Background(), true},
		{"interrupted at once", "herd-100", nil, 40, nil, ctx, true},
	} {
		t.Run(test.says, func(t *testing.T) {
			t.Chdir(t.TempDir())
			text, _ := scenarios.Source(test.name)
			do := func(out string, how func(*runCommand) error) (printed, told string) {
				s, err := scenarios.Decode(test.name, text, test.set...)
				if err != nil {
					t.Fatal(err)
				}
				var stdout, stderr bytes.Buffer
				r := &runCommand{
					command: command{stdout: &stdout, stderr: &stderr}, common: &common{seeds: test.seeds, jobs: 2, out: out, json: test.json, quiet: true},
					pictures: &pictures{}, source: source{test.name, test.name, text}, scenario: s, enough: test.enough,
				}
				if s.Against != "" {
					if r.rival, err = s.With(s.Against); err != nil {
						t.Fatal(err)
					}
				}
				_, told = outcome(errorsOr(how(r)))
				return stdout.String(), told
			}
			inMemory, toldInMemory := do("memory", func(r *runCommand) error { return r.many(test.ctx) })
			inFiles, toldInFiles := do("files", func(r *runCommand) error { return r.spooled(test.ctx) })
			timed := regexp.MustCompile(`("real_s"|"events_per_s"): [^\n]*`)
			if a, b := timed.ReplaceAllString(inMemory, ""), timed.ReplaceAllString(inFiles, ""); a != b {
				t.Errorf("in memory it prints\n%.600s\nand in files\n%.600s", a, b)
			}
			places := regexp.MustCompile(`in (memory|files) `)
			if a, b := places.ReplaceAllString(toldInMemory, ""), places.ReplaceAllString(toldInFiles, ""); a != b {
				t.Errorf("in memory it says %s, in files %s", a, b)
			}
			sameFolders(t, "memory", "files")
			if left, _ := filepath.Glob("files/.stampede*"); left != nil {
				t.Errorf("%v is left", left)
			}
			if _, err := os.Stat("files/summary.json"); err != nil {
				t.Error(err)
			}
		})
	}
}

// errorsOr makes no error one that says nothing.
func errorsOr(err error) error {
	if err == nil {
		return inputError{os.ErrNotExist}
	}
	return err
}
