package main

import (
	"errors"
	"runtime"

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

func (f *common) bindSet(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.set, "set", nil, "`KEY=VALUE`: set a key of the scenario by its dotted path, list items by number from 0; repeatable")
}

func (f *common) bindScenario(flags *pflag.FlagSet) {
	flags.Var(&text{to: &f.seed}, "seed", "`N`: seed of the first run, a 64-bit number (default: the scenario's, else 1)")
	f.bindSet(flags)
}

func (f *common) bindJSON(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "one JSON document on stdout and nothing else")
}

// bindRuns adds the flags of a verb that runs so many seeds by default, and writes its
// files to a folder of that name.
func (f *common) bindRuns(flags *pflag.FlagSet, seeds int, folder string) {
	f.seeds, f.jobs = seeds, runtime.GOMAXPROCS(0)
	f.bindScenario(flags)
	flags.Var(number{&f.seeds}, "seeds", "`N`: how many replicates, each with a seed of its own")
	f.bindJSON(flags)
	flags.Var(&text{to: &f.out}, "out", "`DIR` for the files; off writes none (default "+folder+")")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress and no notices on stderr")
	flags.Var(number{&f.jobs}, "jobs", "`N`: how many runs at once; changes no result, and more than the processors gain nothing")
}

// load reads a scenario with the flags' changes, and those of more KEY=VALUEs.
func (f *common) load(src source, more ...string) (*scenarios.Scenario, error) {
	set := append(append([]string(nil), f.set...), more...)
	if f.seed != "" {
		set = append(set, "seed="+f.seed)
	}
	s, err := scenarios.Decode(src.file, src.text, set...)
	var mistakes scenarios.Mistakes
	if f.seed != "" && errors.As(err, &mistakes) {
		for i := range mistakes {
			if m := &mistakes[i]; m.File == "--set" && m.Path == "seed" {
				m.File, m.Path = "--seed", ""
			}
		}
	}
	return s, err
}
