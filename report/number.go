package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// dash stands for a figure that is not defined.
const dash = "–"

// duration writes a time for people: three digits below a minute (2.31 s, 126 ms),
// then 3 min 45.6 s, then 2 h 3 min.
func duration(d time.Duration) string {
	if d < 0 {
		return "-" + duration(max(-d, 0))
	}
	r := threeDigits(d)
	switch {
	case d == 0:
		return "0 s"
	case r < time.Microsecond:
		return inUnits(r, time.Nanosecond, "ns")
	case r < time.Millisecond:
		return inUnits(r, time.Microsecond, "µs")
	case r < time.Second:
		return inUnits(r, time.Millisecond, "ms")
	case r < time.Minute:
		return inUnits(r, time.Second, "s")
	}
	if r = d.Round(100 * time.Millisecond); r < time.Hour {
		return twoUnits(r, time.Minute, "min", time.Second, "s")
	}
	return twoUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
}

func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

func inUnits(d, unit time.Duration, name string) string {
	return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64) + " " + name
}

func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := count(int64(d/large)) + " " + largeName
	if d%large != 0 {
		text += " " + inUnits(d%large, small, smallName)
	}
	return text
}

// seconds writes a figure in seconds as a duration, or a dash.
func seconds(n model.Number) string {
	ns := float64(n) * 1e9
	switch {
	case !n.Defined():
		return dash
	case math.Abs(ns) >= math.MaxInt64:
		return strconv.FormatFloat(float64(n), 'g', 3, 64) + " s"
	}
	return duration(time.Duration(math.Round(ns)))
}

// count writes a whole number in groups of three: 10,000.
func count(n int64) string { return group(strconv.FormatInt(n, 10)) }

func group(whole string) string {
	digits, negative := strings.CutPrefix(whole, "-")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}

// decimal writes any other figure with three digits or all of a larger whole part,
// or a dash.
func decimal(n model.Number) string { return digits(n, 3) }

func digits(n model.Number, significant int) string {
	f := float64(n)
	size := math.Abs(f)
	switch {
	case !n.Defined():
		return dash
	case size >= 1e15 || size != 0 && size < 1e-4:
		return strconv.FormatFloat(f, 'g', significant, 64)
	}
	text := strconv.FormatFloat(f, 'e', significant-1, 64)
	exponent, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	places := significant - 1 - exponent
	if places <= 0 {
		return count(int64(math.Round(f)))
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(f, 'f', places, 64), ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return group(whole)
	}
	return group(whole) + "." + fraction
}

// percent writes a share.
func percent(share model.Number) string {
	if !share.Defined() {
		return dash
	}
	return decimal(100*share) + " %"
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// exactSeconds writes a time as a decimal number of seconds, digit for digit, with
// at least so many places.
func exactSeconds(d time.Duration, places int) string {
	text := strconv.FormatInt(int64(d/time.Second), 10)
	fraction := strconv.FormatInt(int64(d%time.Second), 10)
	fraction = strings.Repeat("0", 9-len(fraction)) + fraction
	for len(fraction) > places && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if fraction == "" {
		return text
	}
	return text + "." + fraction
}
