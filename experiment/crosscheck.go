package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// CrossLevel is how often a cross-check of two worlds that are the same may say that they
// differ, all its figures together.
const CrossLevel = 1e-4

// What a cross-check needs at least for its level.
const (
	LeastReal    = 3
	LeastVirtual = 1000
)

// CrossCheck plays a scenario in virtual time and over real sockets, and asks figure by
// figure whether they agree.
type CrossCheck struct {
	Scenario *scenarios.Scenario
	Lie      *scenarios.Scenario // what the sockets play instead, to see whether it is found; nil: the same
	Seeds    int                 // in virtual time
	Runs     int                 // over sockets; 0: as many as take 30 s, from 3 to 10
	Scale    float64             // all times are so many times as long
	Jobs     int
	Progress func(part string, done, of int) // may be nil
}

// CrossChecked is what a cross-check came to.
type CrossChecked struct {
	Scenario  string
	Seed      uint64
	Scale     float64
	Partial   bool
	Loopback  Loopback
	Taken     time.Duration // off each way of the network, at most; on the wall's clock
	Chain     int           // exchanges that follow one another
	Worst     time.Duration // how late a timer was at most in a run that counts
	Allowance float64       // of a time, in seconds of the scenario
	Calm      float64       // of one that is the same in every seed, in the earliest run
	Within    int           // slots that a send may be off
	Level     float64
	Short     string // why the level is out of reach; "" where it is not
	Figures   []CheckedFigure
	Nothing   int        // figures that neither world has anything of
	Virtual   int        // runs
	Lateness  []Lateness // of the real runs that count
	Late      []Lateness // of those that do not: the machine was too late to be a fair witness
	Warnings  []string
	Slot      float64 // seconds
	Slots     []CrossSlot
}

// CrossSlot is how many attempts were sent in a slot: the mean over the runs of each world.
type CrossSlot struct{ Virtual, Real float64 }

// Agrees says whether no figure differs.
func (c *CrossChecked) Agrees() bool {
	return !slices.ContainsFunc(c.Figures, func(f CheckedFigure) bool { return f.Verdict == Differs })
}

// UnfairError says that the machine was too busy to witness anything.
type UnfairError struct{ text string }

func (e UnfairError) Error() string { return e.text }

// UnplayableError says that sockets cannot play a scenario.
type UnplayableError struct{ error }

func (e UnplayableError) Unwrap() error { return e.error }

// Run measures the loopback, plays both worlds, and compares them. With the context over it
// compares what was finished, if there is any of both, and returns the context's cause.
func (c CrossCheck) Run(ctx context.Context) (*CrossChecked, error) {
	told, played, err := c.scaled()
	if err != nil {
		return nil, err
	}
	if _, err := live.NewFleet(&played.Config, played.Seed, live.NewBooks(&played.Config, clock.New())); err != nil {
		return nil, UnplayableError{fmt.Errorf("%s: %w", played.Name, err)}
	}
	out := &CrossChecked{Scenario: c.Scenario.Name, Seed: c.Scenario.Seed, Scale: c.Scale, Level: CrossLevel, Slot: c.Scenario.Slot.Seconds()}
	if out.Loopback, err = measureLoopback(ctx); err != nil {
		return nil, cause(ctx, err)
	}
	virtual, err := c.virtually(ctx, told, c.Seeds)
	if err != nil {
		return nil, cause(ctx, err)
	}
	if err := out.Loopback.measureCrowd(ctx, int(middle(virtual, func(s *observed) float64 { return float64(s.Herd.Busiest) }))); err != nil {
		return nil, cause(ctx, err)
	}
	out.allow(virtual, told)
	certain := certainTimes(virtual)
	real, stopped := c.really(ctx, out, nearer(&played.Config, out.Loopback), c.runs(virtual), certain)
	if len(real) == 0 {
		return nil, stopped
	}
	for i := range played.Clients {
		out.Taken = max(out.Taken, min(out.Loopback.Delay/2, leastOf(played.Clients[i].Network.OneWay)))
	}
	out.Partial = stopped != nil
	if err := c.compare(ctx, out, told, virtual, real); err != nil {
		return nil, err
	}
	return out, stopped
}

// scaled returns what virtual time is told and what sockets play.
func (c *CrossCheck) scaled() (told, played *scenarios.Scenario, err error) {
	if told, err = Scaled(c.Scenario, c.Scale); err != nil {
		return nil, nil, err
	}
	if c.Lie == nil {
		return told, told, nil
	}
	played, err = Scaled(c.Lie, c.Scale)
	return told, played, err
}

func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// virtually plays so many seeds.
func (c *CrossCheck) virtually(ctx context.Context, s *scenarios.Scenario, n int) ([]observed, error) {
	out := make([]observed, n)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var telling sync.Mutex
	done := 0
	var workers sync.WaitGroup
	for range min(max(1, c.Jobs), n, 2*runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			world, err := newWorld(s)
			if err != nil {
				stop(err)
				return
			}
			for r := int(next.Add(1)) - 1; r < n && ctx.Err() == nil; r = int(next.Add(1)) - 1 {
				result, err := play(ctx, world, s, Seed(s.Seed, r), nil)
				if err != nil {
					stop(err)
					return
				}
				out[r] = observe(result.Summary, result.Tally)
				telling.Lock()
				done++
				c.tell("virtual runs", done, n)
				telling.Unlock()
			}
		})
	}
	workers.Wait()
	return out, context.Cause(ctx)
}

func (c *CrossCheck) tell(part string, done, of int) {
	if c.Progress != nil {
		c.Progress(part, done, of)
	}
}

// middle is the median of something over runs.
func middle(runs []observed, of func(*observed) float64) float64 {
	var all []float64
	for i := range runs {
		all = append(all, of(&runs[i]))
	}
	slices.SortFunc(all, compareLast)
	return all[nearest(len(all), 1, 2)]
}

// mostReal is how long the real part takes by default, unless three runs take longer.
const mostReal = 30

// runs is how many real runs there are.
func (c *CrossCheck) runs(virtual []observed) int {
	if c.Runs > 0 {
		return c.Runs
	}
	return min(10, max(LeastReal, int(mostReal/max(middle(virtual, func(s *observed) float64 { return s.end }), 1e-3))))
}

// allow reckons what a time may be off: what the loopback allows for the exchanges that follow
// one another, as the runs in the middle have them.
func (c *CrossChecked) allow(virtual []observed, s *scenarios.Scenario) {
	c.Chain = int(middle(virtual, chainOf))
	wall := c.Loopback.Allowance(c.Chain)
	c.Allowance = wall.Seconds() / c.Scale
	c.Calm = c.Loopback.Calm(c.Chain).Seconds() / c.Scale
	c.Within = int(max(1, (wall+latest+s.Slot-1)/s.Slot))
	p := &virtual[0].Provider
	service := time.Duration(float64(p.Busy) / float64(max(1, p.AnswersGenerated)) * 1e9)
	if service > 0 && service < 2*c.Loopback.Unit() {
		c.Warnings = append(c.Warnings, fmt.Sprintf("a service takes %v of the wall's time, and the machine is only good for %v an exchange: who gets through is the machine's doing as much as the scenario's; write a greater --scale",
			service.Round(10*time.Microsecond), c.Loopback.Unit().Round(10*time.Microsecond)))
	}
}

// certainTimes says whether the wall is the same in every seed, so that one late timer
// would show.
func certainTimes(virtual []observed) bool {
	for i := range virtual {
		if compareLast(float64(virtual[i].Wall), float64(virtual[0].Wall)) != 0 {
			return false
		}
	}
	return true
}

// really plays so many runs over sockets. A run counts where the machine was a fair witness:
// 9 of 10 of its timers fired within the unit of the loopback, and, where times are certain,
// so that one timer that is late shows, none was later than a slot of the default width. Others are played again,
// at most three times as many as were asked for together.
func (c *CrossCheck) really(ctx context.Context, out *CrossChecked, config *model.Config, n int, certain bool) (real []observed, err error) {
	unit := out.Loopback.Unit()
	for try := 0; len(real) < n && try < 3*n; try++ {
		c.tell("runs over sockets", len(real), n)
		tally, late, err := overSockets(ctx, config, Seed(c.Scenario.Seed, c.Seeds+try))
		switch {
		case ctx.Err() != nil:
			return real, context.Cause(ctx)
		case err != nil:
			return real, fmt.Errorf("over sockets: %w", err)
		case late.P90 > unit || certain && late.Worst > latest:
			out.Late = append(out.Late, late)
			continue
		}
		out.Lateness = append(out.Lateness, late)
		out.Worst = max(out.Worst, late.Worst)
		real = append(real, observe(model.Summarise(tally), tally))
	}
	if len(real) == 0 {
		l := out.Late[0]
		return real, UnfairError{fmt.Sprintf("the machine was late by %v (1 timer of 10) and %v (the worst) in the first of %d runs, and %v and %v are allowed; it is not a fair witness: end what else it does, or write a greater --scale", l.P90, l.Worst, len(out.Late), unit, latest)}
	}
	return real, nil
}

// latest is how late a timer of a fair run may be where times are certain.
const latest = 50 * time.Millisecond

// compare judges every figure.
func (c *CrossCheck) compare(ctx context.Context, out *CrossChecked, told *scenarios.Scenario, virtual, real []observed) error {
	names := figureNames(&told.Config, slices.Concat(virtual, real))
	out.Virtual = len(virtual)
	crowd := sync.OnceValues(func() ([][]observed, error) { return c.crowded(ctx, out, told) })
	for _, name := range names {
		v, r := column(virtual, name, c.Scale), column(real, name, c.Scale)
		f := newCheckedFigure(name, v, r, out.Allowance)
		if f.Nothing() {
			out.Nothing++
			continue
		}
		if !f.Certain {
			f.P = byRanks(r, v, f.Allowance)
			if f.P < doubtful {
				late, err := crowd()
				if err != nil {
					return err
				}
				f.orLate(late, func(many []observed) float64 { return byRanks(r, column(many, name, c.Scale), f.Allowance) })
			}
			out.Figures = append(out.Figures, f)
			continue
		}
		if tail(name) {
			f.Allowance += out.Worst.Seconds() / c.Scale
		}
		f.judgeCertain(r, out.Calm)
		out.Figures = append(out.Figures, f)
	}
	if err := c.edges(ctx, out, told, real); err != nil {
		return err
	}
	if err := out.slots(virtual, real, crowd); err != nil {
		return err
	}
	out.Short = out.short()
	holmFigures(out.Figures, out.Level, out.Short == "")
	return nil
}

// doubtful is a p below which a figure is looked at again where a crowd is late; nothing above
// it can become a difference.
const doubtful = 0.01

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
		runs, err := quiet.virtually(context.WithoutCancel(ctx), &s, c.Seeds)
		if err != nil {
			return nil, err
		}
		late = append(late, runs)
	}
	return late, nil
}

// edges looks again at figures that are certain and differ, in the case that they hang on an
// instant. A time does so only where what happens does.
func (c *CrossCheck) edges(ctx context.Context, out *CrossChecked, told *scenarios.Scenario, real []observed) error {
	certain := func(f *CheckedFigure) bool { return f.Certain && f.Verdict == Differs }
	if !slices.ContainsFunc(out.Figures, func(f CheckedFigure) bool { return certain(&f) && !f.Seconds }) {
		return nil
	}
	shaking, err := c.shaking(ctx, out, told)
	if err != nil {
		return err
	}
	ends := false
	again := func(seconds bool) {
		for i := range out.Figures {
			if f := &out.Figures[i]; certain(f) && f.Seconds == seconds {
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
		more, err := quiet.virtually(context.WithoutCancel(ctx), &s, shakes)
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
func (c *CrossChecked) slots(virtual, real []observed, crowd func() ([][]observed, error)) error {
	v, r := distances(virtual, real, c.Within)
	f := newCheckedFigure(slotsFigure, v, r, 0)
	if f.Certain {
		f.judgeCertain(r, 0)
	} else {
		f.P, _ = exactRanks(r, v) // nobody minds a run that is too close
	}
	if f.P < doubtful {
		late, err := crowd()
		if err != nil {
			return err
		}
		f.orLate(late, func(many []observed) float64 {
			v, r := distances(many, real, c.Within)
			p, _ := exactRanks(r, v)
			return p
		})
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
	return nil
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

// IsUnfair says whether an error is that the machine was too busy.
func IsUnfair(err error) bool { return errors.As(err, new(UnfairError)) }
