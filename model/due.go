package model

import (
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

// dueHeap is a binary heap of what is due.
type dueHeap []due

// next returns when the first is due; policies.Never if nothing is.
func (h dueHeap) next() time.Duration {
	if len(h) == 0 {
		return policies.Never
	}
	return h[0].at
}

// first is the same by the clock of work.
func (h dueHeap) first() work {
	if len(h) == 0 {
		return work{at: policies.Never}
	}
	return h[0].work
}

func (h *dueHeap) push(at work, born uint64, id policies.Ticket) {
	d := due{at, born<<24 | uint64(id)}
	*h = append(*h, d)
	h.rise(len(*h)-1, d)
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

// rise puts d into the hole at i, or above it.
func (h dueHeap) rise(i int, d due) {
	for i > 0 {
		up := (i - 1) / 2
		if !d.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = d
}

// sink lets the hole at i fall to the bottom, where what is late belongs, and lets d
// rise from there.
func (h dueHeap) sink(i int, d due) {
	top := i
	for {
		child := 2*i + 2
		if child >= len(h) {
			if child == len(h) {
				h[i] = h[child-1]
				i = child - 1
			}
			break
		}
		if h[child-1].before(h[child]) {
			child--
		}
		h[i] = h[child]
		i = child
	}
	for i > top {
		up := (i - 1) / 2
		if !d.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = d
}

// sweep takes out what is not alive.
func (h *dueHeap) sweep(alive func(due) bool) {
	a := (*h)[:0]
	for _, d := range *h {
		if alive(d) {
			a = append(a, d)
		}
	}
	for i := len(a)/2 - 1; i >= 0; i-- {
		a.sink(i, a[i])
	}
	*h = a
}
