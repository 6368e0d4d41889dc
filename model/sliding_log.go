package model

import "time"

// slidingLog keeps a stamp for each charge and counts those of the last window: a
// charge at s counts in [s, s + per). A request is admitted if their sum + cost <=
// limit, so no half-open window of that length ever holds more; the wait is until
// enough of the oldest stamps have left. This is Azure's pay-as-you-go as measured,
// where refused calls enter the log of requests but not the log of tokens.
//
// 100 in each second, 100 calls at 0.9s and 100 more at 1.1s:
//
//	at    in the log  admitted
//	0.9s  0           100
//	1.1s  100         0
//	1.9s  0           100
//
// A stamp counts for nothing while those after it make up the limit, so it is
// dropped early, unless one of them may yet be corrected: where refused requests
// are charged, a log of requests holds no more than the limit.
type slidingLog struct {
	limit  int64
	whole  int64 // limit in fair weather
	window time.Duration
	amends bool // a stamp's cost may change

	stamps     []stamp // ring, a power of two long
	head, tail uint64
	total      int64
	blocks     [blockLevels][]int64 // sums of 64, 64^2, ... stamps, to find in few steps which ones must leave
}

type stamp struct {
	at   time.Duration
	cost int64
}

const (
	blockBits   = 6
	blockLevels = 3
)

func newSlidingLog(c *LimitConfig) *slidingLog {
	limit, per := c.window()
	return &slidingLog{limit: limit, whole: limit, window: per, amends: c.settles()}
}

func (l *slidingLog) reset() {
	for l.head != l.tail {
		l.drop()
	}
	l.head, l.tail = 0, 0
}

func (l *slidingLog) slot(i uint64) uint64 { return i & uint64(len(l.stamps)-1) }

// count changes the cost of stamp i.
func (l *slidingLog) count(i uint64, change int64) {
	l.total += change
	at := l.slot(i)
	l.stamps[at].cost += change
	for level := range l.blocks {
		if at >>= blockBits; at >= uint64(len(l.blocks[level])) {
			break
		}
		l.blocks[level][at] += change
	}
}

// drop takes the oldest stamp out.
func (l *slidingLog) drop() {
	l.count(l.head, -l.stamps[l.slot(l.head)].cost)
	l.head++
}

// expire drops the stamps that have left the window.
func (l *slidingLog) expire(now time.Duration) {
	for l.head != l.tail && now-l.stamps[l.slot(l.head)].at >= l.window {
		l.drop()
	}
}

func (l *slidingLog) add(now time.Duration, cost int64) (receipt int64) {
	l.expire(now)
	if cost == 0 && !l.amends {
		return 0
	}
	if l.tail-l.head == uint64(len(l.stamps)) {
		l.grow()
	}
	l.stamps[l.slot(l.tail)] = stamp{at: now}
	l.count(l.tail, plus(l.total, cost)-l.total)
	l.tail++
	for !l.amends && l.total-l.stamps[l.slot(l.head)].cost >= l.whole && l.tail-l.head > 1 {
		l.drop()
	}
	return int64(l.tail - 1)
}

func (l *slidingLog) grow() {
	old, from, to := l.stamps, l.head, l.tail
	l.stamps = make([]stamp, max(16, 2*len(old)))
	for level := range l.blocks {
		l.blocks[level] = make([]int64, len(l.stamps)>>(blockBits*(level+1)))
	}
	l.total = 0
	for i := from; i != to; i++ {
		s := old[i&uint64(len(old)-1)]
		l.stamps[l.slot(i)] = stamp{at: s.at}
		l.count(i, s.cost)
	}
}

func (l *slidingLog) wait(now time.Duration, need int64) time.Duration {
	return l.waitRefused(now, need, 0)
}

func (l *slidingLog) waitRefused(now time.Duration, need, cost int64) time.Duration {
	l.expire(now)
	switch over := l.total + cost + need - l.limit; {
	case over <= 0:
		return 0
	case over <= l.total:
		return l.stamps[l.slot(l.find(over))].at + l.window - now
	default:
		return l.window
	}
}

// find returns the stamp with which so much has left; at least as much is there.
func (l *slidingLog) find(much int64) uint64 {
	for i := l.head; ; {
		step := uint64(1)
		sum := l.stamps[l.slot(i)].cost
		for level := range l.blocks {
			size := uint64(1) << (blockBits * (level + 1))
			if i&(size-1) != 0 || len(l.blocks[level]) == 0 {
				break
			}
			whole := l.blocks[level][l.slot(i)>>(blockBits*(level+1))]
			if whole >= much {
				break
			}
			step, sum = size, whole
		}
		if sum >= much {
			return i
		}
		much -= sum
		i += step
	}
}

func (l *slidingLog) refuse(now time.Duration, cost int64) { l.add(now, cost) }

func (l *slidingLog) amend(now time.Duration, receipt, change int64) {
	l.expire(now)
	if i := uint64(receipt); i >= l.head && i < l.tail {
		l.count(i, change)
	}
}

func (l *slidingLog) use(now time.Duration) (used int64, reset time.Duration) {
	l.expire(now)
	if l.head == l.tail {
		return 0, 0
	}
	return l.total, l.stamps[l.slot(l.tail-1)].at + l.window - now
}
