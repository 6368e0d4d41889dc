package model

import (
	"math"
	"math/bits"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// Tally counts what happens in a run. Virtual time and real sockets feed the same
// one. Not safe for concurrent use. Times must not decrease from call to call.
type Tally struct {
	groups []groupTally
	warmUp groupTally // operations that began too early to count
	slot   time.Duration
	price  *PriceConfig // nil without
	seats  policies.Count
	stop   StopWhen
	until  time.Duration // slots are counted up to here, the horizon
	goesOn bool          // beyond it: nobody waits for its end
	apart  bool          // the provider's side is not known
	cut    bool          // somebody ended it before its end
	room   int64         // permits of the gates together; 0 if not known

	first, retries, sent, accepted, rejected *sim.Series // sent = first + retries
	succeeded                                *sim.Series // operations
	inFlight, queued, held                   *sim.Gauge  // held: permits of gates

	served, lined area // of requests in seats and in the queue
	queueWait     sim.Sample
	stood         int64 // requests that waited in the queue

	recovery recovery
	periods  []Weather
	idle     []string // warnings of settings without effect

	limits  []limitTally
	pools   []string      // that groups are in
	watched time.Duration // the next instant to note their use at: the last of a slot; Never without any
	lastEnd time.Duration // of an operation that counts
	end     time.Duration // of the run
	busy    time.Duration // seat time
	answers int64         // whole ones
	events  int64
}

// groupTally is one group's share.
type groupTally struct {
	name  string
	gated bool
	gate  gateTally

	started  int64
	reasons  [policies.EndReasons]int64 // operations by how they ended
	sent     int64
	ends     [policies.AttemptEnds]int64
	statuses []statusCount
	refused  [Axes]int64
	hints    [policies.HintKinds]int64
	kinds    [policies.RefusalKinds]int64

	callers  int64        // clients of a closed group; 0: each operation is another's
	cohesion []alikeWaits // by layer

	latency, failLatency, firstToken, gateWait sim.Sample
	fromSend                                   sim.Sample // of a gated group; see sinceSend
	retries                                    []int64
	truncated                                  int64                        // successes that were not whole
	timeouts                                   [policies.TimeoutKinds]int64 // attempts that timed out, by which
	hedges                                     int64                        // attempts
	layers                                     []layerTally                 // of a client with several
	delivered, duplicated                      int64                        // tokens
	billed, useful, kept                       Making                       // kept: parts of answers
	answers                                    int64                        // whole ones, with those that nobody received
}

// layerTally is a layer's share of what a group did.
type layerTally struct {
	policy  string
	retries int64         // attempts that are its retries
	waited  time.Duration // before them
}

type statusCount struct {
	status int16
	n      int64
}

// NewTally returns an empty tally for the config's groups, in order of name.
func NewTally(c *Config) *Tally {
	t := &Tally{
		slot: c.Slot, stop: c.Stop.When, until: c.Stop.After, seats: c.Provider.Seats, price: c.Provider.Price,
		first: sim.NewSeries(c.Slot), retries: sim.NewSeries(c.Slot), sent: sim.NewSeries(c.Slot),
		accepted: sim.NewSeries(c.Slot), rejected: sim.NewSeries(c.Slot), succeeded: sim.NewSeries(c.Slot),
		inFlight: sim.NewGauge(c.Slot), queued: sim.NewGauge(c.Slot), held: sim.NewGauge(c.Slot),
	}
	t.recovery, t.periods = newRecovery(c), c.Provider.Periods()
	t.room, _ = c.permits()
	t.idle = c.Warnings()
	t.limits, t.watched = newLimitTallies(c), policies.Never
	if len(t.limits) > 0 {
		t.watched = c.Slot - 1
	}
	t.served.from, t.lined.from = c.WarmUp, c.WarmUp
	for _, g := range byName(c.Clients) {
		t.pools = append(t.pools, g.Pool)
		group := groupTally{name: g.Name, gated: g.Gate != nil, gate: c.newGateTally(&g)}
		if group.callers = int64(g.Count); g.Arrive.Open() {
			group.callers = 0
		}
		for _, name := range g.Stack() {
			p, _ := c.policy(name)
			group.cohesion = append(group.cohesion, alikeWaits{policy: name, write: p.Backoff.SpreadAdvice()})
		}
		if stack := g.Stack(); len(stack) > 1 {
			for _, name := range stack {
				group.layers = append(group.layers, layerTally{policy: name})
			}
		}
		t.groups = append(t.groups, group)
	}
	return t
}

// group finds a group by its number in order of name; the number after the last is the
// warm-up, which is in no figure.
func (t *Tally) group(g int) *groupTally {
	if g == len(t.groups) {
		return &t.warmUp
	}
	return &t.groups[g]
}

// Started counts an operation of group g.
func (t *Tally) Started(g int) { t.group(g).started++ }

// Sent counts an attempt that leaves its client.
func (t *Tally) Sent(now time.Duration, g int, retry bool) {
	t.group(g).sent++
	t.count(t.sent, now)
	if retry {
		t.count(t.retries, now)
	} else {
		t.recovery.load = now
		t.count(t.first, now)
	}
}

// count counts one in the slot of now.
func (t *Tally) count(s *sim.Series, now time.Duration) {
	if !t.goesOn || now <= t.until {
		s.Add(now, 1)
	}
}

// slotted is now, or the last instant that has a slot.
func (t *Tally) slotted(now time.Duration) time.Duration {
	if t.goesOn {
		return min(now, t.until)
	}
	return now
}

// ByLayer counts a retry, sent, by the layer that makes it, or as a hedge.
func (t *Tally) ByLayer(g, layer int, hedge bool) {
	group := t.group(g)
	switch {
	case hedge:
		group.hedges++
	case layer < len(group.layers):
		group.layers[layer].retries++
	}
}

// BackedOff counts a wait that a layer made, and that is over.
func (t *Tally) BackedOff(g, layer int, wait time.Duration) {
	if group := t.group(g); layer < len(group.layers) {
		group.layers[layer].waited += wait
	}
}

// Delivered counts tokens of an attempt that were shown to whoever asked; again says that
// the answer is asked for again, so that its beginning will be shown twice.
func (t *Tally) Delivered(g int, tokens int64, again bool) {
	group := t.group(g)
	group.delivered += tokens
	if again {
		group.duplicated += tokens
	}
}

// Kept counts part of an answer that is kept though it is not whole.
func (t *Tally) Kept(g int, m Making) { t.group(g).kept.add(m) }

// Admitted counts an attempt that the provider serves or queues.
func (t *Tally) Admitted(now time.Duration) { t.count(t.accepted, now) }

// Refused counts an attempt that the provider rejects.
func (t *Tally) Refused(now time.Duration) { t.count(t.rejected, now) }

// Level notes how many requests are served and queued from now on.
func (t *Tally) Level(now time.Duration, inFlight, queued int64) {
	t.served.note(now, t.inFlight.Level())
	t.lined.note(now, t.queued.Level())
	t.inFlight.Set(t.slotted(now), inFlight)
	t.queued.Set(t.slotted(now), queued)
}

// Waited counts a request that got its seat after so long in the provider's queue, 0
// for those that never stood there.
func (t *Tally) Waited(g int, wait time.Duration) {
	if g == len(t.groups) {
		return
	}
	t.queueWait.Add(int64(wait))
	if wait > 0 {
		t.stood++
	}
}

// Generated counts what the provider made of an answer, whole or not, whether or not
// anybody still listens.
func (t *Tally) Generated(g int, m Making, whole bool) {
	if whole {
		t.answers++
		t.group(g).answers++
	}
	t.group(g).billed.add(m)
}

// Permits notes that so many more (or, below 0, fewer) permits of gates are held from
// now on.
func (t *Tally) Permits(now time.Duration, change int64) {
	t.held.Set(now, t.held.Level()+change)
}

// AttemptEnded counts how an attempt ended; axis matters for rejected ones.
func (t *Tally) AttemptEnded(g int, a *policies.Answer, axis Axis) {
	group := t.group(g)
	group.ends[a.End]++
	group.hints[a.Hint.Kind]++
	if a.End == policies.TimedOut {
		group.timeouts[a.Timeout]++
	}
	if a.End == policies.Rejected {
		group.refused[axis]++
		group.kinds[a.Refusal]++
	}
	if a.Status != 0 {
		group.countStatus(a.Status, 1)
	}
}

func (g *groupTally) countStatus(status int16, n int64) {
	for i := range g.statuses {
		if g.statuses[i].status == status {
			g.statuses[i].n += n
			return
		}
	}
	g.statuses = append(g.statuses, statusCount{status, n})
}

func (g *groupTally) countRetries(retries int, n int64) {
	for len(g.retries) <= retries {
		g.retries = append(g.retries, 0)
	}
	g.retries[retries] += n
}

// OperationEnded counts how an operation ended. firstSeen is when the caller of a
// success first saw output, m what was made for it, and truncated that it was not whole.
func (t *Tally) OperationEnded(now time.Duration, g int, s *policies.State, why policies.EndReason, firstSeen time.Duration, m Making, truncated bool) {
	group := t.group(g)
	group.reasons[why]++
	took := int64(now - s.Started)
	switch {
	case why == policies.Success:
		group.latency.Add(took)
		group.firstToken.Add(int64(firstSeen - s.Started))
		group.useful.add(m)
		if truncated {
			group.truncated++
		}
		t.count(t.succeeded, now)
		t.recovery.succeeded(now)
	case why.Failed():
		group.failLatency.Add(took)
	}
	if group.gated {
		group.gateWait.Add(int64(s.Spent(policies.AtGate)))
	}
	group.countRetries(max(0, int(s.Attempts)-1), 1)
	if g < len(t.groups) {
		t.lastEnd = max(t.lastEnd, now)
	}
}

// FromSend counts a success of a gated group by how long it took from when its first
// attempt was sent.
func (t *Tally) FromSend(g int, took time.Duration) { t.group(g).fromSend.Add(int64(took)) }

// sinceSend are the latencies from the first send. Without a gate an operation sends as it
// starts, so they are the latencies.
func (g *groupTally) sinceSend() *sim.Sample {
	if g.gated {
		return &g.fromSend
	}
	return &g.latency
}

// Close ends the tally: the run is over at now, seats were busy for that long
// together, and the engine handled so many events.
func (t *Tally) Close(now, busy time.Duration, events int64) {
	t.end, t.busy, t.events = now, busy, events
	t.served.note(now, t.inFlight.Level())
	t.lined.note(now, t.queued.Level())
	t.inFlight.Close(now)
	t.queued.Close(now)
	t.held.Close(now)
	for i := range t.limits {
		t.limits[i].used.Close(now)
	}
	for g := range len(t.groups) + 1 {
		t.group(g).settleKept(t.apart)
	}
}

// settleKept makes kept parts useful, as far as they have been billed: an answer that is
// still being made when the run ends has not.
func (g *groupTally) settleKept(apart bool) {
	if apart { // nobody knows what was billed
		g.useful.add(g.kept)
		return
	}
	g.useful.add(Making{
		Input:  max(0, min(g.kept.Input, g.billed.Input-g.useful.Input)),
		Cached: max(0, min(g.kept.Cached, g.billed.Cached-g.useful.Cached)),
		Output: max(0, min(g.kept.Output, g.billed.Output-g.useful.Output)),
	})
}

// SlotRow is one slot of the run: attempts by the slot they were sent in, verdicts by
// the provider's instant, levels at the slot's end.
type SlotRow struct {
	First, Retries, Accepted, Rejected int64
	InFlight, Queued                   int64
	Held                               int64 // permits of the clients' gates
	Succeeded                          int64 // operations that ended so
}

// SlotWidth returns the width of a slot.
func (t *Tally) SlotWidth() time.Duration { return t.slot }

// Slots returns how many slots there are from 0 to the end of the run; none where
// nothing was sent by time 0 and the run ended there.
func (t *Tally) Slots() int {
	if t.end == 0 && t.sent.Len() == 0 {
		return 0
	}
	return int(t.end/t.slot) + 1
}

// Slot returns the row of slot i.
func (t *Tally) Slot(i int) SlotRow {
	return SlotRow{
		First: int64(t.first.At(i)), Retries: int64(t.retries.At(i)),
		Accepted: int64(t.accepted.At(i)), Rejected: int64(t.rejected.At(i)),
		InFlight: levelAt(t.inFlight, i), Queued: levelAt(t.queued, i), Held: levelAt(t.held, i),
		Succeeded: int64(t.succeeded.At(i)),
	}
}

// levelAt is a closed gauge's level at the end of a slot; that of one that begins as the
// run ends is the last.
func levelAt(g *sim.Gauge, slot int) int64 {
	if slot == g.Len() {
		return g.Level()
	}
	return g.At(slot)
}

// End returns when the run was over.
func (t *Tally) End() time.Duration { return t.end }

func (m *Making) add(o Making) {
	m.Input += o.Input
	m.Cached += o.Cached
	m.Output += o.Output
	m.Busy += o.Busy
}

// area is a level added up over time, from the end of the warm-up.
type area struct {
	from, at time.Duration
	sum      wide
}

// note says that the level was so much up to now.
func (a *area) note(now time.Duration, level int64) {
	if since := max(a.at, a.from); now > since {
		a.sum.addProduct(uint64(level), uint64(now-since))
	}
	a.at = max(a.at, now)
}

// mean is the level's mean over time; undefined before any has passed.
func (a *area) mean() Number {
	if a.at <= a.from {
		return Undefined()
	}
	return Number(a.sum.float() / float64(a.at-a.from))
}

// wide is an unsigned whole number of 128 bits.
type wide struct{ hi, lo uint64 }

func (w *wide) addProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi += hi + carry
}

func (w *wide) float() float64 { return math.Ldexp(float64(w.hi), 64) + float64(w.lo) }
