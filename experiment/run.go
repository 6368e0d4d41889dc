package experiment

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// Result is one run of a scenario.
type Result struct {
	Seed    uint64
	Summary *model.Summary
	Tally   *model.Tally
	Real    time.Duration // what the run took, scenario made ready before
}

// Run plays a scenario once in virtual time; trace may be nil. With the context
// over it returns what had happened by then, marked partial, and the context's cause.
func Run(ctx context.Context, s *scenarios.Scenario, seed uint64, trace *model.Trace) (*Result, error) {
	world, err := newWorld(s)
	if err != nil {
		return nil, err
	}
	return play(ctx, world, s, seed, trace)
}

func play(ctx context.Context, world *model.World, s *scenarios.Scenario, seed uint64, trace *model.Trace) (*Result, error) {
	tally := model.NewTally(&s.Config)
	began := time.Now()
	err := world.Run(ctx, seed, tally, trace)
	took := time.Since(began)
	if err != nil {
		tally.CutShort()
	}
	summary := model.Summarise(tally)
	if err != nil && !errors.Is(err, context.Cause(ctx)) {
		return nil, stuck(err, s, summary)
	}
	summary.Scenario = s.Name
	summary.Seed = strconv.FormatUint(seed, 10)
	summary.Partial = err != nil
	summary.Says = report.Says(summary)
	return &Result{Seed: seed, Summary: summary, Tally: tally, Real: took}, err
}
