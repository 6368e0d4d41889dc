package sim

import (
	"math"
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ExactLimit is the number of values a [Sample] keeps as they are.
const ExactLimit = 100_000

// relativeError of a histogram with 3 significant digits: its buckets are at most
// 1/1024 of their values wide.
const relativeError = 1.0 / 1024

// Sample is a set of values, 0 or more, such as nanoseconds. N, Max, Mean and Sum
// are exact; quantiles are so up to [ExactLimit] values, and above from a
// histogram. All answers depend on the values alone, not on their order or on
// whether they came by Add or Merge. The zero Sample is empty and ready. It is
// not safe for concurrent use, reading included: Quantile sorts.
type Sample struct {
	n      int64
	hi, lo uint64 // the sum
	max    int64
	values []int64 // while n <= ExactLimit
	sorted bool
	hist   *hdrhistogram.Histogram // above; kept by Reset
}

// Add adds one value. It panics if v is negative, which is the caller's bug.
func (s *Sample) Add(v int64) {
	if v < 0 {
		panic("sim: a sample takes no negative values")
	}
	s.grow(1)
	s.n++
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(v), 0)
	s.hi += carry
	s.max = max(s.max, v)
	if s.n <= ExactLimit {
		s.values = append(s.values, v)
		s.sorted = false
		return
	}
	s.record(v)
}

// Merge adds all values of o, which stays as it is.
func (s *Sample) Merge(o *Sample) {
	if o.n == 0 {
		return
	}
	if s == o {
		o = o.clone()
	}
	s.grow(o.n)
	s.n += o.n
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + carry
	s.max = max(s.max, o.max)
	switch {
	case s.n <= ExactLimit:
		s.values = append(s.values, o.values...)
		s.sorted = false
	case o.n <= ExactLimit:
		for _, v := range o.values {
			s.record(v)
		}
	default:
		if s.hist.Merge(o.hist) != 0 {
			panic("sim: a histogram dropped values in merging")
		}
	}
}

// grow moves the values to the histogram if n more are too many to keep.
func (s *Sample) grow(n int64) {
	if s.n > ExactLimit || s.n+n <= ExactLimit {
		return
	}
	if s.hist == nil {
		s.hist = hdrhistogram.New(1, math.MaxInt64, 3)
	}
	for _, v := range s.values {
		s.record(v)
	}
	s.values = s.values[:0]
}

func (s *Sample) record(v int64) {
	if err := s.hist.RecordValue(v); err != nil {
		panic("sim: " + err.Error())
	}
}

func (s *Sample) clone() *Sample {
	c := *s
	c.values = slices.Clone(s.values)
	if s.n > ExactLimit {
		c.hist = hdrhistogram.Import(s.hist.Export())
	}
	return &c
}

// N returns the number of values.
func (s *Sample) N() int64 { return s.n }

// Max returns the greatest value; false if there is none.
func (s *Sample) Max() (int64, bool) { return s.max, s.n > 0 }

// Sum returns the sum of all values, 0 for none; false if it is beyond int64.
func (s *Sample) Sum() (int64, bool) {
	if s.hi != 0 || s.lo > math.MaxInt64 {
		return 0, false
	}
	return int64(s.lo), true
}

// Mean returns the arithmetic mean, from the exact sum; false if there is none.
func (s *Sample) Mean() (float64, bool) {
	if s.n == 0 {
		return 0, false
	}
	q, r := bits.Div64(s.hi, s.lo, uint64(s.n))
	return float64(q) + float64(r)/float64(s.n), true
}

// Quantile returns the value of nearest rank, that is of rank ceil(num*n/den) in
// ascending order counted from 1: Quantile(99, 100) is the 99th percentile. It
// reports false if there is no value or the fraction is not in [0, 1]; 0 asks
// for the least value. See [Sample.RelativeError].
func (s *Sample) Quantile(num, den int64) (int64, bool) {
	if s.n == 0 || num < 0 || den <= 0 || num > den {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(num), uint64(s.n))
	quo, rem := bits.Div64(hi, lo, uint64(den))
	if rem > 0 {
		quo++
	}
	rank := max(int64(quo), 1)
	if s.n <= ExactLimit {
		if !s.sorted {
			slices.Sort(s.values)
			s.sorted = true
		}
		return s.values[rank-1], true
	}
	// The histogram takes a percentage and rounds it back to a rank.
	v := s.hist.ValueAtPercentile(100 * float64(rank) / float64(s.n))
	return min(v, s.max), true
}

// RelativeError bounds how far a quantile may lie above the true value, as a part
// of it: 0 up to ExactLimit values, then 1/1024. It is never below.
func (s *Sample) RelativeError() float64 {
	if s.n <= ExactLimit {
		return 0
	}
	return relativeError
}

// Reset removes all values and keeps the memory.
func (s *Sample) Reset() {
	if s.n > ExactLimit {
		s.hist.Reset()
	}
	s.n, s.hi, s.lo, s.max, s.values, s.sorted = 0, 0, 0, 0, s.values[:0], false
}
