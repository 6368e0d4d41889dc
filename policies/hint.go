package policies

import "time"

// HintKind says whether a hint was there and could be read.
type HintKind uint8

// The kinds of hint.
const (
	NoHint        HintKind = iota // the server said nothing
	GivenHint                     // Wait holds what it said
	MalformedHint                 // it said something that is no wait
	HintKinds
)

// Hint is a server's wish for the next attempt (Retry-After and its kin).
type Hint struct {
	Wait time.Duration // from the moment the answer arrives; 0 or less: at once
	Kind HintKind
}

// HintMode says what a policy does with a hint.
type HintMode string

// The modes. The wait is never longer than the policy's own for a hint that is
// absent or malformed.
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

// HintRule is a policy's `hint`.
type HintRule struct {
	Mode   HintMode      `yaml:"mode,short"`    // default ignore
	UpTo   time.Duration `yaml:"up_to" min:"0"` // the longest hint that is waited for; default any; 0s allows none
	Beyond Beyond        `yaml:"beyond"`        // default fail
}

// SetDefaults fills what a scenario leaves out.
func (r *HintRule) SetDefaults() { *r = HintRule{Mode: IgnoreHint, UpTo: Never, Beyond: FailBeyond} }

// Check finds limits of a hint that nobody looks at.
func (r HintRule) Check() []Problem {
	if r.Mode == IgnoreHint && r.UpTo != Never {
		return []Problem{{"up_to", "has no effect while the hint is ignored; write mode: floor or mode: obey"}}
	}
	return nil
}

// Wait weighs the server's hint against the policy's own backoff, and says whether
// the operation may wait at all. A hint of 0 or one that is past asks for no wait.
func (r HintRule) Wait(backoff time.Duration, h Hint) (wait time.Duration, may bool) {
	if h.Kind != GivenHint || r.Mode == IgnoreHint {
		return backoff, true
	}
	told := h.Wait
	if told > r.UpTo {
		switch r.Beyond {
		case FailBeyond:
			return 0, false
		case IgnoreBeyond:
			return backoff, true
		}
		told = r.UpTo
	}
	if r.Mode == FloorHint {
		return max(backoff, told), true
	}
	return max(0, told), true
}
