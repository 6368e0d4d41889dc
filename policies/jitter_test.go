package policies

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const nearlyOne = 1 - 1.0/(1<<53)

func TestJitters(t *testing.T) {
	constant := func(j Jitter, least, most time.Duration) BackoffConfig {
		return BackoffConfig{Constant: &Constant{time.Second}, Jitter: j, Least: least, Most: most}
	}
	for _, row := range []struct {
		says        string
		of          BackoffConfig
		least, most time.Duration // of a backoff of 1 s; most is never quite reached
	}{
		{"none", constant(NoJitter, 0, 0), time.Second, time.Second},
		{"full", constant(FullJitter, 0, 0), 0, time.Second},
		{"equal", constant(EqualJitter, 0, 0), 500 * ms, time.Second},
		{"added", constant(AddedJitter, 0, 0), time.Second, 2 * time.Second},
		{"to either side", constant("25%", 0, 0), 750 * ms, 1250 * ms},
		{"downwards, as the SDKs of OpenAI", constant("-25%", 0, 0), 750 * ms, time.Second},
		{"upwards", constant("+100%", 0, 0), time.Second, 2 * time.Second},
		{"all the way down is full jitter", constant("-100%", 0, 0), 0, time.Second},
		{"a range, as azcore", constant("80%..130%", 0, 0), 800 * ms, 1300 * ms},
		{"a range that is written backwards", constant("130%..80%", 0, 0), 800 * ms, 1300 * ms},
		{"a time", constant("750ms", 0, 0), time.Second, 1750 * ms},
		{"nothing", constant("0%", 0, 0), time.Second, time.Second},
		{"a fraction of a percent", constant("+0.5%", 0, 0), time.Second, 1005 * ms},
		{"full from a least on, as tenacity", constant(FullJitter, 200*ms, 0), 200 * ms, time.Second},
		{"a least above the backoff stands for it", constant(FullJitter, 2*time.Second, 0), 2 * time.Second, 2 * time.Second},
		{"a time, cut to a most, as google-genai", constant("1s", 0, 1500*ms), time.Second, 1500 * ms},
		{"bounds without jitter", constant(NoJitter, 0, 300*ms), 300 * ms, 300 * ms},
	} {
		b := row.of.New()
		if least := b.Wait(Retry{U: 0}); least != row.least {
			t.Errorf("%s: at least %v, want %v", row.says, least, row.least)
		}
		if most := b.Wait(Retry{U: nearlyOne}); most > row.most || row.most-most > 1 {
			t.Errorf("%s: at most %v, want %v", row.says, most, row.most)
		}
	}
}

func TestJitterText(t *testing.T) {
	for _, good := range []string{"none", "full", "equal", "added", "25%", "-25%", "+100%", "12.5%", "80%..130%", "1s", "750ms", "0s", "0%"} {
		var j Jitter
		if err := j.UnmarshalText([]byte(good)); err != nil || string(j) != good {
			t.Errorf("%q is read as %q: %v", good, j, err)
		}
	}
	for _, bad := range []string{"", "some", "25", "-25", "101%", "-101%", "1001%..2%", "+2000%", "%", "1.%", "-1s", "80%..", "0.25", "1e2%"} {
		var j Jitter
		if err := j.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read as %q", bad, j)
		}
	}
}

// Whatever the settings: no wait is below 0 or the least or above the most, the same draw
// gives the same wait, and a greater draw no shorter one.
func TestJitteredWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := time.Duration(rapid.Int64Range(0, math.MaxInt64/16).Draw(t, "cap"))
		c := BackoffConfig{
			Jitter: Jitter(rapid.SampledFrom([]string{"none", "full", "equal", "added", "25%", "-25%", "+100%", "80%..130%", "1s", "100h"}).Draw(t, "jitter")),
			Least:  time.Duration(rapid.SampledFrom([]int64{0, 1, int64(time.Second)}).Draw(t, "least")),
			Most:   time.Duration(rapid.SampledFrom([]int64{0, int64(time.Second), int64(time.Hour)}).Draw(t, "most")),
		}
		base := time.Duration(rapid.Int64Range(0, int64(limit)).Draw(t, "base"))
		switch rapid.IntRange(0, 3).Draw(t, "formula") {
		case 0:
			c.Exponential = &Exponential{Base: base, Factor: 2, Cap: limit, Throttled: limit}
		case 1:
			c.Steps = &Steps{Waits: []time.Duration{0, base, limit}}
		case 2:
			c = BackoffConfig{Multiplied: &Multiplied{Base: base, Factor: rapid.Float64Range(0, 10).Draw(t, "factor"), Cap: limit}}
		case 3:
			c.Constant = &Constant{base}
		}
		r := Retry{N: rapid.IntRange(0, 1<<31-2).Draw(t, "n"), Prev: time.Duration(rapid.Int64Range(0, int64(limit)).Draw(t, "prev")), U: rapid.Float64Range(0, nearlyOne).Draw(t, "u")}
		if rapid.Bool().Draw(t, "throttled") {
			r.Outcome.Status = 429
		}
		b := c.New()
		wait := b.Wait(r)
		switch {
		case wait < 0, c.Most > 0 && wait > c.Most, wait < min(c.Least, max(c.Most, c.Least)) && c.Most == 0, c.Multiplied != nil && wait > limit:
			t.Fatalf("%+v waits %v", c, wait)
		case b.Wait(r) != wait:
			t.Fatalf("%+v waits %v, and then %v", c, wait, b.Wait(r))
		}
		more := r
		more.U = rapid.Float64Range(r.U, nearlyOne).Draw(t, "more")
		if b.Wait(more) < wait {
			t.Fatalf("%+v waits %v at %v and %v at %v", c, wait, r.U, b.Wait(more), more.U)
		}
	})
}

func TestThrottledBase(t *testing.T) {
	b := exponential(func(e *Exponential) { e.Base, e.Throttled = 50*ms, time.Second }).New()
	for status, want := range map[int16]time.Duration{429: 2 * time.Second, 503: 100 * ms, 0: 100 * ms} {
		if got := b.Wait(Retry{N: 1, Outcome: Answer{Status: status}}); got != want {
			t.Errorf("after a %d: %v, want %v", status, got, want)
		}
	}
}

func TestBackoffChecks(t *testing.T) {
	for _, row := range []struct {
		says string
		of   BackoffConfig
		key  string // of the only problem; "" for none
	}{
		{"a jitter that it draws itself", BackoffConfig{Multiplied: &Multiplied{}, Jitter: FullJitter}, "jitter"},
		{"a bound of what has a cap", BackoffConfig{Decorrelated: &Decorrelated{}, Most: time.Second}, "most"},
		{"a least without a backoff", BackoffConfig{None: &NoBackoff{}, Least: time.Second}, "least"},
		{"a most below the least", BackoffConfig{Constant: &Constant{}, Least: 2, Most: 1}, "most"},
		{"both bounds", BackoffConfig{Constant: &Constant{}, Least: 1, Most: 2, Jitter: "1s"}, ""},
	} {
		problems := row.of.Check()
		if row.key == "" && problems == nil || len(problems) == 1 && problems[0].Key == row.key {
			continue
		}
		t.Errorf("%s: %v", row.says, problems)
	}
}

// The worked table of Steps.
func ExampleSteps() {
	s := Steps{Waits: []time.Duration{800 * ms, 2400 * ms, 5600 * ms}}
	fmt.Println("retry  delay")
	for n := range 5 {
		fmt.Printf("%5d  %v\n", n+1, s.Wait(Retry{N: n}))
	}
	// Output:
	// retry  delay
	//     1  800ms
	//     2  2.4s
	//     3  5.6s
	//     4  5.6s
	//     5  5.6s
}

// The worked table of Multiplied: the least and the most that a wait can be.
func ExampleMultiplied() {
	m := Multiplied{}
	m.SetDefaults()
	fmt.Println("retry  least  most")
	var least, most time.Duration
	for n := range 5 {
		least = m.Wait(Retry{N: n, Prev: least, U: 0})
		most = m.Wait(Retry{N: n, Prev: most, U: nearlyOne})
		fmt.Printf("%5d  %v  %v\n", n+1, least, most.Round(time.Millisecond))
	}
	// Output:
	// retry  least  most
	//     1  2s  4s
	//     2  4s  16s
	//     3  8s  20s
	//     4  16s  20s
	//     5  20s  20s
}

// The worked table of the SDKs of OpenAI and Anthropic: min(0.5s * 2^n, 8s) * (1 - U/4).
func ExampleJitter() {
	c := exponential(func(e *Exponential) { e.Base, e.Cap = 500*ms, 8*time.Second })
	c.Jitter = "-25%"
	p := Policy{Attempts: 7, Backoff: c}
	fmt.Println("attempt  least  most")
	for _, row := range p.Work(7) {
		fmt.Printf("%7d  %v  %v\n", row.Attempt, row.Least, row.Most.Round(time.Millisecond))
	}
	// Output:
	// attempt  least  most
	//       2  375ms  500ms
	//       3  750ms  1s
	//       4  1.5s  2s
	//       5  3s  4s
	//       6  6s  8s
	//       7  6s  8s
}
