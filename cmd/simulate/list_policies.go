package main

import (
	"fmt"
	"io"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// listedFirst are the policies that need no definition, in the order in which a newcomer
// best meets them.
var listedFirst = []string{"none", "naive", "full-jitter", "equal-jitter", "decorrelated"}

// listedAttempts is how many attempts a listed policy is worked out for.
const listedAttempts = 9

// listPolicies prints the policies that need no definition, each with its worked table.
func listPolicies(w io.Writer) {
	fmt.Fprintln(w, "The wait before an attempt, where no hint is weighed:")
	registry := policies.Default()
	for _, name := range listedFirst {
		table := registry[name].Work(listedAttempts)
		if len(table) == 0 {
			fmt.Fprintf(w, "\n%s\n  one attempt, no retry\n", name)
			continue
		}
		fmt.Fprintf(w, "\n%s\n  %-8s %9s %9s\n", name, "attempt", "least", "most")
		for _, row := range table {
			fmt.Fprintf(w, "  %-8d %9v %9v\n", row.Attempt, row.Least.Round(time.Millisecond), row.Most.Round(time.Millisecond))
		}
	}
}
