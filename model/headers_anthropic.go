package model

import "time"

// anthropicHeaders tell of requests, input, output, and of both as one: tokens is their
// sum, as in the one complete answer that is known (whoz-oss/coday#110). What remains
// is rounded to the nearest thousand tokens; a reset is when nothing counts any more.
func (p *Provider) anthropicHeaders(h *headers, now time.Duration, wall time.Time, q *Request) {
	tell := func(name string, r Room, unit int64) {
		name = "anthropic-ratelimit-" + name
		h.count(name+"-limit", r.Limit)
		h.count(name+"-remaining", (r.Remaining+unit/2)/unit*unit)
		h.say(name+"-reset", wholeSecond(wall.Add(r.Reset)).Format(time.RFC3339))
	}
	const thousand = 1000
	if r, known := p.limits.room(now, LimitRequests, false, &q.Ask); known {
		tell("requests", r, 1)
	}
	input, hasInput := p.limits.room(now, LimitInputTokens, false, &q.Ask)
	output, hasOutput := p.limits.room(now, LimitOutputTokens, false, &q.Ask)
	both, hasBoth := p.limits.room(now, LimitTokens, false, &q.Ask)
	if !hasBoth && (hasInput || hasOutput) {
		hasBoth = true
		both = Room{Limit: input.Limit + output.Limit, Remaining: input.Remaining + output.Remaining, Reset: max(input.Reset, output.Reset)}
	}
	if hasBoth {
		tell("tokens", both, thousand)
	}
	if hasInput {
		tell("input-tokens", input, thousand)
	}
	if hasOutput {
		tell("output-tokens", output, thousand)
	}
}
