package model

import (
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// Summarise takes the figures of a run from its closed tally. Scenario, Seed,
// Partial and Says are the caller's to fill.
func Summarise(t *Tally) *Summary {
	all := t.whole()
	s := &Summary{
		Warnings:    []string{},
		Wall:        Undefined(),
		Operations:  all.operations(),
		Attempts:    all.attempts(),
		Latency:     spread(&all.latency),
		FromSend:    spread(all.sinceSend()),
		FailLatency: spread(&all.failLatency),
		FirstToken:  percentiles(&all.firstToken),
		Retries:     all.retriesPerOperation(),
		Tokens:      all.tokens(),
		Cost:        t.price.cost(&all.billed, &all.useful),
		Groups:      make(map[string]GroupSummary, len(t.groups)),
		Engine:      Engine{Events: t.events},
	}
	ops := s.Operations
	if ops.Total > 0 && ops.InFlight == 0 {
		s.Wall = seconds(t.lastEnd)
	}
	s.Amplify = ratio(s.Attempts.Total, ops.Total)
	s.AllLatency = allLatency(&all.latency, ops)
	busiest, _ := t.sent.Max()
	busiestRetry, _ := t.retries.Max()
	s.Herd = Herd{Slot: seconds(t.slot), Busiest: busiest, BusiestRetry: busiestRetry}
	s.Provider = ProviderUse{
		Utilisation: Undefined(), Goodput: Undefined(),
		MaxInFlight: t.inFlight.Max(), MeanInFlight: t.served.mean(), MaxQueue: t.queued.Max(), MeanQueue: t.lined.mean(),
		QueueWait: spread(&t.queueWait), QueuedShare: ratio(t.stood, t.queueWait.N()), AnswersGenerated: all.answers,
	}
	// What began in the warm-up is useful or wasted like the rest.
	useful := all.useful.Busy + t.warmUp.useful.Busy
	s.Provider.Busy, s.Provider.UsefulBusy, s.Provider.WastedBusy = seconds(t.busy), seconds(useful), seconds(t.busy-useful)
	s.Provider.Limits = make([]LimitSummary, len(t.limits))
	for i := range t.limits {
		s.Provider.Limits[i] = t.limits[i].summary(t.end)
	}
	if i := binding(s.Provider.Limits); i >= 0 {
		s.Provider.BindingAxis = s.Provider.Limits[i].axis()
	}
	if counted := t.end - t.served.from; counted > 0 {
		s.Provider.Goodput = Number(float64(ops.Succeeded) / counted.Seconds())
	}
	if t.end > 0 && t.seats != policies.Unlimited {
		s.Provider.Utilisation = Number(float64(t.busy) / float64(t.end) / float64(t.seats))
	}
	s.Provider.TriggerEnd, s.Provider.Recovery = t.recovery.times(t.end)
	waited := percentiles(&all.gateWait)
	s.Gate = GateUse{MaxInFlight: t.held.Max(), Waited: GateWaits{waited.P50, waited.P99, waited.Max}}
	for i := range t.groups {
		g := &t.groups[i]
		s.Groups[g.name] = GroupSummary{
			Operations: g.operations(), Attempts: g.attempts(),
			Latency: spread(&g.latency), FromSend: spread(g.sinceSend()), FirstToken: percentiles(&g.firstToken),
			Tokens: g.tokens(), Cost: t.price.cost(&g.billed, &g.useful), Answers: g.answers, Layers: g.layerShares(),
		}
	}
	if t.apart {
		s.forget()
	}
	s.Warnings = append(s.Warnings, append(t.warnings(s, all), t.idle...)...)
	return s
}

// whole returns the groups added up.
func (t *Tally) whole() *groupTally {
	if len(t.groups) == 1 {
		return &t.groups[0]
	}
	all := &groupTally{gated: true}
	for i := range t.groups {
		all.add(&t.groups[i])
	}
	return all
}

func (g *groupTally) add(o *groupTally) {
	g.started += o.started
	g.sent += o.sent
	g.billed.add(o.billed)
	g.useful.add(o.useful)
	g.answers += o.answers
	g.truncated += o.truncated
	g.hedges += o.hedges
	g.delivered += o.delivered
	g.duplicated += o.duplicated
	for i, n := range o.timeouts {
		g.timeouts[i] += n
	}
	for i, n := range o.reasons {
		g.reasons[i] += n
	}
	for i, n := range o.ends {
		g.ends[i] += n
	}
	for i, n := range o.refused {
		g.refused[i] += n
	}
	for i, n := range o.hints {
		g.hints[i] += n
	}
	for i, n := range o.kinds {
		g.kinds[i] += n
	}
	for _, s := range o.statuses {
		g.countStatus(s.status, s.n)
	}
	for i, n := range o.retries {
		g.countRetries(i, n)
	}
	g.latency.Merge(&o.latency)
	g.fromSend.Merge(o.sinceSend())
	g.failLatency.Merge(&o.failLatency)
	g.firstToken.Merge(&o.firstToken)
	g.gateWait.Merge(&o.gateWait)
}

func (g *groupTally) operations() Operations {
	r := &g.reasons
	o := Operations{
		Total: g.started, Succeeded: r[policies.Success], Cancelled: r[policies.UserCancelled], Truncated: g.truncated,
		Failures: Failures{
			AttemptsExhausted: r[policies.AttemptsExhausted], Deadline: r[policies.Deadline],
			TimedOut: r[policies.OperationTimedOut], Fatal: r[policies.Fatal], Incomplete: r[policies.Unfinished],
			Impossible: r[policies.Impossible], Quota: r[policies.Quota], Budget: r[policies.Budget],
			Breaker: r[policies.Breaker], Throttled: r[policies.Throttled], Gate: r[policies.GateRefused],
		},
	}
	for why, n := range r {
		if policies.EndReason(why).Failed() {
			o.Failed += n
		}
	}
	o.InFlight = o.Total - o.Succeeded - o.Failed - o.Cancelled
	return o
}

func (g *groupTally) attempts() Attempts {
	e, r := &g.ends, &g.refused
	a := Attempts{
		Total: g.sent, Succeeded: e[policies.Succeeded], Rejected: e[policies.Rejected], Errored: e[policies.Errored],
		TimedOut: e[policies.TimedOut], Incomplete: e[policies.Incomplete], Cancelled: e[policies.Cancelled],
		InFlight: g.sent, ByStatus: make(map[string]int64, len(g.statuses)),
		RejectedBy: RejectedBy{
			Seats: r[Seats], Queue: r[Queue], Concurrency: r[Concurrency], Requests: r[Requests],
			Tokens: r[Tokens], InputTokens: r[InputTokens], OutputTokens: r[OutputTokens], Slope: r[Slope],
		},
		RejectedAs: refusalKinds(&g.kinds),
		TimedOutBy: Timeouts{
			FirstEvent: g.timeouts[policies.FirstEventTimeout], Idle: g.timeouts[policies.IdleTimeout], Attempt: g.timeouts[policies.AttemptTimeout],
			Operation: g.timeouts[policies.OperationTimeout], Deadline: g.timeouts[policies.DeadlineTimeout],
		},
		Hedges: g.hedges,
		Hints:  HintKinds{Given: g.hints[policies.GivenHint], Malformed: g.hints[policies.MalformedHint]},
	}
	for _, n := range e {
		a.InFlight -= n
	}
	for _, s := range g.statuses {
		a.ByStatus[strconv.Itoa(int(s.status))] = s.n
	}
	return a
}

func (g *groupTally) retriesPerOperation() Retries {
	out := Retries{Mean: Undefined(), Counts: append([]int64{}, g.retries...)}
	var ops, retries int64
	for n, count := range g.retries {
		ops += count
		retries += int64(n) * count
		if count > 0 {
			out.Max = int64(n)
		}
	}
	out.Mean = ratio(retries, ops)
	return out
}

func (g *groupTally) tokens() TokenSums {
	return TokenSums{Billed: g.billed.Output, Useful: g.useful.Output, Wasted: g.billed.Output - g.useful.Output, Delivered: g.delivered, Duplicated: g.duplicated}
}

func (g *groupTally) layerShares() []LayerSummary {
	out := make([]LayerSummary, len(g.layers))
	for i, l := range g.layers {
		out[i] = LayerSummary{l.policy, l.retries, seconds(l.waited)}
	}
	return out
}

func seconds(d time.Duration) Number { return Number(d.Seconds()) }

func ratio(a, b int64) Number {
	if b == 0 {
		return Undefined()
	}
	return Number(float64(a) / float64(b))
}

// Exact for what a run of up to 100,000 operations keeps; see [sim.Sample].
func spread(s *sim.Sample) Spread {
	p := percentiles(s)
	mean, ok := s.Mean()
	out := Spread{Mean: Undefined(), P50: p.P50, P90: p.P90, P99: p.P99, Max: p.Max}
	if ok {
		out.Mean = Number(mean / 1e9)
	}
	return out
}

func percentiles(s *sim.Sample) Percentiles {
	longest, ok := s.Max()
	return Percentiles{
		P50: nanoseconds(s.Quantile(50, 100)), P90: nanoseconds(s.Quantile(90, 100)),
		P99: nanoseconds(s.Quantile(99, 100)), Max: nanoseconds(longest, ok),
	}
}

func nanoseconds(ns int64, ok bool) Number {
	if !ok {
		return Undefined()
	}
	return seconds(time.Duration(ns))
}

// allLatency is the spread in which a failed or unfinished operation took for ever.
// What the user cancelled is in neither.
func allLatency(successes *sim.Sample, o Operations) Spread {
	never := o.Failed + o.InFlight
	if never == 0 {
		return spread(successes)
	}
	of := o.Succeeded + never
	at := func(percent int64) Number {
		rank := (percent*of + 99) / 100
		if rank > o.Succeeded {
			return Undefined()
		}
		return nanoseconds(successes.Quantile(rank, o.Succeeded))
	}
	return Spread{Mean: Undefined(), P50: at(50), P90: at(90), P99: at(99), Max: Undefined()}
}
