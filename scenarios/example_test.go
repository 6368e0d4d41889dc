package scenarios_test

import (
	"fmt"

	"github.com/stampede-sim/stampede/scenarios"
)

func Example() {
	s, err := scenarios.Load("herd-100", "clients.0.count=1000", "policy=equal-jitter")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, s.Clients[0].Count, s.Clients[0].Policy)

	_, err = scenarios.Load("herd-100", "provider.seat=5", "slot=50")
	fmt.Println(err)
	// Output:
	// herd-100 1000 equal-jitter
	// --set: provider.seat: unknown key; did you mean seats?
	// --set: slot: "50" has no unit; write 50s
}
