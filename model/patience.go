package model

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// WaitLimit is a duration, or unlimited, which is policies.Never.
type WaitLimit time.Duration

// UnmarshalText reads a duration above 0, or the word unlimited.
func (w *WaitLimit) UnmarshalText(text []byte) error {
	d, err := durationOr("unlimited", text)
	if err == nil && d == 0 {
		return fmt.Errorf("0 lets nobody wait; write places: 0 to refuse at once, or a longer limit such as 10s")
	}
	*w = WaitLimit(d)
	return err
}

// Schema says in JSON Schema what UnmarshalText reads.
func (WaitLimit) Schema() string {
	return `{"oneOf": [{"$ref": "#/$defs/DurationAbove0"}, {"enum": ["unlimited"]}]}`
}

// MarshalText writes the limit as a scenario does.
func (w WaitLimit) MarshalText() ([]byte, error) { return textOr("unlimited", time.Duration(w)), nil }

// Patience is a duration, or never, which is policies.Never.
type Patience time.Duration

// UnmarshalText reads a duration, or the word never.
func (p *Patience) UnmarshalText(text []byte) error {
	d, err := durationOr("never", text)
	*p = Patience(d)
	return err
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Patience) Schema() string {
	return `{"oneOf": [{"$ref": "#/$defs/Duration"}, {"enum": ["never"]}]}`
}

// MarshalText writes the duration as a scenario does.
func (p Patience) MarshalText() ([]byte, error) { return textOr("never", time.Duration(p)), nil }

func durationOr(word string, text []byte) (time.Duration, error) {
	if string(text) == word {
		return policies.Never, nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is neither a duration nor %s; write one with its unit, such as 5s, or %s", text, word, word)
	}
	return d, nil
}

func textOr(word string, d time.Duration) []byte {
	if d == policies.Never {
		return []byte(word)
	}
	return []byte(d.String())
}
