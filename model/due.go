package model

import (
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// work is an instant of the clock of work, which runs as fast as answers are made:
// nanoseconds, and a part in units of 2^-64 of one. Where nothing slows the provider
// down it is the time itself, and the part is 0.
type work struct {
	at   time.Duration
	part uint64
}

func (w work) before(o work) bool { return w.at < o.at || w.at == o.at && w.part < o.part }

func (w work) plus(d time.Duration) work { return work{w.at + d, w.part} }

// due is when a token of an answer leaves.
type due struct {
	work
	id uint64 // born:40 | ticket:24, so ties keep the order of birth
}

func (d due) ticket() policies.Ticket { return policies.Ticket(d.id & (1<<24 - 1)) }
func (d due) born() uint64            { return d.id >> 24 }

func (d due) before(o due) bool {
	if d.at != o.at {
		return d.at < o.at
	}
	return d.part < o.part || d.part == o.part && d.id < o.id
}

// dues are what is due, the first first: a lane of those that came in order, as those of
// a constant service time all do, and a binary heap of the others.
type dues struct {
	at   time.Duration // of the first; policies.Never if there is none
	lane []due
	head int // of the lane
	heap dueHeap
}

func (q *dues) reset() {
	q.at, q.lane, q.head, q.heap = policies.Never, q.lane[:0], 0, q.heap[:0]
}

func (q *dues) len() int { return len(q.lane) - q.head + len(q.heap) }

// inLane says whether the lane has the first; ask only if there is one.
func (q *dues) inLane() bool {
	return q.head < len(q.lane) && (len(q.heap) == 0 || q.lane[q.head].before(q.heap[0]))
}

// first is the first; ask only if there is one.
func (q *dues) first() due {
	if q.inLane() {
		return q.lane[q.head]
	}
	return q.heap[0]
}

// when is when the first is due by the clock of work; policies.Never if none is.
func (q *dues) when() work {
	if q.at == policies.Never {
		return work{at: policies.Never}
	}
	return q.first().work
}

func (q *dues) push(at work, born uint64, id policies.Ticket) {
	d := due{at, born<<24 | uint64(id)}
	q.at = min(q.at, d.at)
	if n := len(q.lane); n > q.head && d.before(q.lane[n-1]) {
		q.heap.push(d)
		return
	}
	if len(q.lane) == cap(q.lane) && q.head > len(q.lane)/2 {
		q.lane = q.lane[:copy(q.lane, q.lane[q.head:])]
		q.head = 0
	}
	q.lane = append(q.lane, d)
}

func (q *dues) pop() (top due) {
	if q.inLane() {
		top = q.lane[q.head]
		if q.head++; q.head == len(q.lane) {
			q.lane, q.head = q.lane[:0], 0
		}
	} else {
		top = q.heap.pop()
	}
	q.look()
	return top
}

// look finds out when the first is due.
func (q *dues) look() {
	q.at = policies.Never
	if q.head < len(q.lane) {
		q.at = q.lane[q.head].at
	}
	if len(q.heap) > 0 {
		q.at = min(q.at, q.heap[0].at)
	}
}

// sweep takes out what is not alive.
func (q *dues) sweep(alive func(due) bool) {
	q.lane = slices.DeleteFunc(q.lane[:copy(q.lane, q.lane[q.head:])], func(d due) bool { return !alive(d) })
	q.head = 0
	q.heap = slices.DeleteFunc(q.heap, func(d due) bool { return !alive(d) })
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.heap.sink(i, q.heap[i])
	}
	q.look()
}

// each visits all, in no order.
func (q *dues) each(visit func(due)) {
	for _, d := range q.lane[q.head:] {
		visit(d)
	}
	for _, d := range q.heap {
		visit(d)
	}
}

// dueHeap is a binary heap.
type dueHeap []due

func (h *dueHeap) push(d due) {
	a := append(*h, d)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !d.before(a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = d
	*h = a
}

func (h *dueHeap) pop() due {
	a := *h
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) > 0 {
		a.sink(0, last)
	}
	return top
}

// sink puts d into the hole at i, or below it.
func (h dueHeap) sink(i int, d due) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(d) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = d
}
