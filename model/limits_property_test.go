package model

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/policies"
)

// drawConfig draws a limit of any kind that passes its Check.
func drawConfig(t *rapid.T) LimitConfig {
	word := func(name string, of []string) string { return rapid.SampledFrom(append(of, "")).Draw(t, name) }
	c := LimitConfig{
		Axis:      LimitAxis(rapid.SampledFrom(LimitAxis("").Words()).Draw(t, "axis")),
		Limit:     rapid.Int64Range(1, 300).Draw(t, "limit"),
		Per:       time.Duration(rapid.Int64Range(1, 2000).Draw(t, "per")) * ms / 10,
		Algorithm: Algorithm(word("algorithm", Algorithm("").Words())),
		Start:     BucketStart(word("start", BucketStart("").Words())),
		Rejected:  RejectedCharge(word("rejected", RejectedCharge("").Words())),
		Charge: ChargeConfig{
			Input:   InputCharge(word("input", InputCharge("").Words())),
			Output:  OutputCharge(word("output", OutputCharge("").Words())),
			Combine: Combine(word("combine", Combine("").Words())),
		},
		Settle: Settle(word("settle", Settle("").Words())),
		Scope:  LimitScope{Kind: ScopeKind(rapid.IntRange(0, 3).Draw(t, "scope")), Pool: "pool"},
		When:   CheckTime(word("check", CheckTime("").Words())),
		Kind:   LimitKind(word("kind", LimitKind("").Words())),
	}
	if rapid.Bool().Draw(t, "has burst") {
		c.Burst = rapid.Int64Range(1, 400).Draw(t, "burst")
	}
	if rapid.Bool().Draw(t, "has slices") {
		c.Slices = c.Per / time.Duration(rapid.SampledFrom([]int{1, 2, 4, 5}).Draw(t, "slices"))
	}
	if rapid.Bool().Draw(t, "has phase") {
		c.Phase = time.Duration(rapid.Int64Range(1, int64(c.Per)-1).Draw(t, "phase"))
	}
	clears := map[string]func(){
		"per": func() { c.Per = 0 }, "algorithm": func() { c.Algorithm = "" }, "burst": func() { c.Burst = 0 }, "start": func() { c.Start = "" },
		"rejected": func() { c.Rejected = "" }, "charge": func() { c.Charge = ChargeConfig{} }, "charge.input": func() { c.Charge.Input = "" },
		"charge.output": func() { c.Charge.Output = "" }, "charge.combine": func() { c.Charge.Combine = "" }, "settle": func() { c.Settle = "" },
		"slices": func() { c.Slices = 0 }, "check": func() { c.When = "" }, "phase": func() { c.Phase = 0 }, "kind": func() { c.Kind = "" },
	}
	for tries := 0; len(c.Check()) > 0; tries++ {
		clears[c.Check()[0].Key]()
		if tries > 20 {
			t.Fatalf("removing what has no effect does not help: %+v: %v", c, c.Check())
		}
	}
	return c
}

func drawAsk(t *rapid.T) *Ask {
	q := &Ask{
		Key: rapid.Uint32Range(0, 2).Draw(t, "key"), Tenant: rapid.Uint32Range(0, 1).Draw(t, "tenant"), Pool: rapid.Uint32Range(0, 1).Draw(t, "pool"),
		Input: rapid.Int64Range(0, 120).Draw(t, "input"), Output: rapid.Int64Range(0, 120).Draw(t, "output"), MaxTokens: policies.Unlimited,
	}
	q.Cached = rapid.Int64Range(0, q.Input).Draw(t, "cached")
	if rapid.Bool().Draw(t, "has max_tokens") {
		q.MaxTokens = policies.Count(rapid.Int64Range(1, 200).Draw(t, "max_tokens"))
	}
	return q
}

// Any limits together, any requests, settled or not: who waits exactly the true wait
// alone is admitted, and a nanosecond or a millisecond earlier is not; a refusal
// charges no limit but those that say so; in the end nothing is used.
func TestTrueWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configs := make([]LimitConfig, rapid.IntRange(1, 4).Draw(t, "limits"))
		for i := range configs {
			configs[i] = drawConfig(t)
		}
		var slope *SlopeConfig
		if rapid.IntRange(0, 3).Draw(t, "slope") == 0 {
			slope = &SlopeConfig{
				Axis: LimitInputTokens, Grow: Whole / 2, Per: 40 * ms,
				Above: policies.Rate{N: rapid.Int64Range(1, 200).Draw(t, "above"), Per: 10 * ms},
			}
		}
		l := NewLimits(configs, slope)
		now := time.Duration(0)
		inFlight := map[policies.Ticket]*Ask{}
		for id := range policies.Ticket(rapid.IntRange(1, 40).Draw(t, "requests")) {
			now += time.Duration(rapid.Int64Range(0, int64(30*ms)).Draw(t, "gap")) * time.Duration(rapid.IntRange(0, 1).Draw(t, "passes"))
			for other := range id {
				q, ok := inFlight[other]
				if !ok || !rapid.Bool().Draw(t, "done") {
					continue
				}
				l.Generated(now, other, rapid.Int64Range(0, q.Output).Draw(t, "generated"))
				l.Done(now, other, q.output())
				delete(inFlight, other)
			}
			q := drawAsk(t)
			before := rooms(l, now, q)
			r := l.Ask(now, q)
			if r != l.Ask(now, q) || !slices.Equal(before, rooms(l, now, q)) {
				t.Fatalf("asking changes something")
			}
			if r.Kind == policies.NotRefused {
				l.Admit(now, id, q)
				inFlight[id] = q
				continue
			}
			l.Refuse(now, q)
			for i, room := range rooms(l, now, q) {
				if configs[i].Rejected != RejectedCharged && room != before[i] {
					t.Fatalf("a refusal charges limit %d: %+v, before %+v", i, room, before[i])
				}
			}
			if r.Kind == policies.BeyondLimit {
				if need, most := l.limiters[r.Limiter].need(r.Requested), l.limiters[r.Limiter].most; need <= most {
					t.Fatalf("%+v, but %d could be had", r, most)
				}
				continue
			}
			if fullHouse(l, now, q) {
				continue // nobody knows when an answer ends
			}
			if r.Wait <= 0 {
				t.Fatalf("%+v at %v: a wait of nothing", r, now)
			}
			if r.Wait > ms && l.Ask(now+r.Wait-ms, q).Kind == policies.NotRefused {
				t.Fatalf("%+v at %v: admitted 1ms early", r, now)
			}
			if l.Ask(now+r.Wait-1, q).Kind == policies.NotRefused {
				t.Fatalf("%+v at %v: admitted 1ns early", r, now)
			}
			now += r.Wait
			if again := l.Ask(now, q); again.Kind != policies.NotRefused {
				t.Fatalf("%+v: after that wait, at %v: %+v", r, now, again)
			}
			l.Admit(now, id, q)
			inFlight[id] = q
		}
		for id := range inFlight {
			l.Done(now, id, 5)
		}
		// Each meter is looked at, now and when it says that it will be unused.
		for i := range configs {
			_, window := configs[i].window()
			for key := range uint32(3) {
				q := &Ask{Key: key, Tenant: key, Pool: 1}
				reset := l.Room(now, i, q).Reset
				if configs[i].Algorithm.isWindow() && reset > 2*window {
					t.Fatalf("limit %d resets after %v, later than two windows of %v", i, reset, window)
				}
				if configs[i].Scope.Kind == ScopeAll || configs[i].Scope.Kind == ScopePool {
					if key < 2 {
						continue // it has one meter
					}
				}
				if room := l.Room(now+reset, i, q); room.Used != 0 || room.Reset != 0 {
					t.Fatalf("limit %d is not unused after %v: %+v", i, reset, room)
				}
			}
		}
	})
}

func rooms(l *Limits, now time.Duration, q *Ask) []Room {
	out := make([]Room, len(l.limiters))
	for i := range out {
		out[i] = l.Room(now, i, q)
	}
	return out
}

// fullHouse says whether a limit of concurrency refuses.
func fullHouse(l *Limits, now time.Duration, q *Ask) bool {
	for i := range l.limiters {
		if m := &l.limiters[i]; m.slots && m.of(q) >= 0 && l.Room(now, i, q).Remaining == 0 {
			return true
		}
	}
	return false
}

// What limits admit at random nanoseconds, each request at once or after its wait.
func admissions(t *rapid.T, c LimitConfig) (at []time.Duration, cost []int64) {
	l := NewLimits([]LimitConfig{c}, nil)
	now := time.Duration(0)
	for range rapid.IntRange(1, 100).Draw(t, "requests") {
		now += time.Duration(rapid.Int64Range(0, int64(c.Per)/3).Draw(t, "gap"))
		q := input(rapid.Int64Range(1, c.Limit).Draw(t, "tokens"))
		r := l.Ask(now, q)
		if r.Kind != policies.NotRefused {
			l.Refuse(now, q)
			if r.Kind == policies.BeyondLimit || rapid.Bool().Draw(t, "gives up") {
				continue
			}
			now += r.Wait
		}
		l.Admit(now, 0, q)
		at, cost = append(at, now), append(cost, q.Input)
		if room := l.Room(now, 0, q); room.Used > c.capacity() {
			t.Fatalf("used %d of %d, though nothing is corrected", room.Used, c.capacity())
		}
	}
	return at, cost
}

func drawTokens(t *rapid.T) LimitConfig {
	return LimitConfig{
		Axis: LimitTokens, Limit: rapid.Int64Range(1, 1000).Draw(t, "limit"), Per: time.Duration(rapid.Int64Range(1, int64(day)).Draw(t, "per")),
		Rejected: RejectedCharge(rapid.SampledFrom(RejectedCharge("").Words()).Draw(t, "rejected")),
	}
}

// In any half-open window a sliding log admits at most its limit. A window that holds
// the most begins at an admission.
func TestAnyWindowOfASlidingLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawTokens(t)
		c.Algorithm = SlidingLogAlgorithm
		at, cost := admissions(t, c)
		for i := range at {
			var sum int64
			for j := i; j < len(at) && at[j] < at[i]+c.Per; j++ {
				sum += cost[j]
			}
			if sum > c.Limit {
				t.Fatalf("[%v, +%v) holds %d of %d", at[i], c.Per, sum, c.Limit)
			}
		}
	})
}

// In any time t a bucket admits at most burst + rate * t.
func TestAnyTimeOfABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawTokens(t)
		c.Burst = rapid.Int64Range(1, 2000).Draw(t, "burst")
		at, cost := admissions(t, c)
		rate := big.NewRat(c.Limit, int64(c.Per))
		for i := range at {
			var sum int64
			for j := i; j < len(at); j++ {
				sum += cost[j]
				most := new(big.Rat).Mul(rate, big.NewRat(int64(at[j]-at[i]), 1))
				if most.Add(most, big.NewRat(c.Burst, 1)).Cmp(big.NewRat(sum, 1)) < 0 {
					t.Fatalf("%d admitted from %v to %v, at most %v may be", sum, at[i], at[j], most)
				}
			}
		}
	})
}

// After one silent window exactly nothing is used: after the window for a log, when
// the next begins for a fixed one, when the next but one begins for two, after
// burst / rate for a bucket.
func TestUsageReturnsToNothing(t *testing.T) {
	for _, name := range Algorithm("").Words() {
		rapid.Check(t, func(t *rapid.T) {
			c := drawTokens(t)
			c.Algorithm = Algorithm(name)
			l := NewLimits([]LimitConfig{c}, nil)
			now := time.Duration(0)
			for range rapid.IntRange(1, 30).Draw(t, "requests") {
				now += time.Duration(rapid.Int64Range(0, int64(c.Per)/3).Draw(t, "gap"))
				offer(l, now, 0, input(rapid.Int64Range(1, c.Limit).Draw(t, "tokens")))
			}
			silence := c.Per
			switch c.Algorithm {
			case TwoWindowAlgorithm:
				silence *= 2
			case LeakyAlgorithm: // which one request may overfill by almost its limit
				silence *= 2
			}
			if room := l.Room(now+silence, 0, input(0)); room.Used != 0 || room.Reset != 0 {
				t.Fatalf("%s: %+v after %v of silence", name, room, silence)
			}
		})
	}
}
