package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is a part of something, exactly: a number of billionths.
type Share int64

// Whole is 100%.
const Whole Share = 1_000_000_000

// UnmarshalText reads 20% or 0.2.
func (s *Share) UnmarshalText(text []byte) error {
	number, isPercent := strings.CutSuffix(string(text), "%")
	places := 9
	if isPercent {
		places = 7
	}
	whole, decimals, hasPoint := strings.Cut(number, ".")
	if whole == "" || hasPoint && decimals == "" || strings.Trim(whole+decimals, "0123456789") != "" {
		return fmt.Errorf("%q is no share; write one such as 20%% or 0.2", text)
	}
	if len(decimals) > places {
		return fmt.Errorf("%q has more than %d decimals; write fewer", text, places)
	}
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", places-len(decimals)), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is out of range; write a smaller share, such as 20%%", text)
	}
	*s = Share(n)
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Share) Schema() string {
	return `{"oneOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+(\\.[0-9]{1,7})?%$"}]}`
}

// MarshalText writes the share as a scenario does.
func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String writes the share as a percentage.
func (s Share) String() string {
	text := strconv.FormatInt(int64(s/(Whole/100)), 10)
	if rest := s % (Whole / 100); rest != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%07d", int64(rest)), "0")
	}
	return text + "%"
}
