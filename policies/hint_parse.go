package policies

import (
	"strings"
	"time"
)

// ParseHint reads what an answer's headers ask for, as a client does that can read some
// forms; "" stands for a header that is not there. retry-after-ms, which is finer, wins
// where it can be read, unless the client looks at retry-after first; retry-after is a
// number of seconds or an HTTP date, which now, the client's wall time, turns into a
// wait. A number may have a fraction. A negative one, NaN, infinity, an exponent, a form
// that the client does not read, or any other text is malformed. A date that is past
// gives a wait below 0, a number too great for any clock the longest wait there is.
func ParseHint(reads HintForms, retryAfter, retryAfterMS string, now time.Time) Hint {
	var first, second Hint
	if reads.Reads(MillisForm) {
		first = parseWait(retryAfterMS, "ms")
	}
	if reads.RetryAfter() {
		second = parseRetryAfter(reads, retryAfter, now)
	}
	if reads.RetryAfterFirst() {
		first, second = second, first
	}
	if first.Kind == GivenHint || second.Kind == NoHint {
		return first
	}
	return second
}

// parseRetryAfter reads the header retry-after.
func parseRetryAfter(reads HintForms, s string, now time.Time) Hint {
	h := parseWait(s, "s")
	switch {
	case h.Kind == NoHint:
		return h
	case h.Kind == GivenHint && reads.Reads(FloatForm), h.Kind == GivenHint && reads.Reads(SecondsForm) && !strings.Contains(s, "."):
		return h
	case h.Kind == MalformedHint && reads.Reads(DateForm):
		return parseDate(s, now)
	}
	return Hint{Kind: MalformedHint}
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
