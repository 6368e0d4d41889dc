package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// nextDrop is when the first of those that wait has waited too long.
func (p *Provider) nextDrop() time.Duration {
	if p.queue.n == 0 || p.config.Queue.WaitLimit == WaitLimit(policies.Never) {
		return policies.Never
	}
	return policies.Later(p.queue.oldest(), time.Duration(p.config.Queue.WaitLimit))
}

// drop takes who has waited too long out of the queue.
func (p *Provider) drop(now time.Duration) {
	p.decisions = append(p.decisions, Decision{Limiter: NoLimiter})
	d := &p.decisions[len(p.decisions)-1]
	p.full(d, now, 0) // its own place is free, but for a wait in vain
	if p.config.Flavour == AnthropicFlavour {
		d.Hint.Retry = shouldRetry(d.Status)
	}
	p.end(now, p.queue.first(), Dropped, 0)
}

// waitToTell is untilAPlace where a hint tells it. It can take a look at every answer in
// the making, which is too much for a refusal that says nothing of it.
func (p *Provider) waitToTell(now, late time.Duration) time.Duration {
	if !p.voice.rule.Exact {
		return 0
	}
	return p.untilAPlace(now, late)
}

// untilAPlace is how long one who is refused for want of a place would have to wait
// for one: until a seat frees, and with it a place, until one who waits is dropped, or
// where it would only come late, until it would not. 0 where that is not known.
func (p *Provider) untilAPlace(now, late time.Duration) time.Duration {
	if late == 0 && p.plain && len(p.faults) == 0 { // as most are
		if p.finishes.at == policies.Never {
			return 0
		}
		return p.finishes.at - now
	}
	wait := late
	if wait == 0 {
		wait = p.nextDrop() - now
		room := p.seats
		if reserve := p.config.Queue.Reserve; reserve > 0 && p.queue.n > 0 && p.queue.ranked[0].rank > 0 {
			room -= reserve
		}
		p.knownEnds()
		p.discard(p.serving - max(room, 1))
		if room > 0 {
			wait = min(wait, p.earliest()-now)
		}
	}
	if wait > policies.Never/2 {
		return 0
	}
	return wait
}

// late is how long until one who came now and found all seats taken would no longer
// come too late: 0 where it would be served within the wait limit, as far as the ends of
// answers are known. It is reckoned by who would be served before it if nobody else
// came, nobody left, and the speed stayed what it is.
func (p *Provider) late(now time.Duration, room int64, q *Request) time.Duration {
	p.knownEnds()
	p.discard(p.serving - max(room, 1))
	p.queue.ahead(q, func(id policies.Ticket) {
		starts := p.earliest()
		p.discard(1)
		if a := &p.answers[id]; a.fate != Stalled && starts != policies.Never {
			p.addEnd(policies.Later(starts, p.lasts(a.whole)))
		}
	})
	if room < 1 {
		return policies.Never
	}
	return max(0, p.earliest()-now-time.Duration(p.config.Queue.WaitLimit))
}

// lasts is how long so much work takes at the speed of now.
func (p *Provider) lasts(d time.Duration) time.Duration {
	if !p.paced {
		return d
	}
	num, den := p.pace.speed(p.serving)
	if num == 0 {
		return policies.Never
	}
	return time.Duration(policies.CeilMulDiv(uint64(d), den, 0, num))
}

// knownEnds gathers when the seats that are taken free, as things are.
func (p *Provider) knownEnds() {
	p.ends = p.ends[:0]
	p.finishes.each(func(d due) {
		if p.alive(d) && p.answers[d.ticket()].fate != Stalled {
			p.ends = append(p.ends, p.when(d.work))
		}
	})
	if after := p.config.Abandoned.FreesSeatAfter; after != Patience(policies.Never) && p.left.n > 0 {
		p.stoppedEnds(time.Duration(after))
	}
	for i := len(p.ends)/2 - 1; i >= 0; i-- {
		p.sinkEnd(i)
	}
}

// stoppedEnds puts the ends of those that will be stopped in the place of their own.
func (p *Provider) stoppedEnds(after time.Duration) {
	p.ends = p.ends[:0]
	p.finishes.each(func(d due) {
		a := &p.answers[d.ticket()]
		if !p.alive(d) {
			return
		}
		ends := policies.Never
		if a.fate != Stalled {
			ends = p.when(d.work)
		}
		if a.leaving {
			ends = min(ends, policies.Later(p.left.since(d.ticket()), after))
		}
		if ends != policies.Never {
			p.ends = append(p.ends, ends)
		}
	})
	for at := p.left.head; at != 0; at = p.left.links[at-1].after {
		if p.answers[at-1].state == stalled {
			p.ends = append(p.ends, policies.Later(p.left.links[at-1].since, after))
		}
	}
}

// earliest is the first of the ends; policies.Never if none is known.
func (p *Provider) earliest() time.Duration {
	if len(p.ends) == 0 {
		return policies.Never
	}
	return p.ends[0]
}

// discard takes the first n ends out.
func (p *Provider) discard(n int64) {
	for ; n > 0 && len(p.ends) > 0; n-- {
		last := len(p.ends) - 1
		p.ends[0] = p.ends[last]
		p.ends = p.ends[:last]
		p.sinkEnd(0)
	}
}

func (p *Provider) addEnd(at time.Duration) {
	p.ends = append(p.ends, at)
	for i := len(p.ends) - 1; i > 0 && p.ends[i] < p.ends[(i-1)/2]; i = (i - 1) / 2 {
		p.ends[i], p.ends[(i-1)/2] = p.ends[(i-1)/2], p.ends[i]
	}
}

func (p *Provider) sinkEnd(i int) {
	for {
		child := 2*i + 1
		if child >= len(p.ends) {
			return
		}
		if child+1 < len(p.ends) && p.ends[child+1] < p.ends[child] {
			child++
		}
		if p.ends[child] >= p.ends[i] {
			return
		}
		p.ends[i], p.ends[child] = p.ends[child], p.ends[i]
		i = child
	}
}
