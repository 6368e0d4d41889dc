package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
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
	if long*50 > n {
		t.Errorf("%d of %d scenarios are too long", long, n)
	}
	_ = scenarios.List
	seen.check(t, n)
}

type coverage map[string]int

func (c coverage) add(uses []string, r *ran) {
	slices.Sort(uses)
	for _, id := range slices.Compact(uses) {
		c[id]++
	}
}

func (c coverage) check(t *testing.T, n int) {}
