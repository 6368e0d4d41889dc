package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// limitTally is what became of one limit in a run; the slope, where there is one,
// comes last.
type limitTally struct {
	config  LimitConfig
	slope   bool
	refused int64 // rejections that name it
	offered int64 // operations put before it, by their first attempts
	cost    int64 // of all of them
	used    *sim.Gauge
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

// Decided counts what a provider made of a request that was put before it now.
func (t *Tally) Decided(now time.Duration, p *Provider, q *Request, d *Decision) {
	switch d.Verdict {
	case Serve, Wait:
		t.Admitted(now)
	case Reject:
		t.Refused(now)
	default:
		return
	}
	for i := range t.limits {
		limit := &t.limits[i]
		number := i
		if limit.slope {
			number = -1
		}
		if cost, counts := p.limits.wants(number, &q.Ask); counts && q.Attempt == 0 {
			limit.offered++
			limit.cost += cost
		}
		switch {
		case d.Verdict != Reject:
			limit.used.Set(now, p.limits.Room(now, number, &q.Ask).Used)
		case d.Limiter == number:
			limit.refused++
		}
	}
}

// wants is what a request will have cost a limit when its answer is whole, as far as it
// is charged; false if the limit does not count it.
func (l *Limits) wants(i int, q *Ask) (cost int64, counts bool) {
	if i < 0 {
		return l.slope.charge.of(q), true
	}
	m := &l.limiters[i]
	if m.of(q) < 0 {
		return 0, false
	}
	cost = m.charge.of(q)
	if m.tokens {
		cost += q.output()
	}
	return cost, true
}

// LimitSummary is what became of one limit of the provider.
type LimitSummary struct {
	Axis       string `json:"axis"`
	Limit      int64  `json:"limit"`
	Per        Number `json:"per_s"` // null on concurrency
	Algorithm  string `json:"algorithm"`
	Scope      string `json:"scope"`
	Kind       string `json:"kind"`
	Offered    int64  `json:"offered"`             // requests put before it
	MeanCharge Number `json:"mean_charge"`         // of them
	Bound      Number `json:"bound_per_s"`         // requests it can admit for ever: limit / mean charge, for each key or tenant that has its own; null on concurrency
	Rejected   int64  `json:"rejected"`            // for which it is named
	PeakUsed   int64  `json:"peak_used"`           // right after an admission
	PeakShare  Number `json:"peak_share_of_limit"` // the same as a share
}

func (l *limitTally) summary() LimitSummary {
	c := &l.config
	out := LimitSummary{
		Axis: string(c.Axis), Limit: c.Limit, Per: Undefined(), Algorithm: string(c.Algorithm), Kind: string(c.Kind),
		Offered: l.offered, MeanCharge: ratio(l.cost, l.offered), Bound: Undefined(),
		Rejected: l.refused, PeakUsed: l.used.Max(), PeakShare: ratio(l.used.Max(), c.Limit),
	}
	scope, _ := c.Scope.MarshalText() // it has no error to give
	out.Scope = string(scope)
	switch {
	case l.slope:
		out.Algorithm = "slope"
	case c.Axis == LimitConcurrency:
		out.Algorithm = "slots"
	case out.Algorithm == "":
		out.Algorithm = string(BucketAlgorithm)
	}
	if out.Kind == "" {
		out.Kind = string(TemporaryLimit)
	}
	if c.Per > 0 {
		out.Per = seconds(c.Per)
		if l.cost > 0 {
			out.Bound = Number(float64(c.Limit) / c.Per.Seconds() / float64(out.MeanCharge))
		}
	}
	return out
}

// Limits returns how many limits the tally watches.
func (t *Tally) Limits() int { return len(t.limits) }

// LimitUsed returns what of limit i was used, as the last admission of slot n left it.
func (t *Tally) LimitUsed(i, n int) int64 { return t.limits[i].used.At(n) }

// binding returns the limit that rejected most; -1 if none did.
func binding(limits []LimitSummary) int {
	most := -1
	for i := range limits {
		if limits[i].Rejected > 0 && (most < 0 || limits[i].Rejected > limits[most].Rejected) {
			most = i
		}
	}
	return most
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
