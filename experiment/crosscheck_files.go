package experiment

import (
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// filesBesides are what a run over sockets has open beside its connections: the listener, the standard
// streams, what the runtime waits with, and connections that end while others begin.
const filesBesides = 50

// enoughFiles checks that the machine lets a run over sockets have so many connections at once, both ends of
// each: else accepting fails again and again, and no run ends.
func enoughFiles(name string, connections, allowed uint64) error {
	needed := 2*connections + filesBesides
	if needed <= allowed {
		return nil
	}
	return fmt.Errorf("%s needs %d open files, two for each of %d connections at once and %d besides, and this machine allows %d: write `ulimit -n %d` before it",
		name, needed, connections, filesBesides, allowed, needed)
}

// connections are how many there are at once, at most: what is sent in one slot may be at one instant, as it is
// where a crowd is measured, what the provider serves and lets wait stays, and so does what hangs, which only
// the attempts of a run tell.
func connections(runs []observed, attempts []model.TraceLine) uint64 {
	most := int64(openAtOnce(attempts))
	for i := range runs {
		r := &runs[i]
		most = max(most, r.Herd.Busiest, r.Provider.MaxInFlight+r.Provider.MaxQueue)
	}
	return uint64(most)
}

// openAtOnce is how many attempts at most had arrived at one time and were not answered.
func openAtOnce(attempts []model.TraceLine) int {
	var begun, over []time.Duration
	for _, a := range attempts {
		if a.Arrived != policies.Never {
			begun, over = append(begun, a.Arrived), append(over, a.Answered)
		}
	}
	slices.Sort(begun)
	slices.Sort(over)
	most, ended := 0, 0
	for i, at := range begun {
		for ended < len(over) && over[ended] < at {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return most
}
