package policies

import (
	"fmt"
	"time"
)

// Spread is how far a hint is spread, always upwards, so that those who were told the
// same do not come back together: a share of it (10%: hint * (1 + U(0, 0.1))), or a time
// (750ms: hint + U(0, 750ms), as litellm does).
type Spread struct {
	share uint64 // billionths
	more  time.Duration
}

// UnmarshalText reads 10% or 750ms.
func (s *Spread) UnmarshalText(text []byte) error {
	if n, known := billionths(string(text)); known {
		*s = Spread{share: n}
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no spread; write a share such as 10%%, or a time such as 750ms", text)
	}
	*s = Spread{more: d}
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Spread) Schema() string {
	return `{"oneOf": [{"$ref": "#/$defs/Duration"}, {"type": "string", "pattern": "^` + shareForm + `$"}]}`
}

// MarshalText writes the spread as a scenario does.
func (s Spread) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String writes the spread as a scenario does.
func (s Spread) String() string {
	if s.share == 0 {
		return FormatDuration(s.more)
	}
	return formatShare(s.share)
}

// None says whether nothing is spread.
func (s Spread) None() bool { return s == Spread{} }

// over is a hint, spread by a draw.
func (s Spread) over(hint time.Duration, u float64) time.Duration {
	wide := s.more
	if s.share > 0 {
		wide = part(hint, s.share)
	}
	return Later(hint, time.Duration(u*float64(wide)))
}
