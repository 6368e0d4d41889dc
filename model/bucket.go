package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// bucket is a level that charges raise and time lowers, by limit in each `per`: see
// [policies.Bucket].
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
	level    policies.Bucket
	rate     policies.Rate
	capacity int64
	start    int64 // level at time 0
	leaky    bool
}

func newBucket(c *LimitConfig) *bucket {
	b := &bucket{rate: policies.Rate{N: c.Limit, Per: c.Per}, capacity: c.capacity(), leaky: c.Algorithm == LeakyAlgorithm}
	if c.Start == StartEmpty {
		b.start = b.capacity
	}
	b.reset()
	return b
}

func (b *bucket) reset() { b.level = policies.NewBucket(b.rate, b.start) } // in fair weather: see Scale

func (b *bucket) wait(now time.Duration, need int64) time.Duration {
	b.level.Drain(now)
	if b.leaky {
		need = 0
	}
	if wait := b.level.Until(b.capacity - need); wait != policies.Never {
		return wait
	}
	return unknown // the weather has left it no rate
}

func (b *bucket) waitRefused(now time.Duration, need, cost int64) time.Duration {
	after := *b
	after.refuse(now, cost)
	return after.wait(now, need)
}

func (b *bucket) add(now time.Duration, cost int64) (receipt int64) {
	b.level.Drain(now)
	b.level.Add(cost)
	return 0
}

func (b *bucket) refuse(now time.Duration, cost int64) {
	b.level.Drain(now)
	b.level.AddUpTo(cost, b.capacity)
}

func (b *bucket) amend(now time.Duration, _, change int64) {
	b.level.Drain(now)
	b.level.Add(change)
}

func (b *bucket) use(now time.Duration) (used int64, reset time.Duration) {
	b.level.Drain(now)
	if reset = b.level.Until(0); reset == policies.Never {
		reset = 0
	}
	return b.level.Level(), reset
}
