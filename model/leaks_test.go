package model

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// TS-D5: clients that leave at every state and at the very instants at which things
// happen. At every event the seats in use are the requests that hold one, the queue is
// those that wait, the concurrency limit counts both; every request ends exactly once,
// or hangs until its client has left; and when all have left, nothing is left.
func TestNothingLeaks(t *testing.T) {
	half := Whole / 2
	settings := []struct {
		says   string
		config func(*ProviderConfig)
	}{
		{"abandoned at once", func(c *ProviderConfig) { c.Abandoned.FreesSeatAfter = 0 }},
		{"abandoned after a while", func(c *ProviderConfig) { c.Abandoned.FreesSeatAfter = Patience(70 * ms) }},
		{"abandoned work is finished", func(c *ProviderConfig) { c.Faults = c.Faults[:3] }}, // a stall would be for ever
		{"replays, and priority", func(c *ProviderConfig) {
			c.Abandoned.FreesSeatAfter = Patience(10 * ms)
			c.Idempotency = IdempotencyConfig{Mode: IdempotencyReplay, Expires: time.Second, Conflict: 409}
			c.Queue.Order, c.Queue.Aging, c.Queue.Reserve = PriorityOrder, 100*ms, 2
		}},
		{"joins, shared speed, weather", func(c *ProviderConfig) {
			c.Abandoned.FreesSeatAfter = Patience(30 * ms)
			c.Idempotency = IdempotencyConfig{Mode: IdempotencyAttach, Expires: time.Second}
			c.Queue.Order = LIFO
			c.Service.Pace = &PaceConfig{FullSpeedTo: 3}
			for i := range 200 {
				at := time.Duration(i) * 500 * ms
				c.Weather = append(c.Weather, Weather{At: at, For: 40 * ms, Freeze: true}, Weather{At: at + 50*ms, For: 100 * ms, Seats: &half}, Weather{At: at + 200*ms, For: 50 * ms, Outage: 503})
			}
		}},
	}
	for _, setting := range settings {
		t.Run(setting.says, func(t *testing.T) {
			p := providerOf(func(c *ProviderConfig) {
				c.Seats, c.Queue.Places, c.Queue.WaitLimit = 8, 20, WaitLimit(150*ms)
				c.Limits = []LimitConfig{{Axis: LimitConcurrency, Limit: 25}, {Axis: LimitRequests, Limit: 1000, Per: time.Second}}
				for i, f := range []Fault{{Hang: true}, {Cut: CutReset, AfterTokens: 2}, {InStream: "e"}, {Stall: true, AfterTokens: 1}} {
					f.First, f.Probability = policies.Unlimited, Whole/20*Share(1+i%2)
					c.Faults = append(c.Faults, f)
				}
				setting.config(c)
			})
			fuzzProvider(t, p, 20_000)
		})
	}
}

type fuzzed struct {
	there, left, waits, held, joined, hangs bool
}

func fuzzProvider(t *testing.T, p *Provider, requests int) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 1))
	var (
		now, wake = time.Duration(0), policies.Never
		at        = make([]fuzzed, 200) // by ticket
		buf       []Effect
		ends      [Dropped + 1]int
		offered   int
		busy      time.Duration
	)
	end := func(id policies.Ticket) {
		if !at[id].there {
			t.Fatalf("seed %d at %v: %d ends, but is not there", seed, now, id)
		}
		at[id] = fuzzed{}
	}
	poll := func() {
		buf, wake = p.Poll(now, buf[:0])
		for i := range buf {
			e := &buf[i]
			f := &at[e.Ticket]
			if !f.there || e.Gone && !f.left || f.left && !e.Gone && len(p.edges) == 0 { // in a freeze nobody hears of a leaving
				t.Fatalf("seed %d at %v: %s: there %t, left %t", seed, now, tell(p, e), f.there, f.left)
			}
			switch {
			case e.Kind.Last():
				ends[e.Kind]++
				busy += e.Busy
				end(e.Ticket)
			case e.Kind == Served:
				f.waits, f.held = false, true
			case e.Kind == Decided:
				switch p.Decision(e).Verdict {
				case Serve:
					f.held = true
				case Wait:
					f.waits = true
				case Join:
					f.joined = true
				case Hang:
					f.hangs = true
				default:
					end(e.Ticket)
				}
			}
		}
		var seats, waits, admitted int64
		for i := range at {
			if at[i].held {
				seats++
			}
			if at[i].waits {
				waits++
			}
		}
		admitted = seats + waits
		if p.Serving() != seats || p.Queued() != waits {
			t.Fatalf("seed %d at %v: %d served and %d queued, but %d hold a seat and %d wait", seed, now, p.Serving(), p.Queued(), seats, waits)
		}
		if used := p.limits.Room(now, 0, &Ask{}).Used; used != admitted {
			t.Fatalf("seed %d at %v: %d count as there, want %d", seed, now, used, admitted)
		}
	}
	for offered < requests {
		switch step := r.IntN(10); {
		case step < 3 && wake != policies.Never:
			now = max(now, wake) // an instant at which something happens
		case step < 6:
			now += time.Duration(r.IntN(6)) * ms
		}
		if r.IntN(4) > 0 { // else what is due is found by the call
			poll()
		}
		if r.IntN(2) == 0 {
			id := policies.Ticket(r.IntN(len(at)))
			poll()
			p.Leave(now, id) // whoever it is, there or not
			at[id].left = at[id].there
			poll()
			continue
		}
		id := policies.Ticket(r.IntN(len(at)))
		if at[id].there {
			continue
		}
		q := &Request{
			Ask:    Ask{Output: r.Int64N(5), MaxTokens: policies.Unlimited},
			Stream: r.IntN(2) == 0, Priority: uint8(r.IntN(3)), FirstToken: time.Duration(r.IntN(20)) * ms, PerToken: time.Duration(r.IntN(10)) * ms,
			Luck: []float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()},
		}
		if r.IntN(2) == 0 {
			q.Idempotency = 1 + r.Uint64N(50)
		}
		offered++
		poll()
		switch d := p.Offer(now, id, q); d.Verdict {
		case Serve:
			at[id] = fuzzed{there: true, held: true}
		case Wait:
			at[id] = fuzzed{there: true, waits: true}
		case Join:
			at[id] = fuzzed{there: true, joined: true}
		case Hang:
			at[id] = fuzzed{there: true, hangs: true}
		case Later:
			at[id] = fuzzed{there: true}
		}
		poll()
	}
	for id := range at {
		poll()
		if at[id].there && !at[id].left {
			p.Leave(now, policies.Ticket(id))
			at[id].left = true
		}
		poll()
	}
	for wake != policies.Never {
		now = max(now, wake)
		poll()
	}
	for id := range at {
		if at[id].there {
			t.Errorf("seed %d: %d is still there: %+v", seed, id, at[id])
		}
	}
	if p.Serving() != 0 || p.Queued() != 0 || busy != p.Busy(now) {
		t.Errorf("seed %d: at the end %d served, %d queued; busy for %v, and the ends say %v", seed, p.Serving(), p.Queued(), p.Busy(now), busy)
	}
	t.Logf("ends, by kind: %v", ends)
}
