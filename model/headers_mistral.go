package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// mistralHeaders tell of a minute, whatever time a limit is for, and what the request
// was charged.
func (p *Provider) mistralHeaders(h *headers, now time.Duration, q *Request) {
	for _, of := range []struct {
		name string
		axis LimitAxis
	}{{"req-minute", LimitRequests}, {"tokens-minute", LimitTokens}} {
		if i := p.limits.shortest(of.axis, &q.Ask); i != NoLimiter {
			r := p.limits.Room(now, i, &q.Ask)
			_, per := p.limits.limiters[i].config.window()
			h.count("x-ratelimit-limit-"+of.name, inAMinute(r.Limit, per))
			h.count("x-ratelimit-remaining-"+of.name, inAMinute(r.Remaining, per))
		}
	}
	if i := p.limits.shortest(LimitTokens, &q.Ask); i != NoLimiter {
		h.count("x-ratelimit-tokens-query-cost", p.limits.limiters[i].charge.of(&q.Ask))
	}
}

// inAMinute is what n in each `per` comes to in a minute, rounded down.
func inAMinute(n int64, per time.Duration) int64 {
	much, _, _ := policies.MulDiv(uint64(n), uint64(time.Minute), uint64(per))
	return int64(much)
}
