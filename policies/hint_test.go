package policies

import (
	"testing"
	"time"
)

func TestHintRule(t *testing.T) {
	given := func(d time.Duration) Hint { return Hint{Wait: d, Kind: GivenHint} }
	tests := []struct {
		says string
		mode HintMode
		hint Hint
		want time.Duration // with a backoff of 800 ms
	}{
		{"ignore: the hint is not looked at", IgnoreHint, given(time.Second), 800 * ms},
		{"floor: a longer hint lifts the wait", FloorHint, given(time.Second), time.Second},
		{"floor: a shorter hint leaves the backoff", FloorHint, given(100 * ms), 800 * ms},
		{"floor: a hint that is past leaves the backoff", FloorHint, given(-time.Second), 800 * ms},
		{"floor: no hint leaves the backoff", FloorHint, Hint{}, 800 * ms},
		{"floor: what cannot be read leaves the backoff", FloorHint, Hint{Kind: MalformedHint, Wait: time.Hour}, 800 * ms},
		{"obey: exactly the hint, though shorter", ObeyHint, given(100 * ms), 100 * ms},
		{"obey: a hint of 0 means at once", ObeyHint, given(0), 0},
		{"obey: a hint that is past means at once", ObeyHint, given(-time.Second), 0},
		{"obey: without one, the backoff", ObeyHint, Hint{}, 800 * ms},
		{"obey: what cannot be read leaves the backoff", ObeyHint, Hint{Kind: MalformedHint}, 800 * ms},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			if got := (HintRule{Mode: test.mode}).Wait(800*ms, test.hint); got != test.want {
				t.Errorf("waits %v, want %v", got, test.want)
			}
		})
	}
}
