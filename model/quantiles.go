package model

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// quantiles are the inverse of a distribution function of mean 1, at probabilities that
// lie denser towards both ends: cellsPerOctave steps between a tail of 2^-n and one of
// 2^-(n+1), down to 2^-deepest. Between them it is linear, so a draw is monotone in its
// uniform number; what falls beyond the last, one draw in four billion, is the last.
//
// Halving the tail as one goes out makes the error of a straight line the same everywhere:
// h^2/8 of the curvature p^2 Q"(p), where h is 1/32. For an exponential distribution that
// is 0.00012 of its mean; TestQuantiles has others.
//
// The values are kept as float32. Machines differ in the last bits of math.Exp and of the
// iterations behind a quantile; those are cut off, so that all draw the same.
type quantiles struct {
	lower, upper []float32 // by tail probability, from 2^-deepest to 1/2
}

const (
	deepest        = 32
	cellBits       = 5
	cellsPerOctave = 1 << cellBits
	cells          = (deepest - 1) * cellsPerOctave
)

// A float64 has 52 bits behind its leading one: the first cellBits of them number the cell
// within the octave, the others say how far into the cell a probability is.
const (
	cellShift = 52 - cellBits
	firstCell = (1023 - deepest) << cellBits
)

// newQuantiles tabulates the quantile functions of both tails, of a distribution of mean 1.
func newQuantiles(lower, upper func(p float64) float64) *quantiles {
	q := &quantiles{make([]float32, cells+1), make([]float32, cells+1)}
	for i := range q.lower {
		p := math.Float64frombits(uint64(firstCell+i) << cellShift)
		q.lower[i], q.upper[i] = float32(lower(p)), float32(upper(p))
	}
	return q
}

// at is the value that the share u of all does not exceed; u is in [0, 1).
func (q *quantiles) at(u float64) float64 {
	if u < 0.5 {
		return at(q.lower, u)
	}
	return at(q.upper, 1-u)
}

// times is the same of a distribution of another mean.
func (q *quantiles) times(u, mean, _ float64) float64 { return float64(mean * q.at(u)) }

func at(table []float32, p float64) float64 {
	bits := math.Float64bits(p)
	i := int(bits>>cellShift) - firstCell
	switch {
	case i < 0:
		return float64(table[0])
	case i >= cells:
		return float64(table[cells])
	}
	into := float64(bits&(1<<cellShift-1)) * (1.0 / (1 << cellShift))
	from := float64(table[i])
	return from + float64(into*(float64(table[i+1])-from))
}

// shape names a distribution of mean 1.
type shape struct {
	weibull bool // or else gamma
	cv      float64
}

// tables are the quantiles that were tabulated already, since a table takes milliseconds
// and groups share the provider's distributions.
type tables map[shape]*quantiles

func (t tables) of(s shape) *quantiles {
	if t[s] == nil {
		if s.weibull {
			t[s] = weibullQuantiles(s.cv)
		} else {
			t[s] = gammaQuantiles(s.cv)
		}
	}
	return t[s]
}

// gammaQuantiles are of the gamma distribution of mean 1: its shape k is 1/cv^2, its scale
// cv^2 (Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions 1", ch. 17).
// Near 0, where gonum's search is coarse, the distribution function is x^k / Gamma(k+1) but
// for a relative error of x.
func gammaQuantiles(cv float64) *quantiles {
	k := 1 / (cv * cv)
	lg, _ := math.Lgamma(k + 1)
	nearZero := func(p float64) (x float64, is bool) {
		x = math.Exp((math.Log(p) + lg) / k)
		return x / k, x < 1e-8
	}
	return newQuantiles(
		func(p float64) float64 {
			if x, is := nearZero(p); is {
				return x
			}
			return mathext.GammaIncRegInv(k, p) / k
		},
		func(p float64) float64 {
			if x, is := nearZero(1 - p); is {
				return x
			}
			return mathext.GammaIncRegCompInv(k, p) / k
		},
	)
}

// weibullQuantiles are of the Weibull distribution of mean 1: scale (-ln p)^(1/k) is what
// the share p exceeds, and the scale is 1/Gamma(1+1/k) (same book, ch. 21).
func weibullQuantiles(cv float64) *quantiles {
	inverse := weibullInverseShape(cv)
	lg, _ := math.Lgamma(1 + inverse)
	quantile := func(hazard float64) float64 { return math.Exp(inverse*math.Log(hazard) - lg) }
	return newQuantiles(
		func(p float64) float64 { return quantile(-math.Log1p(-p)) },
		func(p float64) float64 { return quantile(-math.Log(p)) },
	)
}

// weibullInverseShape is 1/k where Gamma(1+2/k)/Gamma(1+1/k)^2 - 1, which grows with 1/k,
// is cv^2.
func weibullInverseShape(cv float64) float64 {
	want, low, high := math.Log1p(cv*cv), 0.0, 16.0 // cv 100 is at 6.9
	for range 100 {
		half := (low + high) / 2
		one, _ := math.Lgamma(1 + half)
		two, _ := math.Lgamma(1 + 2*half)
		if two-2*one < want {
			low = half
		} else {
			high = half
		}
	}
	return (low + high) / 2
}
