package model_test

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// layer is an operation's place in one retry loop.
type layer struct {
	tries       int
	prev, began time.Duration
}

// call begins the calls of layers, from one inwards.
func call(layers []layer, from int, at time.Duration) {
	for i := from; i < len(layers); i++ {
		layers[i] = layer{tries: 1, began: at}
	}
}

// dueLayer is the outermost layer up to the inner one whose deadline is first of all that
// have come by an instant.
func dueLayer(o *booked, layers []layer, inner int, at time.Duration) (due int, any bool) {
	first := policies.Never
	for i := range inner + 1 {
		if d := o.stack[i].Deadline; d > 0 && layers[i].began+d <= at && layers[i].began+d < first {
			first, due, any = layers[i].began+d, i, true
		}
	}
	return due, any
}

// rulesOf are a group's rules for streams and its time-outs, with what its innermost policy
// brings, and the defaults.
func rulesOf(g *model.Group, p *policies.Policy) (policies.StreamRule, policies.Timeouts) {
	rule, limit := g.Stream, g.Timeouts
	if rule.Completeness == "" {
		rule.Completeness = p.Stream.Completeness
	}
	if rule.Partial == "" {
		rule.Partial = p.Stream.Partial
	}
	if rule.Retry == "" {
		rule.Retry = p.Stream.Retry
	}
	if rule.Retry == "" {
		rule.Retry = "before-first-token"
	}
	pick := func(own *time.Duration, other time.Duration) {
		if *own == 0 {
			*own = other
		}
	}
	if limit.Idle == 0 {
		limit.IdleReset = p.Timeouts.IdleReset
	}
	pick(&limit.FirstEvent, p.Timeouts.FirstEvent)
	pick(&limit.Idle, p.Timeouts.Idle)
	pick(&limit.Attempt, p.Timeouts.Attempt)
	pick(&limit.Operation, p.Timeouts.Operation)
	return rule, limit
}

// mayAsk says whether a stream that ended so may be asked for again.
func mayAsk(o *booked, a *policies.Answer) bool {
	switch {
	case !o.co.Request.Stream:
		return true
	case o.rule.Retry == "never":
		return a.Tokens == 0 && (a.Status < 200 || a.Status > 299)
	case o.rule.Retry == "before-first-token":
		return a.Tokens == 0
	}
	return true
}

// shown is how many tokens of an attempt its caller saw.
func shown(o *booked, a *policies.Answer) int64 {
	if a.End != policies.Succeeded && o.rule.Retry == "always" && o.rule.Partial != "keep" && o.co.Request.Stream {
		return 0
	}
	return a.Tokens
}

// decisive is the attempt of a try after whose end the operation went on, or was over.
func decisive(try []*model.TraceLine, at time.Duration) *model.TraceLine {
	for _, line := range try {
		if line.Answered == at && line.Answer.End == policies.Succeeded {
			return line
		}
	}
	for _, line := range try {
		if line.Answered == at && (line.Again || line.Why != policies.NotEnded) {
			return line
		}
	}
	return try[len(try)-1]
}

// hedges checks when hedges were sent, and what became of those that lost.
func (r *ran) hedges(name string, o *booked, try []*model.TraceLine) {
	h := o.stack[len(o.stack)-1].Hedge
	if h == nil {
		r.wrong(len(try) > 1, "%s: %d attempts at once without hedges", name, len(try))
		return
	}
	r.wrong(len(try) > 1+h.AtMost, "%s: %d hedges", name, len(try)-1)
	won := slices.ContainsFunc(try, func(l *model.TraceLine) bool { return l.Answer.End == policies.Succeeded })
	at := over(try)
	for i, line := range try {
		r.wrong(line.Hedge != (i > 0), "%s: attempt %d is a hedge: %v", name, line.Attempt, line.Hedge)
		r.wrong(won && line.Answered == policies.Never, "%s: attempt %d is in flight though another won", name, line.Attempt)
		r.wrong(line.Answer.End == policies.Cancelled && line.Answered != at, "%s: attempt %d is cancelled at %d, the others end at %d", name, line.Attempt, line.Answered, at)
		if i > 0 && h.After.Percent == 0 {
			gap := line.Sent - try[i-1].Sent
			full := 0 // as many in flight as there may be
			for _, l := range try[:i] {
				if l.Answered > try[i-1].Sent+h.After.Wait {
					full++
				}
			}
			r.wrong(gap < h.After.Wait || gap > h.After.Wait && full <= h.AtMost, "%s: a hedge is sent %d after the attempt before it, want %d", name, gap, h.After.Wait)
		}
	}
}

// timeUp checks that an attempt ends by its time-outs, or before, and by which.
func (r *ran) timeUp(name string, o *booked, line *model.TraceLine, layers []layer, deadline time.Duration) {
	if line.Answered == policies.Never {
		return
	}
	until, by := deadline, policies.OperationTimeout
	sooner := func(at time.Duration, kind policies.Timeout) {
		if at < until {
			until, by = at, kind
		}
	}
	if !o.loose {
		for i, p := range o.stack {
			if p.Deadline > 0 {
				sooner(layers[i].began+p.Deadline, policies.DeadlineTimeout)
			}
		}
	}
	if d := o.limit.Attempt; d > 0 {
		sooner(line.Sent+d, policies.AttemptTimeout)
	}
	m, known := r.made[line], r.made != nil
	if known {
		sooner(r.silence(o, line, m))
	}
	timedOut := line.Answer.End == policies.TimedOut
	kind := line.Answer.Timeout
	r.wrong((kind != policies.NoTimeout) != timedOut, "%s: attempt %d ends %v by the time-out %v", name, line.Attempt, line.Answer.End, kind)
	if o.loose && kind == policies.DeadlineTimeout || !known && (kind == policies.IdleTimeout || kind == policies.FirstEventTimeout) {
		return
	}
	r.wrong(line.Answered > until || timedOut && (line.Answered != until || kind != by), "%s: attempt %d ends (%v by %v) at %d, its time is up at %d by %v", name, line.Attempt, line.Answer.End, kind, line.Answered, until, by)
}

// silence is when a client has heard nothing for too long of an attempt, event by event.
func (r *ran) silence(o *booked, line *model.TraceLine, m *making) (time.Duration, policies.Timeout) {
	first, idle := o.limit.FirstEvent, o.limit.Idle
	if first == 0 && idle == 0 {
		return policies.Never, policies.NoTimeout
	}
	var tokens []time.Duration
	var header, alive time.Duration = policies.Never, 0
	if m != nil && m.seated != policies.Never && m.q.Stream {
		for k := range m.reached() {
			tokens = append(tokens, m.tokenAt(k)+m.down)
		}
		if m.stalls() {
			header = m.seated + m.down
			if len(tokens) > 0 {
				header = tokens[len(tokens)-1]
			}
			alive = m.fault.KeepAlive
		}
	}
	anyByte := o.limit.IdleReset == "any-byte"
	last := line.Sent
	if first > 0 {
		if len(tokens) == 0 || tokens[0] > line.Sent+first {
			return line.Sent + first, policies.FirstEventTimeout
		}
		last = tokens[0]
	}
	if idle == 0 {
		return policies.Never, policies.NoTimeout
	}
	heard := tokens
	if len(tokens) == 0 && anyByte && header != policies.Never {
		heard = []time.Duration{header}
	}
	for _, at := range heard {
		if at > last+idle {
			return last + idle, policies.IdleTimeout
		}
		last = max(last, at)
	}
	if anyByte && alive > 0 && alive <= idle && header <= last+idle {
		return policies.Never, policies.NoTimeout
	}
	return last + idle, policies.IdleTimeout
}
