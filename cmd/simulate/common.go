package main

import (
	"runtime"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/scenarios"
)

// common are the flags that many verbs share.
type common struct {
	seed  string
	seeds int
	set   []string
	json  bool
	out   string
	quiet bool
	jobs  int
}

func (f *common) bindScenario(flags *pflag.FlagSet) {
	flags.StringVar(&f.seed, "seed", "", "seed of the first run, a 64-bit number (default: the scenario's, else 1)")
	flags.StringArrayVar(&f.set, "set", nil, "`KEY=VALUE`: set a key of the scenario by its dotted path, list items by number from 0; repeatable")
}

func (f *common) bindRuns(flags *pflag.FlagSet) {
	f.bindScenario(flags)
	flags.IntVar(&f.seeds, "seeds", 1, "how many replicates, each with a seed of its own")
	flags.BoolVar(&f.json, "json", false, "one JSON document on stdout and nothing else")
	flags.StringVar(&f.out, "out", "", "`DIR` for the files; off writes none (default out/<scenario>)")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress and no notices on stderr")
	flags.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many runs at once; changes no result")
}

// load reads the scenario with the flags' changes.
func (f *common) load(name string) (*scenarios.Scenario, error) {
	s, err := scenarios.Load(name, f.set...)
	if err != nil {
		return nil, err
	}
	if f.seed != "" {
		seed, err := strconv.ParseUint(f.seed, 10, 64)
		if err != nil {
			return nil, badInput("--seed %q: write a whole number from 0 to 18446744073709551615", f.seed)
		}
		s.Seed = seed
	}
	switch {
	case f.seeds < 1:
		return nil, badInput("--seeds %d: write a number from 1", f.seeds)
	case f.jobs < 1:
		return nil, badInput("--jobs %d: write a number from 1", f.jobs)
	}
	return s, nil
}
