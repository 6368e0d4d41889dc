package model_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// A hundred clients meet a provider that serves three at a time. Without jitter all who
// are left come back together: 100 + 97 + 94 ... + 1 = 1717 attempts.
func Example() {
	service := 30 * time.Millisecond
	for _, policy := range []string{"naive", "full-jitter"} {
		herd := model.Group{}
		herd.SetDefaults()
		herd.Name, herd.Count, herd.Policy = "herd", 100, policy
		config := &model.Config{}
		config.SetDefaults()
		config.Provider.Seats = 3
		config.Provider.Service.FirstToken = model.DurationDist{Constant: &service}
		config.Clients = []model.Group{herd}

		world, err := model.NewWorld(config)
		if err != nil {
			fmt.Println(err)
			return
		}
		tally := model.NewTally(config)
		if err := world.Run(context.Background(), 1, tally, nil); err != nil {
			fmt.Println(err)
			return
		}
		s := model.Summarise(tally)
		fmt.Printf("%s: %d of %d served, %d attempts, at most %d retries in %v\n",
			policy, s.Operations.Succeeded, s.Operations.Total, s.Attempts.Total, s.Herd.BusiestRetry, tally.SlotWidth())
	}
	// Output:
	// naive: 100 of 100 served, 1717 attempts, at most 97 retries in 50ms
	// full-jitter: 100 of 100 served, 361 attempts, at most 40 retries in 50ms
}
