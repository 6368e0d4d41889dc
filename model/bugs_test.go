package model_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// edit is what to write instead of what, which stands once in a file.
type edit struct{ file, right, mistaken string }

// bugs are mistakes that somebody could make.
var bugs = []struct {
	says  string
	edits []edit
}{
	{"a seat is not freed where its client has left", []edit{{
		"model/answer.go",
		"p.occupy(now, -1)",
		"if !a.gone {\n\t\t\tp.occupy(now, -1)\n\t\t}",
	}}},
	{"an answer that nobody hears is billed twice", []edit{{
		"model/attempt.go",
		"w.tally.Generated(w.booksOf(a), made, e.Kind == Finish)",
		"w.tally.Generated(w.booksOf(a), made, e.Kind == Finish)\n\t\tif e.Gone {\n\t\t\tw.tally.Generated(w.booksOf(a), made, false)\n\t\t}",
	}}},
	{"the last in the queue is lost", []edit{{
		"model/answer.go",
		"for p.queue.n > 0 && p.serving < p.seats {",
		"for p.queue.n > 1 && p.serving < p.seats {",
	}}},
	{"a charge is not settled", []edit{{
		"model/limits.go",
		"meter.amend(now, h.receipt, m.real(h, outputTokens)-h.charged)",
		"_ = meter",
	}}},
	{"a permit is not returned by who timed out", []edit{{
		"policies/client.go",
		"a.Do, a.Why, a.At, a.Leave = End, why, 0, s.holds",
		"a.Do, a.Why, a.At, a.Leave = End, why, 0, s.holds && why != OperationTimedOut",
	}}},
	{"an attempt that times out is counted twice", []edit{{
		"model/tally.go",
		"group.ends[a.End]++",
		"group.ends[a.End]++\n\tif a.End == policies.TimedOut {\n\t\tgroup.ends[a.End]++\n\t}",
	}}},
	{"a wait is 1 ns too short", []edit{{
		"policies/layers.go",
		"at := Later(now, wait)",
		"at := Later(now, max(0, wait-1))",
	}}},
	{"a hint is honoured 1 ns early", []edit{{
		"policies/hint_rule.go",
		"return told, ToldWait",
		"return told - 1, ToldWait",
	}}},
	{"a refused request is charged to a quota", []edit{{
		"model/limits.go",
		"if !m.charged {",
		"if !m.charged && !m.quota {",
	}}},
	{"a group's useful tokens are missing in the whole", []edit{{
		"model/summarise.go",
		"g.useful.add(o.useful)",
		"_ = o.useful",
	}}},
	{"a seat that frees at this very instant is not free yet", []edit{
		{"model/provider.go", "Offer(now time.Duration, id policies.Ticket, q *Request) (d Decision) {\n\tp.advance(now)", "Offer(now time.Duration, id policies.Ticket, q *Request) (d Decision) {\n\tp.advance(now - 1)"},
		{"model/world.go", "\tproviderWake sim.Kind = iota // something at the provider is due\n\ttokenArrives ", "\ttokenArrives sim.Kind = iota"},
		{"model/world.go", "\trequestArrives\n)", "\trequestArrives\n\tproviderWake\n)"},
	}},
	{"a time-out beats an answer that arrives at this very instant", []edit{
		{"model/world.go", "\tanswerArrives\n\tleaveArrives", "\ttimerDue\n\tleaveArrives"},
		{"model/world.go", "\tgateWake\n\ttimerDue\n", "\tgateWake\n\tanswerArrives\n"},
	}},
	{"a hedge that loses goes on", []edit{{
		"policies/flights.go",
		"a.Abandon, a.Of = Cancelled, EveryAttempt",
		"a.Abandon, a.Of = Cancelled, in.Attempt",
	}}},
	{"an idle time-out counts from the send for ever", []edit{{
		"policies/client_timeouts.go",
		"s.heard, s.opened = heard, s.opened || in.Content",
		"s.opened = s.opened || in.Content",
	}}},
	{"a layer keeps its tries from call to call", []edit{{
		"policies/layers.go",
		"side.Loops[i] = LoopState{began: at, tries: 1}",
		"side.Loops[i] = LoopState{began: at, tries: max(1, side.Loops[i].tries)}",
	}}},
	{"a stream that has shown tokens is asked for again", []edit{{
		"policies/client.go",
		"return c.always || !s.shown && a.Tokens == 0 &&",
		"return c.always || a.Tokens <= 1 &&",
	}}},
	{"a user's cancelling is counted from the attempt", []edit{{
		"model/step.go",
		"return policies.Later(op.state.Started, w.groups",
		"return policies.Later(op.state.Since(), w.groups",
	}}},
	{"a reset loses nothing", []edit{{
		"model/attempt_row.go",
		"x.Tokens = Delivered(a.made, policies.StreamEnd{Broken: true})",
		"x.Tokens = a.made",
	}}},
	{"one more is served than there are seats", []edit{{
		"model/provider.go",
		"seat := p.serving < room",
		"seat := p.serving < room || p.serving == room && room > 1",
	}}},
	{"the backoff after a time-out has no draw", []edit{{
		"model/step.go",
		"U: w.groups[op.group].Draws.Backoff(op.key, op.state.Attempt())",
		"U: 0",
	}}},
	{"a gate keeps its permit while who held it backs off", []edit{{
		"model/step.go",
		"w.gates[gate].Leave(now, policies.Ticket(slot), a.Left(in))",
		"if a.Do == policies.End {\n\t\t\tw.gates[gate].Leave(now, policies.Ticket(slot), a.Left(in))\n\t\t}",
	}}},
	{"a request is served though its client has left and it is to be given up", []edit{{
		"model/abandoned.go",
		"case 0:\n\t\tp.stop(now, id)",
		"case 0:\n\t\tp.answers[id].leaving = false",
	}}},
	{"who joins an answer that has begun is told when the provider next wakes", []edit{{
		"model/attempt.go",
		"case Serve, Wait, Join, Later:",
		"case Serve, Wait, Later:",
	}}},
	{"a percentile is of the rank below", []edit{{
		"sim/sample.go",
		"if rem > 0 {\n\t\tquo++\n\t}",
		"_ = rem",
	}}},
	{"a bucket starts full of nothing in a second run", []edit{{
		"model/bucket.go",
		"func (b *bucket) reset() { b.level = policies.NewBucket(b.rate, b.start) }",
		"func (b *bucket) reset() { b.level = policies.NewBucket(b.rate, b.level.Level()) }",
	}}},
}

// The books find each planted bug within 2,000 scenarios. With BUGS=1 alone, since it
// builds and runs this package once for each.
func TestPlantedBugsAreFound(t *testing.T) {
	if os.Getenv("BUGS") == "" {
		t.Skip("set BUGS=1 to plant bugs in a copy and look for them")
	}
	root := t.TempDir()
	for _, folder := range []string{"model", "policies", "scenarios", "sim"} {
		if err := os.CopyFS(filepath.Join(root, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	after := regexp.MustCompile(`(?:failed|panic) after (\d+) tests: ?([^\n]*)`)
	for _, bug := range bugs {
		t.Run(bug.says, func(t *testing.T) {
			for _, e := range bug.edits {
				file := filepath.Join(root, e.file)
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(string(text), e.right); n != 1 {
					t.Fatalf("%s has %d of: %s", e.file, n, e.right)
				}
				if err := os.WriteFile(file, []byte(strings.Replace(string(text), e.right, e.mistaken, 1)), 0o644); err != nil {
					t.Fatal(err)
				}
				right, err := os.ReadFile(filepath.Join("..", e.file))
				if err != nil {
					t.Fatal(err)
				}
				defer os.WriteFile(file, right, 0o644) //nolint:errcheck // the next bug would tell
			}
			test := exec.Command("go", "test", "-count=1", "-run", "^TestBooksOfRandomScenarios$", "./model", "-rapid.nofailfile", "-rapid.shrinktime=2s")
			test.Dir, test.Env = root, append(os.Environ(), "BOOKS=2000", "BUGS=", "BOOKS_HASH=", "GOFLAGS=-mod=mod")
			out, err := test.CombinedOutput()
			found := after.FindSubmatch(out)
			if err == nil || found == nil {
				t.Fatalf("not found: %v\n%s", err, out)
			}
			t.Logf("found by scenario %s: %s", found[1], found[2])
		})
	}
}
