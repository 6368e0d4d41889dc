package model

import "time"

// bucket is a level that charges raise and time lowers, by limit in each `per`,
// never below 0. It counts in whole tokens and a part of 1/per of a token, so it is
// exact however often it is looked at.
//
// As the algorithm bucket, a request is admitted if level + cost <= burst. The
// wait is OpenAI's, wait = (used + requested - limit) / limit * period, which fits
// every message of theirs that we know to the millisecond:
//
//	limit      per  used       requested  wait
//	30,000     1m   22,999     12,528     11.054s
//	200,000    1m   195,869    4,412      84.3ms
//	1,500,000  1d   1,484,072  16,144     12.4416s
//	3          1m   3          1          20s
//
// What is left falls below 0 only where a charge is corrected upwards or made while
// tokens are generated. Refused requests that are charged fill the bucket, no more
// ("Used" is never above "Limit" in those messages).
//
// As the algorithm leaky, which is Azure's for provisioned throughput, a request is
// admitted while level <= burst, whatever it costs: the last one overflows, and
// the wait is until the level is back at 100 %.
//
//	limit  per  level   wait
//	6,000  1m   6,000   0s
//	6,000  1m   6,001   10ms
//	6,000  1m   9,000   30s
type bucket struct {
	limit, per uint64
	capacity   int64
	start      int64 // level at time 0
	leaky      bool

	at    time.Duration // of the level
	whole int64
	part  uint64 // in units of 1/per, less than per
}

func newBucket(c *LimitConfig) *bucket {
	b := &bucket{limit: uint64(c.Limit), per: uint64(c.Per), capacity: c.capacity(), leaky: c.Algorithm == LeakyAlgorithm}
	if c.Start == StartEmpty {
		b.start = b.capacity
	}
	b.reset()
	return b
}

func (b *bucket) reset() { b.at, b.whole, b.part = 0, b.start, 0 }

// drain lowers the level to what it is now.
func (b *bucket) drain(now time.Duration) {
	if now <= b.at {
		return
	}
	elapsed := uint64(now - b.at)
	b.at = now
	if b.whole == 0 && b.part == 0 {
		return
	}
	out, rest, fits := mulDiv(b.limit, elapsed, b.per)
	if !fits || out > uint64(b.whole) || out == uint64(b.whole) && rest >= b.part {
		b.whole, b.part = 0, 0
		return
	}
	b.whole -= int64(out)
	if rest > b.part {
		b.whole--
		b.part += b.per
	}
	b.part -= rest
}

// until is when the level has come down to so much, from now.
func (b *bucket) until(level int64) time.Duration {
	over := b.whole - level
	if over < 0 || over == 0 && b.part == 0 {
		return 0
	}
	return time.Duration(ceilMulDiv(uint64(over), b.per, b.part, b.limit))
}

func (b *bucket) wait(now time.Duration, need int64) time.Duration {
	b.drain(now)
	if b.leaky {
		return b.until(b.capacity)
	}
	return b.until(b.capacity - need)
}

func (b *bucket) waitRefused(now time.Duration, need, cost int64) time.Duration {
	after := *b
	after.refuse(now, cost)
	return after.wait(now, need)
}

func (b *bucket) add(now time.Duration, cost int64) (receipt int64) {
	b.drain(now)
	b.whole = plus(b.whole, cost)
	return 0
}

func (b *bucket) refuse(now time.Duration, cost int64) {
	b.drain(now)
	switch {
	case b.whole >= b.capacity:
	case b.whole+cost >= b.capacity:
		b.whole, b.part = b.capacity, 0
	default:
		b.whole += cost
	}
}

func (b *bucket) amend(now time.Duration, _, change int64) {
	b.drain(now)
	if b.whole += change; b.whole < 0 {
		b.whole, b.part = 0, 0
	}
}

func (b *bucket) use(now time.Duration) (used int64, reset time.Duration) {
	b.drain(now)
	used = b.whole
	if b.part > 0 {
		used++
	}
	return used, b.until(0)
}
