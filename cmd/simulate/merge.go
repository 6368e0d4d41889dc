package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
)

func mergeVerb() verb {
	var f common
	var p pictures
	var t tables
	return verb{
		name: "merge", args: "DIR...", does: "the shards of a sweep, joined into what the sweep writes in one piece",
		help: "Each DIR is the folder of one shard (`sweep --shard I/N --out DIR`), in any order. All N must be\n" +
			"there, finished, and of one sweep; the bytes are then those of the sweep without --shard.",
		examples: []string{
			"simulate sweep herd-100 --vary provider.seats=2..9/8 --shard 1/2 --out shard-1",
			"simulate sweep herd-100 --vary provider.seats=2..9/8 --shard 2/2 --out shard-2",
			"simulate merge shard-1 shard-2 --out seats",
		},
		flags: func(set *pflag.FlagSet) {
			f.bindJSON(set)
			set.Var(&text{to: &f.out}, "out", "`DIR` for the files (default out/<scenario>-by-<keys>)")
			set.BoolVar(&f.quiet, "quiet", false, "no notices on stderr")
			t.bind(set)
			set.Var(&text{to: &p.chart, once: true}, "chart", "`FILE`.svg or .png: the chart that shows the sweep best")
		},
		run: func(ctx context.Context, c command, args []string) error {
			if len(args) == 0 {
				return badInput("merge needs the folders of the shards, such as `simulate merge shard-1 shard-2`")
			}
			if f.out == "off" {
				return badInput("--out off: merge writes files and nothing else; name a folder")
			}
			sweep, shards, err := experiment.OpenShards(args)
			if err != nil {
				return err
			}
			r := sweepCommand{command: c, common: &f, pictures: &p, sweep: sweep, tables: t}
			if err := p.check(ctx); err != nil {
				return err
			}
			if err := t.check(); err != nil {
				return err
			}
			if err := c.checkPlaces(&f, r.folder(), &p); err != nil {
				return err
			}
			return r.merge(ctx, shards)
		},
	}
}

func (r *sweepCommand) merge(ctx context.Context, shards []string) error {
	dir := r.dir(r.common, r.folder())
	for _, shard := range shards {
		if samePlace(shard, dir) {
			return badInput("--out %s: is the folder of a shard; write another", dir)
		}
	}
	// What a merge makes can be made again, so nothing of an earlier one is kept.
	result, err := r.sweep.Merge(dir, shards)
	if err != nil {
		return err
	}
	if err := r.write(r.common, r.folder(), r.tables.remove); err != nil {
		return err
	}
	return r.finish(ctx, result, nil)
}
