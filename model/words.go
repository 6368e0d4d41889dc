package model

import (
	"fmt"
	"strconv"
	"time"
)

// RetryAfter is a provider's `hint.retry_after`: a fixed wait, the true one, or none.
type RetryAfter struct {
	Exact bool
	Given bool // a fixed wait
	Wait  time.Duration
}

// None says whether there is no hint at all.
func (r RetryAfter) None() bool { return !r.Exact && !r.Given }

// UnmarshalText reads a duration, or one of the words exact and none.
func (r *RetryAfter) UnmarshalText(text []byte) error {
	switch string(text) {
	case "none":
		*r = RetryAfter{}
		return nil
	case "exact":
		*r = RetryAfter{Exact: true}
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no hint; write a wait with its unit, such as 1s, or exact, or none", text)
	}
	*r = RetryAfter{Given: true, Wait: d}
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (RetryAfter) Schema() string {
	return `{"oneOf": [{"$ref": "#/$defs/Duration"}, {"enum": ["exact", "none"]}]}`
}

// MarshalText writes the hint as a scenario does.
func (r RetryAfter) MarshalText() ([]byte, error) {
	switch {
	case r.Exact:
		return []byte("exact"), nil
	case r.Given:
		return []byte(r.Wait.String()), nil
	}
	return []byte("none"), nil
}

// HintFormat is a way to write a hint into an answer.
type HintFormat string

// The formats. What is finer than a format can say is cut off, but for seconds and
// dates, which are rounded up.
const (
	SecondsFormat HintFormat = "seconds" // retry-after: whole seconds
	FloatFormat   HintFormat = "float"   // retry-after: seconds with three decimals
	MillisFormat  HintFormat = "ms"      // retry-after-ms: whole milliseconds, as OpenAI cuts them
	DateFormat    HintFormat = "date"    // retry-after: an HTTP date
	BodyFormat    HintFormat = "body"    // in the error's text, with three decimals
)

// Words lists the formats a scenario may name.
func (HintFormat) Words() []string {
	return words(SecondsFormat, FloatFormat, MillisFormat, DateFormat, BodyFormat)
}

// RefusalStatus is the status of a full house.
type RefusalStatus int

// UnmarshalText reads 429, 503 or 529.
func (s *RefusalStatus) UnmarshalText(text []byte) error {
	switch string(text) {
	case "429", "503", "529":
		n, err := strconv.Atoi(string(text))
		*s = RefusalStatus(n)
		return err
	}
	return fmt.Errorf("%q is not what a full house answers; write 429, 503 or 529", text)
}

// Schema says in JSON Schema what UnmarshalText reads.
func (RefusalStatus) Schema() string { return `{"enum": [429, 503, 529]}` }

// MarshalText writes the status as a scenario does.
func (s RefusalStatus) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(int(s))), nil }
