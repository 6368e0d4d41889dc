package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func TestAbandoned(t *testing.T) {
	after := func(d time.Duration) func(*ProviderConfig) {
		return func(c *ProviderConfig) {
			c.Seats, c.Queue.Places, c.Abandoned.FreesSeatAfter = 1, 10, Patience(d)
		}
	}
	each := func(q *Request) *Request { return with(q, func(q *Request) { q.EachToken = true }) }
	runServing(t, []servingCase{
		{
			"never: who left is served to the end, and he who waited as well",
			after(policies.Never),
			[]call{{0, 1, tokens(3), "serve"}, {0, 2, tokens(1), "wait"}, {150 * ms, 1, nil, ""}, {150 * ms, 2, nil, ""}},
			[]string{"100ms first token 1", "300ms finish unheard 1: 3 tokens, 300ms", "300ms served unheard 2", "400ms first token unheard 2", "400ms finish unheard 2: 1 tokens, 100ms"},
		},
		{
			"never: of one that was told token by token nobody is told more than the next",
			after(policies.Never),
			[]call{{0, 1, each(tokens(9)), "serve"}, {250 * ms, 1, nil, ""}},
			[]string{"100ms first token 1", "200ms next token 1", "300ms next token unheard 1", "900ms finish unheard 1: 9 tokens, 900ms"},
		},
		{
			"nor where its key conflicts",
			keysOf(IdempotencyReplay, after(policies.Never)),
			[]call{{0, 1, keyed64(each(tokens(9)), 5), "serve"}, {250 * ms, 1, nil, ""}},
			[]string{"100ms first token 1", "200ms next token 1", "300ms next token unheard 1", "900ms finish unheard 1: 9 tokens, 900ms"},
		},
		{
			"but who attaches later hears of all",
			keysOf(IdempotencyAttach, after(policies.Never)),
			[]call{{0, 1, keyed64(each(tokens(5)), 5), "serve"}, {150 * ms, 1, nil, ""}, {350 * ms, 2, keyed64(each(tokens(5)), 5), "join"}},
			[]string{
				"100ms first token 1", "200ms next token unheard 1", "300ms next token unheard 1",
				"350ms first token 2 too", "350ms next token 2 too", "350ms next token 2 too",
				"400ms next token unheard 1", "400ms next token 2 too", "500ms finish unheard 1: 5 tokens, 500ms", "500ms finish 2 too: 5 tokens, 0s",
			},
		},
		{
			"0s: the seat is free at once, with what was made by then; the place in the queue too",
			after(0),
			[]call{{0, 1, tokens(3), "serve"}, {0, 2, tokens(1), "wait"}, {0, 3, tokens(1), "wait"}, {150 * ms, 2, nil, ""}, {250 * ms, 1, nil, ""}},
			[]string{"100ms first token 1", "150ms stopped unheard 2: 0 tokens, 0s", "250ms stopped unheard 1: 2 tokens, 250ms", "250ms served 3", "350ms first token 3", "350ms finish 3: 1 tokens, 100ms"},
		},
		{
			"120ms: it is stopped so long after, wherever it then is, if it has not ended",
			after(120 * ms),
			[]call{{0, 1, tokens(3), "serve"}, {0, 2, tokens(9), "wait"}, {0, 3, tokens(1), "wait"}, {190 * ms, 1, nil, ""}, {200 * ms, 2, nil, ""}},
			[]string{
				"100ms first token 1", "300ms finish unheard 1: 3 tokens, 300ms", "300ms served unheard 2", "320ms stopped unheard 2: 0 tokens, 20ms",
				"320ms served 3", "420ms first token 3", "420ms finish 3: 1 tokens, 100ms",
			},
		},
		{
			"an end at the instant of the leaving comes first, and at that of the stop as well",
			after(100 * ms),
			[]call{{0, 1, tokens(1), "serve"}, {100 * ms, 1, nil, ""}, {100 * ms, 2, tokens(2), "serve"}, {200 * ms, 2, nil, ""}},
			[]string{"100ms first token 1", "100ms finish 1: 1 tokens, 100ms", "200ms first token 2", "300ms finish unheard 2: 2 tokens, 200ms"},
		},
		{
			"one whose wait ends while he has left is dropped, and a stranger who leaves changes nothing",
			func(c *ProviderConfig) { after(100 * ms)(c); c.Queue.WaitLimit = WaitLimit(50 * ms) },
			[]call{{0, 1, tokens(1), "serve"}, {0, 2, tokens(1), "wait"}, {10 * ms, 2, nil, ""}, {20 * ms, 77, nil, ""}},
			[]string{"50ms dropped unheard 2: reject by queue", "100ms first token 1", "100ms finish 1: 1 tokens, 100ms"},
		},
	})
}

// TS-D4: 10 seats, answers of 30 s, clients that leave after 20 s and come once more.
// Where abandoned work is finished the seats are busy to the end and nobody gets an
// answer; where it is stopped, the seats are free again for others.
func TestTheServerGoesOn(t *testing.T) {
	tests := []struct {
		after     Patience
		answers   int           // made, all for nobody
		stopped   int           // half made
		busy      time.Duration // of 10 seats in 60 s
		rejected  int           // of the second attempts at 20 s
		lastFrees time.Duration
	}{
		{Patience(policies.Never), 10, 0, 300 * time.Second, 10, 30 * time.Second},
		{Patience(5 * time.Second), 0, 10, 250 * time.Second, 10, 25 * time.Second},
		{0, 0, 20, 400 * time.Second, 0, 40 * time.Second},
	}
	for _, test := range tests {
		p := providerOf(func(c *ProviderConfig) { c.Seats, c.Abandoned.FreesSeatAfter = 10, test.after })
		q := &Request{Ask: Ask{Output: 300, MaxTokens: policies.Unlimited}, FirstToken: 100 * ms, PerToken: 29900 * ms / 299}
		rejected, answers, stopped := 0, 0, 0
		var last, busy time.Duration
		for id := range policies.Ticket(10) {
			p.Offer(0, id, q)
		}
		for id := range policies.Ticket(10) {
			p.Leave(20*time.Second, id)
		}
		for id := range policies.Ticket(10) {
			if d := p.Offer(20*time.Second, id+10, q); d.Verdict == Reject {
				rejected++
			}
		}
		for id := range policies.Ticket(10) {
			p.Leave(40*time.Second, id+10)
		}
		effects, _ := p.Poll(60*time.Second, nil)
		for _, e := range effects {
			if !e.Kind.Last() {
				continue
			}
			last, busy = e.At, busy+e.Busy
			switch {
			case e.Kind == Finish && e.Gone && e.Tokens == 300:
				answers++
			case e.Kind == Stopped && e.Tokens == 10*int64((20*time.Second+time.Duration(test.after))/time.Second):
				stopped++
			default:
				t.Errorf("frees after %v: %s", test.after, tell(p, &e))
			}
		}
		if answers != test.answers || stopped != test.stopped || rejected != test.rejected || last != test.lastFrees {
			t.Errorf("frees after %v: %d answers, %d stopped, %d rejected, the last seat free at %v; want %+v", test.after, answers, stopped, rejected, last, test)
		}
		if busy != test.busy || p.Busy(time.Minute) != busy || p.Serving() != 0 {
			t.Errorf("frees after %v: busy for %v and %v, want %v", test.after, busy, p.Busy(time.Minute), test.busy)
		}
	}
}
