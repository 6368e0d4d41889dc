package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// sweepFlags are the flags of `sweep` beside those that many verbs share.
type sweepFlags struct {
	vary    []string
	sample  int
	method  string
	until   string
	figures []string
	shard   string
	fresh   bool
	tables  tables
}

func sweepVerb() verb {
	var f common
	var p pictures
	var s sweepFlags
	var flags *pflag.FlagSet
	return verb{
		name: "sweep", args: "SCENARIO", does: "a grid or a sample over any keys of a scenario, each cell over the same seeds",
		help: "SCENARIO is a scenario, or a sweep written as a file (key `scenario:` names what it is of).\n" +
			"--vary takes a list, KEY=A,B; a range, KEY=FROM..TO/POINTS, both ends included; a logarithmic\n" +
			"one, KEY=log:FROM..TO/POINTS; or keys that go together value by value, KEY=A,B; KEY=C,D.\n" +
			"Given again, each value is taken with each. Without /POINTS a range is for --sample.\n\n" +
			"cells.csv has a line for each run, summary.csv one for each cell. They are written as the sweep\n" +
			"goes; the same command goes on where an interrupted one stopped. `merge` joins shards.\n" +
			"Every `expect` must hold in every run, or the exit code is 1; --set 'expect=[]' leaves them out.",
		examples: []string{
			"simulate sweep herd-100 --vary provider.seats=2..10/5 --vary policy=full-jitter,equal-jitter,decorrelated",
			"simulate sweep herd-100 --vary policies.full-jitter.backoff.exponential.base=log:20ms..2s/5 --seeds 20",
			"simulate sweep herd-100 --vary provider.seats=1..40 --vary clients.0.arrive.over=0s..10s --sample 50 --sample-method lhs --seeds 5 --out off",
			"simulate sweep herd-100 --vary provider.seats=3,6 --until 'mean(attempts.total) within 2%' --chart seats.svg",
			"simulate sweep herd-100 --vary provider.seats=2..9/8 --shard 1/4 --out quarter-1",
		},
		flags: func(set *pflag.FlagSet) {
			flags = set
			set.StringArrayVar(&s.vary, "vary", nil, "`KEY=VALUES`: a key and the values it takes; repeatable")
			set.Var(number{&s.sample}, "sample", "`N`: draw so many cells in place of the whole grid")
			set.Var(&text{to: &s.method}, "sample-method", "`random` or lhs: each cell by itself, or a Latin hypercube (default random)")
			f.bindRuns(set, 10, "out/<scenario>-by-<keys>")
			set.Var(&text{to: &s.until, once: true}, "until", "`CONDITION`: when a cell has seeds enough, such as 'median(wall_s) within 2%'; --seeds is then the most, by default 1000")
			set.StringArrayVar(&s.figures, "figure", nil, "`NAME` of one more figure for the tables and charts, by its path in summary.json; repeatable")
			set.Var(&text{to: &s.shard, once: true}, "shard", "`I/N`: run only this part of the cells; slurm and k8s/N read I from the cluster's environment")
			set.BoolVar(&s.fresh, "fresh", false, "begin anew, and throw away what a sweep left in the folder")
			s.tables.bind(set)
			set.Var(&text{to: &p.chart, once: true}, "chart", "`FILE`.svg or .png: the chart that shows the sweep best")
		},
		run: func(ctx context.Context, c command, args []string) error {
			seedsGiven := flags.Changed("seeds")
			name, err := one(args, "sweep", "a scenario")
			if err != nil {
				return err
			}
			src, err := readSource(ctx, name)
			if err != nil {
				return err
			}
			sweep, err := s.load(ctx, &f, src, seedsGiven)
			if err != nil {
				return err
			}
			r := sweepCommand{command: c, common: &f, pictures: &p, sweep: sweep, fresh: s.fresh, tables: s.tables}
			if err := errors.Join(p.check(ctx), r.tables.check(), c.checkPlaces(&f, r.folder(), &p)); err != nil {
				return err
			}
			return r.run(ctx)
		},
	}
}

// load makes the sweep that the flags, and the file if it is one of a sweep, say.
func (s *sweepFlags) load(ctx context.Context, f *common, src source, seedsGiven bool) (*experiment.Sweep, error) {
	spec := experiment.SweepSpec{Set: []string{}, Figures: []string{}, Version: version(), Method: scenarios.SampleMethod(s.method)}
	if scenarios.IsSweepFile(src.text) {
		file, err := scenarios.DecodeSweepFile(src.file, src.text)
		if err != nil {
			return nil, err
		}
		if src, err = s.take(ctx, f, file, src, &spec, seedsGiven); err != nil {
			return nil, err
		}
	} else {
		spec.Seeds = f.seeds
		if s.until != "" && !seedsGiven {
			spec.Seeds = experiment.UntilMost
		}
	}
	spec.Set = append(spec.Set, f.set...)
	f.set = spec.Set
	if err := s.axes(&spec); err != nil {
		return nil, err
	}
	spec.Figures = append(spec.Figures, s.figures...)
	if s.sample > 0 {
		spec.Sample = s.sample
	}
	if s.until != "" {
		spec.Until = s.until
	}
	switch {
	case spec.Method != "" && !slices.Contains(spec.Method.Words(), string(spec.Method)):
		return nil, badInput("--sample-method %q: write random or lhs", spec.Method)
	case spec.Method != "" && spec.Sample == 0:
		return nil, badInput("--sample-method %s: has no effect without --sample N", spec.Method)
	case spec.Sample > 0 && spec.Method == "":
		spec.Method = scenarios.RandomSample
	}
	base, err := f.load(src)
	if err != nil {
		return nil, err
	}
	spec.Scenario, spec.File, spec.Text, spec.Seed = base.Name, filepath.Base(src.file), string(src.text), base.Seed
	spec.Folder = filepath.Dir(src.file)
	var shard experiment.Shard
	if s.shard != "" {
		if shard, err = experiment.ParseShard(s.shard, os.LookupEnv); err != nil {
			return nil, badInput("%w", err)
		}
	}
	sweep, err := experiment.NewSweep(spec, shard)
	if err != nil && !errors.As(err, new(scenarios.Mistakes)) {
		return nil, badInput("%w", err)
	}
	return sweep, err
}

// take takes what a sweep's file says, where no flag says otherwise, and reads the scenario.
func (s *sweepFlags) take(ctx context.Context, f *common, file *scenarios.SweepFile, at source, spec *experiment.SweepSpec, seedsGiven bool) (source, error) {
	spec.Vary, spec.Sample, spec.Until, spec.Figures = file.Vary, file.Sample, file.Until, append(spec.Figures, file.Figures...)
	if spec.Method == "" {
		spec.Method = file.Method
	}
	for _, set := range file.Set {
		spec.Set = append(spec.Set, string(set))
	}
	if file.Seed != nil && f.seed == "" {
		f.seed = fmt.Sprint(*file.Seed)
	}
	switch until := s.until != "" || spec.Until != ""; {
	case !seedsGiven && file.Seeds > 0:
		f.seeds = file.Seeds
	case !seedsGiven && until:
		f.seeds = experiment.UntilMost
	}
	spec.Seeds = f.seeds
	name := file.Scenario
	if _, builtin := scenarios.Source(name); !builtin && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(at.file), name)
	}
	return readSource(ctx, name)
}

// axes reads --vary. A key that the sweep's file varies too is varied as the flag says.
func (s *sweepFlags) axes(spec *experiment.SweepSpec) error {
	for _, written := range s.vary {
		var axis scenarios.Vary
		if err := axis.UnmarshalText([]byte(written)); err != nil {
			return badInput("--vary %w", err)
		}
		same := func(other scenarios.Vary) bool { return other.Keys[0].Key == axis.Keys[0].Key }
		if i := slices.IndexFunc(spec.Vary, same); i >= 0 && s.fromFile(spec.Vary[i]) {
			spec.Vary[i] = axis
			continue
		}
		spec.Vary = append(spec.Vary, axis)
	}
	return nil
}

// fromFile tells an axis of the file from one of a flag.
func (s *sweepFlags) fromFile(axis scenarios.Vary) bool {
	return !slices.Contains(s.vary, axis.String())
}

// plainLetter is what a letter becomes in the name of a folder.
func plainLetter(r rune) rune {
	if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
		return r
	}
	return '-'
}

// sweepCommand is one call of `sweep`.
type sweepCommand struct {
	command
	*common
	*pictures
	sweep  *experiment.Sweep
	tables tables
	fresh  bool
}

// folder names the default folder of the files, by what is varied, so that sweeps over
// other keys do not meet in one.
func (r *sweepCommand) folder() string {
	name := r.sweep.Base.Name + "-by"
	for _, key := range r.sweep.Keys() {
		path, err := model.SplitPath(key)
		if err != nil {
			continue
		}
		last := strings.ToLower(path[len(path)-1])
		if plain := strings.Trim(strings.Map(plainLetter, last), "-"); plain != "" && len(name) < 80 {
			name += "-" + plain
		}
	}
	if shard := r.sweep.Shard; shard.Of > 0 {
		name += fmt.Sprintf("-%d-of-%d", shard.Index, shard.Of)
	}
	return name
}

func (r *sweepCommand) run(ctx context.Context) error {
	warnings, err := r.sweep.Check(ctx, r.jobs)
	if err != nil {
		return err
	}
	r.warn(warnings)
	var folder *experiment.SweepFolder
	if r.out != "off" {
		dir := r.dir(r.common, r.folder())
		if folder, err = r.sweep.OpenFolder(dir, r.fresh); err != nil {
			return err
		}
		if err := r.write(r.common, r.folder(), r.tables.remove); err != nil { // pages and tables of before
			return err
		}
		if folder.Resumed > 0 && !r.quiet {
			text := fmt.Sprintf("%d runs are in %s already; going on from there", folder.Resumed, dir)
			if folder.Whole() {
				text = fmt.Sprintf("the sweep is in %s already, all %d runs; --fresh runs it again", dir, folder.Resumed)
			}
			fmt.Fprintln(r.stderr, printable(text))
		}
	}
	resumed := 0
	if folder != nil {
		resumed = folder.Resumed
	}
	p := r.progress(r.common, "runs", r.sweep.MostRuns()-resumed)
	if os.Getenv("GOGC") == "" {
		// What a run makes is dead when it ends: collecting it seldom leaves the cores to the runs.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	result, err := r.sweep.Run(ctx, folder, r.jobs, p.at)
	p.end()
	if err != nil && !isInterrupted(ctx, err) {
		return err
	}
	return r.finish(ctx, result, err)
}

// mostWarnings is how many warnings of cells are told.
const mostWarnings = 5

// warn tells what of the cells has no effect.
func (r *sweepCommand) warn(warnings []experiment.CellWarning) {
	if r.quiet {
		return
	}
	for i, w := range warnings {
		if i == mostWarnings {
			fmt.Fprintf(r.stderr, "warning: and %d more like these\n", len(warnings)-i)
			return
		}
		of := r.sweep.CellName(w.First)
		if w.Cells > 1 {
			of += fmt.Sprintf(", and %d more", w.Cells-1)
		}
		fmt.Fprintln(r.stderr, printable("warning: "+w.Text+" ("+of+")"))
	}
}

// finish draws and tells what a sweep came to, which an interruption may have cut short.
func (r *sweepCommand) finish(ctx context.Context, result *experiment.SweepResult, interrupted error) error {
	if interrupted == nil {
		if err := r.draw(result); err != nil {
			return err
		}
		if r.out != "off" {
			if err := r.tables.write(r.sweep, r.dir(r.common, r.folder())); err != nil {
				return err
			}
		}
	}
	var printed error
	if r.json {
		printed = r.document(result, interrupted != nil)
	} else {
		printed = r.show(result)
	}
	r.tell(r.common, r.folder())
	return errors.Join(printed, r.kept(r.common, r.folder(), interrupted), r.expect(result))
}

// expect says in how many runs an expectation failed.
func (r *sweepCommand) expect(result *experiment.SweepResult) error {
	if result.UnmetRuns == 0 {
		return nil
	}
	return expectError{fmt.Errorf("expect failed in %d of %d runs, in %d of %d cells; the column %s counts them", result.UnmetRuns, result.Runs, result.UnmetCells, result.CellsDone, experiment.Unmet)}
}
