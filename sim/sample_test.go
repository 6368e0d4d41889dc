package sim

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestQuantile(t *testing.T) {
	times := func(n int, v int64) []int64 { return slices.Repeat([]int64{v}, n) }
	for _, c := range []struct {
		name     string
		values   []int64
		num, den int64
		want     int64
		ok       bool
	}{
		{"p99 of 1,000 x 1 and one big: rank 991 is 1", append(times(1000, 1), 10_000_000), 99, 100, 1, true},
		{"p99 of 99 x 1 and one big: rank 99 is 1", append(times(99, 1), 10_000_000), 99, 100, 1, true},
		{"p99 of 98 x 1 and two big: rank 99 is big", append(times(98, 1), 7, 7), 99, 100, 7, true},
		{"the median of an even number is the lower of two", []int64{4, 3, 2, 1}, 1, 2, 2, true},
		{"the median of an odd number is the middle", []int64{5, 1, 3}, 50, 100, 3, true},
		{"0 asks for the least", []int64{5, 1, 3}, 0, 1, 1, true},
		{"1 asks for the greatest", []int64{5, 1, 3}, 1, 1, 5, true},
		{"of one value all are that one", []int64{math.MaxInt64}, 999, 1000, math.MaxInt64, true},
		{"of none there is no quantile", nil, 1, 2, 0, false},
		{"a fraction above 1 has no rank", []int64{1}, 101, 100, 0, false},
		{"a fraction below 0 has no rank", []int64{1}, -1, 100, 0, false},
		{"a fraction over 0 has no rank", []int64{1}, 0, 0, 0, false},
		{"a fraction of great numbers does not overflow", []int64{1, 2}, math.MaxInt64 - 1, math.MaxInt64, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Sample
			for _, v := range c.values {
				s.Add(v)
			}
			if got, ok := s.Quantile(c.num, c.den); got != c.want || ok != c.ok {
				t.Errorf("%d %v, want %d %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestEmptySample(t *testing.T) {
	var s, o Sample
	s.Merge(&o)
	s.Reset()
	if _, ok := s.Max(); ok {
		t.Error("a maximum of nothing")
	}
	if _, ok := s.Mean(); ok {
		t.Error("a mean of nothing")
	}
	if sum, ok := s.Sum(); sum != 0 || !ok {
		t.Error("the sum of nothing is not 0")
	}
}

func TestSumBeyond64Bits(t *testing.T) {
	var s Sample
	for range 5 {
		s.Add(math.MaxInt64)
	}
	if _, ok := s.Sum(); ok {
		t.Error("a sum that does not fit")
	}
	if m, ok := s.Mean(); !ok || m != math.MaxInt64 {
		t.Errorf("mean %v, want %v", m, float64(math.MaxInt64))
	}
}

// draws returns n values of all sizes.
func draws(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 2))
	v := make([]int64, n)
	for i := range v {
		v[i] = r.Int64() >> r.IntN(63)
	}
	return v
}

func TestQuantilesAroundTheExactLimit(t *testing.T) {
	const seed = 1
	values := draws(seed, 3*ExactLimit)
	values[17] = math.MaxInt64
	for _, n := range []int{1000, ExactLimit, ExactLimit + 1, 3 * ExactLimit} {
		var s Sample
		s.Add(3) // used before
		s.Reset()
		sum := new(big.Int)
		for _, v := range values[:n] {
			s.Add(v)
			sum.Add(sum, big.NewInt(v))
		}
		if exact := s.RelativeError() == 0; exact != (n <= ExactLimit) {
			t.Errorf("%d values: relative error %v", n, s.RelativeError())
		}
		sorted := slices.Sorted(slices.Values(values[:n]))
		for _, q := range [][2]int64{{0, 1}, {1, 1000}, {1, 10}, {1, 2}, {9, 10}, {99, 100}, {999, 1000}, {1, 1}} {
			rank := max(1, (int64(n)*q[0]+q[1]-1)/q[1])
			want := sorted[rank-1]
			got, ok := s.Quantile(q[0], q[1])
			if !ok || got < want || float64(got-want) > s.RelativeError()*float64(want) {
				t.Errorf("seed %d, %d values: quantile %d/%d is %d, want %d within %v", seed, n, q[0], q[1], got, want, s.RelativeError())
			}
		}
		mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(n))).Float64()
		if got, ok := s.Mean(); !ok || math.Abs(got-mean) > 1e-15*mean {
			t.Errorf("%d values: mean %v, want %v", n, got, mean)
		}
		if m, ok := s.Max(); !ok || m != math.MaxInt64 || s.N() != int64(n) {
			t.Errorf("%d values: maximum %d of %d", n, m, s.N())
		}
	}
}

// answers are all that a sample says.
func answers(s *Sample) (a [30]float64) {
	n := s.N()
	m, _ := s.Max()
	mean, _ := s.Mean()
	sum, ok := s.Sum()
	if !ok {
		sum = -1
	}
	a[0], a[1], a[2], a[3], a[4] = float64(n), float64(m), mean, float64(sum), s.RelativeError()
	for i := range 25 {
		v, _ := s.Quantile(int64(i), 24)
		a[5+i] = float64(v)
	}
	return a
}

// checkMerge tells parts of these sizes added, merged and added in reverse apart.
func checkMerge(sizes []int, seed uint64) error {
	var added, merged, reverse Sample
	for i, n := range sizes {
		var part Sample
		for _, v := range draws(seed+uint64(i), n) {
			added.Add(v)
			part.Add(v)
		}
		before := answers(&part)
		merged.Merge(&part)
		if answers(&part) != before {
			return fmt.Errorf("seed %d, sizes %v: merging changed part %d", seed, sizes, i)
		}
	}
	for i := len(sizes) - 1; i >= 0; i-- {
		for _, v := range slices.Backward(draws(seed+uint64(i), sizes[i])) {
			reverse.Add(v)
		}
	}
	want := answers(&added)
	if got := answers(&merged); got != want {
		return fmt.Errorf("seed %d, sizes %v: merged %v, added %v", seed, sizes, got, want)
	}
	if got := answers(&reverse); got != want {
		return fmt.Errorf("seed %d, sizes %v: in reverse %v, added %v", seed, sizes, got, want)
	}
	return nil
}

func TestMergeIsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 4).Draw(t, "sizes")
		if err := checkMerge(sizes, rapid.Uint64().Draw(t, "seed")); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMergeIsAddAroundTheExactLimit(t *testing.T) {
	const limit = ExactLimit
	for _, c := range []struct {
		name  string
		sizes []int
	}{
		{"the limit is still exact", []int{limit - 1, 1}},
		{"one more is not", []int{limit, 1}},
		{"a histogram takes values", []int{limit + 1, 10}},
		{"values take a histogram", []int{10, limit + 1}},
		{"two exact parts are a histogram together", []int{limit, limit}},
		{"a histogram takes a histogram", []int{limit + 1, limit + 1, 5}},
		{"nothing takes a histogram", []int{0, limit + 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := checkMerge(c.sizes, 5); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMergeWithItself(t *testing.T) {
	for _, n := range []int{10, ExactLimit/2 + 1, ExactLimit + 1} {
		var s, twice Sample
		for _, v := range draws(3, n) {
			s.Add(v)
			twice.Add(v)
			twice.Add(v)
		}
		s.Merge(&s)
		if answers(&s) != answers(&twice) {
			t.Errorf("%d values: merging a sample with itself does not double it", n)
		}
	}
}

func TestBadArgumentsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"a negative value":         func() { new(Sample).Add(-1) },
		"a series of no width":     func() { NewSeries(0) },
		"a gauge of minus a width": func() { NewGauge(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

// Six samples of 100 operations with their figures, as a small run makes them.
func BenchmarkSmallSamples(b *testing.B) {
	values := draws(1, 100)
	b.ReportAllocs()
	for b.Loop() {
		for range 6 {
			var s Sample
			for _, v := range values {
				s.Add(v)
			}
			s.Quantile(1, 2)
			s.Quantile(9, 10)
			s.Quantile(99, 100)
			s.Mean()
		}
	}
}

func BenchmarkSampleAdd(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"exact", ExactLimit}, {"histogram", 10 * ExactLimit}} {
		b.Run(c.name, func(b *testing.B) {
			values := draws(1, c.n)
			var s Sample
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i == c.n {
					s.Reset()
					i = 0
				}
				s.Add(values[i])
				i++
			}
		})
	}
}
