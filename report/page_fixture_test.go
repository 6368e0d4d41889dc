package report

import (
	"context"
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
	return PageArm{Run{c.Clients[0].Policy, summary, tally}, trace}
}

const herdSource = `name: herd-100
about: A hundred clients meet a provider that serves three at a time.
against: naive
seed: 1
provider:
  seats: 3
  service: {first_token: 2.1ms, per_token: 2.1ms}
  hint: {retry_after: 1s, format: [seconds]}
clients:
  - name: herd
    count: 100
    request: {input_tokens: 20, output_tokens: 13, max_tokens: 200, stream: true}
    network: {one_way: {sum: [0.3ms, {exponential: {mean: 5ms}}]}}
    policy: full-jitter
expect:
  - success == 1
`

// herdPage is the page of `run herd-100`.
func herdPage(t testing.TB) PageInput {
	t.Helper()
	in := PageInput{
		Scenario: "herd-100", About: "A hundred clients meet a provider that serves three at a time.",
		Source: herdSource, Command: "simulate run herd-100 --seed 1", Version: "test",
	}
	in.Arms = []PageArm{runConfig(t, herdConfig("naive"), 1), runConfig(t, herdConfig("full-jitter"), 1)}
	return in
}
