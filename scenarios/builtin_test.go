package scenarios_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

func run(t *testing.T, s *scenarios.Scenario, seed uint64) *model.Summary {
	t.Helper()
	w, err := model.NewWorld(&s.Config)
	if err != nil {
		t.Fatal(err)
	}
	tally := model.NewTally(&s.Config)
	if err := w.Run(context.Background(), seed, tally, nil); err != nil {
		t.Fatal(err)
	}
	return model.Summarise(tally)
}

func TestEveryBuiltinHoldsWhatItExpects(t *testing.T) {
	for _, entry := range scenarios.List() {
		t.Run(entry.Name, func(t *testing.T) {
			s, err := scenarios.Load(entry.Name)
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != entry.Name || s.About != entry.About || !strings.HasSuffix(s.About, ".") {
				t.Errorf("list says %q, %q; the file says %q, %q", entry.Name, entry.About, s.Name, s.About)
			}
			if len(s.Expect) == 0 {
				t.Error("expects nothing")
			}
			seeds := uint64(20)
			if s.Clients[0].Count > 1000 || testing.Short() || scenarios.Raced {
				seeds = 2
			}
			for seed := s.Seed; seed < s.Seed+seeds; seed++ {
				summary := run(t, s, seed)
				for _, e := range s.Expect {
					if err := e.Check(summary); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			}
		})
	}
}

func TestListIsGoodForANewcomer(t *testing.T) {
	var got []string
	for _, entry := range scenarios.List() {
		got = append(got, entry.Name)
	}
	const want = "herd-100 herd-100-naive herd-20 gate-20 blocking streaming retry-everything triage-first herd-w2"
	if names := strings.Join(got, " "); !strings.HasPrefix(names, want) {
		t.Errorf("got %s, want %s and then any others", names, want)
	}
}

func TestSourceIsTheFile(t *testing.T) {
	want, err := os.ReadFile("herd-100.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := scenarios.Source("herd-100"); !ok || !bytes.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"", "herd-10", "../go.mod", ".", "herd-100.yaml"} {
		if _, ok := scenarios.Source(name); ok {
			t.Errorf("%q has a source", name)
		}
	}
}

// The herds differ in the policy alone.
func TestTheTwoHerdsDifferInThePolicyAlone(t *testing.T) {
	polite, err := scenarios.Load("herd-100")
	if err != nil {
		t.Fatal(err)
	}
	naive, err := scenarios.Load("herd-100-naive")
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := polite.With("naive")
	if err != nil {
		t.Fatal(err)
	}
	if polite.Clients[0].Policy != "full-jitter" {
		t.Error("With changed the scenario it was called on")
	}
	asJSON := func(s *scenarios.Scenario) string { return fmt.Sprint(run(t, s, 1)) }
	if asJSON(swapped) != asJSON(naive) {
		t.Error("herd-100 under naive is not herd-100-naive")
	}
}

func TestAPolicyIsTheScenariosOwnFirst(t *testing.T) {
	s, err := scenarios.Decode("x.yaml", []byte("name: x\nclients: [{policy: naive}]\npolicies: {naive: {attempts: 3}, mine: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.ResolvePolicy("naive"); err != nil || p.Attempts != 3 {
		t.Errorf("naive: %v, %v", p, err)
	}
	if p, err := s.ResolvePolicy("none"); err != nil || p.Attempts != 1 {
		t.Errorf("none: %v, %v", p, err)
	}
	if _, err := s.With("mien"); err == nil || err.Error() != `there is no policy "mien"; did you mean mine?` {
		t.Errorf("got %v", err)
	}
	names := s.PolicyNames()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("not in order, or twice: %v", names)
	}
	for _, name := range []string{"mine", "naive", "decorrelated", "openai-node@6.49"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing in %v", name, names)
		}
	}
}

func TestDecodingInParallel(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := scenarios.Load("herd-100", "policies.equal-jitter.attempts=3")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.With("equal-jitter"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
