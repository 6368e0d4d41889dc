package sim

import "time"

// maxLanes bounds what a pop may have to look at.
const maxLanes = 16

// lanes holds events whose delay is a declared constant. Those of one delay are
// born in order of time, so a ring keeps them: a lane per delay. The few that
// are not born in order (same instant, lower kind) are refused.
type lanes struct {
	n     int
	best  uint            // lane with the least head
	delay [maxLanes]int64 // in order of declaration
	head  [maxLanes]Event // first event of each lane, or none
	ring  [maxLanes]ring
}

// ring is a queue in an array whose length is a power of two.
type ring struct {
	a          []Event
	head, tail uint32 // of the events after the lane's head
	last       Event  // the one pushed last
}

var none = Event{T: never, K: 1<<64 - 1}

func (l *lanes) declare(d time.Duration) {
	if l.find(d) >= 0 || l.n == maxLanes {
		return
	}
	l.delay[l.n] = int64(d)
	l.head[l.n] = none
	l.n++
}

// find returns the lane of a delay, or -1.
func (l *lanes) find(d time.Duration) int {
	for i, have := range l.delay[:l.n] {
		if have == int64(d) {
			return i
		}
	}
	return -1
}

// push reports false if the event is before the lane's last one.
func (l *lanes) push(i int, e Event) bool {
	i %= maxLanes
	r := &l.ring[i]
	if e.before(r.last) {
		return false
	}
	r.last = e
	if l.head[i] == none {
		l.head[i] = e
		if e.before(l.head[l.best]) {
			l.best = uint(i)
		}
		return true
	}
	if r.tail-r.head == uint32(len(r.a)) {
		r.grow()
	}
	r.a[r.tail&uint32(len(r.a)-1)] = e
	r.tail++
	return true
}

func (r *ring) grow() {
	a := make([]Event, max(16, 2*len(r.a)))
	for i := r.head; i != r.tail; i++ {
		a[i-r.head] = r.a[i&uint32(len(r.a)-1)]
	}
	r.a, r.head, r.tail = a, 0, r.tail-r.head
}

// shift drops the least event; there must be one.
func (l *lanes) shift() {
	l.refill(l.best % maxLanes)
	l.choose()
}

// refill moves the next event of lane i to its head.
func (l *lanes) refill(i uint) {
	r := &l.ring[i]
	if r.head == r.tail {
		l.head[i] = none
		return
	}
	l.head[i] = r.a[r.head&uint32(len(r.a)-1)]
	r.head++
}

func (l *lanes) choose() {
	best := uint(0)
	for j := uint(1); j < uint(l.n); j++ {
		if l.head[j%maxLanes].before(l.head[best%maxLanes]) {
			best = j
		}
	}
	l.best = best
}

func (l *lanes) reset() {
	l.best = 0
	for i := range l.head {
		l.head[i] = none
		r := &l.ring[i]
		r.head, r.tail, r.last = 0, 0, Event{}
	}
}

// keep drops the events that are not alive.
func (l *lanes) keep(alive func(Event) bool) (kept int) {
	for i := range l.n {
		r := &l.ring[i]
		to, mask := r.head, uint32(len(r.a)-1)
		for j := r.head; j != r.tail; j++ {
			if e := r.a[j&mask]; alive(e) {
				r.a[to&mask] = e
				to++
			}
		}
		r.tail = to
		kept += int(r.tail - r.head)
		switch {
		case l.head[i] == none:
		case alive(l.head[i]):
			kept++
		default:
			if r.head != r.tail {
				kept--
			}
			if l.refill(uint(i)); l.head[i] != none {
				kept++
			}
		}
	}
	l.choose()
	return kept
}
