package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
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
	Runs     int                 // over sockets; 0: as many as take 30 s, from 3 to 10, and fewer where too many are played again
	Scale    float64             // all times are so many times as long
	Jobs     int
	Progress func(part string, done, of int)    // may be nil
	Begins   func(runs int, each time.Duration) // called before the runs over sockets, with about how long they take; may be nil

	plays player // nil: over sockets
}

// player plays a run on the wall's clock, and says how late its timers were.
type player func(ctx context.Context, c *model.Config, seed uint64) (*model.Tally, Lateness, error)

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

// IsUnfair says whether an error is that the machine was too busy.
func IsUnfair(err error) bool { return errors.As(err, new(UnfairError)) }

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
	if c.plays == nil {
		c.plays = overSockets
	}
	out := &CrossChecked{Scenario: c.Scenario.Name, Seed: c.Scenario.Seed, Scale: c.Scale, Level: CrossLevel, Slot: c.Scenario.Slot.Seconds()}
	if out.Loopback, err = measureLoopback(ctx, c.plays); err != nil {
		return nil, cause(ctx, err)
	}
	virtual, err := c.virtually(ctx, told, c.Seeds)
	if err != nil {
		return nil, cause(ctx, err)
	}
	attempts := &model.Trace{Client: model.AllClients}
	if _, err := Run(ctx, told, told.Seed, attempts); err != nil {
		return nil, cause(ctx, err)
	}
	if err := enoughFiles(c.Scenario.Name, connections(virtual, attempts.Lines), openFiles()); err != nil {
		return nil, err
	}
	if err := out.Loopback.measureCrowd(ctx, c.plays, int(middle(virtual, func(s *observed) float64 { return float64(s.Herd.Busiest) }))); err != nil {
		return nil, cause(ctx, err)
	}
	out.allow(virtual, told)
	runs := c.runs(virtual)
	if c.Begins != nil {
		c.Begins(runs, time.Duration(middle(virtual, func(s *observed) float64 { return s.end })*float64(time.Second))) // a scaled scenario's
	}
	real, stopped := c.really(ctx, out, nearer(&played.Config, out.Loopback), runs)
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
	if out.Partial {
		stopped = cmp.Or(stopped, context.Cause(ctx))
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

// How many seconds the real part takes by default, unless three runs take longer: where the machine
// is a fair witness, and where some are played again.
const (
	mostReal  = 30
	mostAgain = 50
)

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

// really plays so many runs over sockets. A run counts where the machine was a fair witness:
// 9 of 10 of its timers fired within the unit of the loopback, and none was later than a slot
// of the default width. Others are played again, at most three times as many as were asked for together.
func (c *CrossCheck) really(ctx context.Context, out *CrossChecked, config *model.Config, n int) (real []observed, err error) {
	unit := out.Loopback.Unit()
	began := time.Now()
	for try := 0; len(real) < n && try < 3*n; try++ {
		if c.Runs == 0 && len(real) >= LeastReal && time.Since(began).Seconds() > mostAgain {
			break
		}
		c.tell("runs over sockets", len(real), n)
		tally, late, err := c.plays(ctx, config, Seed(c.Scenario.Seed, c.Seeds+try))
		switch {
		case ctx.Err() != nil:
			return real, context.Cause(ctx)
		case err != nil:
			return real, fmt.Errorf("over sockets: %w", err)
		case late.P90 > unit || late.Worst > latest:
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

// latest is how late a timer of a fair run may be: a slot of the default width.
const latest = 50 * time.Millisecond
