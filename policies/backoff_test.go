package policies

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

func exponential(change func(*Exponential)) BackoffConfig {
	e := Exponential{}
	e.SetDefaults()
	if change != nil {
		change(&e)
	}
	return BackoffConfig{Exponential: &e, Jitter: NoJitter}
}

func jittered(c BackoffConfig, j Jitter) BackoffConfig {
	c.Jitter = j
	return c
}

func decorrelated(clamp Clamp) BackoffConfig {
	return BackoffConfig{Decorrelated: &Decorrelated{Base: 200 * ms, Cap: 20 * time.Second, Clamp: clamp}}
}

func TestWaits(t *testing.T) {
	const nearly1 = 1 - 1.0/(1<<53)
	tests := []struct {
		says string
		of   BackoffConfig
		in   Retry
		want time.Duration
	}{
		{"no backoff retries at once", BackoffConfig{None: &NoBackoff{}}, Retry{N: 3, U: 0.9}, 0},
		{"a constant does not grow", BackoffConfig{Constant: &Constant{30 * time.Second}}, Retry{N: 9}, 30 * time.Second},
		{"linear starts at its base", BackoffConfig{Linear: &Linear{200 * ms, 20 * time.Second}}, Retry{N: 0}, 200 * ms},
		{"linear adds its base each time", BackoffConfig{Linear: &Linear{200 * ms, 20 * time.Second}}, Retry{N: 4}, time.Second},
		{"linear meets its cap", BackoffConfig{Linear: &Linear{200 * ms, 20 * time.Second}}, Retry{N: 10_000}, 20 * time.Second},
		{"the first retry waits base * 2^0", exponential(nil), Retry{N: 0}, 200 * ms},
		{"the seventh waits base * 2^6", exponential(nil), Retry{N: 6}, 12_800 * ms},
		{"the eighth would be 25.6 s and meets the cap", exponential(nil), Retry{N: 7}, 20 * time.Second},
		{"first: 1 is one doubling ahead", exponential(func(e *Exponential) { e.First = 1 }), Retry{N: 0}, 400 * ms},
		{"attempt 10,000 is still the cap", exponential(nil), Retry{N: 10_000}, 20 * time.Second},
		{"a factor of 1 stays at the base", exponential(func(e *Exponential) { e.Factor = 1 }), Retry{N: 10_000}, 200 * ms},
		{"a factor of 1.5 grows by half", exponential(func(e *Exponential) { e.Factor = 1.5 }), Retry{N: 2}, 450 * ms},
		{"a factor of 0.5 shrinks", exponential(func(e *Exponential) { e.Factor = 0.5 }), Retry{N: 2}, 50 * ms},
		{"a factor of 0.5 comes to nothing", exponential(func(e *Exponential) { e.Factor = 0.5 }), Retry{N: 10_000}, 0},
		{"a factor of 0 waits only once", exponential(func(e *Exponential) { e.Factor = 0 }), Retry{N: 1}, 0},
		{"a vast factor is the cap", exponential(func(e *Exponential) { e.Factor = math.MaxFloat64 }), Retry{N: 10_000}, 20 * time.Second},
		{"no base, no wait", exponential(func(e *Exponential) { e.Base = 0 }), Retry{N: 5}, 0},
		{"full jitter starts at 0", jittered(exponential(nil), FullJitter), Retry{N: 3, U: 0}, 0},
		{"full jitter is in proportion to the draw", jittered(exponential(nil), FullJitter), Retry{N: 3, U: 0.25}, 400 * ms},
		{"full jitter stays below the bound", jittered(exponential(nil), FullJitter), Retry{N: 9, U: nearly1}, 20*time.Second - 1},
		{"equal jitter starts at half", jittered(exponential(nil), EqualJitter), Retry{N: 3, U: 0}, 800 * ms},
		{"equal jitter adds up to the other half", jittered(exponential(nil), EqualJitter), Retry{N: 3, U: 0.5}, 1200 * ms},
		{"jitter works on a constant too", jittered(BackoffConfig{Constant: &Constant{time.Second}}, FullJitter), Retry{U: 0.5}, 500 * ms},
		{"decorrelated draws from its base first", decorrelated(ClampAfter), Retry{U: 0}, 200 * ms},
		{"up to three times it", decorrelated(ClampAfter), Retry{U: 0.5}, 400 * ms},
		{"then from three times the last wait", decorrelated(ClampAfter), Retry{Prev: time.Second, U: 0.5}, 1600 * ms},
		{"clamped after the draw, a fifth of the range is above the cap of 20 s", decorrelated(ClampAfter), Retry{Prev: 8 * time.Second, U: 0.9}, 20 * time.Second},
		{"clamped before the draw it stays spread", decorrelated(ClampBefore), Retry{Prev: 8 * time.Second, U: 0.5}, 10_100 * ms},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			if got := test.of.New().Wait(test.in); got != test.want {
				t.Errorf("waits %v, want %v", got, test.want)
			}
		})
	}
}

func TestWaitsStayBetween0AndTheCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := time.Duration(rapid.Int64Min(0).Draw(t, "cap"))
		base := time.Duration(rapid.Int64Range(0, int64(limit)).Draw(t, "base"))
		r := Retry{
			N:    rapid.IntRange(0, 1<<31-2).Draw(t, "n"),
			Prev: time.Duration(rapid.Int64Range(0, int64(limit)).Draw(t, "prev")),
			U:    rapid.Float64Range(0, 1-1.0/(1<<53)).Draw(t, "u"),
		}
		factor := rapid.Float64Range(0, math.MaxFloat64).Draw(t, "factor")
		first := rapid.IntRange(0, 1).Draw(t, "first")
		jitter := rapid.SampledFrom([]Jitter{NoJitter, FullJitter, EqualJitter}).Draw(t, "jitter")
		for name, c := range map[string]BackoffConfig{
			"linear":       {Linear: &Linear{base, limit}, Jitter: jitter},
			"exponential":  {Exponential: &Exponential{Base: base, Factor: factor, Cap: limit, First: first}, Jitter: jitter},
			"decorrelated": {Decorrelated: &Decorrelated{base, limit, ClampAfter}},
			"clamp before": {Decorrelated: &Decorrelated{base, limit, ClampBefore}},
		} {
			if got := c.New().Wait(r); got < 0 || got > limit {
				t.Fatalf("%s waits %v, outside 0 to %v", name, got, limit)
			}
		}
	})
}

func TestMeansOfTheJitters(t *testing.T) {
	// Full jitter's mean is half the bound, equal jitter's three quarters: by the midpoint
	// rule over U, which is exact for what is linear in it.
	const n = 1000
	tests := []struct {
		jitter Jitter
		want   float64 // of the bound
	}{{FullJitter, 0.5}, {EqualJitter, 0.75}, {NoJitter, 1}}
	for _, test := range tests {
		b := jittered(exponential(nil), test.jitter).New()
		var sum time.Duration
		for i := range n {
			sum += b.Wait(Retry{N: 2, U: (float64(i) + 0.5) / n})
		}
		if got := float64(sum) / n / float64(800*ms); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("jitter %s: mean is %.6f of the bound, want %g", test.jitter, got, test.want)
		}
	}
}

// The worked table of Exponential.
func ExampleExponential() {
	c := BackoffConfig{}
	c.SetDefaults()
	fmt.Println("retry  delay")
	for n := range 8 {
		fmt.Printf("%5d  %v\n", n+1, c.New().Wait(Retry{N: n}))
	}
	// Output:
	// retry  delay
	//     1  200ms
	//     2  400ms
	//     3  800ms
	//     4  1.6s
	//     5  3.2s
	//     6  6.4s
	//     7  12.8s
	//     8  20s
}

// The worked table of Decorrelated: the least and the most that a wait can be.
func ExampleDecorrelated() {
	d := Decorrelated{}
	d.SetDefaults()
	fmt.Println("retry  least  most")
	for n, most := 1, time.Duration(0); n <= 6; n++ {
		most = d.Wait(Retry{Prev: most, U: 1 - 1.0/(1<<53)}).Round(time.Millisecond)
		fmt.Printf("%5d  %v  %v\n", n, d.Wait(Retry{U: 0}), most)
	}
	// Output:
	// retry  least  most
	//     1  200ms  600ms
	//     2  200ms  1.8s
	//     3  200ms  5.4s
	//     4  200ms  16.2s
	//     5  200ms  20s
	//     6  200ms  20s
}

func BenchmarkWait(b *testing.B) {
	for name, c := range map[string]BackoffConfig{"exponential": exponential(nil), "full": jittered(exponential(nil), FullJitter), "decorrelated": decorrelated(ClampAfter)} {
		backoff := c.New()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				backoff.Wait(Retry{N: n & 7, Prev: 300 * ms, U: 0.5})
				n++
			}
		})
	}
}
