package policies

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Count is a whole number of things, or [Unlimited].
type Count int64

// Unlimited is written `unlimited`. Zero never means it.
const Unlimited Count = math.MaxInt64

// UnmarshalText reads a whole number of at least 0, or the word unlimited.
func (c *Count) UnmarshalText(text []byte) error {
	if string(text) == "unlimited" {
		*c = Unlimited
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n < 0:
		return fmt.Errorf("%q is out of range; write a whole number from 0, or unlimited", text)
	case err != nil, strconv.FormatInt(n, 10) != string(text):
		return fmt.Errorf("%q is neither a whole number nor unlimited; write one such as 10", text)
	}
	*c = Count(n)
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Count) Schema() string {
	return `{"oneOf": [{"type": "integer", "minimum": 0}, {"enum": ["unlimited"]}]}`
}

// MarshalText writes the count as a scenario does.
func (c Count) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String writes the count as a scenario does.
func (c Count) String() string {
	if c == Unlimited {
		return "unlimited"
	}
	return strconv.FormatInt(int64(c), 10)
}
