package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// Vary is one axis of a sweep: a key and the values it takes, or several keys that take
// theirs together, value by value.
//
//	provider.seats=3,4,6                               a list
//	clients.0.arrive.over=0s..20s/5                    a range: both ends and three between
//	policies.p.backoff.exponential.base=log:10ms..10s/4    each 10 times the one before
//	clients.0.count=100,200; warm_up=10s,20s           two keys together
type Vary struct {
	Keys []Varied
	text string
}

// Varied is one key of an axis and the values it takes: a list, or a range.
type Varied struct {
	Key    string
	Values []string // nil where there is a range
	Range  *Range
}

const howToVary = "write KEY=VALUE,VALUE,... or KEY=FROM..TO/POINTS, such as provider.seats=1..9/5"

// String is the axis as it was written.
func (v Vary) String() string { return v.text }

// MarshalText writes the axis as it was written.
func (v Vary) MarshalText() ([]byte, error) { return []byte(v.text), nil }

// UnmarshalText reads an axis.
func (v *Vary) UnmarshalText(text []byte) error {
	*v = Vary{text: strings.TrimSpace(string(text))}
	parts, closed := splitOutside(v.text, ';')
	if !closed {
		return fmt.Errorf("%s: a bracket or a quote is not closed", quote(v.text))
	}
	for _, part := range parts {
		key, values, given := cutAssignment(strings.TrimSpace(part))
		if key = strings.TrimSpace(key); !given || key == "" {
			return fmt.Errorf("%s names no key and values; %s", quote(part), howToVary)
		}
		of, err := readVaried(key, strings.TrimSpace(values))
		if err != nil {
			return fmt.Errorf("%s: %w", quote(key), err)
		}
		v.Keys = append(v.Keys, of)
	}
	return v.check()
}

func readVaried(key, values string) (Varied, error) {
	if key == "seed" {
		return Varied{}, errors.New("every cell has the same seeds, so that chance is the same in all; write --seeds N")
	}
	if isRange(values) {
		r, err := parseRange(values)
		return Varied{Key: key, Range: r}, err
	}
	list, _ := splitOutside(values, ',')
	for i, value := range list {
		switch list[i] = strings.TrimSpace(value); {
		case list[i] == "" && len(list) == 1:
			return Varied{}, fmt.Errorf("has no values; %s", howToVary)
		case list[i] == "":
			return Varied{}, errors.New("a value is empty; write one, or remove the comma")
		case isRange(list[i]):
			return Varied{}, fmt.Errorf("a range stands alone; write %s=%s, or a list of all values", key, list[i])
		case slices.Contains(list[:i], list[i]):
			return Varied{}, fmt.Errorf("%s is given twice; write each value once", quote(list[i]))
		}
	}
	return Varied{Key: key, Values: list}, nil
}

// check finds what is wrong with an axis as a whole.
func (v *Vary) check() error {
	first := v.Keys[0]
	for i, of := range v.Keys[1:] {
		switch a, b := first.Points(), of.Points(); {
		case a == 0 || b == 0:
			return fmt.Errorf("%s and %s go together value by value, so both need a list, or a range with /POINTS", quote(first.Key), quote(of.Key))
		case a != b:
			return fmt.Errorf("%s has %d values and %s has %d; keys that go together need as many each", quote(first.Key), a, quote(of.Key), b)
		}
		for _, before := range v.Keys[:i+1] {
			if before.Key == of.Key {
				return fmt.Errorf("%s is given twice; write each key once", quote(of.Key))
			}
		}
	}
	return nil
}

// Points is how many values the key takes; 0 for a range that does not say.
func (v *Varied) Points() int {
	if v.Range != nil {
		return v.Range.Points
	}
	return len(v.Values)
}

// At returns value i of those that [Varied.Points] counts.
func (v *Varied) At(i int) string {
	if v.Range != nil {
		return v.Range.Point(i)
	}
	return v.Values[i]
}

// SameKey says whether two dotted paths mean one key or one above the other, so that
// setting one would undo the other.
func SameKey(a, b string) bool {
	p, errP := model.SplitPath(a)
	q, errQ := model.SplitPath(b)
	if errP != nil || errQ != nil {
		return a == b
	}
	n := min(len(p), len(q))
	return slices.Equal(p[:n], q[:n])
}

// splitOutside parts a text at a separator that stands in no brackets, braces or quotes;
// false where one of these is not closed.
func splitOutside(text string, separator rune) (parts []string, closed bool) {
	depth, start, quoted := 0, 0, rune(0)
	for i, r := range text {
		switch {
		case quoted != 0:
			if r == quoted {
				quoted = 0
			}
		case r == '"' || r == '\'':
			quoted = r
		case r == '[' || r == '{':
			depth++
		case r == ']' || r == '}':
			depth--
		case r == separator && depth == 0:
			parts, start = append(parts, text[start:i]), i+len(string(r))
		}
	}
	return append(parts, text[start:]), depth == 0 && quoted == 0
}
