package model

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// ratesOf are steps of a rate, by the second they begin.
func ratesOf(perSecond map[int]int64) *RateSteps {
	steps := &RateSteps{Steps: map[time.Duration]policies.Rate{}}
	for at, n := range perSecond {
		steps.Steps[time.Duration(at)*time.Second] = policies.Rate{N: n, Per: time.Second}
	}
	return steps
}

func all(a *Arrive, seed uint64) (times []time.Duration) {
	from := a.arrivals(ClientKey(seed, "g", 0), a.Process.gaps(tables{}))
	for at, more := from.next(); more; at, more = from.next() {
		times = append(times, at)
	}
	return times
}

// Evenly spaced arrivals at a rate that changes evenly, against the closed form.
func TestEvenArrivalsOnARamp(t *testing.T) {
	for _, test := range []struct {
		says  string
		rate  map[int]int64
		last  time.Duration
		count int
		at    func(k float64) float64 // seconds
	}{
		{"from 0 to 10/s in 10 s: k arrivals take sqrt(2k)", map[int]int64{0: 0, 10: 10}, 10 * time.Second, 50, func(k float64) float64 { return math.Sqrt(2 * k) }},
		{"from 10/s to 0 in 10 s: there are 50, and they take 10 - sqrt(100 - 2k)", map[int]int64{0: 10, 10: 0}, time.Hour, 50, func(k float64) float64 { return 10 - math.Sqrt(100-2*k) }},
		{"from 4/s to 4/s nothing changes", map[int]int64{0: 4, 5: 4}, 10 * time.Second, 40, func(k float64) float64 { return k / 4 }},
		{"from 1/s to 3/s in 10 s, and 3/s from then on", map[int]int64{0: 1, 10: 3}, 20 * time.Second, 50, func(k float64) float64 {
			if k >= 20 {
				return 10 + (k-20)/3
			}
			return (math.Sqrt(1+0.4*k) - 1) / 0.2
		}},
	} {
		a := Arrive{At: 3 * time.Second, Rate: ratesOf(test.rate), Ramp: true, For: test.last}
		got := all(&a, 1)
		if len(got) != test.count {
			t.Errorf("%s: %d arrivals, want %d", test.says, len(got), test.count)
		}
		for k, at := range got {
			want := 3 + test.at(float64(k))
			if math.Abs(at.Seconds()-want) > 2e-9*math.Max(1, want) {
				t.Errorf("%s: arrival %d at %v, want %.9f s", test.says, k, at, want)
			}
		}
	}
}

// A process whose rate changes is the one of a steady rate in another time: where n are to
// be expected before an arrival, n seconds pass before it at 1/s.
func TestArrivalsAreRescaledInTime(t *testing.T) {
	processes := map[string]Process{
		"poisson": {Poisson: &Memoryless{}},
		"gamma":   {Gamma: &Variation{CV: 2}},
		"weibull": {Weibull: &Variation{CV: 0.5}},
	}
	for name, p := range processes {
		for _, ramp := range []bool{false, true} {
			unit := Arrive{Rate: ratesOf(map[int]int64{0: 1}), Process: p, For: 2000 * time.Second}
			bent := Arrive{Rate: ratesOf(map[int]int64{0: 5, 20: 0, 30: 1, 70: 21, 100: 2}), Process: p, Ramp: ramp, For: 200 * time.Second}
			for seed := range uint64(20) {
				want := all(&unit, seed)
				got := all(&bent, seed)
				if len(got) < 300 {
					t.Fatalf("%s: %d arrivals", name, len(got))
				}
				for k, at := range got {
					expected := bent.Expected(at)
					// Each arrival is cut to the nanosecond, in which at most 21e-9 are to be expected.
					if off := math.Abs(expected - want[k].Seconds()); off > 25e-9*float64(k+1) {
						t.Fatalf("%s, ramp %v, seed %d: %.9f are to be expected before arrival %d at %v, and %v pass at 1/s", name, ramp, seed, expected, k, at, want[k])
					}
				}
			}
		}
	}
}

// Gaps have the mean of the rate and the variation that was asked for; the number in a time
// then has a variance to mean of cv^2 in the long run (Cox, "Renewal theory", 1962, 4.1).
func TestGapsOfArrivals(t *testing.T) {
	for _, test := range []struct {
		says string
		p    Process
		cv   float64
	}{
		{"poisson", Process{Poisson: &Memoryless{}}, 1},
		{"gamma as bursty as the Azure conversation trace", Process{Gamma: &Variation{CV: 1.09}}, 1.09},
		{"steady gamma", Process{Gamma: &Variation{CV: 0.2}}, 0.2},
		{"bursty gamma", Process{Gamma: &Variation{CV: 3}}, 3},
		{"steady weibull", Process{Weibull: &Variation{CV: 0.2}}, 0.2},
		{"bursty weibull", Process{Weibull: &Variation{CV: 2}}, 2},
	} {
		const rate, seeds = 10, 40
		n, sum, squares := 0.0, 0.0, 0.0
		for seed := range uint64(seeds) {
			a := Arrive{Rate: &RateSteps{Steady: policies.Rate{N: rate, Per: time.Second}}, Process: test.p, For: 1000 * time.Second}
			last := time.Duration(0)
			for _, at := range all(&a, seed) {
				gap := (at - last).Seconds() * rate
				last = at
				n, sum, squares = n+1, sum+gap, squares+gap*gap
			}
		}
		mean := sum / n
		cv := math.Sqrt(squares/n-mean*mean) / mean
		// Five standard errors of the mean, cv/sqrt(n); that of cv is about as many times its
		// kurtosis, which is largest for the bursty ones: 2 % and 6 % are above it.
		if off := math.Abs(mean - 1); off > 5*test.cv/math.Sqrt(n)+1e-3*test.cv {
			t.Errorf("%s: a gap is %.5f of 1/rate in the mean of %v", test.says, mean, n)
		}
		within := 0.02
		if test.cv >= 2 {
			within = 0.06
		}
		if math.Abs(cv/test.cv-1) > within {
			t.Errorf("%s: gaps have a cv of %.4f, want %v", test.says, cv, test.cv)
		}
	}
}

// A trace is replayed row by row, faster or slower without rounding through a binary
// fraction, and ends where it ends.
func TestReplay(t *testing.T) {
	const s = time.Second
	rows := []TraceRow{{At: 0}, {At: s}, {At: s}, {At: 23 * s}}
	for _, test := range []struct {
		says  string
		at    time.Duration
		speed Share
		want  []time.Duration
	}{
		{"as it was", 0, Whole, []time.Duration{0, s, s, 23 * s}},
		{"later", 5 * s, Whole, []time.Duration{5 * s, 6 * s, 6 * s, 28 * s}},
		{"1.15 times as fast: 1/1.15 is cut to the nanosecond, 23/1.15 is 20", 0, 1_150_000_000, []time.Duration{0, 869_565_217, 869_565_217, 20 * s}},
		{"half as fast", s, Whole / 2, []time.Duration{s, 3 * s, 3 * s, 47 * s}},
		{"so slow that only the first comes before the end of time", 0, 1, []time.Duration{0, 1_000_000_000 * s, 1_000_000_000 * s}},
	} {
		a := Arrive{At: test.at, Trace: "t.csv", Playback: Playback{Rows: rows, Speed: test.speed}}
		got := all(&a, 1)
		if len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", test.says, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: row %d at %v, want %v", test.says, i, got[i], test.want[i])
			}
		}
	}
}

func TestRowsAfterTheHorizonAreWarnedOf(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		says  string
		at    time.Duration
		speed Share
		after time.Duration
		want  []string
	}{
		{"all come", 0, Whole, 3 * s, nil},
		{"what comes at the horizon comes no more", 0, Whole, 2 * s, []string{"clients.0.arrive.trace: 1 of its 3 rows come after the run's end; write a later stop.after, a shorter slice, or a greater speed"}},
		{"half as fast, and later", s, Whole / 2, 2 * s, []string{"clients.0.arrive.trace: 2 of its 3 rows come after the run's end; write a later stop.after, a shorter slice, or a greater speed"}},
	} {
		c := &Config{}
		c.SetDefaults()
		c.Stop.After = test.after
		c.Clients = []Group{{Arrive: Arrive{At: test.at, Trace: "t.csv", Playback: Playback{Rows: []TraceRow{{}, {At: s}, {At: 2 * s}}, Speed: test.speed}}}}
		if got := c.cutTraces(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.says, got, test.want)
		}
	}
}

func TestOperationsAtMost(t *testing.T) {
	closed := Group{Count: 3, Repeat: Repeat{Operations: 4}}
	traced := Group{Count: 1, Arrive: Arrive{Trace: "t.csv", Playback: Playback{Rows: make([]TraceRow, 5)}}, Repeat: Repeat{Operations: 1}}
	for _, test := range []struct {
		says   string
		groups []Group
		want   int64
		known  bool
	}{
		{"each client's, and each row of a trace", []Group{closed, traced}, 17, true},
		{"as many as come", []Group{closed, {Count: 1, Arrive: Arrive{Rate: ratesOf(map[int]int64{0: 1})}, Repeat: Repeat{Operations: 1}}}, 0, false},
		{"on and on", []Group{{Count: 1, Repeat: Repeat{Operations: policies.Unlimited}}}, 0, false},
	} {
		if n, known := (&Config{Clients: test.groups}).OperationsAtMost(); n != test.want || known != test.known {
			t.Errorf("%s: %d, %v, want %d, %v", test.says, n, known, test.want, test.known)
		}
	}
}

func TestArrivalsAllocateNothing(t *testing.T) {
	for name, a := range map[string]Arrive{
		"ramp":  {Rate: ratesOf(map[int]int64{0: 1, 1000: 1000}), Ramp: true},
		"gamma": {Rate: ratesOf(map[int]int64{0: 1, 1000: 1000}), Ramp: true, Process: Process{Gamma: &Variation{CV: 2}}},
		"trace": {Trace: "t.csv", Playback: Playback{Rows: make([]TraceRow, 10_000), Speed: 2 * Whole}},
	} {
		from := a.arrivals(ClientKey(1, "g", 0), a.Process.gaps(tables{}))
		if n := testing.AllocsPerRun(1000, func() { from.next() }); n != 0 {
			t.Errorf("%s: %v allocations for an arrival", name, n)
		}
	}
}

// By hand: n - 1 gaps between n rows, and the area under a rate over its time.
func TestMeanRate(t *testing.T) {
	trace := func(speed Share) Arrive {
		a := Arrive{At: time.Second, Trace: "t.csv", Playback: Playback{Speed: speed}}
		for row := range 11 {
			a.Playback.Rows = append(a.Playback.Rows, TraceRow{At: time.Duration(row) * time.Second})
		}
		return a
	}
	steady := &RateSteps{Steady: policies.Rate{N: 3, Per: time.Second}}
	for _, row := range []struct {
		says   string
		a      Arrive
		before time.Duration
		want   float64
	}{
		{"a trace that is over long before the horizon", trace(0), time.Hour, 1},
		{"one that the horizon cuts", trace(0), 4 * time.Second, 1},
		{"one that goes twice as fast", trace(2 * Whole), time.Hour, 2},
		{"one of which a single row comes", trace(0), 2 * time.Second, 0},
		{"a rate to the horizon", Arrive{At: 2 * time.Second, Rate: steady}, 10 * time.Second, 3},
		{"a rate that ends before", Arrive{At: 2 * time.Second, For: 5 * time.Second, Rate: steady}, time.Hour, 3},
		{"nothing before the horizon", Arrive{At: time.Minute, Rate: steady}, time.Second, 0},
	} {
		if got := row.a.MeanRate(row.before); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%s: %v a second, want %v", row.says, got, row.want)
		}
	}
}
