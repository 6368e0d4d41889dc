package policies

import "time"

// HintKind says whether a hint was there and could be read.
type HintKind uint8

// The kinds of hint.
const (
	NoHint        HintKind = iota // the server said nothing
	GivenHint                     // Wait holds what it said
	MalformedHint                 // it said something that is no wait
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

// HintRule is a policy's `hint`.
type HintRule struct {
	Mode HintMode `yaml:"mode,short"` // default ignore
}

// SetDefaults fills what a scenario leaves out.
func (r *HintRule) SetDefaults() { r.Mode = IgnoreHint }

// Wait weighs the server's hint against the policy's own backoff. A hint of 0 or
// one that is past asks for no wait at all.
func (r HintRule) Wait(backoff time.Duration, h Hint) time.Duration {
	if h.Kind != GivenHint {
		return backoff
	}
	switch r.Mode {
	case FloorHint:
		return max(backoff, h.Wait)
	case ObeyHint:
		return max(0, h.Wait)
	}
	return backoff
}
