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

func same(a, b Number) bool { return a == b || !a.Defined() && !b.Defined() }
