package sim

import (
	"math/bits"
	"time"
)

const (
	digitBits = 6
	digits    = 1 << digitBits

	searchLen = 8 // a slot of so many events is searched; at most a block
)

// wheel is a radix heap of 6-bit digits. An event sits at the level of the
// highest digit in which its time differs from the wheel's clock, in the slot of
// that digit's value; so the first slot of the lowest level in use has the least
// event. A slot of one block is searched; a longer one is dealt out to the
// levels below, and then the clock moves to its least time. Events of equal
// time always share a slot, in the order they came.
//
// All times in the wheel are after the clock.
type wheel struct {
	clock int64
	min   int64  // least time, or never
	lev   uint64 // bit k: level k is not empty
	used  [16]uint64
	slot  [16 * digits]slot // levels beyond the 11th only save bounds checks
	old   []list            // keep's, between calls only memory
}

type slot struct {
	least int64 // time; means nothing while the slot is empty
	list
}

func (w *wheel) reset() {
	for lev := w.lev; lev != 0; lev &= lev - 1 {
		k := bits.TrailingZeros64(lev)
		for used := w.used[k]; used != 0; used &= used - 1 {
			w.slot[k*digits+bits.TrailingZeros64(used)] = slot{}
		}
		w.used[k] = 0
	}
	w.clock, w.min, w.lev = 0, int64(never), 0
}

// push adds an event after the clock.
func (w *wheel) push(p *pool, e Event) {
	t := int64(e.T)
	w.min = min(w.min, t)
	k := uint(bits.Len64(uint64(t^w.clock))-1) / digitBits % 16
	d := uint64(t) >> (k * digitBits % 64) % digits
	s := &w.slot[k*digits+uint(d)]
	if s.tail == 0 {
		s.least = t
		w.used[k] |= 1 << d
		w.lev |= 1 << k
	}
	s.least = min(s.least, t)
	p.append(&s.list, e)
}

// shift takes the events of the least time, of which there must be one. It
// returns the only one, or puts all of them into now and reports false.
func (w *wheel) shift(p *pool, now *instant) (e Event, ok bool) {
	k := uint(bits.TrailingZeros64(w.lev)) % 16
	d := uint(bits.TrailingZeros64(w.used[k])) % digits
	s := &w.slot[k*digits+d]
	n := s.tail - s.head
	if n == 1 {
		e = p.ev[s.head]
		p.release(s.head >> blockShift)
		w.drop(k, d)
		w.settle()
		return e, true
	}
	if n-1 < searchLen { // 0 if the list ends just below its first block
		block := p.ev[s.head:s.tail]
		first, second, at := int64(block[0].T), int64(never), 0
		for j := 1; j < len(block); j++ {
			t := int64(block[j].T)
			second = min(second, max(first, t))
			if t < first {
				at = j
			}
			first = min(first, t)
		}
		if first != second {
			e = block[at]
			for ; at+1 < len(block); at++ {
				block[at] = block[at+1]
			}
			s.tail--
			s.least = second
			w.min = second
			return e, true
		}
	}
	e, ok = w.deal(p, k, d, now)
	w.settle()
	return e, ok
}

// deal moves the clock to the least time of a slot and the events of later times
// to lower levels. The others it returns, or puts into now, as shift does.
func (w *wheel) deal(p *pool, k, d uint, now *instant) (first Event, only bool) {
	l, lo := w.slot[k*digits+d].list, w.slot[k*digits+d].least
	w.drop(k, d)
	w.clock = lo
	found := 0
	for i := l.head; ; {
		e := p.ev[i]
		if int64(e.T) != lo {
			w.push(p, e)
		} else {
			if found++; found == 1 {
				first = e
			} else {
				if found == 2 {
					now.push(p, first)
				}
				now.push(p, e)
			}
		}
		if i++; i == l.tail {
			p.release((i - 1) >> blockShift)
			return first, found == 1
		}
		if i%blockLen == 0 {
			b := (i - 1) >> blockShift
			i = p.next[b] << blockShift
			p.release(b)
		}
	}
}

func (w *wheel) drop(k, d uint) {
	w.slot[k*digits+d].list = list{}
	if w.used[k] &^= 1 << d; w.used[k] == 0 {
		w.lev &^= 1 << k
	}
}

// settle finds the least time anew.
func (w *wheel) settle() {
	if w.lev == 0 {
		w.min = int64(never)
		return
	}
	k := uint(bits.TrailingZeros64(w.lev)) % 16
	w.min = w.slot[k*digits+uint(bits.TrailingZeros64(w.used[k]))%digits].least
}

// keep drops the events that are not alive and moves the clock to now, which may
// be back.
func (w *wheel) keep(p *pool, now time.Duration, alive func(Event) bool) (kept int) {
	old := w.old[:0]
	for lev := w.lev; lev != 0; lev &= lev - 1 {
		k := bits.TrailingZeros64(lev)
		for used := w.used[k]; used != 0; used &= used - 1 {
			i := k*digits + bits.TrailingZeros64(used)
			old = append(old, w.slot[i].list)
			w.slot[i] = slot{}
		}
		w.used[k] = 0
	}
	w.old = old
	w.lev, w.min, w.clock = 0, int64(never), int64(now)
	for _, l := range old {
		for l.tail != 0 {
			if e := p.shift(&l); alive == nil || alive(e) {
				w.push(p, e)
				kept++
			}
		}
	}
	return kept
}
