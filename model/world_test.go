package model

import (
	"context"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func constant[T ~int64](v T) Dist[T] { return Dist[T]{Constant: &v} }

// herd100 is the contract's scenario in Go.
func herd100(policy string) *Config {
	c := &Config{}
	c.SetDefaults()
	c.Provider.Seats = 3
	c.Provider.Service = ServiceConfig{FirstToken: constant(2100 * time.Microsecond), PerToken: constant(2100 * time.Microsecond)}
	c.Provider.Hint.RetryAfter = RetryAfter{Given: true, Wait: time.Second}
	g := Group{}
	g.SetDefaults()
	g.Name, g.Count, g.Policy = "herd", 100, policy
	g.Request = RequestConfig{InputTokens: constant(int64(20)), OutputTokens: constant(int64(13)), MaxTokens: 200, Stream: true}
	g.Network.OneWay = DurationDist{Sum: []DurationDist{constant(300 * time.Microsecond), {Exponential: &Mean[time.Duration]{5 * time.Millisecond}}}}
	c.Clients = []Group{g}
	return c
}

func herdW2(n int) *Config {
	c := &Config{}
	c.SetDefaults()
	c.Provider.Seats = policies.Count(max(3, 3*n/100))
	c.Provider.Service = ServiceConfig{FirstToken: constant(60 * time.Millisecond)}
	g := Group{}
	g.SetDefaults()
	g.Name, g.Count, g.Policy = "herd", n, "full-jitter"
	g.Network.OneWay = constant(500 * time.Microsecond)
	c.Clients = []Group{g}
	return c
}

func TestScratch(t *testing.T) {
	for _, p := range []string{"naive", "full-jitter"} {
		c := herd100(p)
		w, err := NewWorld(c)
		if err != nil {
			t.Fatal(err)
		}
		for seed := uint64(1); seed < 4; seed++ {
			ta := NewTally(c)
			err = w.Run(context.Background(), seed, ta, nil)
			s := Summarise(ta)
			t.Log(p, err, s.Says, s.Attempts.Total, s.Operations, s.Engine.Events)
		}
	}
}

func BenchmarkHerd(b *testing.B) {
	for name, c := range map[string]*Config{"herd-100": herd100("full-jitter"), "w2": herdW2(10000)} {
		b.Run(name, func(b *testing.B) {
			w, err := NewWorld(c)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			seed := uint64(0)
			events := int64(0)
			for b.Loop() {
				seed++
				ta := NewTally(c)
				if err := w.Run(context.Background(), seed, ta, nil); err != nil {
					b.Fatal(err)
				}
				events += ta.events
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
