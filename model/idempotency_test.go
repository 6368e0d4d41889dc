package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func keysOf(mode IdempotencyMode, change func(*ProviderConfig)) func(*ProviderConfig) {
	return func(c *ProviderConfig) {
		c.Seats = 1
		c.Idempotency.Mode = mode
		change(c)
	}
}

func TestIdempotency(t *testing.T) {
	plain := func(*ProviderConfig) {}
	answer := func(key uint64) *Request { return keyed64(job(780*ms), key) }
	each := func(q *Request) *Request { return with(q, func(q *Request) { q.EachToken = true }) }
	runServing(t, []servingCase{
		{
			"E14 without a key: the answer is made twice, for nobody",
			keysOf(IdempotencyReplay, func(c *ProviderConfig) { c.Seats = 2 }),
			[]call{{0, 1, answer(0), "serve"}, {300 * ms, 1, nil, ""}, {900 * ms, 2, answer(0), "serve"}, {1200 * ms, 2, nil, ""}},
			[]string{"780ms finish unheard 1: 1 tokens, 780ms", "1.68s finish unheard 2: 1 tokens, 780ms"},
		},
		{
			"E14 with one: the second attempt is a replay of the same answer, made once",
			keysOf(IdempotencyReplay, plain),
			[]call{{0, 1, answer(5), "serve"}, {300 * ms, 1, nil, ""}, {900 * ms, 2, answer(5), "replay 1 of answer 1"}},
			[]string{"780ms finish unheard 1: 1 tokens, 780ms"},
		},
		{
			"replay: while it is made a duplicate conflicts, and that frees nothing",
			keysOf(IdempotencyReplay, plain),
			[]call{{0, 1, answer(5), "serve"}, {100 * ms, 2, answer(5), "fail 409"}, {200 * ms, 3, answer(5), "fail 409"}, {780 * ms, 4, answer(5), "replay 1 of answer 1"}},
			[]string{"780ms finish 1: 1 tokens, 780ms"},
		},
		{
			"an answer is forgotten when its time is over",
			keysOf(IdempotencyReplay, func(c *ProviderConfig) { c.Idempotency.Expires = time.Second }),
			[]call{{0, 1, answer(5), "serve"}, {1780*ms - 1, 2, answer(5), "replay 1 of answer 1"}, {1780 * ms, 3, answer(5), "serve"}},
			[]string{"780ms finish 1: 1 tokens, 780ms", "2.56s finish 3: 1 tokens, 780ms"},
		},
		{
			"a key whose request the house refuses is free",
			keysOf(IdempotencyReplay, plain),
			[]call{{0, 1, answer(5), "serve"}, {100 * ms, 2, answer(6), "reject by seats, in 680ms"}, {780 * ms, 3, answer(6), "serve"}},
			[]string{"780ms finish 1: 1 tokens, 780ms", "1.56s finish 3: 1 tokens, 780ms"},
		},
		{
			"and so is one that was dropped, cut or stopped",
			keysOf(IdempotencyReplay, func(c *ProviderConfig) {
				c.Queue = QueueConfig{Places: 1, Order: FIFO, WaitLimit: WaitLimit(100 * ms)}
				c.Abandoned.FreesSeatAfter = 0
				c.Faults = []Fault{{First: 1, Cut: CutReset, AfterTokens: 1}}
			}),
			[]call{
				{0, 1, keyed64(tokens(3), 5), "serve"},
				{0, 2, keyed64(tokens(3), 6), "wait"},
				{100 * ms, 3, with(keyed64(tokens(3), 5), func(q *Request) { q.Attempt = 1 }), "wait"},
				{150 * ms, 2, nil, ""},
				{150 * ms, 4, with(keyed64(tokens(3), 6), func(q *Request) { q.Attempt = 1 }), "wait"},
			},
			[]string{
				"100ms first token 1", "100ms cut 1: 1 tokens, 100ms", "100ms served 2", "150ms stopped unheard 2: 0 tokens, 50ms", "150ms served 3",
				"250ms first token 3", "250ms dropped 4: reject by queue", "450ms finish 3: 3 tokens, 300ms",
			},
		},
		{
			"attach: a duplicate shares the answer; it takes no seat and makes nothing",
			keysOf(IdempotencyAttach, plain),
			[]call{{0, 1, keyed64(tokens(3), 5), "serve"}, {50 * ms, 2, keyed64(tokens(3), 5), "join"}, {150 * ms, 3, keyed64(tokens(3), 5), "join"}, {400 * ms, 4, keyed64(tokens(3), 5), "replay 3 of answer 1"}},
			[]string{
				"100ms first token 1", "100ms first token 2 too", "150ms first token 3 too",
				"300ms finish 1: 3 tokens, 300ms", "300ms finish 2 too: 3 tokens, 0s", "300ms finish 3 too: 3 tokens, 0s",
			},
		},
		{
			"attach: who joins is told at once of the tokens that there are, and of the others as they come; the last comes with the end",
			keysOf(IdempotencyAttach, plain),
			[]call{{0, 1, each(keyed64(tokens(5), 5)), "serve"}, {250 * ms, 2, each(keyed64(tokens(5), 5)), "join"}},
			[]string{
				"100ms first token 1", "200ms next token 1", "250ms first token 2 too", "250ms next token 2 too",
				"300ms next token 1", "300ms next token 2 too", "400ms next token 1", "400ms next token 2 too",
				"500ms finish 1: 5 tokens, 500ms", "500ms finish 2 too: 5 tokens, 0s",
			},
		},
		{
			"attach: the answer is given up when the last who listens has left",
			keysOf(IdempotencyAttach, func(c *ProviderConfig) { c.Abandoned.FreesSeatAfter = Patience(50 * ms) }),
			[]call{{0, 1, keyed64(tokens(9), 5), "serve"}, {10 * ms, 2, keyed64(tokens(9), 5), "join"}, {20 * ms, 1, nil, ""}, {130 * ms, 2, nil, ""}},
			[]string{"100ms first token unheard 1", "100ms first token 2 too", "180ms stopped unheard 1: 1 tokens, 180ms", "180ms stopped unheard 2 too: 1 tokens, 0s"},
		},
		{
			"attach: who joins an answer that has stalled is told of its first token and of the stall",
			keysOf(IdempotencyAttach, func(c *ProviderConfig) { c.Faults = []Fault{{First: 1, Stall: true, AfterTokens: 2}} }),
			[]call{{0, 1, keyed64(tokens(3), 5), "serve"}, {250 * ms, 2, with(keyed64(tokens(3), 5), func(q *Request) { q.Attempt = 1 }), "join"}},
			[]string{"100ms first token 1", "200ms stalled 1: 2 tokens", "250ms first token 2 too", "250ms stalled 2 too: 2 tokens"},
		},
		{
			"attach: who joins after the last has left keeps it going",
			keysOf(IdempotencyAttach, func(c *ProviderConfig) { c.Abandoned.FreesSeatAfter = Patience(50 * ms) }),
			[]call{{0, 1, keyed64(tokens(2), 5), "serve"}, {60 * ms, 1, nil, ""}, {90 * ms, 2, keyed64(tokens(2), 5), "join"}},
			[]string{"100ms first token unheard 1", "100ms first token 2 too", "200ms finish unheard 1: 2 tokens, 200ms", "200ms finish 2 too: 2 tokens, 0s"},
		},
	})
}

// A duplicate is not charged, and a request that the limiter refuses leaves its key free.
func TestKeysAndLimits(t *testing.T) {
	p := providerOf(keysOf(IdempotencyReplay, func(c *ProviderConfig) {
		c.Seats = policies.Unlimited
		c.Limits = []LimitConfig{{Axis: LimitRequests, Limit: 1, Per: time.Second}}
	}))
	for _, c := range []call{
		{0, 1, keyed64(job(0), 5), "serve"},
		{0, 2, keyed64(job(0), 5), "replay 1 of answer 1"},
		{0, 3, keyed64(job(0), 6), "reject by requests, in 1s"},
		{time.Second, 4, keyed64(job(0), 6), "serve"},
	} {
		d := p.Offer(c.at, c.id, c.q)
		if got := decision(&d); got != c.want {
			t.Errorf("%d at %v: %s, want %s", c.id, c.at, got, c.want)
		}
	}
}

// A million keys take no more memory than those that have not expired.
func TestKeysAreForgotten(t *testing.T) {
	p := providerOf(keysOf(IdempotencyReplay, func(c *ProviderConfig) { c.Idempotency.Expires = time.Second }))
	for i := range uint64(1_000_000) {
		p.Offer(time.Duration(i)*ms, 0, keyed64(job(0), i+1))
	}
	if n := len(p.keys.known); n > 1002 {
		t.Errorf("%d keys are known, want those of a second", n)
	}
	if n := cap(p.keys.made); n > 5000 {
		t.Errorf("memory of %d", n)
	}
}
