package experiment

import "github.com/stampede-sim/stampede/scenarios"

// What a kept summary takes, as TestMemoryOfReplicates measures it: its own, and that of
// each group and each limit.
const (
	bytesPerRun   = 9_000
	bytesPerGroup = 3_500
	bytesPerLimit = 500
)

// Memory estimates the bytes that the figures of so many runs of a scenario take.
func Memory(s *scenarios.Scenario, runs int) float64 {
	each := bytesPerRun + bytesPerGroup*len(s.Clients) + bytesPerLimit*len(s.Provider.Limits)
	return float64(each) * float64(runs)
}
