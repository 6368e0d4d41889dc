package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// errLong ends runs that are too long to look at.
var errLong = errors.New("too many events")

// patience is a context that is over after so many looks at it; a run looks every 4,096
// events.
type patience struct {
	context.Context
	looks int
}

func (p *patience) Err() error {
	if p.looks--; p.looks < 0 {
		return errLong
	}
	return nil
}

// ran is a run with all that can be seen of it from outside.
type ran struct {
	config  *model.Config
	seed    uint64
	summary *model.Summary
	tally   *model.Tally
	trace   *model.Trace
	end     time.Duration

	groups   map[string]*model.Cohort
	order    []string // of groups
	policies map[string]policies.Policy
	ops      []*booked
	made     map[*model.TraceLine]*making // what the reference provider made of each attempt
	byLine   map[*model.TraceLine]*booked

	problems []string
}

// booked is an operation with its attempts.
type booked struct {
	*model.TraceOperation
	co    *model.Cohort
	stack []policies.Policy
	rule  policies.StreamRule
	limit policies.Timeouts
	gate  *policies.GateConfig // nil without
	key   model.Key
	lines []*model.TraceLine
	ready []time.Duration // of each try, when its wait was over
	cold  bool
	row   *model.TraceRow // that it is a replay of; nil without a trace
	loose bool            // its phases could not be told from its attempts
}

// tries are the operation's attempts, each with the hedges beside it.
func (o *booked) tries() (all [][]*model.TraceLine) {
	for _, line := range o.lines {
		if !line.Hedge || all == nil {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], line)
	}
	return all
}

// over is when a try was; policies.Never while it goes on.
func over(try []*model.TraceLine) (at time.Duration) {
	for _, line := range try {
		at = max(at, line.Answered)
	}
	return at
}

// play runs a config once, in the world given or a new one, if that takes no more than
// 100,000 events.
func play(c *model.Config, seed uint64, w *model.World) (*ran, error) {
	return playWith(&patience{context.Background(), 24}, c, seed, w)
}

func playWith(ctx context.Context, c *model.Config, seed uint64, w *model.World) (*ran, error) {
	var err error
	if w == nil {
		if w, err = model.NewWorld(c); err != nil {
			return nil, err
		}
	}
	r := &ran{config: c, seed: seed, tally: model.NewTally(c), trace: &model.Trace{Client: model.AllClients}}
	if err := w.Run(ctx, seed, r.tally, r.trace); err != nil {
		return nil, err
	}
	r.summary, r.end = model.Summarise(r.tally), r.tally.End()
	return r, nil
}

// request is what an attempt asks for. An operation out of a trace has the sizes of its
// row, but for those that the request says itself.
func (o *booked) request(attempt int32) model.Request {
	q := o.co.Draws.Request(o.key, attempt)
	if o.row == nil {
		return q
	}
	play, own := &o.co.Arrive.Playback, &o.co.Request
	if play.Input {
		q.Input = int64(o.row.Input)
		part := new(big.Int).Mul(big.NewInt(q.Input), big.NewInt(int64(own.Cached)))
		q.Cached = part.Div(part, big.NewInt(int64(model.Whole))).Int64()
	}
	if play.Output {
		q.Output = int64(o.row.Output)
	}
	return q
}

func (r *ran) problem(format string, args ...any) {
	if len(r.problems) < 20 {
		r.problems = append(r.problems, fmt.Sprintf(format, args...))
	}
}

func (r *ran) wrong(is bool, format string, args ...any) {
	if is {
		r.problem(format, args...)
	}
}

// audit checks a run's books and says what is wrong with them; "" if nothing is.
func (r *ran) audit() string {
	r.sums()
	if r.gather() {
		r.workload()
		r.provider()
		r.loops()
		r.gates()
		r.figures()
		r.slots()
	}
	return strings.Join(r.problems, "\n")
}

// sums are those that the contract promises, of the whole and of each group.
func (r *ran) sums() {
	s := r.summary
	one := func(of string, o model.Operations, a model.Attempts, tokens model.TokenSums) {
		f, by, as := o.Failures, a.RejectedBy, a.RejectedAs
		for _, line := range []struct {
			says       string
			whole, sum int64
		}{
			{"operations", o.Total, o.Succeeded + o.Failed + o.Cancelled + o.InFlight},
			{"failed operations", o.Failed, f.AttemptsExhausted + f.Deadline + f.TimedOut + f.Fatal + f.Incomplete + f.Impossible + f.Quota + f.Budget + f.Breaker + f.Throttled + f.Gate},
			{"attempts", a.Total, a.Succeeded + a.Rejected + a.Errored + a.TimedOut + a.Incomplete + a.Cancelled + a.InFlight},
			{"rejected by", a.Rejected, by.Seats + by.Queue + by.Concurrency + by.Requests + by.Tokens + by.InputTokens + by.OutputTokens + by.Slope},
			{"rejected as", a.Rejected, as.Temporary + as.Quota + as.Impossible},
			{"billed tokens", tokens.Billed, tokens.Useful + tokens.Wasted},
		} {
			r.wrong(line.whole != line.sum, "%s: %d %s, but the parts add up to %d", of, line.whole, line.says, line.sum)
		}
		r.wrong(tokens.Wasted < 0, "%s: %d tokens wasted", of, tokens.Wasted)
	}
	one("all", s.Operations, s.Attempts, s.Tokens)
	var total, succeeded, attempts, billed, useful int64
	for name, g := range s.Groups {
		one("group "+name, g.Operations, g.Attempts, g.Tokens)
		total, succeeded, attempts = total+g.Operations.Total, succeeded+g.Operations.Succeeded, attempts+g.Attempts.Total
		billed, useful = billed+g.Tokens.Billed, useful+g.Tokens.Useful
	}
	r.wrong(total != s.Operations.Total || succeeded != s.Operations.Succeeded || attempts != s.Attempts.Total || billed != s.Tokens.Billed || useful != s.Tokens.Useful,
		"groups add up to %d operations, %d succeeded, %d attempts, %d tokens billed and %d useful; the whole is %+v, %+v, %+v", total, succeeded, attempts, billed, useful, s.Operations, s.Attempts, s.Tokens)
}

// gather puts operations and their attempts together.
func (r *ran) gather() bool {
	crowd, err := r.config.Crowd()
	if err != nil {
		r.problem("%v", err)
		return false
	}
	r.groups, r.policies = map[string]*model.Cohort{}, policies.Default()
	for name, p := range r.config.Policies {
		r.policies[name] = p
	}
	for i := range crowd.Cohorts {
		co := &crowd.Cohorts[i]
		r.groups[co.Name] = co
		r.order = append(r.order, co.Name)
	}
	type id struct {
		group             string
		client, operation int
	}
	ops := map[id]*booked{}
	for i := range r.trace.Operations {
		o := &r.trace.Operations[i]
		at := id{o.Group, o.Client, o.Operation}
		r.wrong(ops[at] != nil, "operation %v is booked twice", at)
		b := &booked{TraceOperation: o, co: r.groups[o.Group], cold: o.Started < r.config.WarmUp}
		names := b.co.Layers
		if names == nil {
			names = []string{b.co.Policy}
		}
		for _, name := range names {
			b.stack = append(b.stack, r.policies[name])
		}
		b.rule, b.limit = rulesOf(b.co.Group, &b.stack[len(b.stack)-1])
		b.key = model.OperationKey(model.ClientKey(r.seed, o.Group, o.Client), o.Operation)
		if g := b.co.Gate; g != nil {
			b.gate = &g.GateConfig
			if named, is := r.config.Gates[g.Name]; is && g.Name != "" {
				b.gate = &named
			}
		}
		b.row = r.rowOf(b)
		ops[at] = b
		r.ops = append(r.ops, b)
	}
	for i := range r.trace.Lines {
		line := &r.trace.Lines[i]
		b := ops[id{line.Group, line.Client, line.Operation}]
		if b == nil {
			r.problem("%s sends attempts of an operation that is not there", who(line))
			continue
		}
		r.wrong(line.Attempt != len(b.lines), "%s comes after %d attempts", who(line), len(b.lines))
		b.lines = append(b.lines, line)
	}
	slices.SortFunc(r.ops, func(a, b *booked) int {
		if by := strings.Compare(a.Group, b.Group); by != 0 {
			return by
		}
		if a.Client != b.Client {
			return a.Client - b.Client
		}
		return a.Operation - b.Operation
	})
	return len(r.problems) == 0
}

func who(l *model.TraceLine) string {
	return fmt.Sprintf("%s.%d.%d attempt %d", l.Group, l.Client, l.Operation, l.Attempt)
}

// loops goes through each operation's life, as its policy and its time-outs want it, to
// the nanosecond.
func (r *ran) loops() {
	for _, o := range r.ops {
		r.loop(o)
	}
}

func (r *ran) loop(o *booked) {
	name := fmt.Sprintf("%s.%d.%d", o.Group, o.Client, o.Operation)
	cancelled := policies.Never
	if after := o.co.Draws.Cancel(o.key); after != policies.Never {
		cancelled = o.Started + after
	}
	r.wrong(o.Ended > cancelled && r.end > cancelled, "%s: ended %v at %d, though its user took it back at %d", name, o.Why, o.Ended, cancelled)
	r.wrong(o.Why == policies.UserCancelled && o.Ended != cancelled, "%s: taken back at %d, want %d", name, o.Ended, cancelled)
	for _, p := range o.stack {
		o.loose = o.loose || p.Deadline > 0 && o.gate != nil // a layer may fail at the gate, without an attempt
	}
	layers := make([]layer, len(o.stack))
	call(layers, 0, o.Started)
	deadline := policies.Never
	if o.limit.Operation > 0 {
		deadline = o.Started + o.limit.Operation
	}
	var atGate, sending, backingOff time.Duration
	now, holds, ended := o.Started, false, false
	enters := func(at time.Duration, what string) {
		switch {
		case o.loose:
		case o.gate == nil || holds:
			r.wrong(at != now, "%s: %s at %d, but its wait was over at %d", name, what, at, now)
		default:
			r.wrong(at < now, "%s: %s at %d, before its wait was over at %d", name, what, at, now)
			atGate += at - now
		}
	}
	by := 0
	for i, try := range o.tries() {
		o.ready = append(o.ready, now)
		enters(try[0].Sent, "attempt "+strconv.Itoa(i)+" sent")
		holds = o.gate != nil
		r.wrong(ended, "%s: attempt %d after its end", name, try[0].Attempt)
		r.wrong(!o.loose && try[0].Attempt > 0 && try[0].Layer != by, "%s: attempt %d is of layer %d, want %d", name, try[0].Attempt, try[0].Layer, by)
		r.hedges(name, o, try)
		for _, line := range try {
			r.timeUp(name, o, line, layers, deadline)
		}
		at := over(try)
		if at == policies.Never {
			r.wrong(try[len(try)-1] != o.lines[len(o.lines)-1] || o.Ended != policies.Never, "%s: attempt %d is in flight, but the operation goes on or is over: %v", name, try[0].Attempt, o.Why)
			return
		}
		sending += at - try[0].Sent
		line := decisive(try, at)
		if o.loose {
			ended = line.Why != policies.NotEnded
			continue
		}
		why, wait := policies.NotEnded, time.Duration(0)
		by, why, wait = r.decide(o, line, try, layers, deadline)
		r.wrong(why != line.Why || wait != line.Wait || line.Again != (why == policies.NotEnded),
			"%s: after attempt %d (%+v) the operation ends (%v) or waits %d; want %v or %d", name, line.Attempt, line.Answer, line.Why, line.Wait, why, wait)
		if why != policies.NotEnded {
			r.wrong(o.Ended != at || o.Why != why, "%s: ended %v at %d; its last attempt did (%v) at %d", name, o.Why, o.Ended, why, at)
			now, ended = at, true
			continue
		}
		now, backingOff = at+line.Wait, backingOff+line.Wait
		if o.gate != nil && o.gate.Permit != policies.PerOperation {
			holds = false
		}
	}
	if o.Ended == policies.Never {
		return
	}
	if o.loose {
		r.wrong(o.Sending != sending || o.Ended-o.Started != o.AtGate+o.Sending+o.BackingOff, "%s: of %d ns it says %d at gates, %d sending, %d backing off; its attempts took %d", name, o.Ended-o.Started, o.AtGate, o.Sending, o.BackingOff, sending)
		return
	}
	if !ended {
		switch {
		case o.Why == policies.UserCancelled && o.Ended <= now && len(o.lines) > 0:
			backingOff -= now - o.Ended
		case o.Why == policies.UserCancelled:
			enters(o.Ended, "taken back")
		case o.Why == policies.GateRefused:
			r.wrong(o.gate == nil || holds || o.Ended != now, "%s: refused by its gate at %d, where it came at %d", name, o.Ended, now)
		case o.Why == policies.OperationTimedOut:
			r.wrong(o.Ended != deadline, "%s: timed out at %d, its time is up at %d", name, o.Ended, deadline)
			enters(o.Ended, "timed out")
			r.wrong(o.gate == nil || holds, "%s: timed out at no gate", name)
		default:
			r.problem("%s: ended %v after no attempt", name, o.Why)
		}
	}
	r.wrong(o.AtGate != atGate || o.Sending != sending || o.BackingOff != backingOff || o.Ended-o.Started != atGate+sending+backingOff,
		"%s: of %d ns it says %d at gates, %d sending, %d backing off; its attempts say %d, %d and %d", name, o.Ended-o.Started, o.AtGate, o.Sending, o.BackingOff, atGate, sending, backingOff)
}

// decide says what follows an attempt, as policies are documented: which layer waits for
// how long, or why the operation is over. What is random about it was drawn for the
// attempt sent last, where a time-out decides.
func (r *ran) decide(o *booked, line *model.TraceLine, try []*model.TraceLine, layers []layer, deadline time.Duration) (by int, why policies.EndReason, wait time.Duration) {
	a := line.Answer
	from := len(layers) - 1
	drawn := line.Attempt
	if a.End == policies.TimedOut {
		drawn = try[len(try)-1].Attempt
	}
	again := mayAsk(o, &a)
	for _, other := range try { // whatever any of them had shown
		again = again && mayAsk(o, &other.Answer)
	}
	switch {
	case a.End == policies.Succeeded:
		return 0, policies.Success, 0
	case a.End == policies.Cancelled:
		return 0, policies.UserCancelled, 0
	case a.Timeout == policies.OperationTimeout:
		return 0, policies.OperationTimedOut, 0
	case a.Timeout == policies.DeadlineTimeout:
		from, _ = dueLayer(o, layers, from, line.Answered)
		if from--; !again {
			return 0, policies.Deadline, 0
		}
		why = policies.Deadline
	case !again:
		return 0, policies.Unfinished, 0
	}
	for i := from; i >= 0; i-- {
		p, l := &o.stack[i], &layers[i]
		verdict := judged(p, &a)
		if verdict == policies.GiveUp {
			switch why = policies.Fatal; a.Refusal {
			case policies.BeyondLimit:
				why = policies.Impossible
			case policies.QuotaExhausted:
				why = policies.Quota
			}
			continue
		}
		if policies.Count(l.tries) >= p.Attempts {
			if p.Attempts > 1 || why == policies.NotEnded {
				why = policies.AttemptsExhausted
			}
			continue
		}
		own := r.backoff(o, line, p, l, drawn)
		wait, failed := hinted(p, verdict, &a, own, o.co.Draws.Backoff(o.key, int32(drawn)))
		if failed != policies.NotEnded {
			why = failed
			continue
		}
		if wait > policies.Never-line.Answered {
			wait = policies.Never - line.Answered
		}
		until := line.Answered + wait
		if due, up := dueLayer(o, layers, i, until); up && (deadline > layers[due].began+o.stack[due].Deadline) {
			i, why = due, policies.Deadline
			continue
		}
		if deadline != policies.Never && until >= deadline {
			return 0, policies.OperationTimedOut, 0
		}
		l.prev = own
		l.tries++
		call(layers, i+1, until)
		return i, policies.NotEnded, wait
	}
	return 0, why, 0
}

// rowOf finds the row of a trace that an operation replays: row i is dealt out to client i
// mod over_clients, or to a client of its own.
func (r *ran) rowOf(o *booked) *model.TraceRow {
	a := &o.co.Arrive
	if a.Trace == "" {
		return nil
	}
	row := o.Client
	if n := a.OverClients; n > 0 {
		r.wrong(o.Client >= n, "%s.%d: a trace is dealt out to %d clients", o.Group, o.Client, n)
		row += n * o.Operation
	} else {
		r.wrong(o.Operation != 0, "%s.%d has an operation %d", o.Group, o.Client, o.Operation)
	}
	if row >= len(a.Playback.Rows) {
		r.problem("%s.%d.%d is not in the trace of %d rows", o.Group, o.Client, o.Operation, len(a.Playback.Rows))
		return nil
	}
	return &a.Playback.Rows[row]
}

// workload checks when each client asks.
func (r *ran) workload() {
	before := map[string]*booked{}
	clients, operations := map[string]int{}, map[string]int{}
	for _, o := range r.ops {
		operations[o.Group]++
		id := fmt.Sprint(o.Group, " ", o.Client)
		was := before[id]
		before[id] = o
		if was == nil {
			clients[o.Group]++
		}
		name := fmt.Sprintf("%s.%d.%d", o.Group, o.Client, o.Operation)
		switch repeat := o.co.Repeat; {
		case o.row != nil:
			speed := big.NewInt(int64(o.co.Arrive.Playback.Speed))
			at := new(big.Int).Mul(big.NewInt(int64(o.row.At)), big.NewInt(int64(model.Whole)))
			at.Div(at, speed).Add(at, big.NewInt(int64(o.co.Arrive.At)))
			r.wrong(at.Cmp(big.NewInt(int64(o.Started))) != 0, "%s starts at %d, want %v", name, o.Started, at)
		case o.co.Arrive.Open():
			until := policies.Never
			if f := o.co.Arrive.For; f > 0 {
				until = o.co.Arrive.At + f
			}
			r.wrong(o.Operation != 0 || o.Started < o.co.Arrive.At || o.Started >= until, "%s arrives at %d", name, o.Started)
		case was == nil:
			r.wrong(o.Operation != 0 || o.Started != o.co.Draws.Arrival(o.key), "%s starts at %d, want %d", name, o.Started, o.co.Draws.Arrival(o.key))
		default:
			from := was.Started
			if repeat.Loop == model.ClosedLoop {
				from = was.Ended
			}
			r.wrong(o.Operation != was.Operation+1 || policies.Count(o.Operation) >= repeat.Operations || from == policies.Never || o.Started != from+o.co.Draws.Gap(was.key),
				"%s starts at %d, its client's last was %+v", name, o.Started, *was.TraceOperation)
		}
	}
	if r.summary.Operations.InFlight > 0 || r.end >= r.config.Stop.After {
		return
	}
	for _, name := range r.order {
		if co := r.groups[name]; co.Arrive.Trace != "" {
			asked := operations[name]
			r.wrong(asked != len(co.Arrive.Playback.Rows), "%s: %d operations out of a trace of %d rows", name, asked, len(co.Arrive.Playback.Rows))
		} else if !co.Arrive.Open() {
			r.wrong(clients[name] != co.Count, "%s: %d clients asked, want %d", name, clients[name], co.Count)
		}
	}
}

// interval is half open.
type interval struct{ from, to time.Duration }

// change is a step of a level.
type change struct {
	at time.Duration
	by int
}

// levels are the steps of how many intervals hold an instant; those of no length hold none.
func levels(of []interval) []change {
	var all []change
	for _, i := range of {
		if i.from < i.to {
			all = append(all, change{i.from, 1}, change{i.to, -1})
		}
	}
	slices.SortFunc(all, func(a, b change) int {
		if a.at != b.at {
			return int(min(1, max(-1, a.at-b.at)))
		}
		return a.by - b.by
	})
	return all
}

// before is how many intervals had begun and not ended just before an instant.
func before(of []interval, at time.Duration) (n int64) {
	for _, i := range of {
		if i.from < at && i.to >= at && i.from < i.to {
			n++
		}
	}
	return n
}

// permits are the times for which the gates' permits were held, by gate.
func (r *ran) permits() (held map[string][]interval, waits map[string][]interval, of map[string]*policies.GateConfig) {
	held, waits, of = map[string][]interval{}, map[string][]interval{}, map[string]*policies.GateConfig{}
	for _, o := range r.ops {
		if o.gate == nil {
			continue
		}
		id := "group " + o.Group
		switch o.gate.Scope {
		case policies.ClientScope:
			id = fmt.Sprint("client ", o.Client, " of ", o.Group)
		case policies.WorkerScope:
			id = fmt.Sprint("worker ", o.Client%max(1, o.co.Workers), " of ", o.Group)
		case policies.FleetScope:
			if o.co.Gate.Name != "" {
				id = "gate " + o.co.Gate.Name
			}
		}
		of[id] = o.gate
		whole := o.gate.Permit == policies.PerOperation
		for i, try := range o.tries() {
			if i > 0 && whole {
				break
			}
			if !o.loose {
				waits[id] = append(waits[id], interval{o.ready[i], try[0].Sent})
			}
			to := over(try)
			if whole {
				to = o.Ended
			}
			held[id] = append(held[id], interval{try[0].Sent, to})
		}
	}
	return held, waits, of
}

// gates checks that no gate lets more in than it may, or fewer, or out of order.
func (r *ran) gates() {
	held, waits, of := r.permits()
	for id, g := range of {
		most := int(min(g.Concurrency, 1<<30))
		if most == 0 {
			most = 1 << 30
		}
		level := 0
		steps := levels(held[id])
		for i, step := range steps {
			if level += step.by; i+1 == len(steps) || steps[i+1].at > step.at {
				r.wrong(level > most, "%s: %d permits at %d, of %d", id, level, step.at, most)
			}
		}
		line := waits[id]
		slices.SortStableFunc(line, func(a, b interval) int { return int(min(1, max(-1, a.from-b.from))) })
		var last time.Duration
		for i, w := range line {
			if i > 0 && w.from > line[i-1].from {
				r.wrong(w.to < last, "%s: who came at %d got in at %d, before one who came earlier, at %d", id, w.from, w.to, last)
			}
			last = max(last, w.to)
			if g.Paced() || w.from == w.to {
				continue
			}
			level := 0
			for i, step := range steps {
				if step.at >= w.to {
					break
				}
				if level += step.by; step.at >= w.from && (i+1 == len(steps) || steps[i+1].at > step.at) {
					r.wrong(level < most, "%s: one waits from %d to %d, though %d of %d permits are held at %d", id, w.from, w.to, level, most, step.at)
				}
			}
		}
		r.rates(id, g, held[id])
	}
}

// rates checks that a paced gate lets no more through in any time than its burst and its
// rate, to within one.
func (r *ran) rates(id string, g *policies.GateConfig, held []interval) {
	if g.Requests == nil {
		return
	}
	slices.SortFunc(held, func(a, b interval) int { return int(min(1, max(-1, a.from-b.from))) })
	burst := max(1, policies.CeilMulDiv(uint64(g.Requests.N), uint64(g.Burst), 0, uint64(g.Requests.Per)))
	for i := range held {
		for j := i; j < len(held) && j < i+40; j++ {
			more, _, _ := policies.MulDiv(uint64(g.Requests.N), uint64(held[j].from-held[i].from), uint64(g.Requests.Per))
			r.wrong(int64(j-i+1) > burst+int64(more), "%s: %d let through from %d to %d, of a burst of %d and %d more", id, j-i+1, held[i].from, held[j].from, burst, more)
		}
	}
}
