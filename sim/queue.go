package sim

import "time"

// Queue is a virtual clock and the events pending after it, in the total order
// (time, kind, sequence). It orders what is pending: an event pushed at now runs
// next if its kind is lowest, though events of higher kinds have run at now.
//
// The first mistake in scheduling is kept and stops the queue; see [Queue.Err].
// A queue is not safe for concurrent use.
type Queue struct {
	now     time.Duration
	seq     uint64
	lastSeq uint64 // 0 after an error, so that one test finds both
	n       int    // pending, dead ones included
	dead    int
	ran     int64 // events at now
	peak    int   // most pending after one of them was taken
	err     error
	alive   func(Event) bool
	names   []string

	pool    pool
	instant instant
	lanes   lanes
	wheel   wheel
}

// NewQueue returns an empty queue at time 0. names[kind] names the component
// whose events are of that kind, for errors. alive tells whether a pending event
// still matters, and must not use the queue; nil says that all do. It is called
// only while there are dead events.
func NewQueue(names []string, alive func(Event) bool) *Queue {
	q := &Queue{names: names, alive: alive}
	q.Reset()
	return q
}

// Reset empties the queue and sets the clock back to 0 and the sequence to its
// start; an error is forgotten. Memory and declared lanes are kept.
func (q *Queue) Reset() {
	q.now, q.seq, q.lastSeq, q.err = 0, 0, maxSeq, nil
	q.n, q.dead, q.ran, q.peak = 0, 0, 0, 0
	q.pool.reset()
	q.instant.reset()
	q.lanes.reset()
	q.wheel.reset()
}

// Lane declares that many events will have this very delay: After is then
// cheaper for it. It may be called at any time and again, changes no order, and
// is only a hint: a kind or delay out of range and a lane too many are ignored.
func (q *Queue) Lane(kind Kind, d time.Duration) {
	if kind < kinds && d > 0 {
		q.lanes.declare(d)
	}
}

// After schedules an event d from now; d is 0 or more. A time past the end of
// int64 becomes its maximum, which is never reached. It returns the event's
// sequence number, at least 1, or 0 and keeps an error.
func (q *Queue) After(d time.Duration, kind Kind, slot uint32) (seq uint64) {
	t := q.now + d
	if uint64(d|t)>>63|uint64(kind/kinds)|uint64(slot/MaxSlots) != 0 || q.seq >= q.lastSeq {
		if d >= 0 && t < 0 {
			return q.At(never, kind, slot)
		}
		return q.refuse(t, kind, slot)
	}
	q.seq++
	q.n++
	e := Event{t, uint64(kind)<<(seqBits+slotBits) | q.seq<<slotBits | uint64(slot)}
	if i := q.lanes.find(d); i >= 0 && q.lanes.push(i, e) {
		return q.seq
	}
	q.push(e)
	return q.seq
}

// At schedules an event at time t, now or later; otherwise it is [Queue.After].
func (q *Queue) At(t time.Duration, kind Kind, slot uint32) (seq uint64) {
	if t < q.now || kind >= kinds || slot >= MaxSlots || q.seq >= q.lastSeq {
		return q.refuse(t, kind, slot)
	}
	q.seq++
	q.n++
	q.push(Event{t, uint64(kind)<<(seqBits+slotBits) | q.seq<<slotBits | uint64(slot)})
	return q.seq
}

func (q *Queue) push(e Event) {
	if e.T == q.now {
		q.instant.push(&q.pool, e)
		return
	}
	if int64(e.T) <= q.wheel.clock {
		// Dead events have drawn the wheel's clock ahead of now.
		q.wheel.keep(&q.pool, q.now, nil)
	}
	q.wheel.push(&q.pool, e)
}

// Next takes the least event before limit and moves the clock to it. It reports
// false, and leaves the clock, if there is none or after an error.
func (q *Queue) Next(limit time.Duration) (e Event, ok bool) {
	for q.err == nil {
		lane := &q.lanes.head[q.lanes.best%maxLanes]
		switch {
		case q.instant.busy != 0:
			e = q.instant.first(&q.pool)
			if e.T >= limit {
				return Event{}, false
			}
			if lane.before(e) {
				e = *lane
				q.lanes.shift()
			} else {
				q.instant.shift(&q.pool)
			}
		case int64(lane.T) < q.wheel.min:
			if e = *lane; e.T >= limit {
				return Event{}, false
			}
			q.lanes.shift()
		default:
			if q.wheel.min >= int64(limit) {
				return Event{}, false
			}
			if e, ok = q.wheel.shift(&q.pool, &q.instant); !ok {
				continue
			}
			if lane.before(e) {
				q.instant.push(&q.pool, e)
				continue
			}
		}
		q.n--
		if q.dead > 0 && !q.alive(e) {
			q.dead--
			continue
		}
		if e.T != q.now {
			q.now, q.ran, q.peak = e.T, 1, q.n
			return e, true
		}
		if q.standsStill() {
			q.fail(&Runaway{q.component(e.Kind()), q.now, q.ran})
			break
		}
		return e, true
	}
	return Event{}, false
}

// standsStill counts one more event at now and tells whether that is too many.
func (q *Queue) standsStill() bool {
	q.ran++
	q.peak = max(q.peak, q.n)
	return q.ran > runawayBase && q.ran > runawayBase+runawayPerPending*int64(q.peak+1)
}

// Cancel says that one pending event has just become dead. When the dead
// outnumber the living, and are 64 or more, they are removed. A queue without an
// alive function ignores it.
func (q *Queue) Cancel() {
	if q.alive == nil {
		return
	}
	q.dead++
	if q.dead >= 64 && q.dead > q.n-q.dead {
		q.sweep()
	}
}

func (q *Queue) sweep() {
	q.n = q.lanes.keep(q.alive) + q.wheel.keep(&q.pool, q.now, q.alive)
	old := q.instant
	q.instant.reset()
	for old.busy != 0 {
		if e := old.shift(&q.pool); q.alive(e) {
			q.instant.push(&q.pool, e)
			q.n++
		}
	}
	q.dead = 0
}

// Now returns the time of the event that ran last, 0 at the start.
func (q *Queue) Now() time.Duration { return q.now }

// Len returns how many events are pending, dead ones included.
func (q *Queue) Len() int { return q.n }

// Dead returns how many of the pending events are known to be dead.
func (q *Queue) Dead() int { return q.dead }

// Err returns the first mistake, nil for none: an event scheduled before now, a
// kind or slot out of range, too many events for 34 bits of sequence, or a
// [*Runaway]. It names the component, and stays until Reset.
func (q *Queue) Err() error { return q.err }
