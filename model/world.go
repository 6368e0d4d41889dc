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
// frees a place comes before whatever wants one, and an answer before a time-out.
const (
	providerWake sim.Kind = iota // something at the provider is due
	tokenArrives                 // at a client that must know
	stallArrives                 // the last sign of an answer that comes no further
	answerArrives
	leaveArrives // the provider learns that a client has gone
	gateWake
	timerDue
	userCancels
	waitOver
	operationStarts
	arrivalDue
	requestArrives
)

var kindNames = []string{"provider", "token on its way", "stall", "answer on its way", "client's leaving", "gate", "time-out", "user", "backoff", "workload", "open arrivals", "request on its way"}

// World is a scenario in virtual time. It is made once and run as often as one
// likes; its memory is kept from run to run. Not safe for concurrent use.
type World struct {
	config   Config
	groups   []Cohort
	provider *Provider
	events   *sim.Queue
	gates    []policies.Gate
	newGate  []func() policies.Gate

	ops          []operation // by slot; a slot is used again when its operation is over
	freeOps      []uint32
	attempts     []attempt // by slot
	freeAttempts []uint32
	callers      []uint32 // attempts by the tickets that they have at the provider
	freeTickets  []uint32
	clients      int                  // of closed groups
	sources      []source             // by group
	loops        []policies.LoopState // of operations whose clients have sides, each in rows as wide as the widest
	flights      []policies.Flight
	wide, broad  int              // how wide these rows are
	took         []*policies.Took // by group; nil where nothing is hedged
	side         policies.Side    // of the operation at hand
	answered     uint32           // slot of the attempt whose answer is at hand
	again        policies.Input   // that a wait is over
	action       policies.Action  // the last, where who is told of it may ask
	room         int              // rows of operations, and of attempts, that there may be
	crowded      *CrowdedError    // there was no more room
	left         int              // clients that still ask, and arrivals not dry
	worst        rank             // of the operations that ended
	firstSent    []time.Duration  // by slot of an operation of a gated group: when it sent its first attempt
	rows         []int32          // by slot of an attempt of a group that replays a trace: which row
	armed        alarm            // the provider's wake
	gateArmed    []alarm
	stirred      []int32 // gates to poll before the instant goes on
	granted      []policies.Ticket
	effects      []Effect
	request      Request // at the provider; kept here, so that it costs no allocation

	tally   *Tally
	trace   *Trace
	handled int64
}

// operation is the row of one operation.
type operation struct {
	state   policies.State
	group   uint16
	cold    bool  // it began in the warm-up
	client  int32 // within its group; of an open group, see Cohort.born
	key     sim.Key
	timer   uint64 // sequence number of its time-out, or of its user's cancelling; 0 for none
	attempt uint32 // slot of the newest in flight
	number  int32  // within its client
}

// source makes a group's operations.
type source struct {
	calls Calls   // of an open group
	key   sim.Key // of the group
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
	w := &World{config: *c, again: policies.Input{Kind: policies.WaitOver}, provider: NewProvider(c.Provider), groups: crowd.Cohorts, newGate: crowd.Gates, room: roomFor(crowd.Clients), clients: crowd.Clients}
	w.events = sim.NewQueue(kindNames, w.alive)
	for g := range w.groups {
		if d, fixed := w.groups[g].Draws.oneWay.constant(); fixed {
			w.events.Lane(requestArrives, time.Duration(d))
			w.events.Lane(answerArrives, time.Duration(d))
			w.events.Lane(leaveArrives, time.Duration(d))
		}
		loop := w.groups[g].Loop
		for _, d := range []time.Duration{loop.Timeouts().Attempt, loop.Timeouts().FirstEvent, loop.Timeouts().Idle} {
			w.events.Lane(timerDue, d)
		}
		if loop.HasSide() {
			w.wide, w.broad = max(w.wide, loop.Layers()), max(w.broad, loop.Hedges())
		}
		w.took = append(w.took, nil)
		if loop.Hedges() > 0 {
			w.took[g] = &policies.Took{}
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
		if n&0xfff == 0 && (ctx.Err() != nil || w.crowded != nil) {
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
	w.goingOn()
	tally.WatchEnd(end, w.provider)
	tally.Close(end, w.provider.Busy(end), w.handled)
	if w.crowded != nil {
		return fmt.Errorf("seed %d: %w", seed, w.crowded)
	}
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
	w.ops, w.freeOps, w.sources = w.ops[:0], w.freeOps[:0], w.sources[:0]
	w.attempts, w.freeAttempts = w.attempts[:0], w.freeAttempts[:0]
	w.callers, w.freeTickets = w.callers[:0], w.freeTickets[:0]
	w.left, w.worst, w.crowded = 0, rank{client: -1}, nil
	w.loops, w.flights, w.answered = w.loops[:0], w.flights[:0], none
	for _, t := range w.took {
		if t != nil {
			*t = policies.Took{}
		}
	}
}

// start schedules the first operation of every client of a closed group, and the
// first arrival of every open one.
func (w *World) start(seed uint64) {
	for g := range w.groups {
		co := &w.groups[g]
		key := GroupKey(seed, co.Name)
		w.sources = append(w.sources, source{key: key})
		if co.Arrive.Open() {
			w.sources[g].calls = co.Calls(key)
			w.left++
			w.nextArrival(g)
			continue
		}
		w.ops = slices.Grow(w.ops, co.Count)
		for c := range co.Count {
			slot := w.take(g, int32(c), 0)
			w.events.At(co.Draws.Arrival(w.ops[slot].key), operationStarts, slot)
		}
	}
}

// take gives an operation a slot.
func (w *World) take(group int, client, number int32) uint32 {
	w.left++
	op := operation{group: uint16(group), client: client, number: number, attempt: none}
	op.key = OperationKey(w.sources[group].key.At(uint64(client)), int(number))
	if n := len(w.freeOps); n > 0 {
		slot := w.freeOps[n-1]
		w.freeOps = w.freeOps[:n-1]
		w.ops[slot] = op
		return slot
	}
	w.ops = append(w.ops, op)
	if len(w.ops) > w.room {
		w.isFull(false)
	}
	return uint32(len(w.ops) - 1)
}

// grown makes room for one more row. Rows grow by a quarter, and by no more than to one
// for each client while there are fewer, so that a million have no room to spare.
func grown[T any](rows []T, clients int) []T {
	n := len(rows)
	if n < cap(rows) || n < 1024 {
		return rows
	}
	room := n + n/4
	if n < clients && room > clients {
		room = clients
	}
	more := make([]T, n, room)
	copy(more, rows)
	return more
}

// nextArrival schedules an open group's next arrival, or notes that there is none.
func (w *World) nextArrival(group int) {
	at, more := w.sources[group].calls.Next()
	if !more {
		w.left--
		return
	}
	w.events.At(at, arrivalDue, uint32(group))
}

// arrive starts an open group's next operation.
func (w *World) arrive(now time.Duration, group int) {
	client, number := w.sources[group].calls.Name()
	slot := w.take(group, client, number)
	w.nextArrival(group)
	w.begin(now, slot)
}

// begin starts the operation of a slot, and where its client asks whether or not it has
// its answer, schedules the one after it.
func (w *World) begin(now time.Duration, slot uint32) {
	w.handled++
	op := &w.ops[slot]
	op.cold = w.config.WarmsUp(now)
	if gap, follows := w.groups[op.group].After(OpenLoop, op.key, op.number); follows {
		w.events.At(now+gap, operationStarts, w.take(int(op.group), op.client, op.number+1))
		op = &w.ops[slot]
	}
	w.tally.Started(w.books(op))
	w.step(now, slot, &policies.Input{Kind: policies.Start})
}

// over ends a slot's operation; a client of a closed loop goes on to its next.
func (w *World) over(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	w.worst = w.worst.orWorse(op)
	co := &w.groups[op.group]
	if gap, follows := co.After(ClosedLoop, op.key, op.number); follows {
		next := op.number + 1
		*op = operation{group: op.group, client: op.client, number: next, attempt: none}
		op.key = OperationKey(w.sources[op.group].key.At(uint64(op.client)), int(next))
		w.events.At(now+gap, operationStarts, slot)
		return
	}
	w.left--
	w.freeOps = append(w.freeOps, slot)
}

// books is the tally's number for an operation: its group, or the warm-up.
func (w *World) books(op *operation) int {
	if op.cold {
		return len(w.groups)
	}
	return int(op.group)
}

// alive tells whether a pending event still matters: a wake or a time-out does if it is
// the last one its machine or operation asked for.
func (w *World) alive(e sim.Event) bool {
	switch e.Kind() {
	case providerWake:
		return e.Seq() == w.armed.seq
	case gateWake:
		return e.Seq() == w.gateArmed[e.Slot()].seq
	case timerDue, userCancels:
		return e.Seq() == w.ops[e.Slot()].timer
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
		w.waited(now, slot)
	case timerDue:
		w.handled++
		w.timeUp(now, slot, policies.TimerDue)
	case userCancels:
		w.handled++
		w.timeUp(now, slot, policies.UserCancel)
	case tokenArrives:
		w.handled++
		w.token(now, slot)
	case stallArrives:
		w.handled++
		w.stall(now, slot)
	case requestArrives:
		w.handled++
		w.offer(now, slot)
	case answerArrives:
		w.handled++
		w.answer(now, slot)
	case leaveArrives:
		w.handled++
		w.leave(now, slot)
	}
	if len(w.stirred) > 0 {
		w.pollGates(now)
	}
}

// step tells an operation's loop what happened and does what it answers.
func (w *World) step(now time.Duration, slot uint32, in *policies.Input) {
	op := &w.ops[slot]
	co := &w.groups[op.group]
	var side *policies.Side
	if co.sided {
		side = w.sideOf(slot, co)
	}
	a := co.Loop.Step(now, &op.state, side, in)
	if w.trace != nil || in.Answer.Tokens > 0 {
		w.action = a
	}
	if a.Leave || a.Withdraw {
		if a.Leave {
			w.tally.Permits(now, -1)
		}
		gate := co.GateOf(int(op.client))
		w.gates[gate].Leave(now, policies.Ticket(slot), a.Left(in))
		w.stirred = append(w.stirred, int32(gate))
	}
	if a.Abandon != policies.InFlight {
		w.abandon(now, op, a)
	}
	switch a.Do {
	case policies.Send:
		w.send(now, slot, a.Hedge)
		w.arm(now, co, &w.ops[slot], slot, a.At)
	case policies.Stay:
		w.arm(now, co, op, slot, a.At)
	case policies.Enter:
		gate := co.GateOf(int(op.client))
		tokens := co.Estimate(op.key, co.Row(op.client, op.number))
		if op.state.Attempts == 0 {
			w.tally.Entered(w.books(op), tokens)
		}
		if !w.gates[gate].Enter(now, policies.Ticket(slot), tokens, co.Priority) {
			w.step(now, slot, &policies.Input{Kind: policies.Refused})
			return
		}
		w.stirred = append(w.stirred, int32(gate))
		w.arm(now, co, op, slot, a.At)
	case policies.WaitUntil:
		if a.Alike != policies.NotAlike {
			w.tally.WaitsAlike(w.books(op), int(op.state.Layer), a.At-now, a.Alike)
		}
		w.disarm(op)
		if co.cancels && w.cancelAt(op) < a.At {
			op.timer = w.events.At(max(now, w.cancelAt(op)), userCancels, slot)
		} else {
			w.events.At(a.At, waitOver, slot)
		}
	case policies.End:
		w.disarm(op)
		w.ended(now, slot, a.Why, in)
	}
}

// sideOf is the side of an operation whose client needs one.
func (w *World) sideOf(slot uint32, co *Cohort) *policies.Side {
	for len(w.loops) < len(w.ops)*w.wide {
		w.loops = append(w.loops, policies.LoopState{})
	}
	for len(w.flights) < len(w.ops)*w.broad {
		w.flights = append(w.flights, policies.Flight{})
	}
	w.side = policies.Side{
		Loops:   w.loops[int(slot)*w.wide:][:co.Loop.Layers()],
		Flights: w.flights[int(slot)*w.broad:][:co.Loop.Hedges()],
		Took:    w.took[w.ops[slot].group],
	}
	return &w.side
}

// waited goes on after a backoff.
func (w *World) waited(now time.Duration, slot uint32) {
	op := &w.ops[slot]
	if w.groups[op.group].sided {
		w.tally.BackedOff(w.books(op), int(op.state.Layer), now-op.state.Since())
	}
	w.step(now, slot, &w.again)
}

// timeUp tells an operation's loop that its timer is due, or its user's patience over.
func (w *World) timeUp(now time.Duration, slot uint32, kind policies.InputKind) {
	op := &w.ops[slot]
	op.timer = 0
	in := policies.Input{Kind: kind, U: w.groups[op.group].Draws.Backoff(op.key, op.state.Attempt())}
	if op.state.Phase == policies.Sending {
		in.Answer.Tokens = w.delivered(now, op.attempt)
	}
	w.step(now, slot, &in)
}

// cancelAt is when an operation's user takes it back; policies.Never if he does not.
func (w *World) cancelAt(op *operation) time.Duration {
	return policies.Later(op.state.Started, w.groups[op.group].Draws.Cancel(op.key))
}

// arm sets an operation's one time-out, instead of the one it had.
func (w *World) arm(now time.Duration, co *Cohort, op *operation, slot uint32, at time.Duration) {
	if at != policies.Never || op.timer != 0 || co.cancels {
		w.rearm(now, co, op, slot, at)
	}
}

func (w *World) rearm(now time.Duration, co *Cohort, op *operation, slot uint32, at time.Duration) {
	w.disarm(op)
	if co.cancels && w.cancelAt(op) < at {
		op.timer = w.events.At(max(now, w.cancelAt(op)), userCancels, slot)
	} else if at != policies.Never {
		op.timer = w.events.After(at-now, timerDue, slot)
	}
}

func (w *World) disarm(op *operation) {
	if op.timer != 0 {
		op.timer = 0
		w.events.Cancel()
	}
}

// pollGates lets through whom the stirred gates grant a permit. A grant may stir a
// gate again; the instant goes on when all are still.
func (w *World) pollGates(now time.Duration) {
	for len(w.stirred) > 0 {
		gate := w.stirred[len(w.stirred)-1]
		w.stirred = w.stirred[:len(w.stirred)-1]
		var wake time.Duration
		w.granted, wake = w.gates[gate].Poll(now, w.granted[:0])
		w.wake(&w.gateArmed[gate], wake, gateWake, uint32(gate))
		for _, t := range w.granted {
			w.handled++
			w.tally.Permits(now, 1)
			w.step(now, uint32(t), &policies.Input{Kind: policies.Granted})
		}
	}
}

// wake makes a machine's one wake event be at the given time.
func (w *World) wake(a *alarm, at time.Duration, kind sim.Kind, slot uint32) {
	if at == a.at {
		return
	}
	pending := a.at != policies.Never
	a.at, a.seq = at, 0
	if at != policies.Never {
		a.seq = w.events.At(at, kind, slot)
	}
	if pending {
		w.events.Cancel()
	}
}
