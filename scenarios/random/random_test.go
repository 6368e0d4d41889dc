package random

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestX(t *testing.T) {
	flag.Set("rapid.checks", "3000")
	n := map[string]int{}
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		d := Scenario(t)
		total++
		if total < 6 {
			fmt.Println(string(d.YAML))
		}
		slices.Sort(d.Uses)
		for _, u := range slices.Compact(d.Uses) {
			n[u]++
		}
	})
	for _, id := range Of().Everything() {
		if n[id]*100 < total {
			fmt.Println(id, n[id])
		}
	}
	_ = maps.Keys(n)
}
