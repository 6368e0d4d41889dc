package experiment

import (
	"context"
	"testing"

	"github.com/stampede-sim/stampede/model"
)

// The whole run of a scenario made ready before: events, tally and summary.
func BenchmarkRun(b *testing.B) {
	limited := []string{
		"provider.limits=[{axis: requests, limit: 100000, per: 1m}, {axis: tokens, limit: 100000000, per: 1m}]",
		"provider.hint={retry_after: exact, format: [ms]}",
		"policies.full-jitter.hint=floor",
		"clients.0.network.one_way={sum: [0.4ms, {exponential: {mean: 0.1ms}}]}",
	}
	serving := []string{
		"provider.queue={places: 100, order: priority, wait_limit: 5s}",
		"provider.weather=[{at: 500ms, for: 500ms, pace: 50%}, {at: 1500ms, for: 500ms, seats: 50%}]",
		"provider.faults=[{probability: 1%, status: 500}, {probability: 1%, after_tokens: 0, cut: reset}]",
		"provider.price={input: 2.50, output: 10}",
	}
	for _, of := range []struct {
		name, scenario string
		set            []string
	}{
		{"herd-100", "herd-100", nil},
		{"herd-100-naive", "herd-100-naive", nil},
		{"herd-w2", "herd-w2", nil},
		{"herd-w2-limited", "herd-w2", limited}, // to be compared with herd-w2 in the same run
		{"herd-w2-serving", "herd-w2", serving}, // the same
	} {
		b.Run(of.name, func(b *testing.B) {
			s := load(b, of.scenario, of.set...)
			world, err := model.NewWorld(&s.Config)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			events, seed := int64(0), uint64(0)
			for b.Loop() {
				seed++
				r, err := play(context.Background(), world, s, seed, nil)
				if err != nil {
					b.Fatal(err)
				}
				events += r.Summary.Engine.Events
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
