package policies

import (
	"strings"
	"time"
)

// ParseHint reads what an answer's headers ask for; "" stands for a header that is
// not there. retry-after-ms, which is finer, wins where it can be read; retry-after
// is a number of seconds or an HTTP date, which now, the client's wall time, turns
// into a wait. A number may have a fraction. A negative one, NaN, infinity, an
// exponent, or any other text is malformed. A date that is past gives a wait below 0,
// a number too great for any clock the longest wait there is.
func ParseHint(retryAfter, retryAfterMS string, now time.Time) Hint {
	if h := parseWait(retryAfterMS, "ms"); h.Kind == GivenHint {
		return h
	}
	h := parseWait(retryAfter, "s")
	if h.Kind == MalformedHint {
		h = parseDate(retryAfter, now)
	}
	if h.Kind == NoHint && retryAfterMS != "" {
		return Hint{Kind: MalformedHint}
	}
	return h
}

// parseWait reads a plain number of a unit.
func parseWait(s, unit string) Hint {
	s = strings.Trim(s, " \t")
	if s == "" {
		return Hint{}
	}
	if strings.Trim(s, "0123456789.") != "" || strings.Count(s, ".") > 1 || s == "." {
		return Hint{Kind: MalformedHint}
	}
	wait, err := time.ParseDuration(s + unit)
	if err != nil { // a number it is, so it is too great
		wait = Never
	}
	return Hint{Kind: GivenHint, Wait: wait}
}

// parseDate reads the three forms of an HTTP date (RFC 9110, 5.6.7).
func parseDate(s string, now time.Time) Hint {
	for _, form := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if at, err := time.Parse(form, strings.Trim(s, " \t")); err == nil {
			return Hint{Kind: GivenHint, Wait: at.Sub(now)}
		}
	}
	return Hint{Kind: MalformedHint}
}
