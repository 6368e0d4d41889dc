package report_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
)

// Eight clients meet a provider that serves one at a time, and come back together.
func Example() {
	service := 100 * time.Millisecond
	clients := model.Group{}
	clients.SetDefaults()
	clients.Name, clients.Count, clients.Policy = "herd", 8, "naive"
	config := &model.Config{}
	config.SetDefaults()
	config.Provider.Seats = 1
	config.Provider.Service.FirstToken = model.DurationDist{Constant: &service}
	config.Clients = []model.Group{clients}

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
	run := report.Run{Policy: clients.Policy, Summary: model.Summarise(tally), Tally: tally}
	run.Summary.Says = report.Says(run.Summary)
	if err := report.Terminal(os.Stdout, report.Style{}, run, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 8 operations took 25.5 s and 36 attempts; the busiest retry slot held 7.
	// attempts per 50 ms:  █ first  ▒ retries
	//     0.00 s  ████████   8  busiest slot
	//             · · ·  150 ms quiet
	//     0.20 s  ▒▒▒▒▒▒▒    7  busiest retry slot
	//             · · ·  350 ms quiet
	//     0.60 s  ▒▒▒▒▒▒     6
	//             · · ·  750 ms quiet
	//     1.40 s  ▒▒▒▒▒      5
	//             · · ·  1.55 s quiet
	//     3.00 s  ▒▒▒▒       4
	//             · · ·  3.15 s quiet
	//     6.20 s  ▒▒▒        3
	//             · · ·  6.35 s quiet
	//    12.60 s  ▒▒         2
	//             · · ·  12.8 s quiet
	//    25.40 s  ▒          1
	//             · · ·  50 ms quiet
	//
	// wall               25.5 s
	// operations         8, all succeeded
	// attempts           36, 8 succeeded
	//   rejected: seats  28
	// retries            3.5 mean, 7 at most
	// latency            p50 1.5 s
	//   p99, max         25.5 s, 25.5 s
	// seats busy         3.14 %
}
