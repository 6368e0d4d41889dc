package experiment

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/model"
)

// waits are the mean waits of so many runs of M/M/1 at load 0.5, whose mean wait is 1 s
// by Pollaczek and Khinchine's formula, each over about 2,000 customers.
func waits(t *testing.T, runs int) []model.Number {
	t.Helper()
	s := decode(t, `
name: mm1
stop: {after: 10000h}
warm_up: 200s
slot: 10h
provider: {seats: 1, queue: unlimited, service: {first_token: {exponential: {mean: 1s}}}}
clients: [{name: customers, arrive: {rate: 0.5/s, process: poisson, for: 4200s}}]
`)
	r, err := Replicate(context.Background(), s, runs, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []model.Number
	for i := range r.Runs {
		out = append(out, r.Runs[i].Summary.Provider.QueueWait.Mean)
	}
	return out
}

// Intervals hold the truth as often as they say: of the mean, of the median (whose truth is
// the median of all runs), and of the mean where --until said when to stop.
//
//	COVERAGE=1000 go test ./experiment -run TestIntervalsHoldTheTruth -v
//
// takes a thousand repeats; the bounds of fewer are wider by what chance adds.
func TestIntervalsHoldTheTruth(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("thousands of runs")
	}
	const seeds = 20
	repeats, slack := 100, 0.05 // over two standard errors of a share of 95 % in 100
	if os.Getenv("COVERAGE") != "" {
		repeats, slack = 1000, 0
	}
	const truth = 1.0
	all := waits(t, repeats*seeds)
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	middle := sorted[len(sorted)/2]
	means, medians := 0, 0
	for i := range repeats {
		s := Describe(all[i*seeds : (i+1)*seeds])
		means += holds(s.CI95, truth)
		medians += holds(s.MedianCI95, middle)
	}
	u, err := ParseUntil("mean(provider.queue_wait_s.mean) within 5%")
	if err != nil {
		t.Fatal(err)
	}
	stopped, runs, at := 0, 0, 0
	for range repeats {
		var values []model.Number
		for !u.enough(values) {
			values = append(values, all[at%len(all)]) // each repeat goes on where the last stopped
			at++
		}
		_, interval := u.estimate(values)
		stopped += holds(interval, truth)
		runs += len(values)
	}
	share := func(n int) float64 { return float64(n) / float64(repeats) }
	t.Logf("%d repeats of %d seeds: the mean's interval holds the truth in %.1f %%, the median's in %.1f %%, with --until in %.1f %% after %d seeds on average",
		repeats, seeds, 100*share(means), 100*share(medians), 100*share(stopped), runs/repeats)
	for _, c := range []struct {
		says        string
		got         float64
		least, most float64
	}{
		{"of the mean", share(means), 0.92, 0.975},
		{"of the median", share(medians), 0.93, 1},
		{"with --until", share(stopped), 0.92, 1},
	} {
		if c.got < c.least-slack || c.got > min(1, c.most+slack) {
			t.Errorf("the interval %s holds the truth in %.1f %% of %d repeats, want %.1f to %.1f", c.says, 100*c.got, repeats, 100*c.least, 100*c.most)
		}
	}
}

func holds[T ~float64](interval [2]model.Number, truth T) int {
	if float64(interval[0]) <= float64(truth) && float64(truth) <= float64(interval[1]) {
		return 1
	}
	return 0
}

// The ranks of distribution-free intervals as textbooks print them for the median (Conover,
// Practical Nonparametric Statistics, table of the sign test at 2.5 % on either side), and
// by hand: below six values even all of them hold the median in less than 95 %, 1 - 2/2^5.
func TestOrderRanks(t *testing.T) {
	for _, c := range []struct{ n, percent, lo, hi int }{
		{5, 50, 0, 0},
		{6, 50, 1, 6}, // 1 - 2/2^6 = 96.9 %
		{9, 50, 2, 8},
		{10, 50, 2, 9},
		{15, 50, 4, 12},
		{20, 50, 6, 15},
		{25, 50, 8, 18},
		{30, 50, 10, 21},
		{28, 10, 0, 0}, // 0.9^28 = 5.2 % lie all above: no least rank
	} {
		lo, hi, ok := orderRanks(c.n, c.percent)
		if lo != c.lo || hi != c.hi || ok != (c.lo > 0) {
			t.Errorf("%d values, %d %%: ranks %d and %d (%v), want %d and %d", c.n, c.percent, lo, hi, ok, c.lo, c.hi)
		}
	}
	// And by their definition, from binomial sums done otherwise.
	for _, n := range []int{35, 40, 77, 200} {
		for _, percent := range []int{10, 50, 90} {
			lo, hi, ok := orderRanks(n, percent)
			if !ok {
				continue
			}
			below := binomialSums(n, float64(percent)/100)
			if below[lo-1] > 0.025+1e-12 || below[lo] <= 0.025 || 1-below[hi-1] > 0.025+1e-12 || 1-below[hi-2] <= 0.025 {
				t.Errorf("%d values, %d %%: ranks %d and %d", n, percent, lo, hi)
			}
		}
	}
}

// binomialSums are the probabilities that at most k of n values lie below: sums[k].
func binomialSums(n int, p float64) []float64 {
	row := []float64{1} // by the addition of one value at a time
	for range n {
		next := make([]float64, len(row)+1)
		for k, v := range row {
			next[k] += v * (1 - p)
			next[k+1] += v * p
		}
		row = next
	}
	sum := 0.0
	for k, v := range row {
		sum += v
		row[k] = sum
	}
	return row
}

func TestUntilFindsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"median(wall_s) within 2%":     "",
		"p90(latency_s.p99) within 5%": "",
		"mean(success) within 0.5%":    "",
		"mode(wall_s) within 2%":       "is no statistic",
		"p100(wall_s) within 2%":       "is no statistic",
		"mean(wall_s) within 2":        "is no share",
		"mean(wall_s) within 0%":       "above 0%",
		"mean(wall_s) within -1%":      "above 0%",
		"mean wall_s within 2%":        "is no condition",
	} {
		u, err := ParseUntil(text)
		if says := fmt.Sprint(err); want == "" && (err != nil || u.String() != text) || want != "" && !strings.Contains(says, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
