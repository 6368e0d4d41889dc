package model

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// The kinds of event, in order of rank: of what happens at one instant, whatever
// frees a place comes before whatever wants one.
const (
	providerWake sim.Kind = iota // something at the provider is due
	answerArrives
	gateWake
	waitOver
	operationStarts
	arrivalDue
	requestArrives
)

var kindNames = []string{"provider", "answer on its way", "gate", "backoff", "workload", "open arrivals", "request on its way"}

// World is a scenario in virtual time. It is made once and run as often as one
// likes; its memory is kept from run to run. Not safe for concurrent use.
type World struct {
	config   Config
	groups   []Cohort
	provider *Provider
	events   *sim.Queue
	gates    []policies.Gate
	newGate  []func() policies.Gate

	ops       []operation // by slot; a slot is used again when its operation is over
	free      []uint32    // slots not in use
	sources   []source    // of open arrivals, by group
	left      int         // operations not ended, and sources not dry
	worst     rank        // of the operations that ended
	armed     alarm       // the provider's wake
	gateArmed []alarm
	stirred   []int32 // gates to poll before the instant goes on
	granted   []policies.Ticket
	effects   []Effect
	request   Request // at the provider; kept here, so that it costs no allocation

	tally   *Tally
	trace   *Trace
	handled int64
}

// operation is the row of one operation and of its attempt in flight: two cache lines,
// of which most events touch the first alone.
type operation struct {
	state  policies.State
	group  int32
	client int32 // within its group; of an open group, the number of the arrival

	key       sim.Key
	answer    policies.Answer // on its way to the client
	firstSeen time.Duration
	tokens    int64 // of the answer on its way
	line      int32 // of the trace; -1 where untraced
	axis      Axis
	_         [8]byte
}

// source makes an open group's operations.
type source struct {
	arrivals arrivals
	key      sim.Key // of the group
	born     int32   // operations so far
}

// alarm is the one wake event a machine has pending.
type alarm struct {
	at  time.Duration
	seq uint64
}

// NewWorld makes the virtual world of a config that has passed its checks.
func NewWorld(c *Config) (*World, error) {
	crowd, err := c.Crowd()
	if err != nil {
		return nil, err
	}
	if crowd.Clients > sim.MaxSlots {
		return nil, fmt.Errorf("%d clients are more than the %d a run can hold", crowd.Clients, sim.MaxSlots)
	}
	w := &World{config: *c, provider: NewProvider(c.Provider), groups: crowd.Cohorts, newGate: crowd.Gates}
	w.events = sim.NewQueue(kindNames, w.alive)
	for g := range w.groups {
		if d, fixed := w.groups[g].Draws.oneWay.constant(); fixed {
			w.events.Lane(requestArrives, time.Duration(d))
			w.events.Lane(answerArrives, time.Duration(d))
		}
	}
	return w, nil
}

// Run plays the scenario once. The tally, made by NewTally of the same config, is
// closed when it returns; trace may be nil. It ends early with the context's cause,
// or with the engine's where the run could not go on.
func (w *World) Run(ctx context.Context, seed uint64, tally *Tally, trace *Trace) error {
	w.reset(tally, trace)
	w.start(seed)
	horizon := w.config.Stop.After
	for n := 0; w.left > 0 || w.config.Stop.When == Horizon; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			break
		}
		e, more := w.events.Next(horizon)
		if !more {
			break
		}
		if e.T > tally.watched {
			tally.Watch(e.T, w.provider)
		}
		w.happen(e)
	}
	end := w.events.Now()
	if w.config.Stop.When == Horizon || w.left > 0 && ctx.Err() == nil && w.events.Err() == nil {
		end = horizon
	}
	tally.WatchEnd(end, w.provider)
	tally.Close(end, w.provider.Busy(end), w.handled)
	if err := w.events.Err(); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	return context.Cause(ctx)
}

func (w *World) reset(tally *Tally, trace *Trace) {
	w.tally, w.trace, w.handled = tally, trace, 0
	w.events.Reset()
	w.provider.Reset()
	w.gates = w.gates[:0]
	for _, make := range w.newGate {
		w.gates = append(w.gates, make())
	}
	w.armed = alarm{at: policies.Never}
	w.gateArmed = w.gateArmed[:0]
	for range w.gates {
		w.gateArmed = append(w.gateArmed, w.armed)
	}
	w.stirred = w.stirred[:0]
	w.ops, w.free, w.sources = w.ops[:0], w.free[:0], w.sources[:0]
	w.left, w.worst = 0, rank{client: -1}
}

// start schedules the operation of every client of a closed group, and the first
// arrival of every open one.
func (w *World) start(seed uint64) {
	for g := range w.groups {
		co := &w.groups[g]
		key := sim.NewKey(seed, co.Name)
		w.sources = append(w.sources, source{key: key})
		if co.Arrive.Open() {
			w.sources[g].arrivals = co.Arrive.arrivals()
			w.left++
			w.nextArrival(g)
			continue
		}
		w.ops = slices.Grow(w.ops, co.Count)
		for c := range co.Count {
			slot := w.take(g, int32(c), key)
			w.events.At(co.Draws.Arrival(w.ops[slot].key), operationStarts, slot)
		}
	}
}

// take gives an operation a slot.
func (w *World) take(group int, client int32, key sim.Key) uint32 {
	w.left++
	op := operation{group: int32(group), client: client, line: -1, key: OperationKey(key.At(uint64(client)), 0)}
	if n := len(w.free); n > 0 {
		slot := w.free[n-1]
		w.free = w.free[:n-1]
		w.ops[slot] = op
		return slot
	}
	w.ops = append(w.ops, op)
	return uint32(len(w.ops) - 1)
}

// nextArrival schedules an open group's next arrival, or notes that there is none.
func (w *World) nextArrival(group int) {
	at, more := w.sources[group].arrivals.next()
	if !more {
		w.left--
		return
	}
	w.events.At(at, arrivalDue, uint32(group))
}

// arrive starts an open group's next operation.
func (w *World) arrive(now time.Duration, group int) {
	src := &w.sources[group]
	slot := w.take(group, src.born, src.key)
	src.born++
	w.nextArrival(group)
	w.begin(now, slot)
}

// begin starts the operation of a slot.
func (w *World) begin(now time.Duration, slot uint32) {
	w.handled++
	w.tally.Started(int(w.ops[slot].group))
	w.step(now, slot, policies.Input{Kind: policies.Start})
}

// alive tells whether a pending event still matters: a wake does if it is the last
// one its machine asked for.
func (w *World) alive(e sim.Event) bool {
	switch e.Kind() {
	case providerWake:
		return e.Seq() == w.armed.seq
	case gateWake:
		return e.Seq() == w.gateArmed[e.Slot()].seq
	}
	return true
}

func (w *World) happen(e sim.Event) {
	now, slot := e.T, e.Slot()
	switch e.Kind() {
	case providerWake:
		w.armed.at = policies.Never
		w.pollProvider(now)
	case gateWake:
		w.gateArmed[slot].at = policies.Never
		w.stirred = append(w.stirred, int32(slot))
	case operationStarts:
		w.begin(now, slot)
	case arrivalDue:
		w.arrive(now, int(slot))
	case waitOver:
		w.handled++
		w.step(now, slot, policies.Input{Kind: policies.WaitOver})
	case requestArrives:
		w.handled++
		w.offer(now, slot)
	case answerArrives:
		w.handled++
		w.answer(now, slot)
	}
	if len(w.stirred) > 0 {
		w.pollGates(now)
	}
}

// step tells an operation's loop what happened and does what it answers.
func (w *World) step(now time.Duration, slot uint32, in policies.Input) {
	op := &w.ops[slot]
	co := &w.groups[op.group]
	a := co.Loop.Step(now, &op.state, in)
	if a.Leave {
		w.tally.Permits(now, -1)
		gate := co.GateOf(int(op.client))
		w.gates[gate].Leave(now, policies.Ticket(slot), in.Answer.End)
		w.stirred = append(w.stirred, int32(gate))
	}
	switch a.Do {
	case policies.Send:
		attempt := op.state.Attempts - 1
		w.tally.Sent(now, int(op.group), attempt > 0)
		if w.trace != nil {
			w.traceSent(now, slot)
		}
		w.events.After(co.Draws.Up(op.key, attempt), requestArrives, slot)
	case policies.Enter:
		gate := co.GateOf(int(op.client))
		tokens := co.Estimate(op.key)
		if op.state.Attempts == 0 {
			w.tally.Entered(int(op.group), tokens)
		}
		if !w.gates[gate].Enter(now, policies.Ticket(slot), tokens, 0) {
			w.step(now, slot, policies.Input{Kind: policies.Refused})
			return
		}
		w.stirred = append(w.stirred, int32(gate))
	case policies.WaitUntil:
		w.events.At(a.At, waitOver, slot)
	case policies.End:
		w.left--
		w.tally.OperationEnded(now, int(op.group), &op.state, a.Why, op.firstSeen, op.tokens)
		w.worst = w.worst.orWorse(op)
		w.free = append(w.free, slot)
	}
	if op.line >= 0 && in.Kind == policies.Answered {
		line := &w.trace.Lines[op.line]
		line.Answered, line.Answer, line.Axis, line.Why = now, op.answer, op.axis, a.Why
		if a.Do == policies.WaitUntil {
			line.Wait = a.At - now
		}
	}
}

// offer puts an attempt before the provider.
func (w *World) offer(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	co := &w.groups[op.group]
	if op.line >= 0 {
		w.trace.Lines[op.line].Arrived = now
	}
	co.Draws.put(&w.request, op.key, op.state.Attempts-1)
	d := w.provider.Offer(now, policies.Ticket(slot), &w.request)
	w.tally.Decided(now, w.provider, &w.request, &d)
	switch d.Verdict {
	case Serve, Wait:
		w.pollProvider(now)
		return
	case Reject:
		op.answer = policies.Answer{End: policies.Rejected, Refusal: d.Kind, Status: d.Status, Hint: d.Hint}
	case Fail:
		op.answer = policies.Answer{End: policies.Errored, Status: d.Status, Hint: d.Hint}
	}
	op.axis = d.Axis
	w.events.After(co.Draws.Down(op.key, op.state.Attempts-1), answerArrives, slot)
}

// pollProvider sends what has come due on its way, and sees to it that the
// provider is asked again in time.
func (w *World) pollProvider(now time.Duration) {
	var wake time.Duration
	w.effects, wake = w.provider.Poll(now, w.effects[:0])
	for i := range w.effects {
		e := &w.effects[i]
		slot := uint32(e.Ticket)
		op := &w.ops[slot]
		down := func() time.Duration {
			return w.groups[op.group].Draws.Down(op.key, op.state.Attempts-1)
		}
		switch e.Kind {
		case FirstToken:
			op.firstSeen = e.At + down()
		case Finish:
			w.handled++
			w.tally.Generated(int(op.group), e.Tokens)
			op.answer = policies.Answer{End: policies.Succeeded, Status: 200}
			op.tokens = e.Tokens
			w.events.After(down(), answerArrives, slot)
		}
	}
	w.tally.Level(now, w.provider.Serving(), w.provider.Queued())
	w.arm(&w.armed, wake, providerWake, 0)
}

// answer hands an attempt's end to its client.
func (w *World) answer(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	w.tally.AttemptEnded(int(op.group), op.answer, op.axis)
	in := policies.Input{Kind: policies.Answered, Answer: op.answer}
	co := &w.groups[op.group]
	switch {
	case op.answer.End != policies.Succeeded:
		in.U = co.Draws.Backoff(op.key, op.state.Attempts-1)
	case !co.Request.Stream:
		op.firstSeen = now
	}
	w.step(now, slot, in)
}

// pollGates lets through whom the stirred gates grant a permit. A grant may stir a
// gate again; the instant goes on when all are still.
func (w *World) pollGates(now time.Duration) {
	for len(w.stirred) > 0 {
		gate := w.stirred[len(w.stirred)-1]
		w.stirred = w.stirred[:len(w.stirred)-1]
		var wake time.Duration
		w.granted, wake = w.gates[gate].Poll(now, w.granted[:0])
		w.arm(&w.gateArmed[gate], wake, gateWake, uint32(gate))
		for _, t := range w.granted {
			w.handled++
			w.tally.Permits(now, 1)
			w.step(now, uint32(t), policies.Input{Kind: policies.Granted})
		}
	}
}

// arm makes the machine's one wake event be at the given time.
func (w *World) arm(a *alarm, wake time.Duration, kind sim.Kind, slot uint32) {
	if wake == a.at {
		return
	}
	pending := a.at != policies.Never
	a.at, a.seq = wake, ^uint64(0)
	if wake != policies.Never {
		a.seq = w.events.At(wake, kind, slot)
	}
	if pending {
		w.events.Cancel()
	}
}

func (w *World) traceSent(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	if !w.trace.wants(op.group, op.client) {
		return
	}
	op.line = int32(len(w.trace.Lines))
	w.trace.Lines = append(w.trace.Lines, TraceLine{
		Group: w.groups[op.group].Name, Client: int(op.client), Attempt: int(op.state.Attempts) - 1,
		Sent: now, Arrived: policies.Never, Answered: policies.Never,
	})
}
