package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func anthropicType(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 402:
		return "billing_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 409:
		return "conflict_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 504:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}

// anthropic names the limit:
//
//	This request would exceed the rate limit for your organization (stampede) of 50,000
//	input tokens per minute.
func (r *refusal) anthropic() {
	switch {
	case r.full():
	case r.Axis == Slope:
		r.body.Message = "This request would exceed your organization's acceleration limit: increase your usage more gradually."
	case r.limit.Axis == LimitConcurrency:
		r.body.Message = "This request would exceed your organization's limit of " + thousands(r.room.Limit) + " concurrent requests."
	default:
		r.body.Message = fmt.Sprintf("This request would exceed the rate limit for your organization (stampede) of %s %s per %s.",
			thousands(r.room.Limit), strings.ReplaceAll(string(r.limit.Axis), "_", " "), longUnit(r.limit.Per))
	}
	r.tryAgain()
}

// longUnit names a time in full words.
func longUnit(per time.Duration) string {
	switch word := unitWord(per); word {
	case "sec":
		return "second"
	case "min":
		return "minute"
	case "":
		return per.String()
	default:
		return word
	}
}

// thousands writes a count with a comma between thousands.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
