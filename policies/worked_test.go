package policies

import (
	"testing"
	"time"
)

// The tables of the doc comments: what the default policies wait.
func TestWorkedTables(t *testing.T) {
	const ms = time.Millisecond
	naive := []time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 12800 * ms, 20 * time.Second}
	half := make([]time.Duration, len(naive))
	for i := range naive {
		half[i] = naive[i] / 2
	}
	base := []time.Duration{200 * ms, 200 * ms, 200 * ms, 200 * ms, 200 * ms, 200 * ms, 200 * ms, 200 * ms}
	for _, row := range []struct {
		name        string
		least, most []time.Duration
	}{
		{"none", nil, nil},
		{"naive", naive, naive},
		{"full-jitter", make([]time.Duration, 8), naive},
		{"equal-jitter", half, naive},
		{"decorrelated", base, []time.Duration{600 * ms, 1800 * ms, 5400 * ms, 16200 * ms, 20 * time.Second, 20 * time.Second, 20 * time.Second, 20 * time.Second}},
	} {
		got := Default()[row.name].Work(9)
		if len(got) != len(row.least) {
			t.Errorf("%s: %d waits, want %d", row.name, len(got), len(row.least))
			continue
		}
		for i, w := range got {
			if w.Attempt != i+2 || w.Least != row.least[i] || w.Most.Round(ms) != row.most[i] {
				t.Errorf("%s, before attempt %d: %v to %v, want %v to %v", row.name, w.Attempt, w.Least, w.Most, row.least[i], row.most[i])
			}
		}
	}
	p := Default()["naive"]
	p.Attempts = 3
	if n := len(p.Work(9)); n != 2 {
		t.Errorf("3 attempts have %d waits, want 2", n)
	}
}
