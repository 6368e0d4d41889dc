package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// limitTally is what became of one limit in a run; the slope, where there is one,
// comes last.
type limitTally struct {
	config LimitConfig
	slope  bool
	shares []limitShare // of each key, tenant or pool, or of all, as its scope is
	used   *sim.Gauge   // of whichever uses most
	peak   int64
}

// limitShare is what became of it for one of them.
type limitShare struct {
	offered  int64 // operations put before it, by their first attempts
	cost     int64 // of all of them
	hopeless int64 // of them, those that some limit can never admit
	wish     int64 // the hopeless ones' part of the cost
	granted  int64 // cost of the attempts it admitted
	refused  int64 // rejections that name it
	tooLarge int64 // of them, those that no wait would admit
}

func newLimitTallies(c *Config) []limitTally {
	var out []limitTally
	for i := range c.Provider.Limits {
		out = append(out, limitTally{config: c.Provider.Limits[i], used: sim.NewGauge(c.Slot)})
	}
	if s := c.Provider.Slope; s != nil {
		out = append(out, limitTally{config: LimitConfig{Axis: s.Axis, Limit: s.Above.N, Per: s.Above.Per}, slope: true, used: sim.NewGauge(c.Slot)})
	}
	return out
}

// number is the limit's place under limits, as [Limits] count it.
func (l *limitTally) number(i int) int {
	if l.slope {
		return -1
	}
	return i
}

func (l *limitTally) share(meter int) *limitShare {
	for meter >= len(l.shares) {
		l.shares = append(l.shares, limitShare{})
	}
	return &l.shares[meter]
}

// Watch notes what of each limit is used at the end of each slot before now. Call it
// before anything happens to the provider at now.
func (t *Tally) Watch(now time.Duration, p *Provider) {
	for t.watched < now {
		t.use(t.watched, p)
		t.watched += t.slot
	}
}

// WatchEnd does the same for the end of the run.
func (t *Tally) WatchEnd(end time.Duration, p *Provider) {
	t.Watch(end, p)
	t.use(end, p)
}

func (t *Tally) use(now time.Duration, p *Provider) {
	p.advance(now)
	for i := range t.limits {
		limit := &t.limits[i]
		limit.used.Set(now, p.limits.mostUsed(now, limit.number(i)))
	}
}

// Decided counts what a provider made of a request that was put before it now.
func (t *Tally) Decided(now time.Duration, p *Provider, q *Request, d *Decision) {
	switch d.Verdict {
	case Replay, Join: // no limit sees them
		t.Admitted(now)
		return
	case Serve, Wait:
		t.Admitted(now)
	case Reject:
		t.Refused(now)
	default:
		return
	}
	for i := range t.limits {
		limit := &t.limits[i]
		number := limit.number(i)
		meter, cost := p.limits.wants(number, &q.Ask)
		if meter < 0 {
			continue
		}
		share := limit.share(meter)
		if q.Attempt == 0 {
			share.offered++
			share.cost = plus(share.cost, cost)
			if d.Verdict == Reject && d.Kind == policies.BeyondLimit {
				share.hopeless++
				share.wish = plus(share.wish, cost)
			}
		}
		switch {
		case d.Verdict != Reject:
			share.granted = plus(share.granted, cost)
			limit.peak = max(limit.peak, p.limits.Room(now, number, &q.Ask).Used)
		case d.Limiter == number:
			share.refused++
			if d.Kind == policies.BeyondLimit {
				share.tooLarge++
			}
		}
	}
}

// wants is where a limit counts a request, and what it will have cost there when its
// answer is whole; -1 if the limit does not count it.
func (l *Limits) wants(i int, q *Ask) (meter int, cost int64) {
	if i < 0 {
		return 0, l.slope.charge.of(q)
	}
	m := &l.limiters[i]
	switch {
	case m.tokens:
		cost = m.charge.of(q) + q.output()
	case m.settles:
		cost = m.real(&hold{real: partOf(m.charge.real, q)}, q.output())
	default:
		cost = m.charge.of(q)
	}
	return m.of(q), cost
}

// mostUsed is what is used now by whichever key, tenant or pool uses most.
func (l *Limits) mostUsed(now time.Duration, i int) (most int64) {
	if i < 0 {
		most, _ = l.slope.use(now)
		return most
	}
	for _, meter := range l.limiters[i].meters {
		if meter != nil {
			used, _ := meter.use(now)
			most = max(most, used)
		}
	}
	return most
}

// LimitSummary is what became of one limit of the provider. Where each key or tenant has
// its own, the charge, the bound and the mean share are those of the one that was refused
// most, or else used most.
type LimitSummary struct {
	Axis       string `json:"axis"`
	Limit      int64  `json:"limit"`
	Per        Number `json:"per_s"` // null on concurrency
	Algorithm  string `json:"algorithm"`
	Scope      string `json:"scope"`
	Kind       string `json:"kind"`
	Offered    int64  `json:"offered"`     // operations put before it
	MeanCharge Number `json:"mean_charge"` // of one, without those that some limit can never admit
	Bound      Number `json:"bound_per_s"` // operations it can admit for ever: limit / mean charge; null on concurrency
	Rejected   int64  `json:"rejected"`    // attempts that it refused, and is named for
	TooLarge   int64  `json:"too_large"`   // of them, those it can never admit
	Holds      int64  `json:"holds"`       // the most of it that can be used at once: the burst, the limit, or that of a slice
	PeakUsed   int64  `json:"peak_used"`   // right after an admission, or at the end of a slot
	PeakShare  Number `json:"peak_share"`  // of what it holds
	MeanShare  Number `json:"mean_share"`  // what it admitted, of all that it grants in the run or, where that is longer, in its time
}

func (l *limitTally) summary(end time.Duration) LimitSummary {
	c := &l.config
	peak := max(l.peak, l.used.Max())
	out := LimitSummary{
		Axis: string(c.Axis), Limit: c.Limit, Per: Undefined(), Algorithm: string(c.Algorithm), Kind: string(c.Kind),
		MeanCharge: Undefined(), Bound: Undefined(), Holds: c.capacity(), PeakUsed: peak, PeakShare: ratio(peak, c.capacity()), MeanShare: Undefined(),
	}
	scope, _ := c.Scope.MarshalText() // it has no error to give
	out.Scope = string(scope)
	switch {
	case l.slope:
		out.Algorithm = SlopeAlgorithm
	case c.Axis == LimitConcurrency:
		out.Algorithm = "slots"
	case out.Algorithm == "":
		out.Algorithm = string(BucketAlgorithm)
	}
	if out.Kind == "" {
		out.Kind = string(TemporaryLimit)
	}
	var hardest limitShare
	for _, share := range l.shares {
		out.Offered += share.offered
		out.Rejected += share.refused
		out.TooLarge += share.tooLarge
		if share.refused > hardest.refused || share.refused == hardest.refused && share.granted > hardest.granted {
			hardest = share
		}
	}
	possible := hardest.cost - hardest.wish
	out.MeanCharge = ratio(possible, hardest.offered-hardest.hopeless)
	if c.Per > 0 {
		out.Per = seconds(c.Per)
		out.MeanShare = Number(float64(hardest.granted) / float64(c.Limit) / max(1, float64(end)/float64(c.Per)))
		if possible > 0 {
			out.Bound = Number(float64(c.Limit) / c.Per.Seconds() / float64(out.MeanCharge))
		}
	}
	return out
}

// asked is what an operation put before it costs on average, whether or not it can ever
// be admitted.
func (l *limitTally) asked() Number {
	var offered, cost int64
	for _, share := range l.shares {
		offered, cost = offered+share.offered, plus(cost, share.cost)
	}
	return ratio(cost, offered)
}

// SlopeAlgorithm is the algorithm of the slope, among limits.
const SlopeAlgorithm = "slope"

// axis is the name under which its rejections are counted.
func (l *LimitSummary) axis() *string {
	name := l.Axis
	if l.Algorithm == SlopeAlgorithm {
		name = Slope.String()
	}
	return &name
}

// Limits returns how many limits the tally watches.
func (t *Tally) Limits() int { return len(t.limits) }

// LimitUsed returns what of limit i was used at the end of slot n, by whichever key,
// tenant or pool used most.
func (t *Tally) LimitUsed(i, n int) int64 { return levelAt(t.limits[i].used, n) }

// binding returns the limit that made most requests wait, but for those too large for
// it; -1 if none did.
func binding(limits []LimitSummary) int {
	found, most := -1, int64(0)
	for i := range limits {
		if n := limits[i].Rejected - limits[i].TooLarge; n > most {
			found, most = i, n
		}
	}
	return found
}

// RefusalKinds counts rejections by what waiting can do for them.
type RefusalKinds struct {
	Temporary  int64 `json:"temporary"`
	Quota      int64 `json:"quota"`
	Impossible int64 `json:"impossible"`
}

func refusalKinds(n *[policies.RefusalKinds]int64) RefusalKinds {
	return RefusalKinds{Temporary: n[policies.Temporary], Quota: n[policies.QuotaExhausted], Impossible: n[policies.BeyondLimit]}
}
