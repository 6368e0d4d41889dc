package sim

import "math/bits"

// instant holds events of one time, now: a FIFO per kind, so that a million of
// them cost the same each as one. It holds none of another time.
type instant struct {
	busy uint64 // bit k: bin k is not empty
	bin  [kinds]list
}

func (i *instant) push(p *pool, e Event) {
	k := e.Kind() & (kinds - 1)
	p.append(&i.bin[k], e)
	i.busy |= 1 << k
}

// first returns the least event; there must be one.
func (i *instant) first(p *pool) Event {
	return p.ev[i.bin[bits.TrailingZeros64(i.busy)&(kinds-1)].head]
}

// shift takes the least event; there must be one.
func (i *instant) shift(p *pool) Event {
	k := bits.TrailingZeros64(i.busy) & (kinds - 1)
	e := p.shift(&i.bin[k])
	if i.bin[k].tail == 0 {
		i.busy &^= 1 << k
	}
	return e
}

func (i *instant) reset() { *i = instant{} }
