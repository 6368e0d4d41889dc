package scenarios

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

// mostText is the longest value that is read as anything but text.
const mostText = 100

var (
	wholeForm  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	numberForm = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	zerosForm  = regexp.MustCompile(`^([-+]?)0+([0-9].*)$`)
)

// scalar fills v from a plain value.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, f field, p path) {
	if n.Kind != yaml.ScalarNode {
		write := wanted(v.Type())
		if n.Kind == yaml.SequenceNode && len(p) == 3 && p[0] == "clients" && f.key == "policy" {
			write = "one name, or several as layers: [" + sampleNames(n) + "]"
		}
		d.mistake(n, p, "is %s; write %s", kindOf(n), write)
		return
	}
	if v.Kind() != reflect.String && len(n.Value) > mostText {
		d.mistake(n, p, "is %d characters long; write %s", len(n.Value), wanted(v.Type()))
		return
	}
	if n.Value == "" && f.needsText() {
		remove := ", or remove it"
		if f.required {
			remove = ""
		}
		d.mistake(n, p, "is empty; write one such as %s%s", f.sample(), remove)
		return
	}
	err := readScalar(n, v)
	if err == nil {
		err = inRange(n.Value, v, f)
	} else if v.Kind() != reflect.String && v.Kind() != reflect.Bool {
		meant := respell(n.Value, textWords(v.Type()), func(text string) bool {
			try := reflect.New(v.Type()).Elem()
			return readScalar(&yaml.Node{Kind: yaml.ScalarNode, Value: text}, try) == nil && inRange(text, try, f) == nil
		})
		what, _, _ := strings.Cut(err.Error(), "; write ")
		switch {
		case meant != "":
			err = fmt.Errorf("%s; write %s", what, meant)
		case f.isNarrow() && strings.HasSuffix(what, "is not a whole number"):
			err = fmt.Errorf("%s; write %s", what, f.span())
		}
	}
	if err != nil {
		d.mistake(n, p, "%s", printable(err.Error()))
	}
}

// readScalar fills v from a plain value, whatever its range.
func readScalar(n *yaml.Node, v reflect.Value) error {
	tu, isText := v.Addr().Interface().(encoding.TextUnmarshaler)
	_, isHedge := tu.(*policies.HedgeAfter)
	switch {
	case isHedge && numberForm.MatchString(n.Value):
		return fmt.Errorf("%s has no unit; write %ss, or p%s for a percentile", quote(n.Value), n.Value, n.Value)
	case isText && readsDurations(tu) && !startsWord(n.Value) && !strings.HasSuffix(n.Value, "%"):
		t, err := parseDuration(n.Value)
		if err != nil {
			return err
		}
		return tu.UnmarshalText([]byte(t.String()))
	case isText && isQuoted(n) && numberForm.MatchString(n.Value):
		return unquoted(n.Value)
	case isText:
		return tu.UnmarshalText([]byte(n.Value))
	case v.Type() == reflect.TypeFor[time.Duration]():
		t, err := parseDuration(n.Value)
		v.SetInt(int64(t))
		return err
	}
	return basic(n, v)
}

// readsDurations tells whether a text may be a duration, which is then written as
// durations are everywhere, and handed over as Go writes it.
func readsDurations(tu encoding.TextUnmarshaler) bool { return tu.UnmarshalText([]byte("1s")) == nil }

// basic fills numbers, words and text.
func basic(n *yaml.Node, v reflect.Value) error {
	text, quoted := n.Value, isQuoted(n)
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if quoted && numberForm.MatchString(text) {
			return unquoted(text)
		}
		if err := wholeNumber(text); err != nil {
			return err
		}
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%s is out of range; write a smaller number", quote(text))
		}
		v.SetInt(i)
	case reflect.Uint8:
		if quoted && numberForm.MatchString(text) {
			return unquoted(text)
		}
		if err := wholeNumber(text); err != nil {
			return err
		}
		u, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return fmt.Errorf("%s is out of range; write a whole number from 0 to 255", quote(text))
		}
		v.SetUint(u)
	case reflect.Uint64: // may be quoted: JSON readers lose the last digits of such a number
		if err := wholeNumber(text); err != nil {
			return err
		}
		u, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%s is out of range; write a whole number from 0 to 18446744073709551615", quote(text))
		}
		v.SetUint(u)
	case reflect.Float64:
		if quoted && numberForm.MatchString(text) {
			return unquoted(text)
		}
		x, err := parseFloat(text)
		if err != nil {
			return err
		}
		v.SetFloat(x)
	case reflect.Bool:
		switch {
		case !quoted && text == "true":
			v.SetBool(true)
		case !quoted && text == "false":
			v.SetBool(false)
		default:
			if text == "true" || text == "false" {
				return unquoted(text)
			}
			write := "true or false"
			switch strings.ToLower(text) {
			case "true", "yes", "on", "y", "1":
				write = "true"
			case "false", "no", "off", "n", "0":
				write = "false"
			}
			return fmt.Errorf("%s is neither true nor false; write %s", quote(text), write)
		}
	case reflect.String:
		if w, ok := v.Interface().(interface{ Words() []string }); ok {
			words := w.Words()
			for _, word := range words {
				if text == word {
					v.SetString(text)
					return nil
				}
			}
			near := didYouMean(text, words)
			if near == "" {
				return fmt.Errorf("%s is not known here; write %s", quote(text), either(words))
			}
			return fmt.Errorf("%s is not one of %s%s", quote(text), either(words), near)
		}
		v.SetString(text)
	default:
		return fmt.Errorf("scenarios cannot hold a %v", v.Type())
	}
	return nil
}

func unquoted(text string) error {
	return fmt.Errorf("%q is text; write %s without quotation marks", text, text)
}

// wholeNumber says why a text is not a whole number.
func wholeNumber(text string) error {
	switch x, err := strconv.ParseFloat(text, 64); {
	case wholeForm.MatchString(text):
		return nil
	case zerosForm.MatchString(text):
		return fmt.Errorf("%s begins with a zero, which some read as octal; write %s", quote(text), zerosForm.ReplaceAllString(text, "$1$2"))
	case err == nil && numberForm.MatchString(text) && x == math.Trunc(x) && math.Abs(x) < 1<<53:
		return fmt.Errorf("%s is not written as a whole number; write %.0f", quote(text), x)
	case err == nil && numberForm.MatchString(text) && x != math.Trunc(x):
		return fmt.Errorf("%s is not a whole number; write one such as %.0f", quote(text), math.Ceil(x))
	}
	return fmt.Errorf("%s is not a whole number; write digits, such as 10", quote(text))
}

func parseFloat(text string) (float64, error) {
	if zerosForm.MatchString(text) {
		return 0, fmt.Errorf("%s begins with a zero, which some read as octal; write %s", quote(text), zerosForm.ReplaceAllString(text, "$1$2"))
	}
	x, err := strconv.ParseFloat(text, 64)
	if !numberForm.MatchString(text) || err != nil {
		return 0, fmt.Errorf("%s is not a finite number; write one such as 2 or 0.5", quote(text))
	}
	return x, nil
}

// inRange holds a number against the tags of its field.
func inRange(text string, v reflect.Value, f field) error {
	var below, beyond, tooLow bool
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		i := v.Int()
		below = f.min != "" && i < bound(f.min, v.Type())
		tooLow = f.above != "" && i <= bound(f.above, v.Type())
		beyond = f.max != "" && i > bound(f.max, v.Type())
	case reflect.Float64:
		x := v.Float()
		below = f.min != "" && x < floatBound(f.min)
		tooLow = f.above != "" && x <= floatBound(f.above)
		beyond = f.max != "" && x > floatBound(f.max)
	}
	switch {
	case below && f.max != "", beyond && f.min != "":
		return fmt.Errorf("%s is out of range; write %s", quote(text), f.span())
	case below:
		return fmt.Errorf("%s is too small; write at least %s", quote(text), f.min)
	case tooLow:
		return fmt.Errorf("%s is too small; write more than %s", quote(text), f.above)
	case beyond:
		return fmt.Errorf("%s is too large; write at most %s", quote(text), f.max)
	}
	return nil
}

// bound reads a tag; what it cannot read is a slip in our own structs.
func bound(tag string, t reflect.Type) int64 {
	if t == reflect.TypeFor[time.Duration]() {
		b, err := parseDuration(tag)
		if err != nil {
			panic(err)
		}
		return int64(b)
	}
	return int64(floatBound(tag))
}

func floatBound(tag string) float64 {
	b, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(err)
	}
	return b
}

func kindOf(n *yaml.Node) string {
	switch n = resolve(n); n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Value == "" {
		return "empty"
	}
	return "the plain value " + quote(n.Value)
}
