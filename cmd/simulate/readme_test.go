package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

var update = flag.Bool("update", false, "write what the commands print into the README")

// printed is a command of the README and the block that shows what it prints.
var printed = regexp.MustCompile("(?s)<!-- test: simulate (.*?) -->\n```text\n(.*?)```\n")

// timed is the line whose figures hang on the machine; the README leaves it out.
var timed = regexp.MustCompile(`(?m)^simulated in .*\n`)

func readme(t *testing.T) (path, text string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(b)
}

func TestREADMEPrintsWhatItShows(t *testing.T) {
	path, text := readme(t)
	t.Chdir(t.TempDir())
	blocks := printed.FindAllStringSubmatch(text, -1)
	if len(blocks) < 2 {
		t.Fatalf("the README shows the output of %d commands, want 2 or more", len(blocks))
	}
	for _, block := range blocks {
		code, stdout, stderr := call(context.Background(), strings.Fields(block[1])...)
		got := timed.ReplaceAllString(stdout, "")
		if code != 0 {
			t.Errorf("simulate %s: exit code %d: %s", block[1], code, stderr)
		}
		if got == block[2] {
			continue
		}
		if *update {
			text = strings.Replace(text, block[0], "<!-- test: simulate "+block[1]+" -->\n```text\n"+got+"```\n", 1)
			continue
		}
		t.Errorf("simulate %s prints\n%s\nthe README shows\n%s", block[1], got, block[2])
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestREADMECommandsWork(t *testing.T) {
	_, text := readme(t)
	t.Chdir(t.TempDir())
	commands := regexp.MustCompile(`(?m)^\$ go run ./cmd/simulate (.*)$`).FindAllStringSubmatch(text, -1)
	if len(commands) < 3 {
		t.Fatalf("the README has %d commands, want 3 or more", len(commands))
	}
	for _, c := range commands {
		if code, _, stderr := call(context.Background(), shellWords(c[1])...); code != 0 {
			t.Errorf("simulate %s: exit code %d: %s", c[1], code, stderr)
		}
	}
}

func TestREADMEScenarioRuns(t *testing.T) {
	_, text := readme(t)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no scenario")
	}
	for _, block := range blocks {
		s, err := scenarios.Decode("README.md", []byte(block[1]))
		if err != nil {
			t.Fatal(err)
		}
		result, err := experiment.Run(context.Background(), s, s.Seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Expect {
			if err := e.Check(result.Summary); err != nil {
				t.Error(err)
			}
		}
	}
}

// The table of policies is what `run herd-100-naive --set policy=NAME --seeds 50` gives.
func TestREADMEPolicyTable(t *testing.T) {
	_, text := readme(t)
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|[^|]*\\| ([0-9.]+) s[^|]*\\| (\\d+) \\| (\\d+) \\|$").FindAllStringSubmatch(text, -1)
	if want := len(policies.Default()); len(rows) != want {
		t.Fatalf("the table has %d policies, want the %d that need no definition", len(rows), want)
	}
	for _, row := range rows {
		s, err := scenarios.Load("herd-100-naive", "policy="+row[1])
		if err != nil {
			t.Fatal(err)
		}
		runs, err := experiment.Replicate(context.Background(), s, 50, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{
			fmt.Sprintf("%.2f", runs.Figure("wall").Median),
			fmt.Sprint(runs.Figure("attempts").Median), fmt.Sprint(runs.Figure("herd.busiest_retry").Median),
		}
		if !slices.Equal(got, row[2:]) {
			t.Errorf("%s: wall, attempts and busiest retry slot are %v, the README says %v", row[1], got, row[2:])
		}
	}
}

// What the README says of virtual time beside sockets is where 99 % of 1,000 seeds are, as
// `crosscheck` prints it. What sockets did is one machine's, and written down.
func TestREADMEAgreementTable(t *testing.T) {
	_, text := readme(t)
	figures := map[string]string{
		"wall": "wall_s", "requests": "attempts.total", "busiest 50 ms of retries": "herd.busiest_retry",
		"first token": "first_token_s.p50", "given up": "failure_latency_s.max",
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)`: ([a-z0-9 ]+) \\|[^|]*\\| ([^|]*) \\|[^|]*\\|$").FindAllStringSubmatch(text, -1)
	if len(rows) < 10 {
		t.Fatalf("the table has %d rows, want 10 or more", len(rows))
	}
	for _, row := range rows {
		figure, known := figures[row[2]]
		if !known {
			t.Errorf("%s: no figure is called %q", row[1], row[2])
			continue
		}
		values := virtually(t, row[1], func(s *model.Summary) float64 {
			v, _ := s.Figure(figure)
			return float64(v)
		})
		verb := "%.0f"
		if model.InSeconds(figure) {
			verb = "%.3f"
		}
		want := fmt.Sprintf(verb, values[499])
		if values[4] != values[994] {
			want += fmt.Sprintf(" ("+verb+" to "+verb+")", values[4], values[994])
		}
		if row[3] != want {
			t.Errorf("%s, %s: %s, the README says %s", row[1], row[2], want, row[3])
		}
	}
}

func TestREADMEIsShort(t *testing.T) {
	_, text := readme(t)
	if lines := strings.Count(text, "\n"); lines >= 200 {
		t.Errorf("the README has %d lines, want under 200", lines)
	}
}

// What a newcomer missed is said where it was looked for.
func TestWhatANewcomerLooksFor(t *testing.T) {
	_, short := readme(t)
	for _, row := range []struct{ says, text, want string }{
		{"README: everything that ends with 1", short, "1 an `expect` failed, in any seed or arm, a cross-check differs, or a plan has no answer; 2"},
		{"guide: a program that scripts can use", guide(t, "test-my-client.md"), "`go run` hands on neither a signal sent to it nor the exit code. `go install ./cmd/simulate` makes the program"},
		{"load: before which server expectations hold", loadVerb().help, "the others hold where the server serves the same scenario"},
		{"load: its code for nobody", loadVerb().help, "Where requests fail and none has any answer, the exit code is 3."},
		{"crosscheck: what to do about minutes", crosscheckVerb().help, "at least three of them for a verdict: write --scale 0.1 for a long one."},
		{"crosscheck: what is not checked", crosscheckVerb().help, "What a scenario expects is not checked"},
	} {
		if !strings.Contains(strings.Join(strings.Fields(row.text), " "), row.want) {
			t.Errorf("%s: it does not say %q", row.says, row.want)
		}
	}
}
