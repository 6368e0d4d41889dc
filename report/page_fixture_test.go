package report

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

func fixed[T ~int64](v T) model.Dist[T] { return model.Dist[T]{Constant: &v} }

// herdConfig is the built-in herd-100.
func herdConfig(policy string) *model.Config {
	c := &model.Config{}
	c.SetDefaults()
	c.Provider.Seats = 3
	c.Provider.Service = model.ServiceConfig{FirstToken: fixed(2100 * time.Microsecond), PerToken: fixed(2100 * time.Microsecond)}
	c.Provider.Hint.RetryAfter = model.RetryAfter{Given: true, Wait: time.Second}
	g := model.Group{}
	g.SetDefaults()
	g.Name, g.Count, g.Policy = "herd", 100, policy
	g.Request = model.RequestConfig{InputTokens: fixed(int64(20)), OutputTokens: fixed(int64(13)), MaxTokens: 200, Stream: true}
	g.Network.OneWay = model.DurationDist{Sum: []model.DurationDist{fixed(300 * time.Microsecond), {Exponential: &model.Mean[time.Duration]{Mean: 5 * time.Millisecond}}}}
	c.Clients = []model.Group{g}
	return c
}

func runConfig(t testing.TB, c *model.Config, seed uint64) PageArm {
	t.Helper()
	w, err := model.NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	tally, trace := model.NewTally(c), &model.Trace{Client: model.AllClients}
	if err := w.Run(context.Background(), seed, tally, trace); err != nil {
		t.Fatal(err)
	}
	summary := model.Summarise(tally)
	summary.Says, summary.Seed = Says(summary), strconv.FormatUint(seed, 10)
	return PageArm{Run{c.Clients[0].Policy, summary, tally}, trace, c}
}

// herdPage is the page of `run herd-100`.
func herdPage(t testing.TB) PageInput {
	t.Helper()
	source, err := os.ReadFile("../scenarios/herd-100.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := PageInput{
		Scenario: "herd-100", About: "A hundred clients meet a provider that serves three at a time; a random wait before each retry is all it takes to serve them in seconds.",
		Source: string(source), Command: "simulate run herd-100 --seed 1", Version: "test",
		Spread: "simulate run herd-100 --seeds 50",
	}
	in.Arms = []PageArm{runConfig(t, herdConfig("naive"), 1), runConfig(t, herdConfig("full-jitter"), 1)}
	return in
}
