package scenarios

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// durationForm is the pattern of a duration that is not negative: numbers with units.
const (
	durationForm = `((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)` + unitForm + `(([0-9]+\.?[0-9]*|\.[0-9]+)` + unitForm + `)*`
	unitForm     = `(ns|us|µs|μs|ms|s|m|h|d)`
)

// parseDuration reads numbers with units (250ms, 1h30m, 1d), or 0 alone.
func parseDuration(text string) (time.Duration, error) {
	switch {
	case text == "0":
		return 0, nil
	case zerosForm.MatchString(text):
		return 0, fmt.Errorf("%s begins with a zero; write %s", quote(text), zerosForm.ReplaceAllString(text, "$1$2"))
	case numberForm.MatchString(text):
		return 0, fmt.Errorf("%s has no unit; write %ss", quote(text), text)
	}
	rest, negative := strings.CutPrefix(text, "-")
	var total time.Duration
	for first := true; first || rest != ""; first = false {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = rest[len(number):]
		unit := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isUnitLetter))]
		rest, unit = rest[len(unit):], strings.TrimRight(unit, " ")
		if unit == "" || !numberForm.MatchString(number) {
			return 0, notDuration(text)
		}
		part, err := times(number, unit)
		if err != nil {
			return 0, err
		}
		if total > math.MaxInt64-part {
			return 0, tooLong(text)
		}
		total += part
	}
	if negative && total == 0 {
		return 0, fmt.Errorf("%s is 0; write 0", quote(text))
	}
	if negative {
		total = -total
	}
	return total, nil
}

// formatDuration is the shortest text that parseDuration reads as d.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func isUnitLetter(r rune) bool { return (r < '0' || r > '9') && !strings.ContainsRune(".,-+", r) }

func times(number, unit string) (time.Duration, error) {
	count, known := 1, unit
	if unit == "d" {
		count, known = 24, "h"
	}
	d, err := time.ParseDuration(number + known)
	switch {
	case err != nil && unitOf(unit) != "":
		return 0, fmt.Errorf("%s has the unit %s; write %s%s", quote(number+unit), quote(unit), number, unitOf(unit))
	case err != nil && strings.HasPrefix(err.Error(), "time: unknown unit"):
		return 0, fmt.Errorf("%s has the unit %s, which is none of ns, us, ms, s, m, h and d; write one such as %ss", quote(number+unit), quote(unit), number)
	case err != nil, d > math.MaxInt64/time.Duration(count):
		return 0, tooLong(number + unit)
	case d == 0 && strings.ContainsAny(number, "123456789"):
		return 0, fmt.Errorf("%s is less than a nanosecond, the smallest step of time; write 1ns or 0", quote(number+unit))
	}
	return d * time.Duration(count), nil
}

// unitOf says which unit someone means who writes it otherwise; "" where it is
// already right or not known.
func unitOf(unit string) string {
	switch u := strings.ToLower(strings.TrimSpace(unit)); u {
	case "ns", "us", "ms", "s", "m", "h", "d":
		if u != unit {
			return u
		}
	case "sec", "secs", "second", "seconds":
		return "s"
	case "min", "mins", "minute", "minutes":
		return "m"
	case "hr", "hrs", "hour", "hours":
		return "h"
	case "day", "days":
		return "d"
	case "msec", "msecs", "millis", "millisecond", "milliseconds":
		return "ms"
	case "usec", "micros", "microsecond", "microseconds":
		return "us"
	}
	return ""
}

func tooLong(text string) error {
	return fmt.Errorf("%s is too long; the longest time is 106751d (292 years)", quote(text))
}

func notDuration(text string) error {
	return fmt.Errorf("%s is not a duration; write a number with its unit, such as 250ms, 1.5s or 2m", quote(text))
}
