package policies

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Hedge sends an attempt again before the one in flight has ended, and takes what
// succeeds first. The others are cancelled: their tokens are wasted, and what limits
// charged for them stays charged. Hedges share the operation's permit and are none of
// the policy's attempts; what fails while another is in flight is forgotten.
// Source: Dean and Barroso, "The Tail at Scale" (2013).
type Hedge struct {
	After  HedgeAfter `yaml:"after,required" example:"p95"` // since the newest attempt was sent; p95 is that percentile of how long the group's successful attempts took by then, and before 20 of them nothing is hedged
	AtMost int        `yaml:"at_most" min:"1" max:"100"`    // for each attempt of the policy; hedges are none of its attempts, and share the operation's permit: a gate's concurrency and rate do not hold them back; default 1
}

// SetDefaults fills what a scenario leaves out.
func (h *Hedge) SetDefaults() { h.AtMost = 1 }

// HedgeAfter is a wait, or a percentile of how long the group's successful attempts have
// taken so far; there is no hedge before [hedgeSamples] of them.
type HedgeAfter struct {
	Wait    time.Duration
	Percent int64 // 0: Wait stands
}

// hedgeSamples is how many successes a percentile is taken of at least.
const hedgeSamples = 20

// UnmarshalText reads a duration above 0, or a percentile from p1 to p99.
func (h *HedgeAfter) UnmarshalText(text []byte) error {
	if digits, is := strings.CutPrefix(string(text), "p"); is {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 1 || n > 99 || strconv.FormatInt(n, 10) != digits {
			return fmt.Errorf("%q is no percentile; write one from p1 to p99", text)
		}
		*h = HedgeAfter{Percent: n}
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time to hedge after; write a wait with its unit, such as 2s, or a percentile, such as p95", text)
	}
	*h = HedgeAfter{Wait: d}
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (HedgeAfter) Schema() string {
	return `{"oneOf": [{"$ref": "#/$defs/DurationAbove0"}, {"type": "string", "pattern": "^p[1-9][0-9]?$"}]}`
}

// MarshalText writes the wait as a scenario does.
func (h HedgeAfter) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// String writes the wait as a scenario does.
func (h HedgeAfter) String() string {
	if h.Percent > 0 {
		return "p" + strconv.FormatInt(h.Percent, 10)
	}
	return FormatDuration(h.Wait)
}

// Took are the times that a group's successful attempts took: a histogram in which a
// value is at most 1/32 above the true one. The zero value is empty. Not safe for
// concurrent use.
type Took struct {
	counts [64 * tookSteps]int32
	n      int64
	asked  int64 // n when the percentile was last looked up
	found  time.Duration
}

const tookSteps = 32 // in each doubling

// Add counts an attempt.
func (t *Took) Add(d time.Duration) {
	t.counts[tookBucket(d)]++
	t.n++
}

// after is the wait that h asks for; Never where too few are counted. It looks the
// percentile up again when a sixteenth more attempts are counted.
func (t *Took) after(h HedgeAfter) time.Duration {
	if h.Percent == 0 {
		return h.Wait
	}
	if t.n < hedgeSamples {
		return Never
	}
	if t.asked == 0 || t.n-t.asked > t.asked/16 {
		t.asked = t.n
		rank := (h.Percent*t.n + 99) / 100
		for i := range t.counts {
			if rank -= int64(t.counts[i]); rank <= 0 {
				t.found = tookTop(i)
				break
			}
		}
	}
	return t.found
}

func tookBucket(d time.Duration) int {
	v := uint64(max(d, 1))
	shift := max(0, bits.Len64(v)-6) // tookSteps is 2^5
	return shift*tookSteps + int(v>>shift)
}

// tookTop is the greatest time of a bucket.
func tookTop(i int) time.Duration {
	shift := max(0, i/tookSteps-1)
	return time.Duration((uint64(i-shift*tookSteps)+1)<<shift - 1)
}
