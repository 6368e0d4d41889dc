package model

import "time"

// slots are requests whose answer has not ended, as DeepSeek counts them: a request
// is admitted while fewer than the limit are there. Nobody can say how long the
// wait is; a place is free when one of them is done.
//
//	limit  there  admitted
//	2      1      yes
//	2      2      no
type slots struct {
	limit int64
	taken int64
}

func (s *slots) reset() { s.taken = 0 }

func (s *slots) wait(_ time.Duration, need int64) time.Duration {
	if s.taken+need <= s.limit {
		return 0
	}
	return unknown
}

func (s *slots) waitRefused(now time.Duration, need, _ int64) time.Duration { return s.wait(now, need) }

func (s *slots) add(_ time.Duration, cost int64) (receipt int64) {
	s.taken += cost
	return 0
}

func (s *slots) refuse(time.Duration, int64) {}

func (s *slots) amend(_ time.Duration, _, change int64) { s.taken += change }

func (s *slots) use(time.Duration) (used int64, reset time.Duration) { return s.taken, 0 }
