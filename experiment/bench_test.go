package experiment

import (
	"context"
	"testing"

	"github.com/stampede-sim/stampede/model"
)

// The whole run of a scenario made ready before: events, tally and summary.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"herd-100", "herd-100-naive", "herd-w2"} {
		b.Run(name, func(b *testing.B) {
			s := load(b, name)
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
