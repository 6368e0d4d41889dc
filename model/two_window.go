package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// twoWindow smooths aligned windows: the last one still counts, by the part of it
// that a window ending now would cover. A request is admitted if
//
//	last * (per - into) / per + count + cost <= limit
//
// where into is how long ago this window began. It forgets a charge wholly when
// the window after next begins.
//
// 100 in each second, 100 calls at 0.9s and 100 more at 1.1s:
//
//	at    last  weight  count before  admitted
//	0.9s  0     0.1     0             100
//	1.1s  100   0.9     0             10
type twoWindow struct {
	windows
	limit int64

	index int64
	count int64
	last  int64
}

func newTwoWindow(c *LimitConfig) *twoWindow {
	limit, per := c.window()
	return &twoWindow{windows: newWindows(c, per), limit: limit}
}

func (w *twoWindow) reset() { w.index, w.count, w.last = 0, 0, 0 }

func (w *twoWindow) roll(now time.Duration) {
	switch index := w.of(now); index {
	case w.index:
	case w.index + 1:
		w.index, w.last, w.count = index, w.count, 0
	default:
		w.index, w.last, w.count = index, 0, 0
	}
}

func (w *twoWindow) wait(now time.Duration, need int64) time.Duration {
	return w.waitRefused(now, need, 0)
}

func (w *twoWindow) waitRefused(now time.Duration, need, cost int64) time.Duration {
	w.roll(now)
	count := w.count + cost
	into := w.into(now)
	if room := w.limit - count - need; room >= 0 {
		return max(0, w.fades(w.last, room)-into)
	}
	return w.per - into + w.fades(count, w.limit-need)
}

// fades is how far into a window the last one's count weighs no more than room.
func (w *twoWindow) fades(last, room int64) time.Duration {
	if last <= room {
		return 0
	}
	weight, _, _ := policies.MulDiv(uint64(room), uint64(w.per), uint64(last))
	return w.per - time.Duration(weight)
}

func (w *twoWindow) add(now time.Duration, cost int64) (receipt int64) {
	w.roll(now)
	w.count = plus(w.count, cost)
	return w.index
}

func (w *twoWindow) refuse(now time.Duration, cost int64) { w.add(now, cost) }

func (w *twoWindow) amend(now time.Duration, receipt, change int64) {
	w.roll(now)
	switch receipt {
	case w.index:
		w.count += change
	case w.index - 1:
		w.last += change
	}
}

func (w *twoWindow) use(now time.Duration) (used int64, reset time.Duration) {
	w.roll(now)
	into := w.into(now)
	used = w.count + policies.CeilMulDiv(uint64(w.last), uint64(w.per-into), 0, uint64(w.per))
	switch {
	case w.count > 0:
		return used, 2*w.per - into
	case w.last > 0:
		return used, w.per - into
	}
	return 0, 0
}
