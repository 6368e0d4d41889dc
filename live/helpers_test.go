package live

import (
	"context"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func constant[T ~int64](v T) model.Dist[T] { return model.Dist[T]{Constant: &v} }

// chapterConfig is a group before the reference chapter's provider: 3 seats, 13
// tokens at 9.7 ms, one way 0.3 ms, a hint of 1 s.
func chapterConfig(count int, policy string) *model.Config {
	c := &model.Config{}
	c.SetDefaults()
	c.Provider.Seats = 3
	c.Provider.Service = model.ServiceConfig{FirstToken: constant(9700 * time.Microsecond), PerToken: constant(9700 * time.Microsecond)}
	c.Provider.Hint.RetryAfter = model.RetryAfter{Given: true, Wait: time.Second}
	g := model.Group{}
	g.SetDefaults()
	g.Name, g.Count, g.Policy = "herd", count, policy
	g.Request = model.RequestConfig{InputTokens: constant(int64(20)), OutputTokens: constant(int64(13)), MaxTokens: 200, Stream: true}
	g.Network.OneWay = constant(300 * time.Microsecond)
	c.Clients = []model.Group{g}
	return c
}

// load reads a built-in scenario.
func load(t *testing.T, name string, set ...string) *model.Config {
	t.Helper()
	s, err := scenarios.Load(name, set...)
	if err != nil {
		t.Fatal(err)
	}
	return &s.Config
}

// wrongKey is a client whose key every attempt refuses.
func wrongKey(triage policies.TriageTable) *model.Config {
	c := chapterConfig(1, "six")
	var f model.Fault
	f.SetDefaults()
	f.Status = 401
	c.Provider.Faults = []model.Fault{f}
	p := policies.Default()["naive"]
	p.Attempts, p.Triage.Table = 6, triage
	c.Policies = policies.Registry{"six": p}
	return c
}

func virtually(t *testing.T, c *model.Config, seed uint64) *model.Summary {
	t.Helper()
	w, err := model.NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	tally := model.NewTally(c)
	if err := w.Run(context.Background(), seed, tally, nil); err != nil {
		t.Fatal(err)
	}
	return model.Summarise(tally)
}

// inBubble plays a scenario over pipes in a bubble, which returns when every
// goroutine in it has.
func inBubble(t *testing.T, c *model.Config, seed uint64) (s *model.Summary) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		tally, err := Run(context.Background(), c, seed, clock.New(), Pipes())
		if err != nil {
			t.Fatal(err)
		}
		s = model.Summarise(tally)
	})
	if s == nil {
		t.FailNow()
	}
	return s
}
