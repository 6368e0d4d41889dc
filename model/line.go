package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// line is tickets in the order in which they came; any of them can leave at once.
type line struct {
	links      []link
	head, tail uint32 // 1 more than the ticket; 0: none
	n          int64
}

type link struct {
	before, after uint32 // 1 more than the ticket; 0: none
	since         time.Duration
}

func (l *line) reset() { l.head, l.tail, l.n = 0, 0, 0 }

func (l *line) push(now time.Duration, id policies.Ticket) {
	for int(id) >= len(l.links) {
		l.links = append(l.links, link{})
	}
	me := uint32(id) + 1
	l.links[id] = link{before: l.tail, since: now}
	if l.tail == 0 {
		l.head = me
	} else {
		l.links[l.tail-1].after = me
	}
	l.tail = me
	l.n++
}

func (l *line) remove(id policies.Ticket) {
	at := l.links[id]
	if at.before == 0 {
		l.head = at.after
	} else {
		l.links[at.before-1].after = at.after
	}
	if at.after == 0 {
		l.tail = at.before
	} else {
		l.links[at.after-1].before = at.before
	}
	l.n--
}

// first is who came first; ask only if there is anybody.
func (l *line) first() policies.Ticket { return policies.Ticket(l.head - 1) }

// last is who came last; ask only if there is anybody.
func (l *line) last() policies.Ticket { return policies.Ticket(l.tail - 1) }

func (l *line) since(id policies.Ticket) time.Duration { return l.links[id].since }

// oldest is when the first came; policies.Never if there is nobody.
func (l *line) oldest() time.Duration {
	if l.n == 0 {
		return policies.Never
	}
	return l.since(l.first())
}
