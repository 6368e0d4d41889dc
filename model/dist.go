package model

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// Dist is a distribution of whole numbers of at least 0: a plain value (constant)
// or one of the others. Draws are by inverse distribution: one uniform number for
// each part that is random, and monotone in it.
type Dist[T ~int64] struct {
	Constant    *T            `yaml:",one,short" min:"0"`
	Uniform     *[2]T         `yaml:"uniform,one" min:"0"` // [least, most)
	Exponential *Mean[T]      `yaml:"exponential,one"`     // by its mean
	Normal      *MeanSD[T]    `yaml:"normal,one"`          // what falls below 0 is 0
	Lognormal   *Quantiles[T] `yaml:"lognormal,one"`       // by its median and 99th percentile
	Gamma       *MeanCV[T]    `yaml:"gamma,one"`           // by its mean and its coefficient of variation
	Weibull     *MeanCV[T]    `yaml:"weibull,one"`         // the same
	Empirical   string        `yaml:"empirical,one"`       // file.csv#column: as often as in that column of a file beside the scenario; a column of plain numbers that are times has its unit at the end of its name, as ttft_ms
	Sum         []Dist[T]     `yaml:"sum,one"`             // of independent parts

	Values []T `yaml:"-"` // of the empirical one, the least first; put there by who reads the file
}

// DurationDist is a distribution of durations, drawn to the nanosecond.
type DurationDist = Dist[time.Duration]

// TokenDist is a distribution of token counts.
type TokenDist = Dist[int64]

// Mean is the exponential distribution's number.
type Mean[T ~int64] struct {
	Mean T `yaml:"mean,required" min:"0"`
}

// MeanSD are the normal distribution's numbers.
type MeanSD[T ~int64] struct {
	Mean T `yaml:"mean,required" min:"0"`
	SD   T `yaml:"sd,required" min:"0"`
}

// MeanCV are the gamma and the Weibull distribution's numbers. The coefficient of variation
// is the standard deviation divided by the mean: with 1 both are exponential.
type MeanCV[T ~int64] struct {
	Mean T       `yaml:"mean,required" min:"0"`
	CV   float64 `yaml:"cv,required" min:"0.01" max:"100"`
}

// Quantiles are the lognormal distribution's numbers.
type Quantiles[T ~int64] struct {
	P50 T `yaml:"p50,required" above:"0"`
	P99 T `yaml:"p99,required" above:"0"`
}

// Example says what a number could be, given the other; "" if that is not given.
func (m MeanSD[T]) Example(key string) string {
	if key == "mean" {
		return about(m.SD, 3, 1)
	}
	return about(m.Mean, 1, 3)
}

// Example says what a number could be, given the other; "" if that is not given.
func (q Quantiles[T]) Example(key string) string {
	if key == "p50" {
		return about(q.P99, 1, 5)
	}
	return about(q.P50, 5, 1)
}

// about writes x * n / d in one digit, rounded up where it is greater than x, else down.
func about[T ~int64](x, n, d T) string {
	if x <= 0 || x > math.MaxInt64/100 {
		return ""
	}
	y, unit := max(1, x*n/d), T(1)
	for unit <= y/10 {
		unit *= 10
	}
	if n > d {
		y += unit - 1
	}
	return written(y / unit * unit)
}

// written is a number as a scenario has it.
func written[T ~int64](x T) string {
	if d, is := any(x).(time.Duration); is {
		return policies.FormatDuration(d)
	}
	return strconv.FormatInt(int64(x), 10)
}

// Check finds ranges that are upside down.
func (d Dist[T]) Check() []policies.Problem {
	if u := d.Uniform; u != nil && u[1] < u[0] {
		return []policies.Problem{{Key: "uniform", Text: fmt.Sprintf("runs from %s down to %s; write [%s, %s]", written(u[0]), written(u[1]), written(u[1]), written(u[0]))}}
	}
	if q := d.Lognormal; q != nil && q.P99 < q.P50 {
		return []policies.Problem{{Key: "lognormal.p99", Text: fmt.Sprintf("is %s, below the p50 of %s; write at least %s", written(q.P99), written(q.P50), written(q.P50))}}
	}
	return nil
}

// sampler is a distribution made ready to draw from.
type sampler struct {
	fixed int64
	parts []part
}

type part struct {
	quantile func(u, a, b float64) float64
	a, b     float64
	round    float64 // 0.5 for tokens, which are rounded; durations are cut to the nanosecond
}

func (d Dist[T]) compile(known tables) sampler {
	var s sampler
	d.addTo(&s, known)
	return s
}

func (d Dist[T]) addTo(s *sampler, known tables) {
	random := func(quantile func(u, a, b float64) float64, a, b float64) {
		round := 0.5
		if _, is := any(T(0)).(time.Duration); is {
			round = 0
		}
		s.parts = append(s.parts, part{quantile, a, b, round})
	}
	switch {
	case d.Constant != nil:
		s.fixed += min(int64(*d.Constant), mostDrawn-s.fixed)
	case d.Uniform != nil:
		random(uniformQuantile, float64(d.Uniform[0]), float64(d.Uniform[1]))
	case d.Exponential != nil:
		random(exponentialQuantile, float64(d.Exponential.Mean), 0)
	case d.Normal != nil:
		random(normalQuantile, float64(d.Normal.Mean), float64(d.Normal.SD))
	case d.Lognormal != nil:
		p50, p99 := float64(d.Lognormal.P50), float64(d.Lognormal.P99)
		random(lognormalQuantile, p50, math.Log(p99/p50)/z99)
	case d.Gamma != nil:
		random(known.of(shape{cv: d.Gamma.CV}).times, float64(d.Gamma.Mean), 0)
	case d.Weibull != nil:
		random(known.of(shape{weibull: true, cv: d.Weibull.CV}).times, float64(d.Weibull.Mean), 0)
	case len(d.Values) > 0:
		random(empirical[T](d.Values).quantile, 0, 0)
	}
	for _, part := range d.Sum {
		part.addTo(s, known)
	}
}

// constant returns the value where nothing is random.
func (s *sampler) constant() (int64, bool) { return s.fixed, len(s.parts) == 0 }

// draw returns the value that the key names.
func (s *sampler) draw(key sim.Key) int64 {
	total := s.fixed
	for i := range s.parts {
		p := &s.parts[i]
		total = addClamped(total, p.quantile(key.At(uint64(i)).Uniform(), p.a, p.b)+p.round)
	}
	return total
}

// mostDrawn is where sums stay that go beyond it: 146 years in nanoseconds.
const mostDrawn = 1 << 62

// addClamped adds a drawn x to total.
func addClamped(total int64, x float64) int64 {
	switch {
	case x <= 0:
		return total
	case x >= mostDrawn-float64(total):
		return mostDrawn
	}
	return total + int64(x)
}

// empirical is a sample in order of size, each value as likely as the others.
type empirical[T ~int64] []T

// quantile is the nearest rank: the least value that the share u of the sample, and no
// less, is at or below.
func (e empirical[T]) quantile(u, _, _ float64) float64 { return float64(e[int(u*float64(len(e)))]) }

// z99 is the standard normal's 99th percentile.
const z99 = 2.3263478740408408

func uniformQuantile(u, least, most float64) float64 { return least + float64(u*(most-least)) }

func exponentialQuantile(u, mean, _ float64) float64 { return -mean * math.Log1p(-u) }

func normalQuantile(u, mean, sd float64) float64 {
	return mean + float64(sd*standardNormal(u))
}

func lognormalQuantile(u, median, sigma float64) float64 {
	return median * math.Exp(sigma*standardNormal(u))
}

// standardNormal is the inverse of the standard normal distribution function; u = 0,
// which maps to minus infinity, is a value below 0 that every caller makes 0.
func standardNormal(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }
