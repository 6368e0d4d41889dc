package model_test

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// times are a sample, and the figures of it by their definitions.
type times []time.Duration

func seconds(d time.Duration) model.Number { return model.Number(d.Seconds()) }

// rank is the nearest rank: the least value that so many percent do not exceed.
func (t times) rank(percent int) model.Number {
	if len(t) == 0 {
		return model.Undefined()
	}
	sorted := slices.Sorted(slices.Values(t))
	return seconds(sorted[(percent*len(t)+99)/100-1])
}

func (t times) spread() model.Spread {
	if len(t) == 0 {
		none := model.Undefined()
		return model.Spread{Mean: none, P50: none, P90: none, P99: none, Max: none}
	}
	sum := new(big.Int)
	for _, d := range t {
		sum.Add(sum, big.NewInt(int64(d)))
	}
	mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(t))*1e9)).Float64()
	return model.Spread{Mean: model.Number(mean), P50: t.rank(50), P90: t.rank(90), P99: t.rank(99), Max: t.rank(100)}
}

func (t times) percentiles() model.Percentiles {
	return model.Percentiles{P50: t.rank(50), P90: t.rank(90), P99: t.rank(99), Max: t.rank(100)}
}

func share(a, b int64) model.Number {
	if b == 0 {
		return model.Undefined()
	}
	return model.Number(float64(a) / float64(b))
}

// account is what a group, or all, did.
type account struct {
	ops                            model.Operations
	attempts                       model.Attempts
	latency, failed, first, atGate times
	fromSend                       times
	retries                        []int64
	tokens                         model.TokenSums
	answers                        int64
	billed, useful, kept           model.Making
}

func (a *account) fail(why policies.EndReason) {
	f := &a.ops.Failures
	a.ops.Failed++
	*map[policies.EndReason]*int64{
		policies.AttemptsExhausted: &f.AttemptsExhausted, policies.Deadline: &f.Deadline, policies.OperationTimedOut: &f.TimedOut,
		policies.Fatal: &f.Fatal, policies.Unfinished: &f.Incomplete, policies.Impossible: &f.Impossible, policies.Quota: &f.Quota,
		policies.Budget: &f.Budget, policies.Breaker: &f.Breaker, policies.Throttled: &f.Throttled, policies.GateRefused: &f.Gate,
	}[why]++
}

func (a *account) operation(o *booked) {
	a.ops.Total++
	switch o.Why {
	case policies.NotEnded:
		a.ops.InFlight++
		return
	case policies.Success:
		a.ops.Succeeded++
		a.latency = append(a.latency, o.Ended-o.Started)
		a.fromSend = append(a.fromSend, o.Ended-o.lines[0].Sent)
	case policies.UserCancelled:
		a.ops.Cancelled++
	default:
		a.fail(o.Why)
		a.failed = append(a.failed, o.Ended-o.Started)
	}
	if o.gate != nil {
		a.atGate = append(a.atGate, o.AtGate)
	}
	n := max(0, len(o.lines)-1)
	for len(a.retries) <= n {
		a.retries = append(a.retries, 0)
	}
	a.retries[n]++
}

func (a *account) attempt(line *model.TraceLine) {
	t := &a.attempts
	t.Total++
	*map[policies.AttemptEnd]*int64{
		policies.InFlight: &t.InFlight, policies.Succeeded: &t.Succeeded, policies.Rejected: &t.Rejected, policies.Errored: &t.Errored,
		policies.TimedOut: &t.TimedOut, policies.Incomplete: &t.Incomplete, policies.Cancelled: &t.Cancelled,
	}[line.Answer.End]++
	if line.Answer.End == policies.Rejected {
		by, as := &t.RejectedBy, &t.RejectedAs
		*[...]*int64{&by.Seats, &by.Queue, &by.Concurrency, &by.Requests, &by.Tokens, &by.InputTokens, &by.OutputTokens, &by.Slope}[line.Axis]++
		*[...]*int64{nil, &as.Temporary, &as.Quota, &as.Impossible}[line.Answer.Refusal]++
	}
	if line.Answer.End == policies.TimedOut {
		by := &t.TimedOutBy
		*[...]*int64{nil, &by.FirstEvent, &by.Idle, &by.Attempt, &by.Operation, &by.Deadline}[line.Answer.Timeout]++
	}
	if line.Hedge {
		t.Hedges++
	}
	if s := line.Answer.Status; s != 0 {
		t.ByStatus[strconv.Itoa(int(s))]++
	}
	switch line.Answer.Hint.Kind {
	case policies.GivenHint:
		t.Hints.Given++
	case policies.MalformedHint:
		t.Hints.Malformed++
	}
}

// answer counts what was made for an attempt; m is nil where the reference does not know.
func (a *account) answer(o *booked, line *model.TraceLine, m *making) {
	q := o.request(int32(line.Attempt))
	seen := shown(o, &line.Answer)
	a.tokens.Delivered += seen
	if line.Again {
		a.tokens.Duplicated += seen
	}
	if line.Answer.End == policies.Succeeded {
		add(&a.useful, &q, line.Answer.Tokens)
		first := line.Answered
		if q.Stream && line.FirstSeen != policies.Never && !(o.rule.Retry == "always" && o.rule.Partial != "keep") {
			first = line.FirstSeen
		}
		a.first = append(a.first, first-o.Started)
		if line.Answer.Truncated {
			a.ops.Truncated++
		}
	} else if line.Why != policies.NotEnded && o.rule.Partial == "keep" && line.Answer.Tokens > 0 && o.Why != policies.Success {
		add(&a.kept, &q, line.Answer.Tokens)
	}
	if m == nil || line.Left == policies.Never || m.stopped && m.left == m.seated {
		return
	}
	if !m.stopped && m.isWhole() {
		a.answers++
	}
	add(&a.billed, &q, m.tokens)
}

func add(to *model.Making, q *model.Request, tokens int64) {
	to.Input, to.Cached, to.Output = to.Input+q.Input, to.Cached+q.Cached, to.Output+tokens
}

// settle makes parts that were kept useful, as far as they have been billed.
func (a *account) settle() {
	a.useful.Input += min(a.kept.Input, a.billed.Input-a.useful.Input)
	a.useful.Cached += min(a.kept.Cached, a.billed.Cached-a.useful.Cached)
	a.useful.Output += min(a.kept.Output, a.billed.Output-a.useful.Output)
	a.tokens.Billed, a.tokens.Useful, a.tokens.Wasted = a.billed.Output, a.useful.Output, a.billed.Output-a.useful.Output
}

// with adds what another had billed and of use.
func (a *account) with(o *account) {
	for _, of := range []struct{ to, from *model.Making }{{&a.billed, &o.billed}, {&a.useful, &o.useful}} {
		of.to.Input, of.to.Cached, of.to.Output = of.to.Input+of.from.Input, of.to.Cached+of.from.Cached, of.to.Output+of.from.Output
	}
}

func (a *account) bill(price *model.PriceConfig) model.Cost {
	if price == nil {
		return model.Cost{Total: model.Undefined(), Wasted: model.Undefined()}
	}
	cached := price.Input
	if price.Cached != nil {
		cached = *price.Cached
	}
	cost := func(m *model.Making) float64 {
		sum := float64(m.Input-m.Cached)*float64(price.Input) + float64(m.Cached)*float64(cached) + float64(m.Output)*float64(price.Output)
		return sum / float64(price.Per) / float64(model.Unit)
	}
	return model.Cost{Total: model.Number(cost(&a.billed)), Wasted: model.Number(cost(&a.billed) - cost(&a.useful)), Currency: &price.Currency}
}

func (a *account) perOperation() model.Retries {
	out := model.Retries{Counts: a.retries, Mean: model.Undefined()}
	var ops, sum int64
	for n, count := range a.retries {
		ops, sum = ops+count, sum+int64(n)*count
		if count > 0 {
			out.Max = int64(n)
		}
	}
	out.Mean = share(sum, ops)
	return out
}

// figures makes the summary once more, out of the trace, and compares figure by figure.
// What it cannot know where the reference provider does not is taken as it is.
func (r *ran) figures() {
	newAccount := func() *account {
		return &account{attempts: model.Attempts{ByStatus: map[string]int64{}}}
	}
	all, groups, price := newAccount(), map[string]*account{}, r.config.Provider.Price
	for _, name := range r.order {
		groups[name] = newAccount()
	}
	var wall time.Duration
	var waits times
	var stood int64
	for _, o := range r.ops {
		if o.cold {
			continue
		}
		if o.Ended != policies.Never {
			wall = max(wall, o.Ended)
		}
		for _, a := range []*account{all, groups[o.Group]} {
			a.operation(o)
			for _, line := range o.lines {
				a.attempt(line)
				a.answer(o, line, r.made[line])
			}
		}
		for _, line := range o.lines {
			if line.Served != policies.Never {
				waits = append(waits, line.Served-line.Arrived)
				if line.Served > line.Arrived {
					stood++
				}
			}
		}
	}
	all.billed, all.useful, all.kept = model.Making{}, model.Making{}, model.Making{}
	for _, a := range groups {
		a.settle()
		all.with(a)
	}
	all.settle()
	got := r.summary
	want := &model.Summary{
		Operations: all.ops, Attempts: all.attempts, Wall: model.Undefined(), Amplify: share(all.attempts.Total, all.ops.Total),
		Herd: r.herd(), Latency: all.latency.spread(), FromSend: all.fromSend.spread(), FailLatency: all.failed.spread(), AllLatency: r.allLatency(all),
		FirstToken: all.first.percentiles(), Retries: all.perOperation(), Tokens: all.tokens,
		Cost: all.bill(price), Groups: map[string]model.GroupSummary{}, Engine: got.Engine,
	}
	if all.ops.Total > 0 && all.ops.InFlight == 0 {
		want.Wall = seconds(wall)
	}
	for name, a := range groups {
		want.Groups[name] = model.GroupSummary{
			Operations: a.ops, Attempts: a.attempts, Latency: a.latency.spread(), FromSend: a.fromSend.spread(), FirstToken: a.first.percentiles(), Tokens: a.tokens, Cost: a.bill(price), Answers: a.answers,
		}
	}
	r.providerFigures(want)
	want.Provider.QueueWait, want.Provider.QueuedShare, want.Provider.AnswersGenerated = waits.spread(), share(stood, int64(len(waits))), all.answers
	want.Provider.TriggerEnd, want.Provider.Recovery = got.Provider.TriggerEnd, got.Provider.Recovery
	want.Gate.MaxInFlight = got.Gate.MaxInFlight // see slots
	p := all.atGate.percentiles()
	want.Gate.Waited = model.GateWaits{P50: p.P50, P99: p.P99, Max: p.Max}
	if r.made == nil {
		r.takeUnknown(want)
	}
	r.compare(want)
	r.wrong(!slices.Equal(want.Retries.Counts, got.Retries.Counts), "retries: %v, want %v", got.Retries.Counts, want.Retries.Counts)
	if r.made != nil {
		r.limitFigures()
	}
}

// takeUnknown takes over what only the reference provider could tell.
func (r *ran) takeUnknown(want *model.Summary) {
	got := r.summary
	keep := func(want *model.TokenSums, got model.TokenSums) {
		want.Billed, want.Wasted, want.Useful = got.Billed, got.Wasted, got.Useful
	}
	keep(&want.Tokens, got.Tokens)
	want.Cost = got.Cost
	for name, g := range want.Groups {
		keep(&g.Tokens, got.Groups[name].Tokens)
		g.Cost, g.Answers = got.Groups[name].Cost, got.Groups[name].Answers
		want.Groups[name] = g
	}
	w, g := &want.Provider, &got.Provider
	w.MaxQueue, w.MeanQueue, w.QueueWait, w.QueuedShare, w.AnswersGenerated = g.MaxQueue, g.MeanQueue, g.QueueWait, g.QueuedShare, g.AnswersGenerated
}

// compare compares all figures.
func (r *ran) compare(want *model.Summary) {
	figures := map[string]model.Number{}
	want.EachFigure(func(path []string, n model.Number) { figures[model.JoinPath(path)] = n })
	r.summary.EachFigure(func(path []string, n model.Number) {
		name := model.JoinPath(path)
		w, known := figures[name]
		delete(figures, name)
		same := w.Defined() == n.Defined() && (!n.Defined() || math.Abs(float64(w-n)) <= 1e-9*math.Abs(float64(w)))
		r.wrong(!known || !same, "%s is %v, want %v", name, n, w)
	})
	for name := range figures {
		r.problem("there is no %s", name)
	}
}

// allLatency has a failure, and what is unfinished, take for ever.
func (r *ran) allLatency(a *account) model.Spread {
	never := int(a.ops.Failed + a.ops.InFlight)
	if never == 0 {
		return a.latency.spread()
	}
	with := slices.Concat(a.latency, slices.Repeat(times{policies.Never}, never))
	at := func(percent int) model.Number {
		if n := with.rank(percent); n < seconds(policies.Never) {
			return n
		}
		return model.Undefined()
	}
	return model.Spread{Mean: model.Undefined(), P50: at(50), P90: at(90), P99: at(99), Max: model.Undefined()}
}

func (r *ran) herd() model.Herd {
	slot := r.config.Slot
	sent, retries := map[time.Duration]int64{}, map[time.Duration]int64{}
	h := model.Herd{Slot: seconds(slot)}
	for i := range r.trace.Lines {
		line := &r.trace.Lines[i]
		at := line.Sent / slot
		sent[at]++
		h.Busiest = max(h.Busiest, sent[at])
		if line.Attempt > 0 {
			retries[at]++
			h.BusiestRetry = max(h.BusiestRetry, retries[at])
		}
	}
	return h
}

// seats are the times for which seats were taken, and places in the queue as far as the
// reference provider knows.
func (r *ran) seats() (serving, waiting []interval) {
	for i := range r.trace.Lines {
		if line := &r.trace.Lines[i]; line.Served != policies.Never {
			serving = append(serving, interval{line.Served, line.Left})
		}
	}
	for _, m := range r.made {
		if m.verdict == model.Serve || m.verdict == model.Wait {
			waiting = append(waiting, interval{m.line.Arrived, m.waits})
		}
	}
	return serving, waiting
}

// usefulSeats is the seat time of answers that were received whole, but for those told
// again.
func (r *ran) usefulSeats() (sum time.Duration) {
	for i := range r.trace.Lines {
		if line := &r.trace.Lines[i]; line.Answer.End == policies.Succeeded && line.Served != policies.Never {
			sum += line.Left - line.Served
		}
	}
	return sum
}

// most is the greatest level that lasts any time.
func most(of []interval) (n int64) {
	level := int64(0)
	for _, step := range levels(of) {
		level += int64(step.by)
		n = max(n, level)
	}
	return n
}

// momentary is how many have a seat for no time: at a thaw the calls of a freeze are heard one after
// the other, so that one may be seated whose client has left in the meantime. A gauge counts them.
func (r *ran) momentary(serving []interval) (n int64) {
	if !slices.ContainsFunc(r.config.Provider.Weather, func(w model.Weather) bool { return w.Freeze }) {
		return 0
	}
	for _, i := range serving {
		if i.from == i.to {
			n++
		}
	}
	return n
}

// mean is the mean level from one instant to another.
func mean(of []interval, from, to time.Duration) model.Number {
	if to <= from {
		return model.Undefined()
	}
	return model.Number(float64(held(of, from, to)) / float64(to-from))
}

func held(of []interval, from, to time.Duration) (sum time.Duration) {
	for _, i := range of {
		sum += max(0, min(i.to, to)-max(i.from, from))
	}
	return sum
}

func (r *ran) providerFigures(want *model.Summary) {
	serving, waiting := r.seats()
	w, c := &want.Provider, &r.config.Provider
	got := r.summary.Provider
	w.Utilisation, w.Goodput = model.Undefined(), model.Undefined()
	w.MeanInFlight, w.MeanQueue = mean(serving, r.config.WarmUp, r.end), mean(waiting, r.config.WarmUp, r.end)
	w.MaxInFlight, w.MaxQueue = most(serving), most(waiting)
	w.MaxInFlight = max(w.MaxInFlight, min(got.MaxInFlight, w.MaxInFlight+r.momentary(serving)))
	busy, useful := held(serving, 0, r.end), r.usefulSeats()
	w.Busy, w.UsefulBusy, w.WastedBusy = seconds(busy), seconds(useful), seconds(busy-useful)
	if mode := c.Idempotency.Mode; mode != model.IdempotencyOff && mode != "" {
		r.wrong(got.UsefulBusy < w.UsefulBusy || got.UsefulBusy > got.Busy*(1+1e-9), "useful seat time %v of %v; answers told once make %v", got.UsefulBusy, got.Busy, w.UsefulBusy)
		w.UsefulBusy, w.WastedBusy = got.UsefulBusy, got.WastedBusy
		r.wrong(math.Abs(float64(got.Busy-got.UsefulBusy-got.WastedBusy)) > 1e-9*float64(got.Busy), "seat time %v is %v useful and %v wasted", got.Busy, got.UsefulBusy, got.WastedBusy)
	}
	if r.end > 0 && c.Seats != policies.Unlimited {
		w.Utilisation = model.Number(float64(held(serving, 0, r.end)) / float64(r.end) / float64(c.Seats))
	}
	if r.end > r.config.WarmUp {
		w.Goodput = model.Number(float64(want.Operations.Succeeded) / (r.end - r.config.WarmUp).Seconds())
	}
	r.wrong(c.Seats != policies.Unlimited && got.MaxInFlight > int64(c.Seats), "%d are served at once on %d seats", got.MaxInFlight, c.Seats)
	r.wrong(c.Queue.Places != policies.Unlimited && got.MaxQueue > int64(c.Queue.Places), "%d wait at once on %d places", got.MaxQueue, c.Queue.Places)
}

// limitFigures are those of limits that can be counted.
func (r *ran) limitFigures() {
	if r.config.WarmUp > 0 {
		return // limits count from the beginning
	}
	by := map[string]int64{}
	for _, l := range r.summary.Provider.Limits {
		axis := l.Axis
		if l.Algorithm == model.SlopeAlgorithm {
			axis = "slope"
		}
		by[axis] += l.Rejected
		r.wrong(l.TooLarge > l.Rejected || l.PeakUsed < 0, "limit: %+v", l)
	}
	a := r.summary.Attempts.RejectedBy
	abandoned := r.summary.Attempts.TimedOut + r.summary.Attempts.Cancelled + r.summary.Attempts.InFlight
	for axis, n := range map[string]int64{"concurrency": a.Concurrency, "requests": a.Requests, "tokens": a.Tokens, "input_tokens": a.InputTokens, "output_tokens": a.OutputTokens, "slope": a.Slope} {
		r.wrong(by[axis] < n || by[axis] > n+abandoned, "%s: limits refused %d, clients were told so %d times", axis, by[axis], n)
	}
}

// through is how many intervals hold an instant and what is around it.
func through(of []interval, at time.Duration) (n int64) {
	for _, i := range of {
		if i.from < at && i.to > at {
			n++
		}
	}
	return n
}

// around is how many hold or touch it.
func around(of []interval, at time.Duration) (n int64) {
	for _, i := range of {
		if i.from <= at && i.to >= at {
			n++
		}
	}
	return n
}

// slots compares the rows of slots.csv, and the permits of gates.
func (r *ran) slots() {
	width := r.tally.SlotWidth()
	n := r.tally.Slots()
	rows := make([]model.SlotRow, n)
	for i := range r.trace.Lines {
		line := &r.trace.Lines[i]
		if at := int(line.Sent / width); at < n && line.Attempt == 0 {
			rows[at].First++
		} else if at < n {
			rows[at].Retries++
		} else {
			r.problem("%s sent at %d, after the last slot", who(line), line.Sent)
		}
		if m := r.made[line]; m != nil && line.Arrived/width < time.Duration(n) {
			at := &rows[line.Arrived/width]
			switch m.verdict {
			case model.Serve, model.Wait:
				at.Accepted++
			case model.Reject:
				at.Rejected++
			}
		}
	}
	for _, o := range r.ops {
		if o.Why == policies.Success {
			rows[o.Ended/width].Succeeded++
		}
	}
	serving, waiting := r.seats()
	var permits []interval
	held, _, _ := r.permits()
	for _, of := range held {
		permits = append(permits, of...)
	}
	for i := range rows {
		at := time.Duration(i+1) * width
		if at > r.end {
			at = r.end + 1
		}
		rows[i].InFlight, rows[i].Queued, rows[i].Held = before(serving, at), before(waiting, at), before(permits, at)
		got := r.tally.Slot(i)
		if r.made == nil {
			rows[i].Queued, rows[i].Accepted, rows[i].Rejected = got.Queued, got.Accepted, got.Rejected
		}
		if at > r.end && i == n-1 { // some of what happens at the very end does no more
			rows[i].InFlight = min(max(got.InFlight, through(serving, r.end)), around(serving, r.end))
			if r.made != nil {
				rows[i].Queued = min(max(got.Queued, through(waiting, r.end)), around(waiting, r.end))
			}
			rows[i].Held = min(max(got.Held, through(permits, r.end)), around(permits, r.end))
		}
		r.wrong(got != rows[i], "slot %d: %+v, want %+v", i, got, rows[i])
	}
	least := most(permits)
	r.wrong(r.summary.Gate.MaxInFlight < least, "%d permits were held at once, at least %d must have been", r.summary.Gate.MaxInFlight, least)
	if r.summary.Operations.InFlight == 0 && n > 0 && r.config.WarmUp == 0 {
		r.wrong(r.tally.Slot(n-1).Held != 0, "%d permits are held when all is over", r.tally.Slot(n-1).Held)
	}
}
