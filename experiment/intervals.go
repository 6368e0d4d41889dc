package experiment

import (
	"math"
	"sync"

	"golang.org/x/exp/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// IntervalMethod says how the intervals of replicates are made.
const IntervalMethod = "95 % intervals: of a mean by Student's t; of a median or percentile between two order statistics, by the binomial distribution, whatever the figure's own"

// leftOut is the share that an interval leaves out on either side.
const leftOut = 0.025

// orderRanks returns the ranks, from 1, of the values between which a percentile lies
// with at least 95 %: fewer than lo of n values lie below it, or hi and more do, with
// 2.5 % at most each. It reports false where n values are too few to tell.
func orderRanks(n, percent int) (lo, hi int, ok bool) {
	of := [2]int{n, percent}
	if known, found := ranksOf.Load(of); found {
		r := known.([2]int)
		return r[0], r[1], r[0] > 0
	}
	lo, hi, ok = findRanks(n, percent)
	if !ok {
		lo, hi = 0, 0
	}
	ranksOf.Store(of, [2]int{lo, hi})
	return lo, hi, ok
}

// ranksOf keeps what was found: a sweep asks for the same thousands of times.
var ranksOf sync.Map

func findRanks(n, percent int) (lo, hi int, ok bool) {
	below := distuv.Binomial{N: float64(n), P: float64(percent) / 100} // values below the percentile
	least, most := 0, n
	for least < most { // the greatest lo with P(below < lo) <= 2.5 %
		middle := (least + most + 1) / 2
		if below.CDF(float64(middle-1)) <= leftOut {
			least = middle
		} else {
			most = middle - 1
		}
	}
	lo = least
	least, most = 1, n+1
	for least < most { // the least hi with P(below >= hi) <= 2.5 %
		middle := (least + most) / 2
		if 1-below.CDF(float64(middle-1)) <= leftOut {
			most = middle
		} else {
			least = middle + 1
		}
	}
	hi = least
	return lo, hi, lo >= 1 && hi <= n
}

// studentT is the 97.5th percentile of Student's t.
func studentT(degrees int) float64 {
	if known := studentsT(); degrees < len(known) {
		return known[degrees]
	}
	return studentQuantile(degrees, 1-leftOut)
}

// studentsT are those of few degrees, which every cell of a sweep asks for.
var studentsT = sync.OnceValue(func() (known [256]float64) {
	for degrees := 1; degrees < len(known); degrees++ {
		known[degrees] = studentQuantile(degrees, 1-leftOut)
	}
	return known
})

func studentQuantile(degrees int, p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(p)
}

// skewedInterval is the 95 % interval of a mean by Hall's transformation of Student's t
// (Hall 1992, J. R. Statist. Soc. B 54:221-228), which allows for values of which some
// are far larger than most, as waits in queues are: t's own interval then ends too early
// on that side. It is made at 97.5 %, since at 95 % the answers of 40 seeds to queues held
// the truth 109 times of 120, and what is called 95 % must hold it that often.
func skewedInterval(values []float64) (lo, hi float64) {
	n := float64(len(values))
	mean := stats.Mean(values)
	sd := sampleSD(values, mean)
	t := studentQuantile(len(values)-1, 1-leftOut/2)
	c := 0.0 // skewness / sqrt(n)
	if sd > 0 && n > 2 {
		cubes := 0.0
		for _, v := range values {
			d := (v - mean) / sd
			cubes += float64(d * d * d)
		}
		c = cubes * n / (n - 1) / (n - 2) / math.Sqrt(n)
	}
	back := func(t float64) float64 {
		if math.Abs(c) < 1e-6 {
			return t
		}
		return 3 / c * (math.Cbrt(1+float64(c*(t-c/6))) - 1)
	}
	scale := sd / math.Sqrt(n)
	return mean - float64(scale*back(t)), mean - float64(scale*back(-t))
}
