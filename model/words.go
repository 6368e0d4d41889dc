package model

import (
	"fmt"
	"strconv"
	"time"
)

// RetryAfter is a provider's `hint.retry_after`: a fixed wait, or none.
type RetryAfter struct {
	Given bool
	Wait  time.Duration
}

// UnmarshalText reads a duration, or the word none.
func (r *RetryAfter) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*r = RetryAfter{}
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no hint; write a wait with its unit, such as 1s, or none", text)
	}
	*r = RetryAfter{Given: true, Wait: d}
	return nil
}

// MarshalText writes the hint as a scenario does.
func (r RetryAfter) MarshalText() ([]byte, error) {
	if !r.Given {
		return []byte("none"), nil
	}
	return []byte(r.Wait.String()), nil
}

// HintFormat is a way to write a hint in an answer's header.
type HintFormat string

// The formats.
const (
	SecondsFormat HintFormat = "seconds" // retry-after: whole seconds, rounded up
	MillisFormat  HintFormat = "ms"      // retry-after-ms: whole milliseconds, rounded up; clients that know it prefer it
)

// Words lists the formats a scenario may name.
func (HintFormat) Words() []string { return []string{string(SecondsFormat), string(MillisFormat)} }

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

// MarshalText writes the status as a scenario does.
func (s RefusalStatus) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(int(s))), nil }
