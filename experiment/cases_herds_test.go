package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// peaks returns, for each number of attempt, the most of them that were sent within one
// tenth of a second, and in how many different tenths any were.
func peaks(lines []model.TraceLine) (most, bins []int) {
	count := map[[2]int]int{}
	for _, line := range lines {
		for len(most) <= line.Attempt {
			most, bins = append(most, 0), append(bins, 0)
		}
		at := [2]int{line.Attempt, int(line.Sent / (100 * time.Millisecond))}
		count[at]++
		if count[at] == 1 {
			bins[line.Attempt]++
		}
		most[line.Attempt] = max(most[line.Attempt], count[at])
	}
	return most, bins
}

// RS-D2: a cohort that waits the same time stays together for ever; with jitter it is
// spread more with each attempt.
func TestParallelAgentsRetryOnOneBeat(t *testing.T) {
	s := load(t, "same-beat", "policy=naive")
	r, lines := recorded(t, s)
	most, bins := peaks(lines)
	if most[0] != 200 || most[1] != 100 {
		t.Errorf("no jitter: %d start and %d retry in one tenth of a second, want 200, and the 100 that were refused", most[0], most[1])
	}
	for attempt, n := range bins {
		if n != 1 {
			t.Errorf("no jitter: attempt %d is sent in %d tenths of a second, want 1", attempt, n)
		}
	}
	if r.Summary.Herd.BusiestRetry != 100 || r.Summary.Herd.Slot != 0.1 {
		t.Errorf("no jitter: the busiest slot of %v s holds %d retries, want 100 in 0.1 s", r.Summary.Herd.Slot, r.Summary.Herd.BusiestRetry)
	}

	// What an attempt's peak comes to: 100 waits of U(0, 200 ms) fill two tenths, so about
	// 50; two such sums lie over 0.6 s and so on. Equal jitter waits 100 to 200 ms at first, all
	// in one tenth.
	const seeds = 50
	for _, test := range []struct {
		policy string
		first  [2]float64 // bounds of the mean peak of the first retry
	}{{"full-jitter", [2]float64{50, 60}}, {"equal-jitter", [2]float64{100, 100}}} {
		mean := make([]float64, 6)
		for seed := range uint64(seeds) {
			trace := &model.Trace{Client: model.AllClients}
			if _, err := Run(context.Background(), load(t, "same-beat", "policy="+test.policy), seed, trace); err != nil {
				t.Fatal(err)
			}
			most, _ := peaks(trace.Lines)
			for attempt := range mean {
				mean[attempt] += float64(most[attempt]) / seeds
			}
		}
		if mean[0] != 200 || mean[1] < test.first[0] || mean[1] > test.first[1] {
			t.Errorf("%s: peaks of %v, want 200, then %g to %g", test.policy, mean[:2], test.first[0], test.first[1])
		}
		for attempt := 1; attempt < len(mean); attempt++ {
			if mean[attempt] >= mean[attempt-1] {
				t.Errorf("%s: the peak of attempt %d is %.1f, no less than the %.1f before", test.policy, attempt, mean[attempt], mean[attempt-1])
			}
		}
		if mean[5] > 12 {
			t.Errorf("%s: the peak of the fifth retry is %.1f, hardly spread", test.policy, mean[5])
		}
	}
}

// GT-D1: ten requests of 800 tokens before a gate whose bucket holds one second of 40,000
// a minute, 667. All three answers end.
func TestRequestsLargerThanTheGatesBucket(t *testing.T) {
	for _, test := range []struct {
		oversize string
		says     string
		served   int64
		wall     float64
		warning  string
	}{
		{"reject", "all are refused by the gate at once", 0, 0, "10 operations were of more tokens than the 667 that its bucket holds; they were refused at once"},
		{"borrow", "a debt of 800 is repaid in 1.2 s, so the tenth goes after 9 of them", 10, 10.8, "the next waited until the debt was repaid"},
		{"when-full", "a bucket of 667 is full again after 1.0005 s", 10, 9 * 1.0005, "more tokens went through than the rate allows"},
	} {
		s := load(t, "oversize", "gates.paced.oversize="+test.oversize)
		sum := run(t, s, s.Seed).Summary
		if sum.Operations.Succeeded != test.served || sum.Operations.Failures.Gate != 10-test.served || sum.Attempts.Total != test.served {
			t.Errorf("%s: %s: %d served and %d refused in %d attempts", test.oversize, test.says, sum.Operations.Succeeded, sum.Operations.Failures.Gate, sum.Attempts.Total)
		}
		if math.Abs(float64(sum.Wall)-test.wall) > 1e-8 {
			t.Errorf("%s: %s: the run ends after %v s, want %g", test.oversize, test.says, sum.Wall, test.wall)
		}
		if len(sum.Warnings) != 1 || !strings.Contains(sum.Warnings[0], test.warning) || !strings.HasPrefix(sum.Warnings[0], "gates.paced.burst: ") {
			t.Errorf("%s: warns %q, want of gates.paced.burst that %s", test.oversize, sum.Warnings, test.warning)
		}
	}
}

// GT-D2: a bucket of 6,000 is empty 6,000 / (6,975 - 6,000) = 6.15 min after the work
// begins; one of 100 after 100 / 975 min = 6.15 s. From then on no minute admits more
// than 6,000.
func TestQuietThenAboveTheRate(t *testing.T) {
	const begins = 5 * time.Minute
	for _, test := range []struct {
		burst      int
		after, off time.Duration
		slot       string
	}{
		{6000, 6*time.Minute + 9*time.Second, 6 * time.Second, "1s"},
		{100, 6150 * time.Millisecond, 500 * time.Millisecond, "50ms"},
	} {
		s := load(t, "burst-bucket", fmt.Sprintf("provider.limits.0.burst=%d", test.burst), "slot="+test.slot)
		tally := run(t, s, s.Seed).Tally
		var crossing time.Duration
		for i := range tally.Slots() {
			if tally.Slot(i).Rejected > 0 {
				crossing = time.Duration(i)*tally.SlotWidth() - begins
				break
			}
		}
		if crossing < test.after-test.off || crossing > test.after+test.off {
			t.Errorf("a bucket of %d: the first rejection after %v, want %v", test.burst, crossing, test.after)
		}
		for from := begins; from+time.Minute < begins+10*time.Minute; from += time.Second {
			n := accepted(tally, from, from+time.Minute)
			switch {
			case from+time.Minute < begins+crossing && (n < 6974 || n > 6976):
				t.Fatalf("a bucket of %d: %d are admitted in the minute from %v on, before the crossing, want the 6,975 that are offered", test.burst, n, from)
			case from > begins+crossing+time.Second && (n < 5998 || n > 6002):
				t.Fatalf("a bucket of %d: %d are admitted in the minute from %v on, after the crossing, want 6,000", test.burst, n, from)
			}
		}
	}
}
