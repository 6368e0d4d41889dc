package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Weather is a time of [at, at+for) in which the provider is not itself. Shares of
// periods that overlap multiply.
type Weather struct {
	At     time.Duration `yaml:"at" min:"0"` // default 0s
	For    time.Duration `yaml:"for,required" above:"0"`
	Outage int           `yaml:"outage,one" min:"400" max:"599" noun:"an error status" example:"503"` // every new request is answered with this status, before all else; what is queued or served goes on
	Seats  *Share        `yaml:"seats,one"`                                                           // of the seats, rounded down; who is served stays until served
	Pace   *Share        `yaml:"pace,one"`                                                            // of the speed at which answers are made
	Limits *Share        `yaml:"limits,one"`                                                          // of every limit, rounded down
	Freeze bool          `yaml:"freeze,one"`                                                          // nothing happens: ends shift, and who arrives is decided on at the thaw, in order
	Ramp   time.Duration `yaml:"ramp" above:"0"`                                                      // of a share: it comes over so long and goes over so long, both within the period, in steps of at most 1% as near to a straight line as such steps can be; default at once
}

// Check finds what could have no effect.
func (w Weather) Check() []policies.Problem {
	share := w.share()
	switch {
	case w.Ramp > 0 && share == nil:
		return []policies.Problem{{Key: "ramp", Text: "has no effect on what is either there or not; remove it, or write seats, pace or limits"}}
	case w.Ramp > w.For/2:
		return []policies.Problem{{Key: "ramp", Text: "does not fit twice into the period, once to come and once to go; write at most half of for"}}
	case share != nil && *share >= Whole:
		return []policies.Problem{{Key: w.kind(), Text: fmt.Sprintf("%v changes nothing for the worse; write less than 100%%, or remove the period", *share)}}
	}
	return nil
}

func (w *Weather) kind() string {
	switch {
	case w.Outage != 0:
		return "outage"
	case w.Seats != nil:
		return "seats"
	case w.Pace != nil:
		return "pace"
	case w.Limits != nil:
		return "limits"
	}
	return "freeze"
}

func (w *Weather) share() *Share {
	switch {
	case w.Seats != nil:
		return w.Seats
	case w.Pace != nil:
		return w.Pace
	}
	return w.Limits
}

// String says what the weather is: "outage 503", "seats 20%", "freeze".
func (w Weather) String() string {
	switch share := w.share(); {
	case w.Outage != 0:
		return "outage " + strconv.Itoa(w.Outage)
	case share != nil:
		return w.kind() + " " + share.String()
	}
	return w.kind()
}

// Until is when the period is over.
func (w Weather) Until() time.Duration { return policies.Later(w.At, w.For) }

// Periods are the provider's weather in order of time, as charts show it.
func (c *ProviderConfig) Periods() []Weather {
	out := slices.Clone(c.Weather)
	slices.SortStableFunc(out, func(a, b Weather) int {
		if a.At != b.At {
			return int(min(1, max(-1, a.At-b.At)))
		}
		return strings.Compare(a.kind(), b.kind())
	})
	return out
}

// steps is in how many steps a ramp comes; 0 where it is none.
func (w *Weather) steps() int64 {
	share := w.share()
	if share == nil || w.Ramp == 0 {
		return 0
	}
	return int64((Whole - *share + Whole/100 - 1) / (Whole / 100))
}

// step is how far into a ramp its k-th step is, from 1: in the middle of the time in
// which a straight line goes the same way.
func (w *Weather) step(k int64) time.Duration {
	at, _, _ := policies.MulDiv(uint64(w.Ramp), uint64(2*k-1), uint64(2*w.steps()))
	return time.Duration(at)
}

// shareAt is the share of a period at an instant within it.
func (w *Weather) shareAt(now time.Duration) Share {
	share, steps := *w.share(), w.steps()
	into, left := now-w.At, w.Until()-now
	if steps == 0 || into >= w.Ramp && left > w.Ramp {
		return share
	}
	taken := int64(0)
	for taken < steps && w.step(taken+1) <= into && w.step(taken+1) < left {
		taken++
	}
	return Whole - (Whole-share)*Share(taken)/Share(steps)
}

// sky is the weather of now.
type sky struct {
	outage              int
	seats, pace, limits Share
	freeze              bool
}

// clearSky is the sky without any weather.
var clearSky = sky{seats: Whole, pace: Whole, limits: Whole}

// skyAt is the weather at an instant. Of several outages the first of the list
// answers.
func skyAt(periods []Weather, now time.Duration) sky {
	s := clearSky
	for i := range periods {
		w := &periods[i]
		if now < w.At || now >= w.Until() {
			continue
		}
		switch {
		case w.Outage != 0:
			if s.outage == 0 {
				s.outage = w.Outage
			}
		case w.Freeze:
			s.freeze = true
		default:
			by := &s.limits
			if w.Seats != nil {
				by = &s.seats
			} else if w.Pace != nil {
				by = &s.pace
			}
			*by = Share(w.shareAt(now).of(int64(*by)))
		}
	}
	return s
}

// edgesOf are the instants at which the weather changes, in order.
func edgesOf(periods []Weather) []time.Duration {
	var out []time.Duration
	for i := range periods {
		w := &periods[i]
		out = append(out, w.At, w.Until())
		for k := int64(1); k <= w.steps(); k++ {
			out = append(out, w.At+w.step(k), w.Until()-w.step(k))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// change makes the weather of an instant that of the provider.
func (p *Provider) change(now time.Duration) {
	if p.paced {
		p.pace.to(now, p.serving)
	}
	before := p.sky
	p.sky = skyAt(p.config.Weather, now)
	if p.frozen && !p.sky.freeze {
		p.thawed = now
	}
	p.frozen = p.sky.freeze
	p.pace.pace = p.sky.pace
	if p.frozen {
		p.pace.pace = 0
	}
	if p.sky.limits != before.limits && p.limits != nil {
		p.limits.Scale(now, p.sky.limits)
	}
	if p.config.Seats != policies.Unlimited {
		p.seats = p.sky.seats.of(int64(p.config.Seats))
	}
}

// nextEdge is when the weather changes next.
func (p *Provider) nextEdge() time.Duration {
	if p.edge == len(p.edges) {
		return policies.Never
	}
	return p.edges[p.edge]
}

// heldCall is an Offer or a Leave that came while the provider was frozen.
type heldCall struct {
	id     policies.Ticket
	leaves bool
	luck   int // where the numbers of an Offer begin in p.luck
	q      Request
}

// hold keeps a request until the thaw.
func (p *Provider) hold(id policies.Ticket, q *Request) {
	p.held = append(p.held, heldCall{id: id, q: *q, luck: len(p.luck)})
	p.luck = append(p.luck, q.Luck...)
}

// release hears the first call that was held, now that it is the thaw.
func (p *Provider) release(now time.Duration) {
	call := &p.held[p.heard]
	p.heard++
	if call.leaves {
		p.leave(now, call.id)
	} else {
		call.q.Luck = p.luck[call.luck : call.luck+len(call.q.Luck)]
		at := len(p.decisions)
		p.effects = append(p.effects, Effect{At: now, Ticket: call.id, Kind: Decided, decision: int32(at)})
		p.decisions = append(p.decisions, Decision{Limiter: NoLimiter})
		p.decide(&p.decisions[at], now, call.id, &call.q)
	}
	if p.heard == len(p.held) {
		p.held, p.luck, p.heard = p.held[:0], p.luck[:0], 0
	}
}
