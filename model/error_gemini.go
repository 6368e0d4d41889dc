package model

import (
	"strconv"
	"strings"
	"time"
)

func geminiStatus(status int) string {
	switch status {
	case 400:
		return "INVALID_ARGUMENT"
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 503:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	if status < 500 {
		return "FAILED_PRECONDITION"
	}
	return "INTERNAL"
}

// gemini has its hint in the body alone: in the text to the millisecond, in
// RetryInfo cut to whole seconds.
func (r *refusal) gemini() {
	switch {
	case r.full():
		r.body.Message = "The model is overloaded. Please try again later."
	default:
		r.body.Message = "You exceeded your current quota, please check your plan and billing details."
		if r.Limiter >= 0 {
			r.body.Quota, r.body.Limit = r.limit.quotaID(), r.room.Limit
		}
	}
	if r.again {
		r.body.Message += " Please retry in " + decimals(r.wait) + "s."
		r.body.Delay = strconv.FormatInt(int64(r.wait/time.Second), 10) + "s"
	}
}

// quotaID names a limit: GenerateRequestsPerMinutePerProjectPerModel.
func (c *LimitConfig) quotaID() string {
	id := "Generate"
	for word := range strings.SplitSeq(string(c.Axis), "_") {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	if unit := longUnit(c.Per); c.Axis != LimitConcurrency {
		id += "Per" + strings.ToUpper(unit[:1]) + unit[1:]
	}
	return id + "PerProjectPerModel"
}
