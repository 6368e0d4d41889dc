package policies

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func rate(t interface{ Fatal(...any) }, text string) *Rate {
	var r Rate
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return &r
}

func pacedGate(change func(*GateConfig)) *PacedGate {
	c := GateConfig{}
	c.SetDefaults()
	change(&c)
	return NewPacedGate(c)
}

// served drains a gate whose callers all stand before it at time 0, and tells when each
// gets in.
func served(g *PacedGate) []string {
	var out []string
	now := time.Duration(0)
	for {
		granted, wake := g.Poll(now, nil)
		for _, t := range granted {
			out = append(out, fmt.Sprintf("%d at %v", t, now))
		}
		if wake == Never {
			return out
		}
		now = wake
	}
}

func TestPacedGate(t *testing.T) {
	tests := []struct {
		says   string
		config func(*GateConfig)
		tokens []int64
		want   []string
	}{
		{
			"60 a minute with a burst of a second: one at once, then one a second",
			func(c *GateConfig) { c.Requests = rate(t, "60/min") },
			[]int64{0, 0, 0},
			[]string{"0 at 0s", "1 at 1s", "2 at 2s"},
		},
		{
			"a burst of three seconds lets three through at once",
			func(c *GateConfig) { c.Requests, c.Burst = rate(t, "1/s"), 3*time.Second },
			[]int64{0, 0, 0, 0},
			[]string{"0 at 0s", "1 at 0s", "2 at 0s", "3 at 1s"},
		},
		{
			"tokens: 1,000 at once, and then each waits for its own",
			func(c *GateConfig) { c.Tokens = rate(t, "1000/s") },
			[]int64{600, 400, 500, 250},
			[]string{"0 at 0s", "1 at 0s", "2 at 500ms", "3 at 750ms"},
		},
		{
			"first come first served: a small one behind a large one waits though it fits",
			func(c *GateConfig) { c.Tokens = rate(t, "1000/s") },
			[]int64{600, 900, 10},
			[]string{"0 at 0s", "1 at 500ms", "2 at 510ms"},
		},
		{
			"GT-D1: 40,000 tokens a minute in a bucket of 667: 800 are oversize, and borrowing keeps the rate",
			func(c *GateConfig) { c.Tokens = rate(t, "40000/min") },
			[]int64{800, 800, 800},
			[]string{"0 at 0s", "1 at 1.2s", "2 at 2.4s"},
		},
		{
			"taking only what is in the bucket, 667, is faster than the rate",
			func(c *GateConfig) { c.Tokens, c.Oversize = rate(t, "40000/min"), WhenFullOversize },
			[]int64{800, 800, 800},
			[]string{"0 at 0s", "1 at 1.0005s", "2 at 2.001s"},
		},
		{
			"with permits, the second waits until somebody leaves",
			func(c *GateConfig) { c.Requests, c.Concurrency = rate(t, "10/s"), 1 },
			[]int64{0, 0},
			[]string{"0 at 0s"},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			g := pacedGate(test.config)
			for id, tokens := range test.tokens {
				if !g.Enter(0, Ticket(id), tokens, 0) {
					t.Fatalf("ticket %d is refused", id)
				}
			}
			if got := served(g); !slices.Equal(got, test.want) {
				t.Errorf("served %v, want %v", got, test.want)
			}
		})
	}
}

func TestPacedGateRefusesWhatIsOversize(t *testing.T) {
	g := pacedGate(func(c *GateConfig) { c.Tokens, c.Oversize = rate(t, "40000/min"), RejectOversize })
	if g.Enter(0, 1, 800, 0) || !g.Enter(0, 2, 667, 0) {
		t.Error("a bucket of 667 must refuse 800 tokens at once and let 667 in")
	}
	if got := served(g); !slices.Equal(got, []string{"2 at 0s"}) {
		t.Errorf("served %v", got)
	}
}

// Over any time, whoever comes and goes, no more gets through than the bucket and the
// rate give; and nobody waits while it could go.
func TestPacedGateKeepsItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, tokens := rate(t, "7/s"), rate(t, "1000/s")
		g := pacedGate(func(c *GateConfig) { c.Requests, c.Tokens = requests, tokens })
		type grant struct {
			at     time.Duration
			tokens int64
		}
		var grants []grant
		asked := map[Ticket]int64{}
		now, wake := time.Duration(0), Never
		for id := range Ticket(rapid.IntRange(1, 60).Draw(t, "callers")) {
			next := now + time.Duration(rapid.Int64Range(0, int64(300*ms)).Draw(t, "gap"))
			for wake <= next {
				now = wake
				var in []Ticket
				if in, wake = g.Poll(now, nil); len(in) == 0 {
					t.Fatalf("woken at %v for nothing", now)
				}
				for _, t := range in {
					grants = append(grants, grant{now, asked[t]})
				}
			}
			now = next
			asked[id] = rapid.Int64Range(0, 1500).Draw(t, "tokens")
			g.Enter(now, id, asked[id], 0)
			var in []Ticket
			in, wake = g.Poll(now, nil)
			for _, t := range in {
				grants = append(grants, grant{now, asked[t]})
			}
		}
		for i := range grants {
			n, sum := int64(0), int64(0)
			for _, later := range grants[i:] {
				// All but the last of these were charged before it came; an oversize one may borrow.
				span := later.at - grants[i].at
				if limit := 7 + int64(span)*7/int64(time.Second); n > limit {
					t.Fatalf("%d requests before another within %v, more than %d", n, span, limit)
				}
				if limit := 1000 + int64(span)*1000/int64(time.Second) + 500; sum > limit {
					t.Fatalf("%d tokens before another within %v, more than %d", sum, span, limit)
				}
				n, sum = n+1, sum+later.tokens
			}
		}
	})
}

func BenchmarkPacedGate(b *testing.B) {
	g := pacedGate(func(c *GateConfig) { c.Requests, c.Tokens = rate(b, "1000/s"), rate(b, "1000000/s") })
	var buf []Ticket
	now := time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		now += time.Millisecond
		g.Enter(now, 1, 900, 0)
		buf, _ = g.Poll(now, buf[:0])
		g.Leave(now, 1, Succeeded)
	}
}

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		says          string
		of            Estimate
		input, output int64
		most          Count
		want          int64
	}{
		{"the sum, as it is left out", Estimate{Input: EstimateActual, Output: EstimateMaxTokens}, 300, 50, 200, 500},
		{"the sum", Estimate{EstimateActual, EstimateMaxTokens, EstimateSum}, 300, 50, 200, 500},
		{"the greater: the prompt", Estimate{EstimateActual, EstimateMaxTokens, EstimateMax}, 300, 50, 200, 300},
		{"the greater: the answer's bound", Estimate{EstimateActual, EstimateMaxTokens, EstimateMax}, 100, 50, 200, 200},
		{"the greater, where no bound is set", Estimate{EstimateActual, EstimateMaxTokens, EstimateMax}, 100, 150, Unlimited, 150},
		{"the greater of what is counted", Estimate{EstimateNone, EstimateActual, EstimateMax}, 100, 50, 20, 20},
		{"the prompt alone", Estimate{EstimateActual, EstimateNone, EstimateMax}, 100, 500, 700, 100},
	} {
		if got := c.of.Tokens(c.input, c.output, c.most); got != c.want {
			t.Errorf("%s: got %d, want %d", c.says, got, c.want)
		}
	}
}
