package model

import (
	"math"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// QueueConfig is where requests wait for a seat. Nobody who has one loses it to
// another.
type QueueConfig struct {
	Places     policies.Count `yaml:"places,short"`                   // default 0: a full house refuses at once
	Order      QueueOrder     `yaml:"order"`                          // default fifo
	WaitLimit  WaitLimit      `yaml:"wait_limit"`                     // who has waited so long is refused; one that gets a seat at that very instant is served; default unlimited
	RefuseLate bool           `yaml:"refuse_late"`                    // who could not be served within wait_limit is refused on arrival; default false
	Aging      time.Duration  `yaml:"aging" above:"0"`                // of priority: who has waited so long goes before everybody; default never
	Reserve    int64          `yaml:"reserve" min:"1" max:"16777216"` // of priority: seats kept for priority 0; default none
}

// SetDefaults fills what a scenario leaves out.
func (q *QueueConfig) SetDefaults() {
	q.Order, q.WaitLimit = FIFO, WaitLimit(policies.Never)
}

// Check finds settings that could have no effect.
func (q QueueConfig) Check() []policies.Problem {
	for _, g := range []struct {
		given bool
		key   string
	}{
		{q.Order != FIFO, "order"},
		{q.WaitLimit != WaitLimit(policies.Never), "wait_limit"},
		{q.RefuseLate, "refuse_late"},
		{q.Aging > 0, "aging"},
		{q.Reserve > 0, "reserve"},
	} {
		if g.given && q.Places == 0 {
			return []policies.Problem{{Key: g.key, Text: "has no effect without places to wait at; write places: 200"}}
		}
	}
	var found []policies.Problem
	if q.RefuseLate && q.WaitLimit == WaitLimit(policies.Never) {
		found = append(found, policies.Problem{Key: "refuse_late", Text: "has no effect without a wait_limit, since nobody is late; write wait_limit: 10s"})
	}
	for _, g := range []struct {
		given bool
		key   string
	}{{q.Aging > 0, "aging"}, {q.Reserve > 0, "reserve"}} {
		if g.given && q.Order != PriorityOrder {
			found = append(found, policies.Problem{Key: g.key, Text: "has no effect on order: " + string(q.Order) + "; write order: priority, or remove it"})
		}
	}
	return found
}

// QueueOrder says who of those that wait is served next.
type QueueOrder string

// The orders.
const (
	FIFO          QueueOrder = "fifo"     // first in, first out
	LIFO          QueueOrder = "lifo"     // last in, first out
	RandomOrder   QueueOrder = "random"   // the least of numbers that each brings along, drawn by the request's own name
	PriorityOrder QueueOrder = "priority" // the least priority number; among equals the first to come
)

// Words lists the orders a scenario may name.
func (QueueOrder) Words() []string { return words(FIFO, LIFO, RandomOrder, PriorityOrder) }

// queue holds who waits, in order of arrival, and where the order is another, by that
// as well.
//
// Under priority with aging, who has waited that long counts as priority 0, and so, being
// the first to have come of those, goes before everybody. A reserved seat is for those who
// came with priority 0 alone: the aged wait for the others, and so have priority 0
// wait for nobody.
type queue struct {
	line
	order   QueueOrder
	aging   time.Duration
	ranked  []ranked // a heap by rank
	place   []int32  // of each ticket in it
	arrived uint64
	sorted  []ranked // kept for its memory
}

// ranked is one who waits, by its rank and, among equals, its arrival.
type ranked struct {
	rank, arrived uint64
	id            policies.Ticket
}

func (r ranked) before(o ranked) bool {
	return r.rank < o.rank || r.rank == o.rank && r.arrived < o.arrived
}

func newQueue(c *QueueConfig) queue {
	q := queue{order: c.Order, aging: c.Aging}
	if q.aging == 0 {
		q.aging = policies.Never
	}
	return q
}

func (q *queue) reset() {
	q.line.reset()
	q.ranked, q.arrived = q.ranked[:0], 0
}

func (q *queue) isRanked() bool { return q.order == RandomOrder || q.order == PriorityOrder }

func (q *queue) rankOf(r *Request) uint64 {
	if q.order == PriorityOrder {
		return uint64(r.Priority)
	}
	return math.Float64bits(r.Lot) // numbers of at least 0 have the order of their bits
}

// enter takes one in.
func (q *queue) enter(now time.Duration, id policies.Ticket, r *Request) {
	q.push(now, id)
	if !q.isRanked() {
		return
	}
	for int(id) >= len(q.place) {
		q.place = append(q.place, 0)
	}
	q.ranked = append(q.ranked, ranked{})
	q.rise(len(q.ranked)-1, ranked{q.rankOf(r), q.arrived, id})
	q.arrived++
}

// leave takes one out, wherever it stands.
func (q *queue) leave(id policies.Ticket) {
	q.remove(id)
	if !q.isRanked() {
		return
	}
	at, last := int(q.place[id]), q.ranked[len(q.ranked)-1]
	q.ranked = q.ranked[:len(q.ranked)-1]
	if last.id != id {
		q.rise(q.sink(at, last), last)
	}
}

// next says who is to have a seat at an instant; false if nobody may. Where reserved
// alone are free, priority 0 may.
func (q *queue) next(now time.Duration, reserved bool) (id policies.Ticket, ok bool) {
	switch {
	case q.n == 0:
		return 0, false
	case reserved:
		return q.ranked[0].id, q.ranked[0].rank == 0
	case q.order == LIFO:
		return q.last(), true
	case !q.isRanked(), now-q.oldest() >= q.aging:
		return q.first(), true
	}
	return q.ranked[0].id, true
}

// ahead visits those who would be served before one who came now, in their order.
func (q *queue) ahead(r *Request, visit func(policies.Ticket)) {
	switch {
	case q.order == LIFO || q.n == 0:
	case !q.isRanked():
		for at := q.head; at != 0; at = q.links[at-1].after {
			visit(policies.Ticket(at - 1))
		}
	default:
		me := ranked{rank: q.rankOf(r), arrived: q.arrived}
		q.sorted = q.sorted[:0]
		for _, o := range q.ranked {
			if o.before(me) {
				q.sorted = append(q.sorted, o)
			}
		}
		slices.SortFunc(q.sorted, func(a, b ranked) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		for _, o := range q.sorted {
			visit(o.id)
		}
	}
}

// rise puts r into the hole at i, or above it.
func (q *queue) rise(i int, r ranked) {
	for i > 0 && r.before(q.ranked[(i-1)/2]) {
		q.put(i, q.ranked[(i-1)/2])
		i = (i - 1) / 2
	}
	q.put(i, r)
}

// sink moves the hole at i down to where r would not be out of order below.
func (q *queue) sink(i int, r ranked) int {
	for {
		child := 2*i + 1
		if child >= len(q.ranked) {
			return i
		}
		if child+1 < len(q.ranked) && q.ranked[child+1].before(q.ranked[child]) {
			child++
		}
		if !q.ranked[child].before(r) {
			return i
		}
		q.put(i, q.ranked[child])
		i = child
	}
}

func (q *queue) put(i int, r ranked) {
	q.ranked[i] = r
	q.place[r.id] = int32(i)
}
