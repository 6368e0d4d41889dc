package sim

import "time"

// Series counts what happens in slots of equal width: slot i is the half-open
// interval [i*width, (i+1)*width) since the start. It takes 8 bytes a slot up to
// the last one used. It is not safe for concurrent use.
type Series struct {
	width  time.Duration
	counts []int64
}

// NewSeries returns a series without counts. It panics if width is not positive.
func NewSeries(width time.Duration) *Series {
	if width <= 0 {
		panic("sim: a slot of a series must have a positive width")
	}
	return &Series{width: width}
}

// Add counts n more at time t, 0 or later.
func (s *Series) Add(t time.Duration, n int64) {
	i := int(t / s.width)
	if i >= len(s.counts) {
		s.counts = extend(s.counts, i+1, 0)
	}
	s.counts[i] += n
}

// Width returns the width of a slot.
func (s *Series) Width() time.Duration { return s.width }

// Len returns the number of slots up to the last one counted in.
func (s *Series) Len() int { return len(s.counts) }

// At returns the count of slot i, 0 outside of the slots.
func (s *Series) At(i int) int64 { return at(s.counts, i) }

// Max returns the greatest count and the first slot that has it; 0 and slot -1
// if there are no slots.
func (s *Series) Max() (value int64, slot int) {
	slot = -1
	for i, n := range s.counts {
		if slot < 0 || n > value {
			value, slot = n, i
		}
	}
	return value, slot
}

// Reset removes all counts and keeps the memory.
func (s *Series) Reset() { s.counts = s.counts[:0] }

// extend makes a n long, with v for the new elements.
func extend(a []int64, n int, v int64) []int64 {
	for len(a) < n {
		a = append(a, v)
	}
	return a
}

func at(a []int64, i int) int64 {
	if i < 0 || i >= len(a) {
		return 0
	}
	return a[i]
}
