package policies

import "time"

// HintKind says whether a hint was there and could be read.
type HintKind uint8

// The kinds of hint.
const (
	NoHint        HintKind = iota // the server said nothing that the client looks at
	GivenHint                     // Wait holds what it said
	MalformedHint                 // it said something that the client cannot read as a wait
	HintKinds
)

// ShouldRetry is what a server's x-should-retry says.
type ShouldRetry uint8

// What it can say.
const (
	NotSaid ShouldRetry = iota
	DoRetry             // true
	NoRetry             // false
)

// ParseShouldRetry reads the header x-should-retry.
func ParseShouldRetry(text string) ShouldRetry {
	switch text {
	case "true":
		return DoRetry
	case "false":
		return NoRetry
	}
	return NotSaid
}

// String is the header's text.
func (s ShouldRetry) String() string { return [...]string{"", "true", "false"}[s] }

// Hint is a server's wish for the next attempt (Retry-After and its kin).
type Hint struct {
	Wait  time.Duration // from the moment the answer arrives; below 0: a date that is past
	Kind  HintKind
	Retry ShouldRetry
}
