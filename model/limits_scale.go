package model

import "time"

// unknown is the wait for what is more than a limit grants in this weather, and for a place
// that somebody has.
const unknown time.Duration = -1

// Scale makes every limit a share of itself from now on, rounded down; Whole is fair
// weather. What is used stays used:
//
//   - a bucket refills at the share of its rate and holds the share of its burst; what was
//     used drains from its level as it is, so all that remained may be gone at once
//   - a window's limit is the share, and its count stays, that of a sliding log with its stamps
//   - of concurrency, who is there stays
//
// A request that needs more than a limit grants in this weather is refused for now and
// not for ever, with a wait that is not known. Waits are told as though the weather
// stayed. The slope is no limit of this kind.
func (l *Limits) Scale(now time.Duration, share Share) {
	for i := range l.limiters {
		m := &l.limiters[i]
		if m.share == share {
			continue
		}
		m.scale(share)
		m.scales = append(m.scales, scaled{now, m.limit, m.room})
		for _, meter := range m.meters {
			if meter != nil {
				meter.resize(now, m.limit, m.room)
			}
		}
	}
}

// scaled is what a limiter grants from some time on.
type scaled struct {
	at          time.Duration
	limit, room int64
}

func (m *limiter) scale(share Share) {
	limit, _ := m.config.window()
	m.share = share
	m.limit, m.room = share.of(limit), share.of(m.config.capacity())
}

// wait is until so much is admitted by meter number i if nobody else comes; 0: now.
func (m *limiter) wait(i int, now time.Duration, need int64) time.Duration {
	if m.share != Whole && (need > m.room && m.config.Algorithm != LeakyAlgorithm || m.room == 0) {
		return unknown
	}
	return m.meter(i).wait(now, need)
}

func (b *bucket) resize(now time.Duration, limit, capacity int64) {
	b.level.Drain(now)
	b.level.SetRate(limit)
	b.capacity = capacity
}

func (l *slidingLog) resize(_ time.Duration, limit, _ int64) { l.limit = limit }

func (f *fixedWindow) resize(_ time.Duration, limit, _ int64) { f.limit = limit }

func (w *twoWindow) resize(_ time.Duration, limit, _ int64) { w.limit = limit }

func (s *slots) resize(_ time.Duration, limit, _ int64) { s.limit = limit }
