package policies

import (
	"regexp"
	"strings"
	"time"
)

// The ways in which bodies ask for a wait, the finest first: OpenAI's and Groq's
// "Please try again in 1m9.696s", Gemini's "Please retry in 47.881s", Azure's "Please
// retry after 7 seconds", and Gemini's RetryInfo, which is whole seconds.
var (
	waitInText = regexp.MustCompile(`(?i)\b(?:try again|retry) (?:in|after) ([0-9][0-9.]*(?:[hms][0-9hms.]*)?)( seconds?\b)?`)
	retryInfo  = regexp.MustCompile(`"retryDelay"\s*:\s*"([0-9.]+)s"`)
)

// HintText is what an answer says about when to try again; "" stands for what is not there.
type HintText struct {
	RetryAfter   string // header retry-after
	RetryAfterMS string // header retry-after-ms
	ShouldRetry  string // header x-should-retry
	Body         string
}

// HintTextOf takes what an answer says from its headers, by name, and its body.
func HintTextOf(header func(name string) string, body string) HintText {
	return HintText{
		RetryAfter: header("Retry-After"), RetryAfterMS: header("Retry-After-Ms"), ShouldRetry: header("X-Should-Retry"),
		Body: body,
	}
}

// ParseAnswerHint reads what a whole answer asks for, as a client does that can read some
// forms: its headers, as [ParseHint] does, or else, where no header that it looks at says
// anything, its body.
func ParseAnswerHint(reads HintForms, t HintText, now time.Time) Hint {
	h := ParseHint(reads, t.RetryAfter, t.RetryAfterMS, now)
	if h.Kind == NoHint && reads.Reads(BodyForm) {
		h = ParseBodyHint(t.Body)
	}
	h.Retry = ParseShouldRetry(t.ShouldRetry)
	return h
}

// ParseBodyHint finds a wait in an error's text, or in Gemini's RetryInfo.
func ParseBodyHint(body string) Hint {
	if m := waitInText.FindStringSubmatch(body); m != nil {
		number := strings.TrimRight(m[1], ".")
		if m[2] != "" {
			return parseWait(number, "s")
		}
		if wait, err := time.ParseDuration(number); err == nil && wait >= 0 {
			return Hint{Kind: GivenHint, Wait: wait}
		}
	}
	if m := retryInfo.FindStringSubmatch(body); m != nil {
		return parseWait(m[1], "s")
	}
	return Hint{}
}
