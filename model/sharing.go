package model

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// PaceConfig says how fast answers are made when many are.
type PaceConfig struct {
	FullSpeedTo policies.Count `yaml:"full_speed_to,required" min:"1"` // so many at once run at full speed; above, each of n runs at full_speed_to/n of it
	Sharing     SharingRule    `yaml:"sharing"`                        // default processor
}

// SetDefaults fills what a scenario leaves out.
func (c *PaceConfig) SetDefaults() { c.Sharing = ProcessorSharing }

// Check finds a pace that never slows.
func (c PaceConfig) Check() []policies.Problem {
	if c.FullSpeedTo == policies.Unlimited {
		return []policies.Problem{{Key: "full_speed_to", Text: "unlimited slows nothing down; write how many run at full speed, such as 16, or remove pace"}}
	}
	return nil
}

// SharingRule says who slows down when there are many.
type SharingRule string

// ProcessorSharing slows all down alike.
const ProcessorSharing SharingRule = "processor"

// Words lists the rules a scenario may name.
func (SharingRule) Words() []string { return words(ProcessorSharing) }

func (c *ServiceConfig) check(seats policies.Count) []policies.Problem {
	if p := c.Pace; p != nil && seats <= p.FullSpeedTo {
		return []policies.Problem{{Key: "service.pace.full_speed_to", Text: fmt.Sprintf("has no effect where no more than %d are served at once; write fewer than seats, or remove pace", seats)}}
	}
	return nil
}

// sharing is the clock of work of a provider whose speed changes. With n requests in
// seats it runs at
//
//	speed = pace * min(1, full / n)
//
// where pace is the weather's share. An answer is a fixed amount of work, so whoever
// joins or leaves changes everybody's remaining time and nobody's remaining work. Two
// jobs of 100 ms where one runs at full speed, the second 50 ms after the first:
//
//	at      in seats  speed  work left of each
//	0       1         1      100ms
//	50ms    2         1/2    50ms 100ms
//	150ms   1         1      0    50ms
//	200ms   0                     0
//
// The clock is exact but for what is below 2^-64 ns at each change of speed, which would
// take four billion changes to come to 2^-32 ns. What is due by it happens in the
// first whole nanosecond by which no more than 2^-32 ns of the work are missing, so that
// what was cut off never makes a nanosecond; and work begun is rounded to the same, so
// that what ends together in truth ends in the order of its beginning.
type sharing struct {
	full int64 // 0: no matter how many
	pace Share
	now  time.Duration
	done work // the clock at now
}

// In parts of a nanosecond: what the clock is rounded to and waits for, and what may be
// missing of work that is done now.
const (
	grain     = 1 << 32
	tolerance = 2 * grain
)

func newSharing(c *PaceConfig) sharing {
	s := sharing{pace: Whole}
	if c != nil {
		s.full = int64(c.FullSpeedTo)
	}
	return s
}

// speed is a fraction of full speed, at most 1, with n at work.
func (s *sharing) speed(n int64) (num, den uint64) {
	num, den = 1, 1
	if s.full > 0 && n > s.full {
		num, den = uint64(s.full), uint64(n)
	}
	if s.pace != Whole {
		num, den = num*uint64(s.pace), den*uint64(Whole)
	}
	return num, den
}

// to lets the clock run until now with n at work.
func (s *sharing) to(now time.Duration, n int64) {
	elapsed := uint64(now - s.now)
	s.now = now
	if elapsed == 0 {
		return
	}
	num, den := s.speed(n)
	whole, rest, _ := policies.MulDiv(elapsed, num, den)
	part, _ := bits.Div64(rest, 0, den)
	s.add(whole, part)
}

func (s *sharing) add(whole, part uint64) {
	var carry uint64
	s.done.part, carry = bits.Add64(s.done.part, part, 0)
	s.done.at += time.Duration(whole + carry)
}

// rounded is what the clock shows, as the start of new work.
func (s *sharing) rounded() work {
	part, carry := bits.Add64(s.done.part, grain/2, 0)
	return work{s.done.at + time.Duration(carry), part &^ (grain - 1)}
}

// left is the work until w; none is less than the tolerance.
func (s *sharing) left(w work) (whole, part uint64) {
	part, borrow := bits.Sub64(w.part, s.done.part, 0)
	whole = uint64(w.at-s.done.at) - borrow
	if int64(whole) < 0 || whole == 0 && part < tolerance {
		return 0, 0
	}
	return whole, part
}

// when is the instant at which the clock shows w if n stay at work.
func (s *sharing) when(w work, n int64) time.Duration {
	if w.at == policies.Never {
		return policies.Never
	}
	whole, part := s.left(w)
	if whole == 0 && part == 0 {
		return s.now
	}
	num, den := s.speed(n)
	if num == 0 {
		return policies.Never
	}
	part, borrow := bits.Sub64(part, grain, 0)
	whole -= borrow
	more, rest := bits.Mul64(part, den) // in nanoseconds times den, and parts of them
	if rest > 0 {
		more++
	}
	takes := policies.CeilMulDiv(whole, den, more, num)
	if takes >= int64(policies.Never-s.now) {
		return policies.Never
	}
	return s.now + time.Duration(takes)
}

// since is the work done since w, in whole nanoseconds.
func (s *sharing) since(w work) time.Duration {
	part, borrow := bits.Sub64(s.done.part, w.part, 0)
	whole := s.done.at - w.at - time.Duration(borrow)
	if part >= 1<<64-tolerance {
		whole++
	}
	return whole
}
