package live_test

import (
	"context"
	"fmt"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// A client with a revoked key, over TCP.
func Example() {
	s, err := scenarios.Load("triage-first")
	if err != nil {
		fmt.Println(err)
		return
	}
	network, err := live.Loopback()
	if err != nil {
		fmt.Println(err)
		return
	}
	tally, err := live.Run(context.Background(), &s.Config, s.Seed, clock.New(), network)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := model.Summarise(tally)
	fmt.Println("attempts:", f.Attempts.Total)
	fmt.Println("answers by status:", f.Attempts.ByStatus)
	fmt.Println("given up as fatal:", f.Operations.Failures.Fatal)
	// Output:
	// attempts: 1
	// answers by status: map[401:1]
	// given up as fatal: 1
}
