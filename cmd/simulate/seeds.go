package main

import (
	"fmt"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/scenarios"
)

// mostMemory is what the figures of all runs may take.
const mostMemory = 2e9

// mostDisk is what the files of all runs may take.
const mostDisk = 100e9

// checkDisk refuses more seeds of `run` than can be kept in files, before anything runs.
func checkDisk(seeds int, arms ...*scenarios.Scenario) error {
	each := 0.0
	for _, s := range arms {
		each += experiment.Memory(s, 1)
	}
	if all := each * float64(seeds); all > mostDisk {
		size := fmt.Sprintf("%.0f GB", all/1e9)
		if all >= 1e12 {
			size = "thousands of GB"
		}
		return badInput("--seeds %d: the figures of so many runs take about %s on the disk; write --seeds %d or fewer", seeds, size, int(mostDisk/each))
	}
	return nil
}

// checkSeeds refuses more seeds than the memory can hold, before anything runs.
func checkSeeds(seeds int, arms ...*scenarios.Scenario) error {
	each := 0.0
	for _, s := range arms {
		each += experiment.Memory(s, 1)
	}
	all := each * float64(seeds)
	if seeds == 1 || all <= mostMemory {
		return nil
	}
	size := fmt.Sprintf("%.1f GB", all/1e9)
	if all >= 1e13 {
		size = "thousands of GB"
	}
	most := max(1, int(mostMemory/each))
	return badInput("--seeds %d: the figures of so many runs take about %s of memory, and at most %.0f GB may be used; write --seeds %d or fewer, and run the rest apart, with a --seed and an --out of its own", seeds, size, mostMemory/1e9, most)
}
