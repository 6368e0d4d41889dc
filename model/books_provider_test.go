package model_test

import (
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// making is what the reference provider makes of one attempt.
type making struct {
	line     *model.TraceLine
	co       *model.Cohort
	q        model.Request
	verdict  model.Verdict
	refusers []refuser
	status   int
	fault    *model.Fault // that happens to its answer; nil without
	planned  int64        // tokens, if its client stays
	tokens   int64
	seated   time.Duration // Never without a seat
	left     time.Duration
	waits    time.Duration // until then it stood in the queue
	stops    time.Duration // when it is given up; Never unless its client has left
	stopped  bool          // it was
	metered  int64         // tokens charged as they were made
	taken    []taken
	up, down time.Duration
}

// refuser is something that refuses an attempt.
type refuser struct {
	axis model.Axis
	kind policies.RefusalKind
}

// taken is what a limit remembers of one it admitted.
type taken struct {
	limit  *refLimit
	meter  refMeter
	charge *refCharge
	cost   int64
}

// refProvider is the provider as anybody would write it: what is in the making and who
// waits are lists.
type refProvider struct {
	c       *model.ProviderConfig
	limits  []*refLimit
	slope   *refSlope
	serving []*making // in the order they began
	waiting []*making
	leaving []*making // whose clients have left, in that order
}

// known tells whether the reference provider knows all that a config makes use of: what it
// does not know is as it is by default, or has no effect.
func known(config *model.Config) bool {
	c := &config.Provider
	var plain model.ProviderConfig
	plain.SetDefaults()
	rest := *c
	keyed := func(g model.Group) bool { return g.Idempotency != model.NoKey }
	if !slices.ContainsFunc(config.Clients, keyed) {
		rest.Idempotency = plain.Idempotency
	}
	rest.Preset, rest.Flavour, rest.Seats, rest.Refuses, rest.Limits, rest.Slope, rest.Hint, rest.Faults, rest.Price =
		plain.Preset, plain.Flavour, plain.Seats, plain.Refuses, plain.Limits, plain.Slope, plain.Hint, plain.Faults, plain.Price
	rest.Abandoned, rest.Queue.Places, rest.Service.FirstToken, rest.Service.PerToken = plain.Abandoned, plain.Queue.Places, plain.Service.FirstToken, plain.Service.PerToken
	if len(rest.Weather) == 0 {
		rest.Weather = plain.Weather
	}
	return reflect.DeepEqual(rest, plain)
}

func (p *refProvider) places() int64 { return int64(p.c.Queue.Places) }

// The things that happen, in the order in which they do at one instant.
const (
	tokenIsMetered = iota
	answerEnds
	givenUp
)

// next is what happens next.
func (p *refProvider) next() (of *making, at time.Duration, what int) {
	at = policies.Never
	earlier := func(m *making, when time.Duration, is int) {
		if when < at || when == at && when < policies.Never && is < what {
			of, at, what = m, when, is
		}
	}
	for _, m := range p.serving {
		if when, any := p.nextToken(m); any {
			earlier(m, when, tokenIsMetered)
		}
		earlier(m, m.left, answerEnds)
	}
	for _, m := range p.leaving {
		earlier(m, m.stops, givenUp)
	}
	return of, at, what
}

func (p *refProvider) nextToken(m *making) (time.Duration, bool) {
	asGenerated := slices.ContainsFunc(m.taken, func(t taken) bool { return t.limit.asGenerated })
	if !asGenerated || m.q.PerToken == 0 || m.metered+1 >= m.tokens {
		return 0, false
	}
	return m.seated + m.q.FirstToken + time.Duration(m.metered)*m.q.PerToken, true
}

func (p *refProvider) advance(now time.Duration) {
	for {
		m, at, what := p.next()
		if at > now || at == policies.Never {
			return
		}
		if what == tokenIsMetered {
			m.metered++
			for _, t := range m.taken {
				if t.limit.asGenerated {
					t.meter.add(at, 1)
				}
			}
			continue
		}
		if what == givenUp {
			p.giveUp(at, m)
		}
		p.end(at, m)
	}
}

// giveUp makes an answer end now, with as many tokens as are made.
func (p *refProvider) giveUp(now time.Duration, m *making) {
	m.stopped = true
	if m.seated == policies.Never {
		m.tokens, m.waits = 0, now
		return
	}
	m.left = now
	if m.stalls() && now >= m.lastToken() {
		return
	}
	switch worked := now - m.seated - m.q.FirstToken; {
	case worked < 0:
		m.tokens = 0
	case m.q.PerToken > 0:
		m.tokens = min(m.tokens, 1+int64(worked/m.q.PerToken))
	}
}

func (p *refProvider) end(at time.Duration, m *making) {
	is := func(x *making) bool { return x == m }
	for _, t := range m.taken {
		t.limit.done(at, t, m)
	}
	p.serving, p.waiting, p.leaving = slices.DeleteFunc(p.serving, is), slices.DeleteFunc(p.waiting, is), slices.DeleteFunc(p.leaving, is)
	if len(p.waiting) > 0 && int64(len(p.serving)) < int64(p.c.Seats) {
		p.seat(at, p.waiting[0])
		p.waiting = p.waiting[1:]
	}
}

// leave hears that a client has gone.
func (p *refProvider) leave(now time.Duration, m *making) {
	p.advance(now)
	after := time.Duration(p.c.Abandoned.FreesSeatAfter)
	if after == policies.Never || !slices.Contains(p.serving, m) && !slices.Contains(p.waiting, m) {
		return
	}
	m.stops = now + after
	p.leaving = append(p.leaving, m)
	p.advance(now)
}

func (p *refProvider) seat(now time.Duration, m *making) {
	m.seated, m.waits = now, now
	if m.left = m.lastToken(); m.stalls() {
		m.left = policies.Never
	}
	p.serving = append(p.serving, m)
}

func (p *refProvider) offer(now time.Duration, m *making) {
	p.advance(now)
	m.seated, m.left, m.waits, m.stops = policies.Never, policies.Never, policies.Never, policies.Never
	m.tokens = min(m.q.Output, int64(m.q.MaxTokens))
	var met *model.Fault
	for i := range p.c.Faults {
		f := &p.c.Faults[i]
		switch {
		case policies.Count(m.q.Attempt) >= f.First:
		case f.Keys != nil && (m.co.Key == "" || !slices.Contains(f.Keys, m.co.Key)):
		case f.Probability < model.Whole && m.q.Luck[i] >= float64(f.Probability)/float64(model.Whole):
		case !m.q.Stream && (f.InStream != "" || f.Ending != ""):
		case f.Hang:
			m.verdict = model.Hang
			return
		case f.Status != 0:
			m.verdict, m.status = model.Fail, f.Status
			return
		default:
			met = f
		}
		if met != nil {
			break
		}
	}
	if met != nil && (met.Ending != "" || m.tokens > met.AfterTokens) {
		m.fault = met
		if met.Ending == "" {
			m.tokens = met.AfterTokens
		}
	}
	m.planned = m.tokens
	seat := int64(len(p.serving)) < int64(p.c.Seats)
	place := seat || int64(len(p.waiting)) < p.places()
	for _, l := range p.limits {
		if r, refuses := l.refuses(now, &m.q.Ask); refuses {
			m.refusers = append(m.refusers, r)
		}
	}
	if p.slope != nil && p.slope.refuses(now, &m.q.Ask) {
		m.refusers = append(m.refusers, refuser{model.Slope, policies.Temporary})
	}
	beyond := func(r refuser) bool { return r.kind == policies.BeyondLimit }
	if i := slices.IndexFunc(m.refusers, beyond); i >= 0 {
		m.refusers = m.refusers[i : i+1]
	} else if !place {
		axis := model.Seats
		if p.places() > 0 {
			axis = model.Queue
		}
		m.refusers = append(m.refusers, refuser{axis, policies.Temporary})
	}
	if len(m.refusers) > 0 {
		m.verdict = model.Reject
		for _, l := range p.limits {
			l.refused(now, &m.q.Ask)
		}
		return
	}
	for _, l := range p.limits {
		if t, counts := l.admit(now, &m.q.Ask); counts {
			m.taken = append(m.taken, t)
		}
	}
	if p.slope != nil {
		p.slope.admit(now, &m.q.Ask)
	}
	if seat {
		m.verdict = model.Serve
		p.seat(now, m)
	} else {
		m.verdict = model.Wait
		p.waiting = append(p.waiting, m)
	}
	p.advance(now)
}

// lastToken is when the last of its tokens is made; of none, when it begins.
func (m *making) lastToken() time.Duration {
	if m.planned == 0 && m.fault != nil && m.fault.Ending == "" {
		return m.seated
	}
	return m.seated + m.q.FirstToken + time.Duration(max(m.planned, 1)-1)*m.q.PerToken
}

func (m *making) tokenAt(k int64) time.Duration {
	return m.seated + m.q.FirstToken + time.Duration(k)*m.q.PerToken
}

func (m *making) stalls() bool { return m.fault != nil && m.fault.Stall }

// isReset says whether a network error ends the answer.
func (m *making) isReset() bool {
	return m.fault != nil && m.q.Stream && (m.fault.Cut == model.CutReset || m.fault.Ending == "reset")
}

// isWhole says whether all its tokens were made.
func (m *making) isWhole() bool { return m.fault == nil || m.fault.Ending != "" }

// reached is how many tokens come to a client that stays.
func (m *making) reached() int64 {
	switch {
	case m.isReset():
		return max(0, m.planned-1)
	case !m.q.Stream && !m.isWhole():
		return 0
	}
	return m.planned
}

// come is how many tokens of a stream have come by an instant.
func (m *making) come(at time.Duration) (n int64) {
	if !m.q.Stream || m.seated == policies.Never {
		return 0
	}
	for n < m.reached() && m.tokenAt(n)+m.down <= at {
		n++
	}
	return n
}

// ending is what a client makes of the end of its answer.
func (m *making) ending(c policies.Completeness) (end policies.AttemptEnd, truncated bool) {
	polite := policies.Incomplete
	if c == "naive" {
		polite, truncated = policies.Succeeded, true
	}
	switch {
	case m.fault == nil:
		return policies.Succeeded, false
	case m.stalls():
		return policies.InFlight, false
	case !m.q.Stream && !m.isWhole():
		return policies.Incomplete, false
	case m.fault.InStream != "":
		return policies.Errored, false
	case m.isReset():
		return policies.Incomplete, false
	case m.fault.Cut == model.CutClose, m.fault.Ending == "close", m.fault.Ending == "usage-close":
		return polite, truncated
	}
	return policies.Succeeded, false
}

// provider offers all attempts once more, to the reference provider, in the order they
// arrived in, and compares what became of them.
func (r *ran) provider() {
	if !known(r.config) {
		return
	}
	c := r.config.Provider
	p := &refProvider{c: &c}
	pools := model.NewLimits(c.Limits, nil)
	for i := range c.Limits {
		p.limits = append(p.limits, newRefLimit(&c.Limits[i], pools))
	}
	if c.Slope != nil {
		p.slope = newRefSlope(c.Slope)
	}
	r.made, r.byLine = map[*model.TraceLine]*making{}, map[*model.TraceLine]*booked{}
	var order []*making
	for _, o := range r.ops {
		for i, line := range o.lines {
			r.byLine[line] = o
			if line.Arrived != policies.Never {
				n := int32(i)
				r.made[line] = &making{line: line, co: o.co, q: o.request(n), up: o.co.Draws.Up(o.key, n), down: o.co.Draws.Down(o.key, n)}
			}
		}
	}
	for i := range r.trace.Lines {
		if m := r.made[&r.trace.Lines[i]]; m != nil {
			order = append(order, m)
		}
	}
	r.callAll(p, order)
	p.advance(r.end)
	same := func(got, want time.Duration) bool {
		return got == want || got == policies.Never && want >= r.end // at the end it may not have been told of any more
	}
	for _, m := range order {
		line := m.line
		r.wrong(!same(line.Served, m.seated) || !same(line.Left, m.left), "%s arrives at %d and has a seat from %d to %d; want %d to %d", who(line), line.Arrived, line.Served, line.Left, m.seated, m.left)
		var end policies.AttemptEnd
		told := line.Arrived + m.down
		switch m.verdict {
		case model.Reject:
			end = policies.Rejected
		case model.Fail:
			end = policies.Errored
		case model.Hang:
			end, told = policies.InFlight, policies.Never
		default:
			var truncated bool
			end, truncated = m.ending(r.byLine[line].rule.Completeness)
			r.wrong(line.Answer.End == end && end != policies.InFlight && (line.Answer.Truncated != truncated || line.Answer.Tokens != m.reached()), "%s: %+v, want %d tokens, truncated %v", who(line), line.Answer, m.reached(), truncated)
			if told = policies.Never; m.left < policies.Never && !m.stopped {
				told = m.left + m.down
			}
		}
		switch line.Answer.End {
		case end:
			r.wrong(line.Answered != told, "%s is answered at %d, want %d", who(line), line.Answered, told)
		case policies.InFlight:
			r.wrong(told < r.end, "%s is in flight at the end, but was to be answered at %d", who(line), told)
		case policies.TimedOut, policies.Cancelled:
			come := m.come(line.Answered)
			lost := r.byLine[line].Why == policies.Success && line.Answer.End == policies.Cancelled // another's tokens were shown
			tie := line.Arrived == line.Answered                                                    // it came, and was served, after the end of its instant
			r.wrong(line.Answer.Tokens != come && !(line.Answer.Tokens == 0 && (lost || tie)), "%s ends %v at %d with %d tokens, want %d", who(line), line.Answer.End, line.Answered, line.Answer.Tokens, come)
			late := told == line.Answered && (line.Arrived == line.Answered || lost) // it came, and was answered, after the time-out of its instant, or another's answer of that instant
			r.wrong(told <= line.Answered && !late, "%s ends %v at %d, though it was answered at %d", who(line), line.Answer.End, line.Answered, told)
		default:
			r.problem("%s arrives at %d and ends %v by %v; want %v by %v", who(line), line.Arrived, line.Answer.End, line.Axis, end, m.refusers)
		}
		if line.Answer.End == policies.Rejected && end == policies.Rejected {
			full := line.Axis == model.Seats || line.Axis == model.Queue
			status := 429
			if full {
				status = int(c.Refuses.Status)
			}
			r.wrong(!slices.Contains(m.refusers, refuser{line.Axis, line.Answer.Refusal}) || int(line.Answer.Status) != status,
				"%s is refused with %d by %v, as %v; what refuses is %v", who(line), line.Answer.Status, line.Axis, line.Answer.Refusal, m.refusers)
		}
		if line.Answer.End == policies.Errored {
			if m.fault != nil {
				m.status = 200
			}
			r.wrong(int(line.Answer.Status) != m.status, "%s gets %d, want %d", who(line), line.Answer.Status, m.status)
		}
	}
	r.limitUse(p)
}

// callAll lets all attempts arrive, and all clients leave that did, in the order in which
// that happens: of one instant those that leave come first, and among equals who was first
// to set out.
func (r *ran) callAll(p *refProvider, order []*making) {
	type call struct {
		at, out time.Duration
		leaves  bool
		m       *making
	}
	type together struct {
		of  *booked
		out time.Duration
	}
	var calls []call
	left := map[together][]call{} // the newest first, as a client lets go of them
	for _, m := range slices.Backward(order) {
		if end := m.line.Answer.End; end == policies.TimedOut || end == policies.Cancelled {
			with := together{r.byLine[m.line], m.line.Answered}
			left[with] = append(left[with], call{m.line.Answered + m.up, m.line.Answered, true, m})
		}
	}
	for _, m := range order {
		if with := (together{r.byLine[m.line], m.line.Answered}); len(left[with]) > 0 && left[with][0].m == m {
			calls = append(calls, left[with]...)
		}
	}
	for _, m := range order {
		calls = append(calls, call{m.line.Arrived, 0, false, m})
	}
	slices.SortStableFunc(calls, func(a, b call) int {
		switch {
		case a.at != b.at:
			return int(min(1, max(-1, a.at-b.at)))
		case a.leaves != b.leaves:
			return map[bool]int{true: -1, false: 1}[a.leaves]
		}
		return int(min(1, max(-1, a.out-b.out)))
	})
	for _, c := range calls {
		switch {
		case c.leaves && (c.at < r.end || c.m.line.Left == r.end): // some of what happens at the very end does no more
			p.leave(c.at, c.m)
		case !c.leaves:
			p.offer(c.m.line.Arrived, c.m)
		}
	}
}

// limitUse compares what is used of each limit at the end.
func (r *ran) limitUse(p *refProvider) {
	last := r.tally.Slots() - 1
	if last < 0 {
		return
	}
	for i, l := range p.limits {
		var most int64
		for _, m := range l.meters {
			most = max(most, m.used(r.end))
		}
		got := r.tally.LimitUsed(i, last)
		if _, log := l.some().(*refLog); log && got >= l.limit && most >= l.limit {
			continue // stamps that count for nothing are dropped
		}
		r.wrong(got != most, "limit %d: %d used at the end, want %d", i, got, most)
	}
}

// refMeter counts for one key, tenant or pool.
type refMeter interface {
	admits(now time.Duration, need int64) bool
	add(now time.Duration, cost int64)
	refuse(now time.Duration, cost int64)
	correct(now, from time.Duration, by int64) // a charge made at from
	used(now time.Duration) int64              // rounded up
}

// refLimit is one limit.
type refLimit struct {
	c           *model.LimitConfig
	pool        uint32
	axis        model.Axis
	limit       int64 // of a window or a slice of it
	capacity    int64
	per         time.Duration
	after       bool
	settles     bool
	asGenerated bool
	meters      map[uint32]refMeter
}

// refCharge is what a request costs, in parts.
type refCharge struct {
	at             time.Duration
	prompt, answer int64
	real           int64 // of the prompt
	cost           int64
}

var axes = map[model.LimitAxis]model.Axis{
	model.LimitRequests: model.Requests, model.LimitTokens: model.Tokens, model.LimitInputTokens: model.InputTokens,
	model.LimitOutputTokens: model.OutputTokens, model.LimitConcurrency: model.Concurrency,
}

func newRefLimit(c *model.LimitConfig, pools *model.Limits) *refLimit {
	l := &refLimit{c: c, axis: axes[c.Axis], limit: c.Limit, per: c.Per, after: c.When == model.CheckAfter, meters: map[uint32]refMeter{}}
	if c.Slices > 0 {
		l.limit, l.per = int64(new(big.Int).Div(new(big.Int).Mul(big.NewInt(c.Limit), big.NewInt(int64(c.Slices))), big.NewInt(int64(c.Per))).Int64()), c.Slices
	}
	l.capacity = l.limit
	if c.Burst > 0 {
		l.capacity = c.Burst
	}
	if c.Scope.Kind == model.ScopePool {
		l.pool = pools.Pool(c.Scope.Pool)
	}
	l.asGenerated = l.countsOutput() && c.Charge.Output == model.OutputAsGenerated
	l.settles = !l.after && (c.Settle == model.SettleCompletion || c.Settle == "" && c.Algorithm == model.LeakyAlgorithm) && l.estimates()
	return l
}

func (l *refLimit) countsTokens() bool {
	return l.c.Axis != model.LimitRequests && l.c.Axis != model.LimitConcurrency
}

func (l *refLimit) countsInput() bool {
	return l.countsTokens() && l.c.Axis != model.LimitOutputTokens && l.c.Charge.Input != model.InputNone
}

func (l *refLimit) countsOutput() bool {
	return l.countsTokens() && l.c.Axis != model.LimitInputTokens && l.c.Charge.Output != model.OutputNone
}

// reserves says whether the answer is charged by max_tokens.
func (l *refLimit) reserves() bool {
	return l.countsOutput() && (l.c.Charge.Output == model.OutputMaxTokens || l.c.Charge.Output == "" && !l.after)
}

// estimates says whether a charge may differ from the real use.
func (l *refLimit) estimates() bool {
	input := l.countsInput() && (l.c.Charge.Input == model.InputChars4 || l.c.Charge.Input == model.InputAzure)
	return l.countsTokens() && (input || l.reserves() || l.c.Charge.Combine == model.CombineMax)
}

func (l *refLimit) charge(now time.Duration, q *model.Ask) *refCharge {
	h := &refCharge{at: now}
	if !l.countsTokens() {
		h.cost = 1
		return h
	}
	if l.countsInput() {
		h.prompt, h.real = q.Input, q.Input
		switch l.c.Charge.Input {
		case model.InputUncached:
			h.prompt, h.real = q.Input-q.Cached, q.Input-q.Cached
		case model.InputAzure:
			h.prompt = q.Input + 1 // 4 characters a token
		}
	}
	whole := min(q.Output, int64(q.MaxTokens))
	switch {
	case !l.countsOutput() || l.asGenerated:
	case !l.reserves():
		h.answer = whole
	case q.MaxTokens != policies.Unlimited:
		h.answer = int64(q.MaxTokens)
	case l.c.Charge.Unset.Given:
		h.answer = l.c.Charge.Unset.Tokens
	default:
		h.answer = whole
	}
	h.cost = l.join(h.prompt, h.answer)
	return h
}

func (l *refLimit) join(prompt, answer int64) int64 {
	if l.c.Charge.Combine == model.CombineMax {
		return max(prompt, answer)
	}
	return prompt + answer
}

// counts says whether the limit counts a request.
func (l *refLimit) counts(q *model.Ask) bool {
	return l.c.Scope.Kind != model.ScopePool || q.Pool == l.pool
}

func (l *refLimit) meter(q *model.Ask) refMeter {
	var of uint32
	switch l.c.Scope.Kind {
	case model.ScopeKey:
		of = q.Key
	case model.ScopeTenant:
		of = q.Tenant
	}
	if l.meters[of] == nil {
		l.meters[of] = l.newMeter()
	}
	return l.meters[of]
}

func (l *refLimit) some() refMeter {
	for _, m := range l.meters {
		return m
	}
	return nil
}

func (l *refLimit) newMeter() refMeter {
	switch {
	case l.c.Axis == model.LimitConcurrency:
		return &refSlots{limit: l.limit}
	case l.c.Algorithm == model.SlidingLogAlgorithm:
		return &refLog{limit: l.limit, window: l.per}
	case l.c.Algorithm == model.FixedWindowAlgorithm, l.c.Algorithm == model.TwoWindowAlgorithm:
		return &refWindows{limit: l.limit, per: l.per, phase: l.c.Phase, two: l.c.Algorithm == model.TwoWindowAlgorithm, counts: map[int64]int64{}}
	}
	b := &refBucket{limit: big.NewInt(l.c.Limit), per: big.NewInt(int64(l.c.Per)), level: new(big.Int), capacity: l.capacity, leaky: l.c.Algorithm == model.LeakyAlgorithm}
	if l.c.Start == model.StartEmpty {
		b.level.Mul(big.NewInt(l.capacity), b.per)
	}
	return b
}

func (l *refLimit) refuses(now time.Duration, q *model.Ask) (refuser, bool) {
	if !l.counts(q) {
		return refuser{}, false
	}
	need := l.charge(now, q).cost
	switch {
	case l.after:
		need = 1
	case l.asGenerated:
		need = max(1, need)
	}
	switch {
	case need == 0:
		return refuser{}, false
	case need > l.capacity && l.c.Algorithm != model.LeakyAlgorithm:
		return refuser{l.axis, policies.BeyondLimit}, true
	case l.meter(q).admits(now, need):
		return refuser{}, false
	case l.c.Kind == model.QuotaLimit:
		return refuser{l.axis, policies.QuotaExhausted}, true
	}
	return refuser{l.axis, policies.Temporary}, true
}

func (l *refLimit) refused(now time.Duration, q *model.Ask) {
	if l.counts(q) && l.c.Rejected == model.RejectedCharged {
		if cost := l.charge(now, q).cost; cost > 0 {
			l.meter(q).refuse(now, cost)
		}
	}
}

func (l *refLimit) admit(now time.Duration, q *model.Ask) (taken, bool) {
	if !l.counts(q) {
		return taken{}, false
	}
	m := l.meter(q)
	h := l.charge(now, q)
	if !l.after {
		m.add(now, h.cost)
	}
	return taken{limit: l, meter: m, charge: h, cost: h.cost}, true
}

func (l *refLimit) done(now time.Duration, t taken, m *making) {
	h := t.charge
	if l.asGenerated {
		t.meter.add(now, m.tokens-m.metered)
	}
	switch {
	case l.c.Axis == model.LimitConcurrency:
		t.meter.correct(now, h.at, -1)
	case l.after && l.countsOutput() && (l.c.Charge.Output == model.OutputActual || l.c.Charge.Output == ""):
		t.meter.add(now, l.join(h.prompt, m.tokens))
	case l.after:
		t.meter.add(now, h.cost)
	case l.settles:
		real := h.real
		if l.countsOutput() && !l.asGenerated {
			real += m.tokens
		}
		t.meter.correct(now, h.at, real-h.cost)
	}
}

type refSlots struct{ limit, taken int64 }

func (s *refSlots) admits(_ time.Duration, need int64) bool { return s.taken+need <= s.limit }
func (s *refSlots) add(_ time.Duration, cost int64)         { s.taken += cost }
func (s *refSlots) refuse(time.Duration, int64)             {}
func (s *refSlots) correct(_, _ time.Duration, by int64)    { s.taken += by }
func (s *refSlots) used(time.Duration) int64                { return s.taken }

type refLog struct {
	limit  int64
	window time.Duration
	at     []time.Duration
	cost   []int64
}

func (l *refLog) used(now time.Duration) (sum int64) {
	for len(l.at) > 0 && now-l.at[0] >= l.window {
		l.at, l.cost = l.at[1:], l.cost[1:]
	}
	for _, cost := range l.cost {
		sum += cost
	}
	return sum
}

func (l *refLog) admits(now time.Duration, need int64) bool { return l.used(now)+need <= l.limit }

func (l *refLog) add(now time.Duration, cost int64) {
	l.at, l.cost = append(l.at, now), append(l.cost, cost)
}

func (l *refLog) refuse(now time.Duration, cost int64) { l.add(now, cost) }

func (l *refLog) correct(_, from time.Duration, by int64) {
	if i := slices.Index(l.at, from); i >= 0 { // which of those of one instant makes no difference
		l.cost[i] += by
	}
}

type refWindows struct {
	limit      int64
	per, phase time.Duration
	two        bool
	counts     map[int64]int64
}

// index numbers windows; the first that begins after time 0 is number 1, or 0 where none began before.
func (w *refWindows) index(at time.Duration) (i int64, into time.Duration) {
	since := at - w.phase%w.per
	if since < 0 {
		return -1, since + w.per
	}
	return int64(since / w.per), since % w.per
}

// scaled is what is used, times per.
func (w *refWindows) scaled(now time.Duration) *big.Int {
	i, into := w.index(now)
	sum := new(big.Int).Mul(big.NewInt(w.counts[i]), big.NewInt(int64(w.per)))
	if w.two {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(w.counts[i-1]), big.NewInt(int64(w.per-into))))
	}
	return sum
}

func (w *refWindows) used(now time.Duration) int64 {
	sum := w.scaled(now)
	sum.Add(sum, big.NewInt(int64(w.per)-1))
	return sum.Div(sum, big.NewInt(int64(w.per))).Int64()
}

func (w *refWindows) admits(now time.Duration, need int64) bool {
	sum := w.scaled(now)
	sum.Add(sum, new(big.Int).Mul(big.NewInt(need), big.NewInt(int64(w.per))))
	return sum.Cmp(new(big.Int).Mul(big.NewInt(w.limit), big.NewInt(int64(w.per)))) <= 0
}

func (w *refWindows) add(now time.Duration, cost int64) {
	i, _ := w.index(now)
	w.counts[i] += cost
}

func (w *refWindows) refuse(now time.Duration, cost int64) { w.add(now, cost) }

func (w *refWindows) correct(_, from time.Duration, by int64) { w.add(from, by) }

// refBucket is a level in parts of 1/per.
type refBucket struct {
	limit, per, level *big.Int
	at                time.Duration
	capacity          int64
	leaky             bool
}

func (b *refBucket) to(now time.Duration) {
	out := big.NewInt(int64(now - b.at))
	b.level.Sub(b.level, out.Mul(out, b.limit))
	if b.at = now; b.level.Sign() < 0 {
		b.level.SetInt64(0)
	}
}

func (b *refBucket) units(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), b.per) }

func (b *refBucket) admits(now time.Duration, need int64) bool {
	b.to(now)
	if b.leaky {
		need = 0
	}
	return b.level.Cmp(b.units(b.capacity-need)) <= 0
}

func (b *refBucket) add(now time.Duration, cost int64) {
	b.to(now)
	if b.level.Add(b.level, b.units(cost)); b.level.Sign() < 0 {
		b.level.SetInt64(0)
	}
}

func (b *refBucket) refuse(now time.Duration, cost int64) {
	b.to(now)
	full := b.units(b.capacity)
	if b.level.Cmp(full) < 0 {
		if b.level.Add(b.level, b.units(cost)); b.level.Cmp(full) > 0 {
			b.level.Set(full)
		}
	}
}

func (b *refBucket) correct(now, _ time.Duration, by int64) { b.add(now, by) }

func (b *refBucket) used(now time.Duration) int64 {
	b.to(now)
	sum := new(big.Int).Add(b.level, new(big.Int).Sub(b.per, big.NewInt(1)))
	return sum.Div(sum, b.per).Int64()
}

// refSlope is the acceleration limit by all that it ever admitted.
type refSlope struct {
	c     *model.SlopeConfig
	limit *refLimit
	units map[time.Duration]int64
	spans map[time.Duration]int64
}

func newRefSlope(c *model.SlopeConfig) *refSlope {
	return &refSlope{c: c, limit: newRefLimit(&model.LimitConfig{Axis: c.Axis, Limit: 1, Per: 1}, nil), units: map[time.Duration]int64{}, spans: map[time.Duration]int64{}}
}

func (s *refSlope) refuses(now time.Duration, q *model.Ask) bool {
	need := s.limit.charge(now, q).cost
	ceiling := s.c.Above.N
	mean := s.spans[now/s.c.Per-1] * int64(s.c.Above.Per) / int64(s.c.Per)
	grown := new(big.Int).Mul(big.NewInt(mean), big.NewInt(int64(model.Whole+s.c.Grow)))
	ceiling = max(ceiling, grown.Div(grown, big.NewInt(int64(model.Whole))).Int64())
	count := s.units[now/s.c.Above.Per]
	return need > 0 && count > 0 && count+need > ceiling
}

func (s *refSlope) admit(now time.Duration, q *model.Ask) {
	cost := s.limit.charge(now, q).cost
	s.units[now/s.c.Above.Per] += cost
	s.spans[now/s.c.Per] += cost
}
