package model

import (
	"strings"
	"testing"
	"time"
)

func TestRecovery(t *testing.T) {
	for _, test := range []struct {
		says       string
		before     int   // successes a second, from 10 to 20 s
		after      []int // successes in each second after the trigger
		load       time.Duration
		over       time.Duration
		trigger    Number
		back       Number
		didNotCome bool
	}{
		{"back with the third second, after a second of what had waited", 80, []int{0, 0, 100, 80, 80, 80, 80, 80, 80, 80, 80, 80}, 42 * time.Second, 60 * time.Second, 30, 32, false},
		{"back at once: 64 are 80 %", 80, []int{64, 64, 64, 64, 64, 64, 64, 64, 64, 64}, 40 * time.Second, 60 * time.Second, 30, 30, false},
		{"what was left over is no recovery", 80, []int{80}, 60 * time.Second, 60 * time.Second, 30, Undefined(), true},
		{"63 are less than 80 %", 80, []int{63, 63, 63, 63, 63, 63, 63, 63, 63, 63}, 40 * time.Second, 60 * time.Second, 30, Undefined(), true},
		{"at 5/s it takes 20 s to see a hundred, so ten good seconds are too few", 5, []int{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 60 * time.Second, 60 * time.Second, 30, Undefined(), true},
		{"a load that ends 3 s later is looked at so long", 80, []int{80, 80, 80}, 33 * time.Second, 60 * time.Second, 30, 30, false},
		{"nobody starts anything after it", 80, nil, 25 * time.Second, 60 * time.Second, 30, Undefined(), false},
		{"there was nothing to come back to", 0, []int{80, 80, 80}, 60 * time.Second, 60 * time.Second, 30, Undefined(), false},
		{"the run ends before the weather", 80, nil, 29 * time.Second, 29 * time.Second, Undefined(), Undefined(), false},
	} {
		c := &Config{WarmUp: 10 * time.Second}
		c.Provider.Weather = []Weather{{At: 25 * time.Second, For: 5 * time.Second, Outage: 503}, {At: 20 * time.Second, For: 2 * time.Second, Outage: 503}}
		r := newRecovery(c)
		r.succeeded(9 * time.Second) // in the warm-up
		for second := range 10 {
			for range test.before {
				r.succeeded(time.Duration(10+second) * time.Second)
			}
		}
		r.succeeded(20 * time.Second) // in the trigger, as is the pause between its periods
		r.succeeded(30*time.Second - 1)
		for second, n := range test.after {
			for range n {
				r.succeeded(time.Duration(30+second) * time.Second)
			}
		}
		r.load = test.load
		trigger, back := r.times(test.over)
		if !same(trigger, test.trigger) || !same(back, test.back) {
			t.Errorf("%s: the trigger ends at %v and goodput is back at %v, want %v and %v", test.says, trigger, back, test.trigger, test.back)
		}
		if warning := r.warning(test.over); strings.HasPrefix(warning, DidNotRecover) != test.didNotCome {
			t.Errorf("%s: warns %q", test.says, warning)
		}
	}
}

// TestRecoveryAtLowRates has less than an operation a second: 0.5/s for 100 s before.
func TestRecoveryAtLowRates(t *testing.T) {
	for _, test := range []struct {
		says   string
		before time.Duration // between successes
		after  []int         // seconds after the trigger in which one succeeds each
		every  int           // and then one so often, up to the end of the load
		load   int           // seconds
		back   Number
		warns  string
	}{
		{"the same rate goes on, first seen in second 1", 2 * time.Second, []int{1}, 2, 60, 201, ""},
		{"nothing for 50 s, then the same rate", 2 * time.Second, []int{50}, 2, 100, 250, ""},
		{"back for the last 40 s, with the second after they begin", 2 * time.Second, []int{161}, 2, 200, 361, ""},
		{"the rest of the run makes fewer than twenty", 2 * time.Second, nil, 0, 38, Undefined(), TooFewToTell},
		{"six before are too few, whatever comes", 20 * time.Second, nil, 0, 3000, Undefined(), TooFewToTell},
		{"nothing comes back", 2 * time.Second, nil, 0, 60, Undefined(), DidNotRecover + ": 0.5 operations a second succeeded before the weather, 0 in the last 40 s"},
		{"half of it is not enough", 2 * time.Second, []int{0}, 4, 300, Undefined(), DidNotRecover},
	} {
		c := &Config{}
		c.Provider.Weather = []Weather{{At: 100 * time.Second, For: 100 * time.Second, Outage: 503}}
		r := newRecovery(c)
		for at := time.Duration(0); at < 100*time.Second; at += test.before {
			r.succeeded(at)
		}
		for _, first := range test.after {
			for s := first; s < test.load; s += test.every {
				r.succeeded(time.Duration(200+s) * time.Second)
			}
		}
		r.load = time.Duration(200+test.load) * time.Second
		if _, back := r.times(time.Hour); !same(back, test.back) {
			t.Errorf("%s: back at %v, want %v", test.says, back, test.back)
		}
		if warning := r.warning(time.Hour); !strings.HasPrefix(warning, test.warns) || test.warns == "" && warning != "" {
			t.Errorf("%s: warns %q, want %q", test.says, warning, test.warns)
		}
	}
}

func same(a, b Number) bool { return a == b || !a.Defined() && !b.Defined() }
