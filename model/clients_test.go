package model

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func TestTimeoutsInTheWorld(t *testing.T) {
	retrying := policies.Policy{}
	retrying.SetDefaults()
	retrying.Attempts = 2
	retrying.Backoff = policies.BackoffConfig{Constant: &policies.Constant{Delay: 600 * ms}}
	tests := []struct {
		says     string
		timeouts policies.Timeouts
		answer   time.Duration
		why      policies.EndReason
		ends     []time.Duration // of the attempts, at the client
	}{
		{"an answer that comes before its time-out is an answer", policies.Timeouts{Attempt: 301 * ms}, 298 * ms, policies.Success, []time.Duration{300 * ms}},
		{"one that comes at that very instant is too: a completion beats a time-out", policies.Timeouts{Attempt: 300 * ms}, 298 * ms, policies.Success, []time.Duration{300 * ms}},
		{"a nanosecond later it is not, and the second try fares no better", policies.Timeouts{Attempt: 300 * ms}, 298*ms + 1, policies.AttemptsExhausted, []time.Duration{300 * ms, 1200 * ms}},
		{"an operation's time-out ends the second try", policies.Timeouts{Attempt: 300 * ms, Operation: time.Second}, time.Hour, policies.OperationTimedOut, []time.Duration{300 * ms, time.Second}},
		{"no second try is begun that could not before it", policies.Timeouts{Attempt: 300 * ms, Operation: 900 * ms}, time.Hour, policies.OperationTimedOut, []time.Duration{300 * ms}},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := config(policies.Unlimited, test.answer, group("a", 1, func(g *Group) {
				g.Policy, g.Timeouts, g.Network.OneWay = "two", test.timeouts, value(ms)
			}))
			c.Policies = policies.Registry{"two": retrying}
			s, _, lines := play(t, c, 1)
			var ends []time.Duration
			for _, line := range lines {
				ends = append(ends, line.Answered)
			}
			if !slices.Equal(ends, test.ends) || lines[len(lines)-1].Why != test.why {
				t.Errorf("attempts end at %v, the last because %v; want %v, %v", ends, lines[len(lines)-1].Why, test.ends, test.why)
			}
			if s.Attempts.InFlight != 0 || s.Operations.InFlight != 0 {
				t.Errorf("%d attempts and %d operations are still in flight", s.Attempts.InFlight, s.Operations.InFlight)
			}
		})
	}
}

// The jitter of a wait after a time-out is as random as after an answer.
func TestTheWaitAfterATimeOutIsDrawn(t *testing.T) {
	jittered := policies.Policy{}
	jittered.SetDefaults()
	jittered.Attempts = 2
	jittered.Backoff = policies.BackoffConfig{Constant: &policies.Constant{Delay: time.Second}, Jitter: policies.FullJitter}
	c := config(policies.Unlimited, time.Hour, group("a", 100, func(g *Group) { g.Policy, g.Timeouts.Attempt = "two", 300*ms }))
	c.Policies = policies.Registry{"two": jittered}
	_, _, lines := play(t, c, 1)
	waits := map[time.Duration]bool{}
	var sum time.Duration
	for _, line := range lines {
		if line.Attempt == 0 {
			waits[line.Wait] = true
			sum += line.Wait
		}
	}
	// Five standard errors of the mean of 100 uniform numbers: 5 * 0.289 / 10.
	if mean := sum.Seconds() / 100; len(waits) != 100 || math.Abs(mean-0.5) > 0.145 {
		t.Errorf("%d different waits of %.3f s in the mean, want 100 of 0.5 s", len(waits), mean)
	}
}

// E14 without a key: the answer takes 780 ms, the client gives up at 300 ms and tries
// once more: two answers are made and billed, none is received.
func TestWhatIsAbandonedIsMadeAndBilled(t *testing.T) {
	c := config(policies.Unlimited, 780*ms, group("a", 1, func(g *Group) {
		g.Policy, g.Timeouts.Attempt = "two", 300*ms
		g.Request.OutputTokens = value(int64(13))
	}))
	two := policies.Policy{}
	two.SetDefaults()
	two.Attempts = 2
	c.Policies = policies.Registry{"two": two}
	c.Stop = Stop{When: Horizon, After: time.Minute}
	s, _, _ := play(t, c, 1)
	if s.Attempts.TimedOut != 2 || s.Provider.AnswersGenerated != 2 || s.Tokens != (TokenSums{Billed: 26, Wasted: 26}) {
		t.Errorf("%d time-outs, %d answers made, tokens %+v; want 2, 2 and 26 billed, all wasted", s.Attempts.TimedOut, s.Provider.AnswersGenerated, s.Tokens)
	}
}

func TestLoops(t *testing.T) {
	repeat := func(loop Loop, gap time.Duration, operations policies.Count) func(*Group) {
		return func(g *Group) { g.Repeat = Repeat{Loop: loop, Gap: value(gap), Operations: operations} }
	}
	const s = time.Second
	tests := []struct {
		says   string
		repeat func(*Group)
		starts []time.Duration
	}{
		{"closed: a gap of 2 s after an answer of 3 s", repeat(ClosedLoop, 2*s, 3), []time.Duration{0, 5 * s, 10 * s}},
		{"open: a gap of 2 s between starts, whether or not there is an answer", repeat(OpenLoop, 2*s, 3), []time.Duration{0, 2 * s, 4 * s}},
		{"unlimited: up to the horizon", repeat(ClosedLoop, 2*s, policies.Unlimited), []time.Duration{0, 5 * s, 10 * s, 15 * s}},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := config(policies.Unlimited, 3*s, group("a", 1, test.repeat))
			c.Stop.After = 16 * s
			sum, _, lines := play(t, c, 1)
			var starts []time.Duration
			for i, line := range lines {
				if line.Operation != i {
					t.Errorf("attempt %d is of operation %d", i, line.Operation)
				}
				starts = append(starts, line.Sent)
			}
			if !slices.Equal(starts, test.starts) || sum.Operations.Total != int64(len(starts)) {
				t.Errorf("operations start at %v, want %v", starts, test.starts)
			}
		})
	}
}

func TestWarmUpIsInTheSeriesOnly(t *testing.T) {
	c := config(1, time.Second, group("a", 1, func(g *Group) {
		g.Repeat = Repeat{Loop: ClosedLoop, Gap: value(time.Second), Operations: 5}
	}))
	c.WarmUp = 4 * time.Second
	s, tally, _ := play(t, c, 1)
	sent := int64(0)
	for i := range tally.Slots() {
		sent += tally.Slot(i).First
	}
	if s.Operations.Total != 3 || s.Operations.Succeeded != 3 || s.Attempts.Total != 3 || sent != 5 {
		t.Errorf("%d operations and %d attempts counted, %d in the series; want 3, 3 and 5", s.Operations.Total, s.Attempts.Total, sent)
	}
}

// Poisson arrivals: the number in a time has its mean, and its variance too.
func TestPoissonArrivals(t *testing.T) {
	steps := &RateSteps{Steps: map[time.Duration]policies.Rate{0: {N: 5, Per: time.Second}, 500 * time.Second: {N: 0, Per: time.Second}, 600 * time.Second: {N: 20, Per: time.Second}}}
	a := Arrive{Rate: steps, Process: Process{Poisson: &Memoryless{}}, For: 1000 * time.Second}
	const seeds = 400
	var counts [3][]float64
	for seed := range uint64(seeds) {
		from := a.arrivals(ClientKey(seed, "g", 0), nil)
		var n [3]float64
		last := time.Duration(-1)
		for at, more := from.next(); more; at, more = from.next() {
			if at < last {
				t.Fatalf("seed %d: an arrival at %v after one at %v", seed, at, last)
			}
			last = at
			switch {
			case at < 500*time.Second:
				n[0]++
			case at < 600*time.Second:
				n[1]++
			default:
				n[2]++
			}
		}
		for i := range n {
			counts[i] = append(counts[i], n[i])
		}
	}
	for i, mean := range []float64{2500, 0, 8000} {
		got, square := 0.0, 0.0
		for _, n := range counts[i] {
			got += n / seeds
		}
		for _, n := range counts[i] {
			square += (n - got) * (n - got) / (seeds - 1)
		}
		// Five standard errors: of the mean sqrt(mean/seeds), of the variance about mean*sqrt(2/seeds).
		if math.Abs(got-mean) > 5*math.Sqrt(mean/seeds) {
			t.Errorf("step %d: %v arrivals in the mean, want %v", i, got, mean)
		}
		if math.Abs(square-mean) > 5*mean*math.Sqrt(2.0/seeds) {
			t.Errorf("step %d: the variance of the number is %v, want %v", i, square, mean)
		}
	}
}
