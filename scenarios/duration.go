package scenarios

import (
	"fmt"
	"math"
	"strconv"
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
	misspelled, meant := "", text[:len(text)-len(rest)]
	for first := true; first || rest != ""; first = false {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = rest[len(number):]
		spaced := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isUnitLetter))]
		rest = rest[len(spaced):]
		unit := strings.TrimSpace(spaced)
		if unit == "" || !numberForm.MatchString(number) {
			return 0, notDuration(text)
		}
		switch right := unitOf(unit); {
		case misspelled != "":
		case right != "":
			misspelled = "the unit " + quote(unit)
		case unit != spaced:
			misspelled = "a space"
		}
		unit = orElse(unitOf(unit), unit)
		part, err := times(number, unit)
		if err != nil {
			return 0, err
		}
		if total > math.MaxInt64-part {
			return 0, tooLong(text)
		}
		total, meant = total+part, meant+number+unit
	}
	if misspelled != "" {
		return 0, fmt.Errorf("%s has %s; write %s", quote(text), misspelled, meant)
	}
	if negative && total == 0 {
		return 0, fmt.Errorf("%s is 0; write 0", quote(text))
	}
	if negative {
		total = -total
	}
	return total, nil
}

func isUnitLetter(r rune) bool { return (r < '0' || r > '9') && !strings.ContainsRune(".,-+", r) }

func times(number, unit string) (time.Duration, error) {
	count, known := 1, unit
	if unit == "d" {
		count, known = 24, "h"
	}
	d, err := time.ParseDuration(number + known)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "time: unknown unit"):
		such := number + "s"
		if n, err := strconv.ParseFloat(number, 64); err == nil && daysIn(unit) > 0 {
			such = strconv.FormatFloat(n*daysIn(unit), 'f', -1, 64) + "d"
		}
		return 0, fmt.Errorf("unknown unit %s; use ns, us, ms, s, m, h or d, such as %s", quote(unit), such)
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
	switch u := strings.ToLower(unit); u {
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

// daysIn says how many days a longer unit has; 0 where it is not known.
func daysIn(unit string) float64 {
	switch strings.ToLower(unit) {
	case "w", "wk", "wks", "week", "weeks":
		return 7
	case "fortnight", "fortnights":
		return 14
	}
	return 0
}

func tooLong(text string) error {
	return fmt.Errorf("%s is too long; write at most 106751d (292 years)", quote(text))
}

func notDuration(text string) error {
	return fmt.Errorf("%s is not a duration; write a number with its unit, such as 250ms, 1.5s or 2m", quote(text))
}
