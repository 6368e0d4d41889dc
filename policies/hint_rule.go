package policies

import (
	"fmt"
	"slices"
	"time"
)

// HintMode says what a policy does with a hint.
type HintMode string

// The modes. For a hint that is absent or malformed the wait is the policy's own, unless
// the rule says otherwise.
const (
	IgnoreHint HintMode = "ignore" // wait the policy's own backoff
	FloorHint  HintMode = "floor"  // wait max(hint, backoff)
	ObeyHint   HintMode = "obey"   // wait exactly the hint
)

// Words lists the modes a scenario may name.
func (HintMode) Words() []string {
	return []string{string(IgnoreHint), string(FloorHint), string(ObeyHint)}
}

// Beyond says what becomes of an operation whose hint is longer than `up_to`.
type Beyond string

// What can become of it.
const (
	FailBeyond   Beyond = "fail"   // it ends at once
	IgnoreBeyond Beyond = "ignore" // it waits the policy's own backoff
	ClampBeyond  Beyond = "clamp"  // it waits as if the hint were `up_to`
)

// Words lists what a scenario may name.
func (Beyond) Words() []string {
	return []string{string(FailBeyond), string(IgnoreBeyond), string(ClampBeyond)}
}

// HintZero says what a hint that asks for no wait is worth.
type HintZero string

// What it can be worth.
const (
	ObeyZero    HintZero = "obey"    // it is a hint like others: at once
	BackoffZero HintZero = "backoff" // it is no hint: the policy's own backoff
)

// Words lists what a scenario may name.
func (HintZero) Words() []string { return []string{string(ObeyZero), string(BackoffZero)} }

// HintAbsent says what a failure without a hint means.
type HintAbsent string

// What it can mean.
const (
	BackoffAbsent HintAbsent = "backoff" // the policy's own backoff
	FailAbsent    HintAbsent = "fail"    // after a 4xx, such as a 429, the operation ends at once; after others, the backoff
)

// Words lists what a scenario may name.
func (HintAbsent) Words() []string { return []string{string(BackoffAbsent), string(FailAbsent)} }

// HintMalformed says what a hint is worth that cannot be read.
type HintMalformed string

// What it can be worth.
const (
	BackoffMalformed   HintMalformed = "backoff"   // the policy's own backoff
	ImmediateMalformed HintMalformed = "immediate" // a hint of 0, as where a timer is handed NaN
)

// Words lists what a scenario may name.
func (HintMalformed) Words() []string {
	return []string{string(BackoffMalformed), string(ImmediateMalformed)}
}

// HeedRetry says whether a server's x-should-retry is looked at.
type HeedRetry string

// Whether it is.
const (
	IgnoreRetry HeedRetry = "ignore" // the policy's triage alone says
	ObeyRetry   HeedRetry = "obey"   // true: try again, false: give up, whatever the triage says
)

// Words lists what a scenario may name.
func (HeedRetry) Words() []string { return []string{string(IgnoreRetry), string(ObeyRetry)} }

// HintRule is a policy's `hint`. It is weighed after a failure that its triage calls as_told.
type HintRule struct {
	Mode        HintMode      `yaml:"mode,short"`    // default ignore
	UpTo        time.Duration `yaml:"up_to" min:"0"` // the longest hint that is waited for; default any; 0s allows none
	Beyond      Beyond        `yaml:"beyond"`        // default fail
	Spread      Spread        `yaml:"spread"`        // laid on top of the hint, also on one that is cut to up_to: 10% or 750ms; default 0s: none
	Zero        HintZero      `yaml:"zero"`          // what a hint of 0 means; default obey
	Past        HintZero      `yaml:"past"`          // what a date that is past means; default obey: at once
	Absent      HintAbsent    `yaml:"absent"`        // default backoff
	Malformed   HintMalformed `yaml:"malformed"`     // negative, NaN, junk, or a form that it does not read; default backoff
	Reads       []HintForm    `yaml:"reads,filled"`  // what the client can read, retry-after-ms first where ms stands first; default all
	ShouldRetry HeedRetry     `yaml:"should_retry"`  // the header x-should-retry; default ignore
}

// SetDefaults fills what a scenario leaves out.
func (r *HintRule) SetDefaults() {
	*r = HintRule{
		Mode: IgnoreHint, UpTo: Never, Beyond: FailBeyond, Zero: ObeyZero, Past: ObeyZero,
		Absent: BackoffAbsent, Malformed: BackoffMalformed, ShouldRetry: IgnoreRetry,
	}
}

// Check finds parts of a rule that nobody looks at.
func (r HintRule) Check() []Problem {
	var out []Problem
	for _, of := range []struct {
		key            string
		ignored, floor bool // it has no effect there
		given          bool
	}{
		{"up_to", true, false, r.UpTo != Never},
		{"spread", true, false, !r.Spread.None()},
		{"zero", true, true, r.Zero == BackoffZero},
		{"past", true, true, r.Past == BackoffZero},
		{"absent", true, false, r.Absent == FailAbsent},
		{"malformed", true, true, r.Malformed == ImmediateMalformed},
		{"reads", true, false, r.Reads != nil},
	} {
		switch {
		case of.given && of.ignored && r.Mode == IgnoreHint:
			out = append(out, Problem{of.key, "has no effect while the hint is ignored; write mode: floor or mode: obey"})
		case of.given && of.floor && r.Mode == FloorHint:
			out = append(out, Problem{of.key, "has no effect with mode: floor, which never waits less than the backoff; remove it, or write mode: obey"})
		}
	}
	if r.Beyond != FailBeyond && r.Beyond != "" && r.UpTo == Never {
		out = append(out, Problem{"beyond", "has no effect without up_to; write up_to: 60s, or remove it"})
	}
	for i, form := range r.Reads {
		if slices.Contains(r.Reads[:i], form) {
			out = append(out, Problem{fmt.Sprintf("reads.%d", i), fmt.Sprintf("%s is in the list already; remove it", form)})
		}
	}
	return out
}

// Heed says what a wait was taken from.
type Heed uint8

// What it can be taken from.
const (
	OwnWait  Heed = iota // the policy's own backoff
	ToldWait             // the hint
	NoWait               // nothing: the operation may not wait
)

// Wait weighs the hint of a failed attempt against the policy's own backoff. u is a draw in [0, 1)
// that spreads the hint; it may be the backoff's, of which one is waited only.
func (r *HintRule) Wait(backoff time.Duration, a Answer, u float64) (time.Duration, Heed) {
	h := a.Hint
	switch {
	case r.Mode == IgnoreHint || r.Mode == "":
		return backoff, OwnWait
	case h.Kind == NoHint && r.Absent == FailAbsent && a.Status/100 == 4:
		return 0, NoWait
	case h.Kind == NoHint,
		h.Kind == MalformedHint && r.Malformed != ImmediateMalformed,
		h.Kind == GivenHint && h.Wait == 0 && r.Zero == BackoffZero,
		h.Kind == GivenHint && h.Wait < 0 && r.Past == BackoffZero:
		return backoff, OwnWait
	case h.Kind == MalformedHint:
		h.Wait = 0
	}
	told := max(0, h.Wait)
	if told > r.UpTo {
		switch r.Beyond {
		case FailBeyond:
			return 0, NoWait
		case IgnoreBeyond:
			return backoff, OwnWait
		}
		told = r.UpTo
	}
	told = r.Spread.over(told, u)
	if r.Mode == FloorHint && backoff >= told {
		return backoff, OwnWait
	}
	return told, ToldWait
}
