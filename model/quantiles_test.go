package model

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// The table against the distribution function, which is another calculation than its
// inverse: at every probability between two points, not only at the points.
func TestQuantiles(t *testing.T) {
	const (
		within  = 0.0005 // of the standard deviation, or of the quantile where that is greater
		moments = 0.0002 // relative error of mean and cv
	)
	weibull := func(cv float64) distuv.Weibull {
		k := 1 / weibullInverseShape(cv)
		return distuv.Weibull{K: k, Lambda: 1 / math.Gamma(1+1/k)}
	}
	for _, test := range []struct {
		says   string
		table  *quantiles
		beyond func(x float64) float64 // the share above x
		cv     float64
	}{
		{"the steadiest gamma", gammaQuantiles(0.01), gammaBeyond(0.01), 0.01},
		{"arrivals of the Azure conversation trace", gammaQuantiles(1.09), gammaBeyond(1.09), 1.09},
		{"exponential, which is a gamma", gammaQuantiles(1), func(x float64) float64 { return math.Exp(-x) }, 1},
		{"exponential, which is a Weibull", weibullQuantiles(1), func(x float64) float64 { return math.Exp(-x) }, 1},
		{"the gamma of BurstGPT's profiler, shape 0.25", gammaQuantiles(2), gammaBeyond(2), 2},
		{"a bursty gamma", gammaQuantiles(10), gammaBeyond(10), 10},
		{"a steady Weibull", weibullQuantiles(0.3), weibull(0.3).Survival, 0.3},
		{"a bursty Weibull", weibullQuantiles(5), weibull(5).Survival, 5},
	} {
		worst := 0.0
		const n = 1 << 16
		sum, squares := 0.0, 0.0
		last := 0.0
		for i := range n {
			u := (float64(i) + 0.5) / n
			x := test.table.at(u)
			if x < last {
				t.Fatalf("%s: falls from %v to %v at %v", test.says, last, x, u)
			}
			last = x
			// The slope of the distribution function turns an error of the share into one of x.
			tail := test.beyond(x)
			step := 1e-4 * (x + 1e-9)
			slope := (test.beyond(x-step) - test.beyond(x+step)) / (2 * step)
			if off := math.Abs((1-u-tail)/slope) / max(test.cv, x); slope > 0 && off > worst {
				worst = off
			}
		}
		// Moments by octaves of either tail, so that the far ends count as they should.
		for octave := range deepest - 1 {
			const parts = 256
			from := math.Ldexp(1, -octave-2)
			for i := range parts {
				p := from * (1 + (float64(i)+0.5)/parts)
				for _, x := range []float64{at(test.table.lower, p), at(test.table.upper, p)} {
					sum, squares = sum+x*from/parts, squares+x*x*from/parts
				}
			}
		}
		cv := math.Sqrt(squares-sum*sum) / sum
		t.Logf("%-45s off by %.2g, mean %.6f, cv %.6f", test.says, worst, sum, cv)
		if worst > within {
			t.Errorf("%s: off by %.2g of the greater of cv and the quantile, want %.2g", test.says, worst, within)
		}
		if math.Abs(sum-1) > moments || math.Abs(cv/test.cv-1) > moments {
			t.Errorf("%s: mean %v and cv %v, want 1 and %v within %v", test.says, sum, cv, test.cv, moments)
		}
	}
}

func gammaBeyond(cv float64) func(x float64) float64 {
	k := 1 / (cv * cv)
	return func(x float64) float64 { return mathext.GammaIncRegComp(k, max(0, x)*k) }
}

// gonum's own quantiles, at probabilities that are points of the table.
func TestQuantilesArePointsOfTheInverse(t *testing.T) {
	for _, cv := range []float64{0.1, 0.5, 1, 1.5, 3} {
		k := 1 / (cv * cv)
		exact := distuv.Gamma{Alpha: k, Beta: k}
		table := gammaQuantiles(cv)
		for _, u := range []float64{1.0 / 1024, 0.125, 0.25, 0.375, 0.5, 0.75, 0.875, 1 - 1.0/1024} {
			if got, want := table.at(u), exact.Quantile(u); math.Abs(got-want) > 1e-6*want+1e-12 { // gonum's search is coarse near 0
				t.Errorf("gamma of cv %v at %v: %v, want %v", cv, u, got, want)
			}
		}
	}
}

// The ends: nothing is infinite, negative or not a number, at any cv that may be written.
func TestQuantilesAreFinite(t *testing.T) {
	for _, cv := range []float64{0.01, 0.02, 0.1, 0.3, 0.7, 1, 2, 7, 30, 100} {
		for name, table := range map[string]*quantiles{"gamma": gammaQuantiles(cv), "weibull": weibullQuantiles(cv)} {
			last := 0.0
			for _, side := range [2][]float32{table.lower, table.upper} {
				for i := range side {
					x := float64(side[i])
					if &side[0] == &table.upper[0] {
						x = float64(side[len(side)-1-i])
					}
					if math.IsNaN(x) || math.IsInf(x, 0) || x < last*(1-1e-6) {
						t.Fatalf("%s of cv %v: point %d is %v after %v", name, cv, i, x, last)
					}
					last = max(last, x)
				}
			}
			for _, u := range []float64{0, 0x1p-53, 0.5, 1 - 0x1p-53} {
				if x := table.at(u); math.IsNaN(x) || x < 0 {
					t.Errorf("%s of cv %v at %v: %v", name, cv, u, x)
				}
			}
		}
	}
}

func BenchmarkQuantiles(b *testing.B) {
	for _, cv := range []float64{0.3, 1.09, 10} {
		b.Run(fmt.Sprint("tabulate gamma ", cv), func(b *testing.B) {
			for b.Loop() {
				gammaQuantiles(cv)
			}
		})
	}
	table, u := gammaQuantiles(1.09), 0.0
	b.Run("draw", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if u += 0.001; u >= 1 {
				u = 0
			}
			table.at(u)
		}
	})
}
