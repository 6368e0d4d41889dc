package policies

import "time"

// Bucket is a level that charges raise and time lowers at a rate, never below 0. It
// counts in whole units and a part of 1/Per of a unit, so it is exact however often it
// is looked at. Providers and clients use the same one. Not safe for concurrent use.
type Bucket struct {
	rate Rate

	at    time.Duration // of the level
	whole int64
	part  uint64 // in units of 1/Per, less than Per
}

// NewBucket returns a bucket that drains at the rate, which must not be 0, and holds
// so much at time 0.
func NewBucket(rate Rate, level int64) Bucket { return Bucket{rate: rate, whole: level} }

// SetRate changes how much of it drains in the rate's time from now on; 0: nothing. Drain
// first.
func (b *Bucket) SetRate(n int64) { b.rate.N = n }

// Drain lowers the level to what it is now. Every other method wants it called first.
func (b *Bucket) Drain(now time.Duration) {
	if now <= b.at {
		return
	}
	elapsed := uint64(now - b.at)
	b.at = now
	if b.whole == 0 && b.part == 0 {
		return
	}
	per := uint64(b.rate.Per)
	out, rest, fits := MulDiv(uint64(b.rate.N), elapsed, per)
	if !fits || out > uint64(b.whole) || out == uint64(b.whole) && rest >= b.part {
		b.whole, b.part = 0, 0
		return
	}
	b.whole -= int64(out)
	if rest > b.part {
		b.whole--
		b.part += per
	}
	b.part -= rest
}

// Level returns what the bucket holds, rounded up.
func (b *Bucket) Level() int64 {
	if b.part > 0 {
		return b.whole + 1
	}
	return b.whole
}

// Until returns how long the level takes to come down to so much; 0 if it has.
func (b *Bucket) Until(level int64) time.Duration {
	over := b.whole - level
	if over < 0 || over == 0 && b.part == 0 {
		return 0
	}
	return time.Duration(CeilMulDiv(uint64(over), uint64(b.rate.Per), b.part, uint64(b.rate.N)))
}

// Add raises the level; below 0 lowers it, to 0 at the least. It stops far above any
// limit, at 2^60.
func (b *Bucket) Add(n int64) {
	b.whole = min(b.whole+n, 1<<60)
	if b.whole < 0 {
		b.whole, b.part = 0, 0
	}
}

// AddUpTo raises the level to no more than a limit; a level above it stays.
func (b *Bucket) AddUpTo(n, limit int64) {
	switch {
	case b.whole >= limit:
	case b.whole+n >= limit:
		b.whole, b.part = limit, 0
	default:
		b.whole += n
	}
}
