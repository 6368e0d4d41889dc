package model

import (
	"math"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Limits are all the limits of one provider. A request is admitted if every one of
// them admits it; else none of them is charged, but those in which refused requests
// count. Not safe for concurrent use. Time must not go back.
//
// Who asks calls Ask, then either Admit, and Done when the answer has ended, or
// Refuse. Where output is charged as it is generated, Generated tells of it.
type Limits struct {
	limiters []limiter
	slope    *slope
	pools    []string // by number, from 1
	held     []hold   // of each ticket, one for each limiter that must remember it
	holds    int
}

// limiter is one limit with a meter for each key, tenant or pool.
type limiter struct {
	config  *LimitConfig
	charge  charge
	scope   ScopeKind
	pool    uint32
	axis    Axis
	most    int64    // need above it can never be met
	scales  []scaled // so far
	share   Share    // the weather's, of the following
	limit   int64
	room    int64 // capacity: need above it is not met now
	quota   bool
	charged bool // refused requests are
	after   bool // counted on completion
	settles bool
	tokens  bool // output is charged as it is generated
	slots   bool
	hold    int     // of those a ticket has, which is this one's; -1: none
	meters  []meter // of those that have come
	spare   []meter // of the runs before, as good as new
}

// meter is what counts for one key, tenant, pool or all.
type meter interface {
	wait(now time.Duration, need int64) time.Duration              // until need is admitted if nobody else comes; 0: now
	waitRefused(now time.Duration, need, cost int64) time.Duration // the same, were cost charged now to one that is refused
	add(now time.Duration, cost int64) (receipt int64)             // the receipt says where it was charged
	refuse(now time.Duration, cost int64)                          // charges one that is refused
	amend(now time.Duration, receipt, change int64)                // corrects a charge
	use(now time.Duration) (used int64, reset time.Duration)       // rounded up, and the time until nothing counts any more
	resize(now time.Duration, limit, capacity int64)               // the weather's limit from now on; what is used stays used
	reset()
}

// hold is what a limiter remembers of a request.
type hold struct {
	meter   int32 // 1 more than its number; 0: none
	receipt int64
	charged int64
	real    int64 // what the prompt really used
	prompt  int64 // what it is charged
	made    int64 // tokens generated and charged
}

// Rejection is why limits refuse a request; the zero value admits it.
type Rejection struct {
	Kind      policies.RefusalKind
	Axis      Axis
	Limiter   int           // its place under limits; -1 is the slope
	Requested int64         // what it would be charged there
	Wait      time.Duration // the time after which all admit it if nobody else comes; 0 of one beyond the limit and of concurrency, where it is not known
}

// Room is what a limit's headers tell.
type Room struct {
	Limit     int64
	Used      int64         // rounded up; above Limit where a charge was corrected upwards
	Remaining int64         // rounded down, at least 0
	Reset     time.Duration // until nothing counts any more; 0 where that is not known
}

// NewLimits makes limiters of configs that have passed their Check. The slope may
// be nil.
func NewLimits(configs []LimitConfig, slope *SlopeConfig) *Limits {
	l := &Limits{limiters: make([]limiter, len(configs))}
	for i := range configs {
		c := &configs[i]
		m := &l.limiters[i]
		*m = limiter{
			config: c, charge: c.charge(), scope: c.Scope.Kind, axis: c.Axis.axis(), most: c.capacity(),
			quota: c.Kind == QuotaLimit, charged: c.Rejected == RejectedCharged,
			after: c.When == CheckAfter, slots: c.Axis == LimitConcurrency, hold: -1,
		}
		if c.Algorithm == LeakyAlgorithm {
			m.most = math.MaxInt64
		}
		m.scale(Whole)
		m.settles = c.settles() && !m.charge.isReal()
		m.tokens = m.charge.tokens && m.charge.output == OutputAsGenerated
		if m.scope == ScopePool {
			m.pool = l.poolOf(c.Scope.Pool)
		}
		if m.after || m.settles || m.tokens || m.slots {
			m.hold = l.holds
			l.holds++
		}
	}
	if slope != nil {
		l.slope = newSlope(slope)
	}
	return l
}

// Pool returns the number of a pool, for [Ask]; 0 if no limit names it.
func (l *Limits) Pool(name string) uint32 {
	for i, known := range l.pools {
		if known == name {
			return uint32(i + 1)
		}
	}
	return 0
}

func (l *Limits) poolOf(name string) uint32 {
	if l.Pool(name) == 0 {
		l.pools = append(l.pools, name)
	}
	return l.Pool(name)
}

// Reset forgets all that happened, and who came; it keeps its memory.
func (l *Limits) Reset() {
	for i := range l.limiters {
		m := &l.limiters[i]
		for at, meter := range m.meters {
			if meter == nil {
				continue
			}
			meter.reset()
			for at >= len(m.spare) {
				m.spare = append(m.spare, nil)
			}
			m.spare[at], m.meters[at] = meter, nil
		}
	}
	l.Scale(0, Whole)
	for i := range l.limiters {
		l.limiters[i].scales = l.limiters[i].scales[:0]
	}
	if l.slope != nil {
		l.slope.reset()
	}
	clear(l.held)
}

// of returns the number of the meter for a request; -1: none limits it.
func (m *limiter) of(q *Ask) int {
	switch m.scope {
	case ScopeKey:
		return int(q.Key)
	case ScopeTenant:
		return int(q.Tenant)
	case ScopePool:
		if q.Pool != m.pool {
			return -1
		}
	}
	return 0
}

func (m *limiter) meter(i int) meter {
	if i < len(m.meters) && m.meters[i] != nil {
		return m.meters[i]
	}
	for i >= len(m.meters) {
		m.meters = append(m.meters, nil)
	}
	if i < len(m.spare) && m.spare[i] != nil {
		m.meters[i], m.spare[i] = m.spare[i], nil
		limit, _ := m.config.window()
		m.meters[i].resize(0, limit, m.config.capacity())
	} else {
		m.meters[i] = m.config.newMeter()
	}
	for _, s := range m.scales { // as though it had been there all the time
		m.meters[i].resize(s.at, s.limit, s.room)
	}
	return m.meters[i]
}

func (c *LimitConfig) newMeter() meter {
	if c.Axis == LimitConcurrency {
		return &slots{limit: c.Limit}
	}
	switch c.Algorithm {
	case SlidingLogAlgorithm:
		return newSlidingLog(c)
	case FixedWindowAlgorithm:
		return newFixedWindow(c)
	case TwoWindowAlgorithm:
		return newTwoWindow(c)
	}
	return newBucket(c)
}

// need is what must be left for a request that costs so much. One that costs
// nothing at all needs nothing.
func (m *limiter) need(cost int64) int64 {
	switch {
	case m.after:
		return 1
	case m.tokens:
		return max(1, cost)
	}
	return cost
}

// Ask says whether a request would be admitted now, and if not, why and for how
// long. It charges nobody. Of several limits that refuse, the rejection names the
// one with the longest wait.
func (l *Limits) Ask(now time.Duration, q *Ask) Rejection {
	for i := range l.limiters {
		m := &l.limiters[i]
		at := m.of(q)
		if at < 0 {
			continue
		}
		if need := m.need(m.charge.of(q)); need > m.most || need > 0 && m.wait(at, now, need) != 0 {
			return l.reject(now, q)
		}
	}
	if l.slope != nil && l.slope.wait(now, l.slope.charge.of(q)) != 0 {
		return l.reject(now, q)
	}
	return Rejection{}
}

// reject says why a request that one of the limits refuses is refused. Its wait
// reckons with what this very refusal charges, also where it would be admitted now.
func (l *Limits) reject(now time.Duration, q *Ask) Rejection {
	var worst Rejection
	var named, longest time.Duration
	name := func(kind policies.RefusalKind, wait time.Duration, axis Axis, limiter int, cost int64) {
		known := worst.Kind != policies.NotRefused
		switch {
		case known && worst.Kind == policies.BeyondLimit:
		case known && kind != policies.BeyondLimit && wait <= named:
		default:
			worst = Rejection{Kind: kind, Axis: axis, Limiter: limiter, Requested: cost}
			named = wait
		}
	}
	for i := range l.limiters {
		m := &l.limiters[i]
		at := m.of(q)
		if at < 0 {
			continue
		}
		cost := m.charge.of(q)
		need := m.need(cost)
		if need == 0 {
			continue
		}
		if need > m.most {
			name(policies.BeyondLimit, 0, m.axis, i, cost)
			continue
		}
		refuses := m.wait(at, now, need)
		wait := refuses
		if m.charged && wait != unknown {
			wait = m.meter(at).waitRefused(now, need, cost)
		}
		longest = max(longest, wait)
		switch {
		case refuses == 0:
		case m.quota:
			name(policies.QuotaExhausted, wait, m.axis, i, cost)
		default:
			name(policies.Temporary, wait, m.axis, i, cost)
		}
	}
	if l.slope != nil {
		cost := l.slope.charge.of(q)
		if wait := l.slope.wait(now, cost); wait != 0 {
			longest = max(longest, wait)
			name(policies.Temporary, wait, Slope, -1, cost)
		}
	}
	if worst.Kind != policies.BeyondLimit {
		worst.Wait = longest
	}
	return worst
}

// Admit charges a request to all limits. The ticket names it until Done.
func (l *Limits) Admit(now time.Duration, id policies.Ticket, q *Ask) {
	for i := range l.limiters {
		m := &l.limiters[i]
		at := m.of(q)
		if at < 0 {
			continue
		}
		cost := m.charge.of(q)
		var receipt int64
		if !m.after && (cost > 0 || m.settles) {
			receipt = m.meter(at).add(now, cost)
		}
		if m.hold >= 0 {
			*l.hold(id, m) = hold{meter: int32(at) + 1, receipt: receipt, charged: cost, real: partOf(m.charge.real, q), prompt: partOf(m.charge.prompt, q)}
		}
	}
	if l.slope != nil {
		l.slope.add(now, l.slope.charge.of(q))
	}
}

func (l *Limits) hold(id policies.Ticket, m *limiter) *hold {
	at := int(id)*l.holds + m.hold
	for at >= len(l.held) {
		l.held = append(l.held, hold{})
	}
	return &l.held[at]
}

// Refuse charges a request that was refused, by limits or for want of a place, to
// those limits in which refused requests count.
func (l *Limits) Refuse(now time.Duration, q *Ask) {
	for i := range l.limiters {
		m := &l.limiters[i]
		if !m.charged {
			continue
		}
		if at := m.of(q); at >= 0 {
			if cost := m.charge.of(q); cost > 0 {
				m.meter(at).refuse(now, cost)
			}
		}
	}
}

// Generated charges tokens of an answer in the making.
func (l *Limits) Generated(now time.Duration, id policies.Ticket, tokens int64) {
	for i := range l.limiters {
		m := &l.limiters[i]
		if !m.tokens {
			continue
		}
		if h := l.hold(id, m); h.meter > 0 {
			m.generate(now, h, tokens)
		}
	}
}

func (m *limiter) generate(now time.Duration, h *hold, tokens int64) {
	if tokens = min(tokens, mostCharge); tokens > 0 {
		m.meter(int(h.meter)-1).add(now, tokens)
		h.made += tokens
	}
}

// Done ends a request whose answer held so many tokens: what was charged is
// corrected where it was taken from, what is counted on completion is counted,
// tokens that Generated has not told of are charged, a place is free. A ticket that
// is not admitted changes nothing.
func (l *Limits) Done(now time.Duration, id policies.Ticket, outputTokens int64) {
	outputTokens = min(outputTokens, mostCharge)
	for i := range l.limiters {
		m := &l.limiters[i]
		if m.hold < 0 {
			continue
		}
		h := l.hold(id, m)
		if h.meter == 0 {
			continue
		}
		meter := m.meter(int(h.meter) - 1)
		if m.tokens {
			m.generate(now, h, outputTokens-h.made)
		}
		switch {
		case m.slots:
			meter.amend(now, 0, -1)
		case m.after:
			if cost := m.onCompletion(h, outputTokens); cost > 0 {
				meter.add(now, cost)
			}
		case m.settles:
			meter.amend(now, h.receipt, m.real(h, outputTokens)-h.charged)
		}
		*h = hold{}
	}
}

// real is what a request really used on the axis, but for tokens that were charged
// as they were generated.
func (m *limiter) real(h *hold, outputTokens int64) int64 {
	if m.charge.output == OutputNone || m.tokens {
		return h.real
	}
	return h.real + outputTokens
}

// onCompletion is what a request is charged when it is done.
func (m *limiter) onCompletion(h *hold, outputTokens int64) int64 {
	if m.charge.output != OutputActual || !m.charge.tokens {
		return h.charged
	}
	return m.charge.join(h.prompt, outputTokens)
}

// Room tells what limit number i grants those who ask like q; -1 is the slope,
// whose limit is the ceiling of now.
func (l *Limits) Room(now time.Duration, i int, q *Ask) Room {
	if i < 0 {
		used, reset := l.slope.use(now)
		return room(l.slope.ceiling, l.slope.ceiling, used, reset)
	}
	m := &l.limiters[i]
	at := m.of(q)
	if at < 0 {
		return room(m.limit, m.limit, 0, 0)
	}
	used, reset := m.meter(at).use(now)
	return room(m.limit, m.room, used, reset)
}

func room(limit, capacity, used int64, reset time.Duration) Room {
	return Room{Limit: limit, Used: used, Remaining: max(0, min(limit, capacity-used)), Reset: reset}
}
