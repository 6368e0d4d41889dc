package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// compare judges every figure. With the context over it judges as far as it can without further runs.
func (c *CrossCheck) compare(ctx context.Context, out *CrossChecked, told *scenarios.Scenario, virtual, real []observed) error {
	names := figureNames(&told.Config, slices.Concat(virtual, real))
	out.Virtual = len(virtual)
	for _, name := range names {
		v, r := column(virtual, name, c.Scale), column(real, name, c.Scale)
		f := newCheckedFigure(name, v, r, out.Allowance)
		switch {
		case f.Nothing():
			out.Nothing++
			continue
		case !f.Certain:
			f.P = byRanks(r, v, f.Allowance)
		default:
			if f.Seconds {
				f.Allowance += out.Worst.Seconds() / c.Scale
			}
			f.judgeCertain(r, out.Calm)
		}
		out.Figures = append(out.Figures, f)
	}
	edges := c.edges(ctx, out, told, real)
	out.slots(virtual, real)
	crowds := c.crowds(ctx, out, told, real)
	if err := errors.Join(edges, crowds); err != nil && ctx.Err() == nil {
		return err
	}
	out.Short = out.short()
	holmFigures(out.Figures, out.Level, out.Short == "")
	out.suspend(edges != nil, crowds != nil)
	return nil
}

// suspend leaves open what differs and was to be looked at again, of certain figures and of random ones, but
// for the end of the context.
func (c *CrossChecked) suspend(certain, random bool) {
	c.Partial = c.Partial || certain || random
	for i := range c.Figures {
		if f := &c.Figures[i]; f.Verdict == Differs && (f.Certain && certain || !f.Certain && random) {
			f.Verdict, f.Why = Unjudged, "ended before it was looked at again"
			c.Short = "it was ended before what differs was compared with exchanges that are late"
		}
	}
}

// crowds looks again at figures whose p is below the level (Holm makes none less), in virtual time
// whose exchanges are as late as a crowd makes them here: a provider that is played by one machine
// answers one after the other. It is one lateness for all of them, the one that leaves the
// greatest least p.
func (c *CrossCheck) crowds(ctx context.Context, out *CrossChecked, told *scenarios.Scenario, real []observed) error {
	var doubted []*CheckedFigure
	least := out.Level
	for i := range out.Figures {
		if f := &out.Figures[i]; !f.Certain && f.P < out.Level {
			doubted, least = append(doubted, f), min(least, f.P)
		}
	}
	if len(doubted) == 0 {
		return nil
	}
	late, err := c.crowded(ctx, out, told)
	if err != nil {
		return err
	}
	var best []InCrowd
	for _, runs := range late {
		var in []InCrowd
		leastHere := 1.0
		for _, f := range doubted {
			in = append(in, c.inCrowd(out, f, runs, real))
			leastHere = min(leastHere, in[len(in)-1].p)
		}
		if leastHere > least {
			best, least = in, leastHere
		}
	}
	for i := range best {
		doubted[i].P, doubted[i].Crowd = best[i].p, &best[i]
	}
	return nil
}

// inCrowd is a figure of runs whose exchanges are late, and how it compares with the real ones.
func (c *CrossCheck) inCrowd(out *CrossChecked, f *CheckedFigure, late, real []observed) InCrowd {
	var values []float64
	var p float64
	if f.Name == slotsFigure {
		var r []float64
		values, r = distances(late, real, out.Within)
		p, _ = exactRanks(r, values)
	} else {
		values = column(late, f.Name, c.Scale)
		p = byRanks(column(real, f.Name, c.Scale), values, f.Allowance)
	}
	slices.SortFunc(values, compareLast)
	return InCrowd{quantile(values, 1, 2), [2]model.Number{quantile(values, 5, 1000), quantile(values, 995, 1000)}, p}
}

// crowded plays seeds whose exchanges take longer by half of what a crowd takes, and by all.
func (c *CrossCheck) crowded(ctx context.Context, out *CrossChecked, told *scenarios.Scenario) (late [][]observed, err error) {
	quiet := *c
	quiet.Progress = nil
	for _, by := range []time.Duration{out.Loopback.Crowded / 2, out.Loopback.Crowded} {
		if by == 0 {
			continue
		}
		s := *told
		s.Config = *crowded(&told.Config, by)
		runs, err := quiet.virtually(ctx, &s, c.Seeds)
		if err != nil {
			return nil, err
		}
		late = append(late, runs)
	}
	return late, nil
}

// edges looks again at figures that are certain and differ, in the case that they hang on an
// instant. A time does so only where what happens does; a group's, also where who comes first does,
// which no count tells.
func (c *CrossCheck) edges(ctx context.Context, out *CrossChecked, told *scenarios.Scenario, real []observed) error {
	certain := func(f *CheckedFigure) bool { return f.Certain && f.Verdict == Differs }
	follows := func(f *CheckedFigure) bool { return f.Seconds && !strings.HasPrefix(f.Name, "groups") }
	if !slices.ContainsFunc(out.Figures, func(f CheckedFigure) bool { return certain(&f) && !follows(&f) }) {
		return nil
	}
	shaking, err := c.shaking(ctx, out, told)
	if err != nil {
		return err
	}
	ends := false
	again := func(following bool) {
		for i := range out.Figures {
			if f := &out.Figures[i]; certain(f) && follows(f) == following {
				f.onEdge(column(shaking, f.Name, c.Scale), column(real, f.Name, c.Scale))
				ends = ends || f.Edge != nil && (strings.HasPrefix(f.Name, "operations.") || strings.HasPrefix(f.Name, "attempts."))
			}
		}
	}
	again(false)
	if ends {
		again(true)
	}
	return nil
}

// shaking plays seeds in which answers, and time-outs, come later by up to the loopback's unit, or
// the latest timer of the real runs.
func (c *CrossCheck) shaking(ctx context.Context, out *CrossChecked, told *scenarios.Scenario) (runs []observed, err error) {
	quiet := *c
	quiet.Progress = nil
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		s := *told
		s.Config = *shaken(&told.Config, max(out.Loopback.Unit(), out.Worst), share)
		more, err := quiet.virtually(ctx, &s, shakes)
		if err != nil {
			return nil, err
		}
		runs = append(runs, more...)
	}
	return runs, nil
}

// shakes is how many seeds tell what a figure becomes where it hangs on an instant, for each
// lateness of time-outs.
const shakes = 100

// slots compares the two histograms.
func (c *CrossChecked) slots(virtual, real []observed) {
	v, r := distances(virtual, real, c.Within)
	f := newCheckedFigure(slotsFigure, v, r, 0)
	if f.Certain {
		f.judgeCertain(r, 0)
	} else {
		f.P, _ = exactRanks(r, v) // nobody minds a run that is too close
	}
	c.Figures = append(c.Figures, f)
	of, seen := newShape(virtual), newShape(real)
	for i := range max(len(of), len(seen)) {
		var s CrossSlot
		if i < len(of) {
			s.Virtual = of[i] / float64(len(virtual))
		}
		if i < len(seen) {
			s.Real = seen[i] / float64(len(real))
		}
		c.Slots = append(c.Slots, s)
	}
}

// short says why the level is out of reach, where it is, and what would reach it.
func (c *CrossChecked) short() string {
	random := 0
	for i := range c.Figures {
		if !c.Figures[i].Certain {
			random++
		}
	}
	enough := LeastReal
	for leastP(enough, max(c.Virtual, LeastVirtual))*float64(random) >= c.Level {
		enough++
	}
	switch n := len(c.Lateness); {
	case n < enough:
		return fmt.Sprintf("a level of 1 in 10,000 is out of the reach of %d real and %d virtual runs; write --runs %d", n, c.Virtual, enough)
	case c.Virtual < LeastVirtual:
		return fmt.Sprintf("a level of 1 in 10,000 is out of the reach of %d virtual runs; write --seeds %d", c.Virtual, LeastVirtual)
	}
	return ""
}
