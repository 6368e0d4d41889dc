package sim

// pool holds the events of all lists, in blocks of blockLen. A cursor is the
// index of an event; the cursors of a block follow one another.
type pool struct {
	ev   []Event
	next []uint32 // by block: the one after it, in its list or among the free
	free uint32   // first free block, 0 for none
	used uint32   // blocks ever handed out since the last reset, and block 0
}

// Long blocks spare a run of a million events cache misses: 1 KiB is a quarter
// faster there than 128 bytes.
const (
	blockShift = 6
	blockLen   = 1 << blockShift
)

// list is a FIFO of events in the pool's blocks. It is empty when tail is 0.
// A tail at the start of a block says that the block before it is full.
type list struct{ head, tail uint32 }

func (p *pool) reset() { p.free, p.used = 0, 1 }

func (p *pool) alloc() uint32 {
	if b := p.free; b != 0 {
		p.free = p.next[b]
		return b
	}
	if int(p.used) >= len(p.next) {
		n := max(16, 2*len(p.next))
		ev, next := make([]Event, n*blockLen), make([]uint32, n)
		copy(ev, p.ev)
		copy(next, p.next)
		p.ev, p.next = ev, next
	}
	p.used++
	return p.used - 1
}

func (p *pool) release(block uint32) {
	p.next[block] = p.free
	p.free = block
}

func (p *pool) append(l *list, e Event) {
	if l.tail%blockLen == 0 {
		p.extend(l)
	}
	p.ev[l.tail] = e
	l.tail++
}

// extend gives the list a fresh block at its end.
func (p *pool) extend(l *list) {
	b := p.alloc()
	if l.tail == 0 {
		l.head = b << blockShift
	} else {
		p.next[(l.tail-1)>>blockShift] = b
	}
	l.tail = b << blockShift
}

// shift takes the first event of a list that is not empty.
func (p *pool) shift(l *list) Event {
	e := p.ev[l.head]
	l.head++
	if l.head == l.tail {
		p.release((l.head - 1) >> blockShift)
		*l = list{}
	} else if l.head%blockLen == 0 {
		b := (l.head - 1) >> blockShift
		l.head = p.next[b] << blockShift
		p.release(b)
	}
	return e
}
