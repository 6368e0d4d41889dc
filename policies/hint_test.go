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
			rule := HintRule{Mode: test.mode, UpTo: Never}
			if got, heed := rule.Wait(800*ms, Answer{Hint: test.hint}, 0.5); got != test.want || heed == NoWait {
				t.Errorf("waits %v (%v), want %v", got, heed, test.want)
			}
		})
	}
}

func TestHintBeyond(t *testing.T) {
	tests := []struct {
		says   string
		mode   HintMode
		beyond Beyond
		hint   time.Duration
		want   time.Duration // with a backoff of 800 ms and up_to: 60s
		may    bool
	}{
		{"exactly up_to is waited for", ObeyHint, FailBeyond, time.Minute, time.Minute, true},
		{"a nanosecond more fails", ObeyHint, FailBeyond, time.Minute + 1, 0, false},
		{"under floor too", FloorHint, FailBeyond, time.Hour, 0, false},
		{"or leaves the backoff", ObeyHint, IgnoreBeyond, time.Hour, 800 * ms, true},
		{"or is cut to up_to", ObeyHint, ClampBeyond, time.Hour, time.Minute, true},
		{"nobody who ignores hints fails by one", IgnoreHint, FailBeyond, time.Hour, 800 * ms, true},
	}
	for _, test := range tests {
		rule := HintRule{Mode: test.mode, UpTo: time.Minute, Beyond: test.beyond}
		if got, heed := rule.Wait(800*ms, Answer{Hint: Hint{Kind: GivenHint, Wait: test.hint}}, 0.5); got != test.want || heed != NoWait != test.may {
			t.Errorf("%s: %v, %v; want %v, %v", test.says, got, heed, test.want, test.may)
		}
	}
}
