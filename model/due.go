package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// due is when an answer's first (or next) or last token leaves: 16 bytes, no pointers.
type due struct {
	at time.Duration
	id uint64 // born:39 | last:1 | ticket:24, so ties keep the order of birth, and an answer's first token comes before its last
}

func (d due) ticket() policies.Ticket { return policies.Ticket(d.id & (1<<24 - 1)) }
func (d due) born() uint64            { return d.id >> 25 }
func (d due) isFirst() bool           { return d.id&(1<<24) == 0 }
func (d due) before(o due) bool       { return d.at < o.at || d.at == o.at && d.id < o.id }

// dueHeap is a binary heap of what is due.
type dueHeap []due

func (h *dueHeap) push(at time.Duration, born uint64, id policies.Ticket, first bool) {
	d := due{at, born<<25 | uint64(id)}
	if !first {
		d.id |= 1 << 24
	}
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
