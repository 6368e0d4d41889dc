package policies

// line is who stands before a gate, first come first served, and who is inside.
type line struct {
	place   map[Ticket]uint64 // of a waiter, its number in line; of a holder, holding
	ring    []Ticket          // of waiters, a power of two long; withdrawn ones are not in place under their number
	head    uint64            // number of the first in line
	tail    uint64            // number of the next to come
	waiting int
}

const holding = 1<<64 - 1

func newLine() line { return line{place: map[Ticket]uint64{}} }

// join puts a ticket at the end, and says whether it was not known yet.
func (l *line) join(t Ticket) bool {
	if _, known := l.place[t]; known {
		return false
	}
	if l.tail-l.head == uint64(len(l.ring)) {
		l.grow()
	}
	l.ring[l.tail&uint64(len(l.ring)-1)] = t
	l.place[t] = l.tail
	l.tail++
	l.waiting++
	return true
}

// grow doubles the ring, unless dropping those who withdrew makes room enough.
func (l *line) grow() {
	next := l.ring
	if 2*l.waiting >= len(l.ring) {
		next = make([]Ticket, max(16, 2*len(l.ring)))
	}
	// Kept tickets move towards the head, so the ring may be read and written in place.
	mask, to := uint64(len(next)-1), l.head
	for from := l.head; from != l.tail; from++ {
		t := l.ring[from&uint64(len(l.ring)-1)]
		if l.place[t] == from {
			next[to&mask] = t
			l.place[t] = to
			to++
		}
	}
	l.ring, l.tail = next, to
}

// first returns who is first in line; false if nobody waits.
func (l *line) first() (Ticket, bool) {
	for l.waiting > 0 {
		t := l.ring[l.head&uint64(len(l.ring)-1)]
		if at, known := l.place[t]; known && at == l.head {
			return t, true
		}
		l.head++
	}
	return 0, false
}

// admit lets in who is first in line.
func (l *line) admit(t Ticket) {
	l.place[t] = holding
	l.head++
	l.waiting--
}

// leave forgets a ticket, and says whether it was inside.
func (l *line) leave(t Ticket) (held bool) {
	at, known := l.place[t]
	if !known {
		return false
	}
	delete(l.place, t)
	if at == holding {
		return true
	}
	l.waiting--
	return false
}
