package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
)

// spooled runs more replicates than memory has room for: their figures are kept in files,
// and what is made of them is made of those.
func (r *runCommand) spooled(ctx context.Context) (err error) {
	s := r.scenario
	dir := os.TempDir()
	if r.out != "off" {
		dir = r.dir(r.common, s.Name)
	}
	progress := r.progress(r.common, "runs", r.seeds*len(r.arms()))
	defer progress.end()
	runs, err := experiment.NewSpool(dir, s.Expect)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runs.Close()) }()
	cut := runs.Replicate(ctx, s, r.enough, r.seeds, r.jobs, progress.at)
	if cut != nil && ctx.Err() == nil {
		return cut
	}
	var rival *experiment.Spool
	if r.rival != nil && cut == nil {
		if rival, err = experiment.NewSpool(dir, nil); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rival.Close()) }()
		cut = rival.Replicate(ctx, r.rival, nil, runs.Runs, r.jobs, func(done int) { progress.at(r.seeds + done) })
		if cut != nil && ctx.Err() == nil {
			return cut
		}
	}
	progress.end()
	if cut == nil {
		r.seeds = runs.Runs // what --until came to
	}
	typical, any, err := runs.Typical()
	if err != nil {
		return err
	}
	write := func(w io.Writer, timed, partial bool) error {
		return writeSpooled(w, runs, rival, s.Name, typical, any, r.seeds, timed, partial)
	}
	cut, wrong := r.writeAll(ctx, typical, cut, func(dir string, partial bool) error {
		err := report.WriteFile(filepath.Join(dir, "summary.json"), func(w io.Writer) error { return write(w, false, partial) })
		if err != nil {
			return err
		}
		if !any {
			return removeFile(filepath.Join(dir, "slots.csv"))
		}
		shown, err := experiment.Run(context.WithoutCancel(ctx), s, typical, nil)
		if err != nil {
			return err
		}
		return writeSlots(dir, shown.Tally)
	})
	if wrong != nil {
		return wrong
	}
	var shown error
	if r.json {
		shown = write(r.stdout, true, cut != nil)
	} else {
		shown = r.showSpooled(runs, rival)
	}
	r.tell(r.common, s.Name)
	counts, first := runs.Unmet()
	return errors.Join(shown, r.kept(r.common, s.Name, cut), expectationsFailed(unmetOf(counts, first, runs.Runs, "")))
}

// showSpooled prints the statistics of the main figures.
func (r *runCommand) showSpooled(runs, rival *experiment.Spool) error {
	err := r.tableOf(titleOfMany(r.scenario.Name, policyOf(r.scenario), runs.Runs), runs.Figure)
	if rival != nil {
		err = errors.Join(err, r.tableOf(titleOfMany("against", r.scenario.Against, rival.Runs), rival.Figure))
	}
	return err
}

// writeSpooled writes the document of `run --seeds N` a run at a time.
func writeSpooled(w io.Writer, runs, rival *experiment.Spool, scenario string, typical uint64, any bool, seeds int, timed, partial bool) error {
	shell := func(p *experiment.Spool) (*replicated, error) {
		aggregate, err := p.Aggregate()
		return &replicated{Partial: partial, Runs: []*model.Summary{}, Aggregate: aggregate, Pooled: p.Pool.Figures()}, err
	}
	d, err := shell(runs)
	if err != nil {
		return err
	}
	if any {
		d.Shown = strconv.FormatUint(typical, 10)
	}
	lists := []runList{listOf(runs, timed)}
	if rival != nil {
		if d.Against, err = shell(rival); err != nil {
			return err
		}
		d.Against.Partial = partial && rival.Runs < seeds
		lists = append(lists, listOf(rival, timed))
	}
	return writeLists(w, d, lists)
}

// listOf are the runs of a spool.
func listOf(p *experiment.Spool, timed bool) runList {
	return func(yield func(any) error) error {
		return p.EachText(timed, func(text []byte) error { return yield(json.RawMessage(text)) })
	}
}
