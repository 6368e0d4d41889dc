package model

import "github.com/stampede-sim/stampede/policies"

// ring is a first-in first-out line of tickets.
type ring struct {
	a          []policies.Ticket // a power of two long
	head, tail uint64
}

func (r *ring) len() int64 { return int64(r.tail - r.head) }

func (r *ring) reset() { r.head, r.tail = 0, 0 }

func (r *ring) push(t policies.Ticket) {
	if r.tail-r.head == uint64(len(r.a)) {
		longer := make([]policies.Ticket, max(16, 2*len(r.a)))
		for i := r.head; i != r.tail; i++ {
			longer[i&uint64(len(longer)-1)] = r.a[i&uint64(len(r.a)-1)]
		}
		r.a = longer
	}
	r.a[r.tail&uint64(len(r.a)-1)] = t
	r.tail++
}

func (r *ring) pop() policies.Ticket {
	t := r.a[r.head&uint64(len(r.a)-1)]
	r.head++
	return t
}
