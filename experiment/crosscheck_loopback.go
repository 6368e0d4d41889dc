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
	Jitter    time.Duration // its 99th percentile beyond the median
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

// measureLoopback plays exchanges at random instants, so that few of them meet.
func measureLoopback(ctx context.Context) (Loopback, error) {
	c := &model.Config{}
	c.SetDefaults()
	timer := loopbackTimer
	c.Provider.Service.FirstToken = model.DurationDist{Constant: &timer}
	var g model.Group
	g.SetDefaults()
	g.Count, g.Arrive.Over, g.Network.OneWay = loopbackExchanges, 2*time.Second, model.DurationDist{Constant: &timer}
	c.Clients = []model.Group{g}
	tally, late, err := overSockets(ctx, c, 1)
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
	l.Jitter = took[nearest(len(took), 99, 100)] - l.Delay
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

// shaken returns a config whose clients start, and whose answers come, up to so much later:
// what a machine does to a run that virtual time has to the nanosecond. Of groups whose
// operations come at a rate, each is later than the one before.
func shaken(c *model.Config, by time.Duration) *model.Config {
	out := *c
	out.Clients = slices.Clone(c.Clients)
	for i := range out.Clients {
		g := &out.Clients[i]
		if g.Arrive.Open() {
			g.Arrive.At += by * time.Duration(i) / time.Duration(len(out.Clients))
		} else {
			g.Arrive.Over += by
		}
		late := model.DurationDist{Uniform: &[2]time.Duration{0, by}}
		parts := []model.DurationDist{late}
		if !reflect.ValueOf(g.Network.OneWay).IsZero() {
			parts = append(parts, g.Network.OneWay)
		}
		g.Network.OneWay = model.DurationDist{Sum: parts}
	}
	return &out
}
