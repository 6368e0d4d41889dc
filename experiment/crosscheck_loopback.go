package experiment

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/model"
)

// Loopback is what this machine adds to an exchange: one request over TCP on 127.0.0.1,
// from our HTTP client through our server, with a timer before, during and after it.
type Loopback struct {
	Exchanges int
	Delay     time.Duration // the median of what an exchange took beyond its timers
	Mean      time.Duration // the mean of the same
	Jitter    time.Duration // its 90th percentile beyond the median
	Lateness  Lateness

	Crowd       int           // as many exchanges at one instant as the scenario's busiest slot has
	Crowded     time.Duration // 9 of 10 of them took so much longer than their timers, in the calmest try; 0 without a crowd
	CrowdedMost time.Duration // the same in the latest try
}

// Unit is how late an exchange, or a timer, of a fair run may be: a millisecond, which is what
// a timer promises, and twice the jitter that was measured.
func (l Loopback) Unit() time.Duration { return time.Millisecond + 2*l.Jitter }

// Calm is how far the earliest of several runs may lie from virtual time: a millisecond and the
// median for each exchange. The machine can make a run late and never early, so the earliest is
// the one that tells most. What a crowd takes comes once, as it comes at one instant.
func (l Loopback) Calm(chain int) time.Duration {
	return time.Duration(chain)*(time.Millisecond+l.Delay) + l.CrowdedMost
}

// Allowance is how far a time may lie from virtual time's that so many exchanges go into, one
// after the other: for each a millisecond and what it takes on average beyond its timers, and
// twice the jitter for all of them, which does not come every time; and what a crowd takes.
func (l Loopback) Allowance(chain int) time.Duration {
	return time.Duration(chain)*(time.Millisecond+max(0, l.Mean)) + 2*l.Jitter + l.CrowdedMost
}

// The loopback's exchanges, and each of their three timers: no whole milliseconds, which would hide
// what a poll that rounds to them adds to the timers of a scenario; see [finePoll].
const (
	loopbackExchanges = 400
	loopbackTimer     = 1370 * time.Microsecond
)

// A measurement that is as calm as that is good enough. The calmest of so many must be
// within a slot of the default width: else the machine is too busy to be asked.
const (
	calmUnit  = 5 * time.Millisecond
	fitUnit   = 50 * time.Millisecond
	calmTries = 5
)

// measureLoopback measures what the machine can do: the calmest of a few measurements,
// because what else it has to do in the meantime is not the loopback's. Real runs that meet
// more than that are no fair witnesses.
func measureLoopback(ctx context.Context, plays player) (Loopback, error) {
	var best Loopback
	for try := range calmTries {
		l, err := measureOnce(ctx, plays, uint64(try), loopbackExchanges, 2*time.Second)
		if err != nil {
			return Loopback{}, err
		}
		if try == 0 || l.Jitter < best.Jitter {
			best = l
		}
		if best.Unit() <= calmUnit {
			break
		}
	}
	if best.Unit() > fitUnit {
		return Loopback{}, UnfairError{fmt.Sprintf("the machine is too busy to be a fair witness: in the calmest of %d measurements, 1 exchange of 10 took %v longer than the median of %v; end what else it does", calmTries, best.Jitter.Round(10*time.Microsecond), best.Delay.Round(10*time.Microsecond))}
	}
	return best, nil
}

// measureCrowd measures what a crowd that comes at one instant takes: a machine answers one
// after the other, where virtual time's provider answers all at once. A crowd that is none is
// left alone.
func (l *Loopback) measureCrowd(ctx context.Context, plays player, n int) error {
	if n < leastCrowd {
		return nil
	}
	l.Crowd = min(n, mostCrowd)
	var took []time.Duration
	for try := range min(20, max(3, crowdExchanges/l.Crowd)) {
		c, err := measureOnce(ctx, plays, uint64(try), l.Crowd, 0)
		if err != nil {
			return err
		}
		took = append(took, c.Delay+c.Jitter)
	}
	l.Crowded, l.CrowdedMost = slices.Min(took), slices.Max(took)
	return nil
}

// Crowds that are measured, and how often, 3 to 20 times.
const (
	leastCrowd     = 10
	mostCrowd      = 2000
	crowdExchanges = 4000 // of all tries
)

// measureOnce plays so many exchanges at random instants of a time.
func measureOnce(ctx context.Context, plays player, seed uint64, n int, over time.Duration) (Loopback, error) {
	c := &model.Config{}
	c.SetDefaults()
	timer := loopbackTimer
	c.Provider.Service.FirstToken = model.DurationDist{Constant: &timer}
	var g model.Group
	g.SetDefaults()
	g.Count, g.Arrive.Over, g.Network.OneWay = n, over, model.DurationDist{Constant: &timer}
	c.Clients = []model.Group{g}
	tally, late, err := plays(ctx, c, seed)
	if err != nil {
		return Loopback{}, fmt.Errorf("measuring the loopback: %w", err)
	}
	points, answered := tally.Latencies(int64(n))
	if answered != int64(n) {
		return Loopback{}, fmt.Errorf("measuring the loopback: %d of %d exchanges were answered", answered, n)
	}
	var took []time.Duration
	sum := time.Duration(0)
	for _, p := range points {
		took = append(took, p.At-3*loopbackTimer)
		sum += p.At - 3*loopbackTimer
	}
	slices.Sort(took)
	l := Loopback{Exchanges: n, Mean: sum / time.Duration(n), Delay: max(0, took[nearest(len(took), 1, 2)]), Lateness: late}
	l.Jitter = took[nearest(len(took), 9, 10)] - l.Delay
	return l, nil
}

// overSockets plays a run on the wall's clock over a port of this machine. It begins with nothing to
// collect: the collector's work for the run before would make a crowd's start some milliseconds later.
func overSockets(ctx context.Context, c *model.Config, seed uint64) (*model.Tally, Lateness, error) {
	network, err := live.Loopback()
	if err != nil {
		return nil, Lateness{}, err
	}
	defer finePoll()()
	clk := newWitness()
	runtime.GC()
	seen := clk.watch()
	tally, err := live.Run(ctx, c, seed, clk, network)
	seen()
	return tally, clk.lateness(), err
}

// nearer returns a config whose clients add less delay of their own, because the loopback
// has that delay already: each way half of it, as far as there is so much to take.
func nearer(c *model.Config, l Loopback) *model.Config {
	out := *c
	out.Clients = slices.Clone(c.Clients)
	for i := range out.Clients {
		way := &out.Clients[i].Network.OneWay
		if less := min(l.Delay/2, leastOf(*way)); less > 0 {
			less = -less
			*way = model.DurationDist{Sum: []model.DurationDist{{Constant: &less}, *way}}
		}
	}
	return &out
}

// leastOf is the least delay that a distribution has for certain.
func leastOf(d model.DurationDist) time.Duration {
	switch {
	case d.Constant != nil:
		return *d.Constant
	case d.Uniform != nil:
		return d.Uniform[0]
	case d.Values != nil:
		return d.Values[0]
	}
	least := time.Duration(0)
	for _, part := range d.Sum {
		least += leastOf(part)
	}
	return least
}

// crowded returns a config in which each exchange takes so much longer, on average.
func crowded(c *model.Config, by time.Duration) *model.Config {
	out := *c
	out.Clients = slices.Clone(c.Clients)
	for i := range out.Clients {
		way := &out.Clients[i].Network.OneWay
		*way = later(*way, by)
	}
	return &out
}

// later is a distribution and up to so much more.
func later(d model.DurationDist, by time.Duration) model.DurationDist {
	parts := []model.DurationDist{{Uniform: &[2]time.Duration{0, by}}}
	if !reflect.ValueOf(d).IsZero() {
		parts = append(parts, d)
	}
	return model.DurationDist{Sum: parts}
}

// shaken returns a config in which clients start, and answers come, up to so much later, and
// time-outs fire later by a share of it: what a machine does to a run that virtual time has to
// the nanosecond. Of groups whose operations come at a rate, each is later than the one before.
func shaken(c *model.Config, by time.Duration, share float64) *model.Config {
	out := *c
	out.Clients = slices.Clone(c.Clients)
	timer := time.Duration(share * float64(by))
	lateTimer := func(d *time.Duration) {
		if *d > 0 {
			*d += timer
		}
	}
	for i := range out.Clients {
		g := &out.Clients[i]
		if g.Arrive.Open() {
			g.Arrive.At += by * time.Duration(i) / time.Duration(len(out.Clients))
		} else {
			g.Arrive.Over += by
		}
		lateTimer(&g.Timeouts.FirstEvent)
		lateTimer(&g.Timeouts.Idle)
		lateTimer(&g.Timeouts.Attempt)
		lateTimer(&g.Timeouts.Operation)
		if g.Cancel != nil {
			cancel := *g.Cancel
			cancel.After = model.DurationDist{Sum: []model.DurationDist{{Constant: &timer}, cancel.After}}
			g.Cancel = &cancel
		}
		if share > 0.5 {
			continue // its answers come in time, and its time-outs do not
		}
		g.Network.OneWay = later(g.Network.OneWay, by)
	}
	return &out
}
