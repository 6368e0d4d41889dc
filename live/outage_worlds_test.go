package live

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

// A thousand clients ask at once, the server is down for 10 s and then accepts 200 in each
// second (facts of peer E): base 100 ms, cap 10 s, first exponent 0, for ever. Of who comes at
// one instant chance decides who gets in, so single runs differ from virtual time. Of three the
// middle one has its requests, its end and its 99th percentile inside the central 99.9 % of
// virtual time, and recovers within a second of that: by chance not, once in 100,000 times.
func TestOutageAsInVirtualTime(t *testing.T) {
	const virtualRuns, liveRuns = 2000, 3
	if raced || testing.Short() {
		t.Skip("half a minute without the race detector")
	}
	for _, row := range []struct {
		says, backoff string
		published     int // seconds until a second without rejections, as peer E measured it
	}{
		{"exponential", "{exponential: {base: 100ms, cap: 10s}}", 42},
		{"full jitter", "{exponential: {base: 100ms, cap: 10s}, jitter: full}", 0},
		{"decorrelated", "{decorrelated: {base: 100ms, cap: 10s}}", 2},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			c := decode(t, fmt.Sprintf(`
name: outage
slot: 1s
provider:
  weather: [{at: 0s, for: 10s, outage: 503}]
  limits: [{axis: requests, limit: 200, per: 1s, algorithm: fixed-window}]
clients: [{count: 1000, policy: again}]
policies: {again: {backoff: %s, hint: ignore}}
`, row.backoff))
			figures := map[string][]float64{}
			note := func(tally *model.Tally, add func(string, float64)) {
				s := model.Summarise(tally)
				add("requests", float64(s.Attempts.Total))
				add("wall", float64(s.Wall))
				add("p99", float64(s.Latency.P99))
				add("recovery", float64(recovered(tally)))
				if s.Operations.Succeeded != 1000 {
					t.Errorf("%+v", s.Operations)
				}
			}
			w, err := model.NewWorld(c)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(virtualRuns) {
				tally := model.NewTally(c)
				if err := w.Run(t.Context(), seed, tally, nil); err != nil {
					t.Fatal(err)
				}
				note(tally, func(name string, x float64) { figures[name] = append(figures[name], x) })
			}
			for name := range figures {
				slices.Sort(figures[name])
			}
			if middle := figures["recovery"][virtualRuns/2]; middle < float64(row.published-1) || middle > float64(row.published+1) {
				t.Errorf("virtual recovery after %v s, published %d s", middle, row.published)
			}
			live := map[string][]float64{}
			for seed := range uint64(liveRuns) {
				bubble(t, func(t *testing.T) {
					tally, err := Run(context.Background(), c, seed, clock.New(), Pipes())
					if err != nil {
						t.Fatal(err)
					}
					note(tally, func(name string, x float64) { live[name] = append(live[name], x) })
				})
			}
			for name, virtual := range figures {
				slices.Sort(live[name])
				low, high := virtual[virtualRuns/2000-1], virtual[virtualRuns-virtualRuns/2000] // all but one in a thousand
				if name == "recovery" {
					low, high = low-1, high+1
				}
				if x := live[name][liveRuns/2]; x < low || x > high {
					t.Errorf("%s: %v on sockets, in virtual time %v to %v", name, live[name], low, high)
				}
			}
		})
	}
}

// recovered is how long after the outage the first second begins that has attempts and no
// rejection.
func recovered(t *model.Tally) int {
	const over = int(10 * time.Second / time.Second)
	for i := over; i < t.Slots(); i++ {
		if s := t.Slot(i); s.First+s.Retries > 0 && s.Rejected == 0 {
			return i - over
		}
	}
	return -1
}
