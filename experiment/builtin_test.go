package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func load(t testing.TB, name string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name, set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func replicate(t testing.TB, name string, n int) *Replicates {
	t.Helper()
	r, err := Replicate(context.Background(), load(t, name), n, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t testing.TB, s *scenarios.Scenario, seed uint64) *Result {
	t.Helper()
	r, err := Run(context.Background(), s, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func between(t *testing.T, says string, got model.Number, least, most float64) {
	t.Helper()
	if !got.Defined() || float64(got) < least || float64(got) > most {
		t.Errorf("%s is %v, want %g to %g", says, got, least, most)
	}
}

// E7 of the reference chapter: no jitter took 65.6, 225.6 and 245.7 s with up to 97
// of 100 in one 50 ms slot, full jitter 1.8, 2.2 and 2.3 s with about 30 in the busiest
// retry slot and less than half the requests. Without jitter the waits are 25.4 s up to
// the cap and then 20 s a wave, so walls lie on a comb.
func TestHerd100(t *testing.T) {
	naive, jitter := replicate(t, "herd-100-naive", 50), replicate(t, "herd-100", 50)
	between(t, "naive: median wall", naive.Figure("wall_s").Median, 185, 266)
	largest := 0.0
	for _, r := range naive.Runs {
		above := math.Mod(float64(r.Summary.Wall)-25.4, 20)
		if r.Summary.Wall < 25.4 || above > 0.6 {
			t.Errorf("naive, seed %d: a wall of %v s is %v s above the comb", r.Seed, r.Summary.Wall, above)
		}
		largest = max(largest, float64(r.Summary.Herd.BusiestRetry))
	}
	between(t, "naive: largest busiest retry slot", model.Number(largest), 90, 97)
	wall := jitter.Figure("wall_s")
	between(t, "full jitter: median wall", wall.Median, 1.7, 3.8)
	between(t, "full jitter: 90th percentile of the wall", wall.P90, 0, 5)
	between(t, "full jitter: median busiest retry slot", jitter.Figure("herd.busiest_retry").Median, 25, 45)
	between(t, "full jitter: attempts as a share of naive's",
		jitter.Figure("attempts").Median/naive.Figure("attempts").Median, 0, 0.5)
}

// E2: 74 requests, 54 of them 429s, 20 successes, 7.1 s; no wait under the header's second.
func TestHerd20(t *testing.T) {
	s := load(t, "herd-20")
	var attempts, rejected, wall []float64
	for r := range 200 {
		trace := &model.Trace{Client: model.AllClients}
		result, err := Run(context.Background(), s, Seed(s.Seed, r), trace)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Summary.Operations.Succeeded; got != 20 {
			t.Errorf("seed %d: %d successes, want 20", result.Seed, got)
		}
		attempts = append(attempts, float64(result.Summary.Attempts.Total))
		rejected = append(rejected, float64(result.Summary.Attempts.Rejected))
		wall = append(wall, float64(result.Summary.Wall))
		for _, line := range trace.Lines {
			if line.Answer.Status == 429 && line.Wait < time.Second {
				t.Errorf("seed %d: client %d waits %v, less than the hint of 1s", result.Seed, line.Client, line.Wait)
			}
		}
	}
	for _, figure := range []struct {
		name   string
		values []float64
		want   float64
	}{{"attempts", attempts, 74}, {"rejections", rejected, 54}, {"wall", wall, 7.1}} {
		slices.Sort(figure.values)
		if p5, p95 := figure.values[9], figure.values[189]; figure.want < p5 || figure.want > p95 {
			t.Errorf("the chapter's %g %s are outside the 5th to 95th percentile, %g to %g", figure.want, figure.name, p5, p95)
		}
	}
}

func TestCertainBuiltins(t *testing.T) {
	tests := []struct {
		name, says string
		figure     string
		want, off  float64
	}{
		{"gate-20", "E8: a gate of three lets nobody be refused", "attempts", 20, 0},
		{"gate-20", "E8: none is rejected", "attempts.rejected", 0, 0},
		{"gate-20", "E8: ceil(20/3) = 7 rounds of one service time", "wall", 0.883, 0.883 * 0.02},
		{"retry-everything", "E5: six requests", "attempts", 6, 0},
		{"retry-everything", "E5: all of them a 401", "attempts.by_status.401", 6, 0},
		{"retry-everything", "E5: 200+400+800+1600+3200 ms and six round trips of 0.6 ms", "wall", 6.2036, 1e-9},
		{"retry-everything", "E5: still a failure", "operations.failures.attempts_exhausted", 1, 0},
		{"triage-first", "E5: one request", "attempts", 1, 0},
		{"triage-first", "E5: told apart as fatal", "operations.failures.fatal", 1, 0},
		{"blocking", "E1: first visible with the whole answer", "first_token_s.max", 0.791, 0.005},
		{"blocking", "E1: complete", "latency_s.max", 0.791, 0.005},
		{"streaming", "E1: first visible after the first token", "first_token_s.max", 0.065, 0.005},
		{"streaming", "E1: complete", "latency_s.max", 0.793, 0.005},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.figure, func(t *testing.T) {
			s := load(t, test.name)
			got, known := run(t, s, s.Seed).Summary.Figure(test.figure)
			if !known {
				t.Fatalf("there is no figure %s", test.figure)
			}
			between(t, test.says, got, test.want-test.off, test.want+test.off)
		})
	}
}

// checkBooks is design rule 9, as far as there is something to book.
func checkBooks(t *testing.T, name string, s *model.Summary) {
	t.Helper()
	o, a, f, r := s.Operations, s.Attempts, s.Operations.Failures, s.Attempts.RejectedBy
	sums := []struct {
		says       string
		whole, sum int64
	}{
		{"operations", o.Total, o.Succeeded + o.Failed + o.Cancelled + o.InFlight},
		{"failed", o.Failed, f.AttemptsExhausted + f.Deadline + f.TimedOut + f.Fatal + f.Incomplete + f.Impossible + f.Quota + f.Budget + f.Breaker + f.Throttled + f.Gate},
		{"attempts", a.Total, a.Succeeded + a.Rejected + a.Errored + a.TimedOut + a.Incomplete + a.Cancelled + a.InFlight},
		{"rejected", a.Rejected, r.Seats + r.Queue + r.Concurrency + r.Requests + r.Tokens + r.InputTokens + r.OutputTokens + r.Slope},
		{"billed tokens", s.Tokens.Billed, s.Tokens.Useful + s.Tokens.Wasted},
	}
	for _, line := range sums {
		if line.whole != line.sum {
			t.Errorf("%s, seed %s: %d %s, but the parts add up to %d", name, s.Seed, line.whole, line.says, line.sum)
		}
	}
	var retries int64
	for n, count := range s.Retries.Counts {
		retries += int64(n) * count
	}
	if o.InFlight == 0 && a.Total > 0 && retries != a.Total-o.Total {
		t.Errorf("%s, seed %s: %d retries, but %d attempts of %d operations", name, s.Seed, retries, a.Total, o.Total)
	}
}

func TestBooksBalance(t *testing.T) {
	for _, entry := range scenarios.List() {
		for _, set := range [][]string{nil, {"stop.after=300ms"}, {"provider.queue=5", "provider.seats=2"}, {"policy=none"}} {
			s := load(t, entry.Name, set...)
			trace := &model.Trace{Client: model.AllClients}
			result, err := Run(context.Background(), s, 7, trace)
			if err != nil {
				t.Fatal(err)
			}
			checkBooks(t, entry.Name, result.Summary)
			checkTrace(t, entry.Name, trace, result.Summary)
			var sent, verdicts int64
			for i := range result.Tally.Slots() {
				row := result.Tally.Slot(i)
				sent += row.First + row.Retries
				verdicts += row.Accepted + row.Rejected
			}
			if sent != result.Summary.Attempts.Total {
				t.Errorf("%s: %d attempts in the slots, %d in the summary", entry.Name, sent, result.Summary.Attempts.Total)
			}
			if known := result.Summary.Attempts.Rejected + result.Summary.Attempts.Succeeded; verdicts < known {
				t.Errorf("%s: %d verdicts in the slots, fewer than the %d attempts that met one", entry.Name, verdicts, known)
			}
		}
	}
}

// checkTrace compares the attempts one by one with the sums: a client's attempts
// never overlap, each starts when the wait before it is over (gates apart), and the
// ends are those counted.
func checkTrace(t *testing.T, name string, trace *model.Trace, s *model.Summary) {
	t.Helper()
	last := map[[2]any]model.TraceLine{}
	var rejected, succeeded int64
	for _, line := range trace.Lines {
		id := [2]any{line.Group, line.Client}
		if before, any := last[id]; any {
			if line.Attempt != before.Attempt+1 || line.Sent < before.Answered+before.Wait {
				t.Errorf("%s: client %d sends attempt %d at %v, before its wait until %v is over",
					name, line.Client, line.Attempt, line.Sent, before.Answered+before.Wait)
			}
		}
		last[id] = line
		switch {
		case line.Answer.Status == 429:
			rejected++
		case line.Answer.End == policies.Succeeded:
			succeeded++
		}
	}
	if int64(len(trace.Lines)) != s.Attempts.Total || rejected != s.Attempts.Rejected || succeeded != s.Attempts.Succeeded {
		t.Errorf("%s: the trace has %d attempts, %d rejected and %d succeeded; the summary %d, %d and %d",
			name, len(trace.Lines), rejected, succeeded, s.Attempts.Total, s.Attempts.Rejected, s.Attempts.Succeeded)
	}
}

func document(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// EN-D2: seeded, and the same.
func TestSameBytesWhateverTheJobs(t *testing.T) {
	for _, entry := range scenarios.List() {
		if entry.Name == "herd-w2" && testing.Short() {
			continue
		}
		s, seeds := load(t, entry.Name), 5
		if entry.Name == "herd-w2" || entry.Name == "burst-bucket" {
			seeds = 2 // tens of thousands of operations each
		}
		var first []byte
		for _, cores := range []int{1, 8} {
			was := runtime.GOMAXPROCS(cores)
			counts := []int{1, 2, 7}
			if raceDetector {
				counts = []int{2}
			}
			for _, jobs := range counts {
				r, err := Replicate(context.Background(), s, seeds, jobs, nil)
				if err != nil {
					t.Fatal(err)
				}
				var all []any
				for _, run := range r.Runs {
					all = append(all, run.Summary)
				}
				got := document(t, append(all, r.Aggregate(), r.Pool.Figures()))
				if first == nil {
					first = got
				}
				if !bytes.Equal(first, got) {
					t.Errorf("%s: other bytes with %d jobs on %d cores", entry.Name, jobs, cores)
				}
			}
			runtime.GOMAXPROCS(was)
		}
	}
}

func TestAReportedSeedReproducesItsRun(t *testing.T) {
	r := replicate(t, "herd-100", 4)
	for _, replicate := range r.Runs {
		again := run(t, load(t, "herd-100"), replicate.Seed)
		if !bytes.Equal(document(t, again.Summary), document(t, replicate.Summary)) {
			t.Errorf("seed %d alone gives another summary than as a replicate", replicate.Seed)
		}
	}
}
