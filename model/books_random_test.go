package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/scenarios/random"
)

// randomly checks a property of so many random scenarios, the same ones each time unless
// -rapid.seed says otherwise.
func randomly(t *testing.T, n int, property func(t *rapid.T)) {
	t.Helper()
	set := func(name, value string) {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { flag.Set(name, was) }) //nolint:errcheck // its own value
	}
	set("rapid.checks", strconv.Itoa(n))
	if flag.Lookup("rapid.seed").Value.String() == "0" {
		set("rapid.seed", "1")
	}
	rapid.Check(t, property)
}

// scenariosToTry is how many random scenarios to audit: 200, or as BOOKS says.
func scenariosToTry(t *testing.T) int {
	if text := os.Getenv("BOOKS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 200
}

func document(t rapid.TB, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return text
}

// Every sum, time and figure of a run against what its attempts say, one by one, and the
// attempts against the policies and against a provider made of plain lists.
func TestBooksOfRandomScenarios(t *testing.T) {
	seen := coverage{}
	hash := sha256.New()
	long := 0
	n := scenariosToTry(t)
	randomly(t, n, func(t *rapid.T) {
		s := random.Scenario(t)
		w, err := model.NewWorld(&s.Config)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.YAML)
		}
		r, err := play(&s.Config, s.Seed, w)
		if errors.Is(err, errLong) {
			long++
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, s.YAML)
		}
		if problems := r.audit(); problems != "" {
			t.Fatalf("%s\n%s", problems, s.YAML)
		}
		again, err := play(&s.Config, s.Seed, w)
		if err != nil || !bytes.Equal(document(t, again.summary), document(t, r.summary)) || !slices.Equal(again.trace.Lines, r.trace.Lines) {
			t.Fatalf("another run of the same scenario is another: %v\n%s", err, s.YAML)
		}
		hash.Write(document(t, r.summary))
		seen.add(s.Uses, r)
	})
	t.Logf("%d scenarios, %d of them too long to look at; summaries %x", n, long, hash.Sum(nil)[:8])
	if file := os.Getenv("BOOKS_HASH"); file != "" {
		if err := os.WriteFile(file, fmt.Appendf(nil, "%x\n", hash.Sum(nil)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if long*20 > n {
		t.Errorf("%d of %d scenarios are too long", long, n)
	}
	seen.check(t, n)
}

// The same of the built-in scenarios, also where they are cut short, have a queue or try
// nothing again.
func TestBooksOfBuiltins(t *testing.T) {
	looks := 100
	if raced {
		looks = 12
	}
	for _, entry := range scenarios.List() {
		for _, set := range [][]string{nil, {"stop.after=300ms"}, {"provider.queue=5", "provider.seats=2"}, {"policy=none"}} {
			s, err := scenarios.Load(entry.Name, set...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := playWith(&patience{context.Background(), looks}, &s.Config, s.Seed, nil)
			if errors.Is(err, errLong) {
				t.Logf("%s %v: too long to look at", entry.Name, set)
				continue
			}
			if err != nil {
				t.Fatalf("%s %v: %v", entry.Name, set, err)
			}
			if problems := r.audit(); problems != "" {
				t.Errorf("%s %v: %s", entry.Name, set, problems)
			}
		}
	}
}

// coverage counts scenarios by the keys they use, and runs by what happened in them.
type coverage map[string]int

func (c coverage) add(uses []string, r *ran) {
	uses = append(uses, happened(r.summary)...)
	if r.made == nil {
		uses = append(uses, "a provider beyond the reference")
	}
	slices.Sort(uses)
	for _, id := range slices.Compact(uses) {
		c[id]++
	}
}

// happened lists the ends of operations and attempts, the axes and the kinds of
// rejection that a run has, by their paths in its summary.
func happened(s *model.Summary) (all []string) {
	s.EachFigure(func(path []string, n model.Number) {
		name := model.JoinPath(path)
		if isEnd(name) && n > 0 {
			all = append(all, name)
		}
	})
	return all
}

func isEnd(name string) bool {
	return (strings.HasPrefix(name, "operations.") || strings.HasPrefix(name, "attempts.")) &&
		!strings.Contains(name, "by_status") && !strings.HasSuffix(name, ".total")
}

// notYet is what no scenario can bring about, and why.
var notYet = map[string]string{
	"operations.failures.budget":  "there are no budgets yet",
	"operations.failures.breaker": "there are no breakers yet",
}

// check wants each key of the language in 1% of the scenarios, and each end and axis in
// 0.2% of the runs.
func (c coverage) check(t *testing.T, n int) {
	if n < 10_000 {
		return // too few to tell
	}
	for _, id := range random.Of().Everything() {
		if key, _, isWord := strings.Cut(id, "="); !isWord && c[key]*100 < n {
			t.Errorf("%s is in %d of %d scenarios, fewer than 1%%", key, c[key], n)
		}
	}
	for _, name := range model.FigureNames() {
		if !isEnd(name) {
			continue
		}
		switch why, not := notYet[name]; {
		case c[name] > 0 && not:
			t.Errorf("%s came about in %d runs, though %s", name, c[name], why)
		case c[name]*500 < n && !not:
			t.Errorf("%s came about in %d of %d runs", name, c[name], n)
		}
		t.Logf("%6d %s", c[name], name)
	}
	t.Logf("%6d a provider beyond the reference", c["a provider beyond the reference"])
}
