package experiment_test

import (
	"context"
	"fmt"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/scenarios"
)

// Is full jitter better than none, and do we know it? The same ten seeds for both.
func Example() {
	var arms []experiment.Arm
	for _, policy := range []string{"naive", "full-jitter"} {
		s, err := scenarios.Load("herd-100", "policy="+policy)
		if err != nil {
			fmt.Println(err)
			return
		}
		arms = append(arms, experiment.Arm{Label: policy, Scenario: s})
	}
	comparison, err := experiment.Compare(context.Background(), arms, 10, 2, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range comparison.Differences {
		fmt.Printf("%-19s %8.2f %+9.2f (%+.2f to %+.2f) %s\n", d.Figure.Label, d.Base, d.Mean, d.CI95[0], d.CI95[1], d.Verdict)
	}
	// Output:
	// success                 1.00     +0.00 (+0.00 to +0.00) identical, seed by seed
	// wall                  195.62   -192.81 (-202.77 to -182.85) better
	// attempts              843.00   -497.20 (-520.61 to -473.79) better
	// busiest retry slot     96.90    -60.60 (-62.51 to -58.69) better
	// p50 latency            33.51    -32.96 (-40.35 to -25.58) better
	// p99 latency           191.61   -189.24 (-198.91 to -179.58) better
}
