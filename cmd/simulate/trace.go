package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/report"
)

func traceVerb() verb {
	var f common
	client := "worst"
	return verb{
		name: "trace", args: "SCENARIO", does: "one client's attempts, line by line",
		help:     "Times are when the answer reached the client, from the start of the run.",
		examples: []string{"simulate trace herd-20 --client worst", "simulate trace herd-100 --client 7 --seed 3", "simulate trace streaming --json"},
		flags: func(flags *pflag.FlagSet) {
			f.bindScenario(flags)
			flags.Var(&text{to: &client}, "client", "`N`: the client's number, from 0, over all groups in order of name; or worst: latest end, then most attempts")
			f.bindJSON(flags)
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "trace", args)
			if err != nil {
				return err
			}
			s, err := f.load(src)
			if err != nil {
				return err
			}
			number := experiment.Worst
			if client != "worst" {
				if number, err = strconv.Atoi(client); err != nil || number < 0 {
					return badInput("--client %q: write worst, or a number from 0", client)
				}
			}
			trace, err := experiment.Trace(ctx, s, s.Seed, number)
			switch {
			case errors.As(err, new(experiment.NoClientError)), errors.Is(err, experiment.ErrNobody):
				return badInput("--client %s: %w", client, err)
			case err != nil:
				return err
			case f.json:
				return report.Document(c.stdout, report.NewTraced(s.Name, strconv.FormatUint(s.Seed, 10), trace))
			}
			return report.Trace(c.stdout, trace)
		},
	}
}
