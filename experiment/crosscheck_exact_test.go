package experiment

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Wilcoxon's test by hand: of n values among n+m, all orders are as likely.
func TestExactRanksInClosedForm(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		says          string
		few, many     []float64
		greater, less float64
	}{
		{"the greatest of ten is so by chance once in ten", []float64{10}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.1, 1},
		{"the least of ten too", []float64{0}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 0.1},
		{"the two greatest of six: one pair of 15", []float64{5, 6}, []float64{1, 2, 3, 4}, 1. / 15, 1},
		{"ranks 4 and 6 of six: pairs 4+6, 5+6 are as far to the right", []float64{4, 6}, []float64{1, 2, 3, 5}, 2. / 15, 14. / 15},
		{"ties say nothing", []float64{7, 7, 7}, []float64{7, 7, 7, 7, 7}, 1, 1},
		{"a tie for the first place of three: two of three values are there", []float64{2}, []float64{1, 2}, 2. / 3, 1},
		{"what never comes is the greatest", []float64{nan}, []float64{1, 2, 3}, 0.25, 1},
		{"two that never come are a tie", []float64{nan}, []float64{1, nan, 3}, 0.5, 1},
	} {
		greater, less := exactRanks(row.few, row.many)
		if math.Abs(greater-row.greater) > 1e-12 || math.Abs(less-row.less) > 1e-12 {
			t.Errorf("%s: greater %v, less %v; want %v, %v", row.says, greater, less, row.greater, row.less)
		}
	}
}

// Every choice of three of twelve counted one by one, with and without ties.
func TestExactRanksAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 50 {
		all := make([]float64, 12)
		for i := range all {
			all[i] = float64(r.IntN(3 + trial))
		}
		score := func(v float64) int {
			twice := 0 // the mid-rank
			for _, a := range all {
				switch {
				case a < v:
					twice += 2
				case a == v:
					twice++
				}
			}
			return (twice - 1) * 333 / 24 // in steps of 1,000 over three
		}
		seen := score(all[0]) + score(all[1]) + score(all[2])
		more, fewer, of := 0., 0., 0.
		for i := range all {
			for j := range i {
				for k := range j {
					sum := score(all[i]) + score(all[j]) + score(all[k])
					of++
					if sum >= seen {
						more++
					}
					if sum <= seen {
						fewer++
					}
				}
			}
		}
		greater, less := exactRanks(all[:3], all[3:])
		if math.Abs(greater-more/of) > 1e-12 || math.Abs(less-fewer/of) > 1e-12 {
			t.Errorf("trial %d: greater %v, less %v; counted %v, %v", trial, greater, less, more/of, fewer/of)
		}
	}
}

// Under one distribution the test says p < 5 % at most 5 times of 100, whatever the
// distribution: continuous, of few values, or nearly always the same.
func TestExactRanksFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, draw := range map[string]func() float64{
		"continuous":     r.NormFloat64,
		"few values":     func() float64 { return float64(r.IntN(4)) },
		"heavy tail":     func() float64 { return 1 / r.Float64() },
		"rare exception": func() float64 { return math.Floor(r.Float64() * 1.02) },
	} {
		const trials = 500
		alarms := 0
		for range trials {
			few, many := make([]float64, 5), make([]float64, 200)
			for i := range few {
				few[i] = draw()
			}
			for i := range many {
				many[i] = draw()
			}
			if byRanks(few, many, 0) < 0.05 {
				alarms++
			}
		}
		// 5 % of 500 is 25, with a standard deviation of 5.
		if alarms > 45 {
			t.Errorf("%s: %d false alarms of %d at 5 %%", name, alarms, trials)
		}
	}
}

// With more runs than a float64 can count the choices of, the least p is no less a number.
func TestExactRanksOfManyRuns(t *testing.T) {
	few, many := make([]float64, 320), make([]float64, 1000)
	for i := range few {
		few[i] = 1
	}
	if greater, less := exactRanks(few, many); !(greater < 1e-200) || math.Abs(less-1) > 1e-9 {
		t.Errorf("all of 320 above all of 1,000: greater %v, less %v", greater, less)
	}
	if greater, less := exactRanks(many[:320], many); math.Abs(greater-1) > 1e-9 || math.Abs(less-1) > 1e-9 {
		t.Errorf("all the same: greater %v, less %v", greater, less)
	}
}

// A shift that the allowance covers is no difference, and a greater one is.
func TestByRanksAllowsForTheClock(t *testing.T) {
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(i) / 1000
	}
	few := func(by float64) []float64 { return []float64{0.1 + by, 0.5 + by, 0.9 + by} }
	for _, row := range []struct {
		says          string
		by, allowance float64
		differs       bool
	}{
		{"in the middle of them", 0, 0, false},
		{"all beyond them", 2, 0, true},
		{"beyond them by no more than is allowed", 2, 2, false},
		{"before them by no more than is allowed", -2, 2, false},
		{"before them by more", -3, 1, true},
	} {
		if p := byRanks(few(row.by), many, row.allowance); (p < 1e-6) != row.differs {
			t.Errorf("%s: p = %v", row.says, p)
		}
	}
}

// The least p of n real and m virtual runs, by which a level is in reach or not.
func TestLeastP(t *testing.T) {
	for _, row := range []struct {
		says      string
		few, many int
		want      float64
	}{
		{"one run is the greatest of 1,001", 1, 1000, 2. / 1001},
		{"three are one choice of 167,668,501", 3, 1000, 2. / 167668501},
	} {
		if got := leastP(row.few, row.many); math.Abs(got/row.want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", row.says, got, row.want)
		}
	}
}
