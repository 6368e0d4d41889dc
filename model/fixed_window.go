package model

import "time"

// fixedWindow counts in aligned windows [phase + k*per, phase + (k+1)*per) and
// begins anew in each: twice the limit fits around an edge. A request is admitted
// if count + cost <= limit; the wait is until the next window begins. This is
// Azure as documented, many gateways, and daily quotas.
//
// 100 in each second, 100 calls at 0.9s and 100 more at 1.1s:
//
//	at    count before  admitted
//	0.9s  0             100
//	1.1s  0             100
type fixedWindow struct {
	windows
	limit int64

	index int64
	count int64
}

// windows numbers aligned windows from 0, the first of which may have begun before
// time 0.
type windows struct{ per, lead time.Duration }

func newWindows(c *LimitConfig, per time.Duration) windows {
	return windows{per: per, lead: (per - c.Phase%per) % per}
}

func (w windows) of(now time.Duration) int64 { return int64((now + w.lead) / w.per) }

// into is how long ago the window of now began.
func (w windows) into(now time.Duration) time.Duration { return (now + w.lead) % w.per }

func newFixedWindow(c *LimitConfig) *fixedWindow {
	limit, per := c.window()
	return &fixedWindow{windows: newWindows(c, per), limit: limit}
}

func (f *fixedWindow) reset() { f.index, f.count = 0, 0 }

func (f *fixedWindow) roll(now time.Duration) {
	if index := f.of(now); index != f.index {
		f.index, f.count = index, 0
	}
}

func (f *fixedWindow) wait(now time.Duration, need int64) time.Duration {
	return f.waitRefused(now, need, 0)
}

func (f *fixedWindow) waitRefused(now time.Duration, need, cost int64) time.Duration {
	f.roll(now)
	if f.count+cost+need <= f.limit {
		return 0
	}
	return f.per - f.into(now)
}

func (f *fixedWindow) add(now time.Duration, cost int64) (receipt int64) {
	f.roll(now)
	f.count = plus(f.count, cost)
	return f.index
}

func (f *fixedWindow) refuse(now time.Duration, cost int64) { f.add(now, cost) }

func (f *fixedWindow) amend(now time.Duration, receipt, change int64) {
	if f.roll(now); receipt == f.index {
		f.count += change
	}
}

func (f *fixedWindow) use(now time.Duration) (used int64, reset time.Duration) {
	if f.roll(now); f.count == 0 {
		return 0, 0
	}
	return f.count, f.per - f.into(now)
}
