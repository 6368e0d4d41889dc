package random_test

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/scenarios/random"
)

// unreachable is what no valid scenario makes use of, and why.
var unreachable = map[string]string{
	"Estimate.input=max_tokens":          "it bounds the output, so the decoder refuses it",
	"PaceConfig.full_speed_to=unlimited": "it slows nobody down, so the decoder refuses it",
	"SlopeConfig.axis=concurrency":       "it has no rate, so the decoder refuses it",
}

// A key that a part of the language adds is drawn from then on, or this says that it is not.
func TestEveryKeyIsDrawn(t *testing.T) {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		t.Fatal(err)
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		t.Fatal(err)
	}
	drawn := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		uses := random.Scenario(t).Uses
		slices.Sort(uses)
		for _, id := range slices.Compact(uses) {
			drawn[id]++
		}
	})
	for _, id := range random.Of().Everything() {
		switch why, not := unreachable[id]; {
		case drawn[id] == 0 && !not:
			t.Errorf("%s is in none of 1,000 scenarios; give it good values in values.go, or say here why not", id)
		case drawn[id] > 0 && not:
			t.Errorf("%s is drawn, though %s", id, why)
		}
	}
}
