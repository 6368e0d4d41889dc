package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// due is when a token of an answer leaves: 16 bytes, no pointers.
type due struct {
	at time.Duration
	id uint64 // born:40 | ticket:24, so ties keep the order of birth
}

func (d due) ticket() policies.Ticket { return policies.Ticket(d.id & (1<<24 - 1)) }
func (d due) born() uint64            { return d.id >> 24 }
func (d due) before(o due) bool       { return d.at < o.at || d.at == o.at && d.id < o.id }

// dueHeap is a binary heap of what is due.
type dueHeap []due

// next returns when the first is due; policies.Never if nothing is.
func (h dueHeap) next() time.Duration {
	if len(h) == 0 {
		return policies.Never
	}
	return h[0].at
}

func (h *dueHeap) push(at time.Duration, born uint64, id policies.Ticket) {
	d := due{at, born<<24 | uint64(id)}
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
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(a) {
			break
		}
		if child+1 < len(a) && a[child+1].before(a[child]) {
			child++
		}
		if !a[child].before(last) {
			break
		}
		a[i] = a[child]
		i = child
	}
	a[i] = last
	return top
}
