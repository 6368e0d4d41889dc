package model

import (
	"math"
	"testing"
	"time"
)

// A sample is drawn from by nearest rank: value i of n for shares from i/n up to (i+1)/n.
func TestEmpirical(t *testing.T) {
	e := empirical[int64]{3, 5, 5, 9}
	for _, test := range []struct {
		u    float64
		want float64
	}{{0, 3}, {0.24, 3}, {0.25, 5}, {0.5, 5}, {0.74, 5}, {0.75, 9}, {1 - 0x1p-53, 9}} {
		if got := e.quantile(test.u, 0, 0); got != test.want {
			t.Errorf("at %v: %v, want %v", test.u, got, test.want)
		}
	}
	many := make(empirical[int64], 49)
	for n := range many {
		for size := 1; size <= n+1; size++ {
			many[:size].quantile(1-0x1p-53, 0, 0) // is in it
		}
	}
}

// Moments of what is drawn: durations to the nanosecond, tokens to the nearest whole.
func TestDrawsOfDistributions(t *testing.T) {
	const n = 200_000
	for _, test := range []struct {
		says         string
		draw         func(known tables) sampler
		mean, sd     float64
		within       float64 // five standard errors and the tables' own error, relative
		leastOfValue int64
	}{
		{"gamma durations", DurationDist{Gamma: &MeanCV[time.Duration]{20 * time.Millisecond, 0.5}}.compile, 20e6, 10e6, 0.02, 0},
		{"weibull durations", DurationDist{Weibull: &MeanCV[time.Duration]{time.Second, 1.5}}.compile, 1e9, 1.5e9, 0.05, 0},
		{"gamma tokens", TokenDist{Gamma: &MeanCV[int64]{1155, 0.9}}.compile, 1155, 0.9 * 1155, 0.02, 0},
		{"an empirical sample", TokenDist{Values: []int64{0, 100, 200}}.compile, 100, math.Sqrt(20000.0 / 3), 0.02, 0},
		{"a sum of a constant and one of them", DurationDist{Sum: []DurationDist{{Constant: new(5 * time.Millisecond)}, {Gamma: &MeanCV[time.Duration]{20 * time.Millisecond, 0.5}}}}.compile, 25e6, 10e6, 0.02, 5e6},
	} {
		s := test.draw(tables{})
		sum, squares, least := 0.0, 0.0, int64(math.MaxInt64)
		for i := range n {
			x := s.draw(ClientKey(7, test.says, i))
			least = min(least, x)
			sum, squares = sum+float64(x), squares+float64(x)*float64(x)
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean/test.mean-1) > test.within || math.Abs(sd/test.sd-1) > test.within || least < test.leastOfValue {
			t.Errorf("%s: mean %v, standard deviation %v, least %d; want %v and %v", test.says, mean, sd, least, test.mean, test.sd)
		}
	}
}

// Sums stay at 146 years, where they would be beyond what time can be; and what a network has is
// taken off to the nanosecond.
func TestSumsOfConstants(t *testing.T) {
	of := func(parts ...time.Duration) DurationDist {
		var d DurationDist
		for i := range parts {
			d.Sum = append(d.Sum, DurationDist{Constant: &parts[i]})
		}
		return d
	}
	const day = 24 * time.Hour
	for _, row := range []struct {
		says string
		d    DurationDist
		want int64
	}{
		{"two that time has no room for", of(60_000*day, 60_000*day), mostDrawn},
		{"one and what is more than is left", of(50_000*day, 100_000*day), mostDrawn},
		{"a year and a nanosecond", of(365*day, 1), int64(365*day + 1)},
		{"less a nanosecond", of(-1, 365*day), int64(365*day - 1)},
	} {
		s := row.d.compile(tables{})
		if got, constant := s.constant(); got != row.want || !constant {
			t.Errorf("%s: %d, want %d", row.says, got, row.want)
		}
	}
}
