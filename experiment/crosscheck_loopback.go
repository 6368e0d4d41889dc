package experiment

import (
	"context"
	"fmt"
	"reflect"
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
	Jitter    time.Duration // its 90th percentile beyond the median
	Lateness  Lateness
}

// Unit is how far the time of one exchange may lie from virtual time's: a millisecond,
// which is what a timer promises, and twice the jitter that was measured.
func (l Loopback) Unit() time.Duration { return time.Millisecond + 2*l.Jitter }

// The loopback's exchanges, and each of their three timers.
const (
	loopbackExchanges = 400
	loopbackTimer     = time.Millisecond
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
func measureLoopback(ctx context.Context) (Loopback, error) {
	var best Loopback
	for try := range calmTries {
		l, err := measureOnce(ctx, uint64(try))
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

// measureOnce plays exchanges at random instants, so that few of them meet.
func measureOnce(ctx context.Context, seed uint64) (Loopback, error) {
	c := &model.Config{}
	c.SetDefaults()
	timer := loopbackTimer
	c.Provider.Service.FirstToken = model.DurationDist{Constant: &timer}
	var g model.Group
	g.SetDefaults()
	g.Count, g.Arrive.Over, g.Network.OneWay = loopbackExchanges, 2*time.Second, model.DurationDist{Constant: &timer}
	c.Clients = []model.Group{g}
	tally, late, err := overSockets(ctx, c, seed)
	if err != nil {
		return Loopback{}, fmt.Errorf("measuring the loopback: %w", err)
	}
	points, n := tally.Latencies(loopbackExchanges)
	if n != loopbackExchanges {
		return Loopback{}, fmt.Errorf("measuring the loopback: %d of %d exchanges were answered", n, loopbackExchanges)
	}
	var took []time.Duration
	for _, p := range points {
		took = append(took, p.At-3*loopbackTimer)
	}
	slices.Sort(took)
	l := Loopback{Exchanges: loopbackExchanges, Delay: max(0, took[nearest(len(took), 1, 2)]), Lateness: late}
	l.Jitter = took[nearest(len(took), 9, 10)] - l.Delay
	return l, nil
}

// overSockets plays a run on the wall's clock over a port of this machine.
func overSockets(ctx context.Context, c *model.Config, seed uint64) (*model.Tally, Lateness, error) {
	network, err := live.Loopback()
	if err != nil {
		return nil, Lateness{}, err
	}
	clk := newWitness()
	tally, err := live.Run(ctx, c, seed, clk, network)
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

// shaken returns a config in which clients start, and answers come, up to so much later, and
// time-outs fire later by a share of it: what a machine does to a run that virtual time has to
// the nanosecond. Of groups whose operations come at a rate, each is later than the one before.
func shaken(c *model.Config, by time.Duration, share float64) *model.Config {
	out := *c
	out.Clients = slices.Clone(c.Clients)
	late := model.DurationDist{Uniform: &[2]time.Duration{0, by}}
	timer := time.Duration(share * float64(by))
	later := func(d *time.Duration) {
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
		later(&g.Timeouts.FirstEvent)
		later(&g.Timeouts.Idle)
		later(&g.Timeouts.Attempt)
		later(&g.Timeouts.Operation)
		if g.Cancel != nil {
			cancel := *g.Cancel
			cancel.After = model.DurationDist{Sum: []model.DurationDist{{Constant: &timer}, cancel.After}}
			g.Cancel = &cancel
		}
		if share > 0.5 {
			continue // its answers come in time, and its time-outs do not
		}
		parts := []model.DurationDist{late}
		if !reflect.ValueOf(g.Network.OneWay).IsZero() {
			parts = append(parts, g.Network.OneWay)
		}
		g.Network.OneWay = model.DurationDist{Sum: parts}
	}
	return &out
}
