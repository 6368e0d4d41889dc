package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// openAIType is the type and the code of a status, as OpenAI's API and its imitators
// have them.
func openAIType(status int) (kind, code string) {
	switch {
	case status == 429:
		return "requests", "rate_limit_exceeded"
	case status == 401:
		return "invalid_request_error", "invalid_api_key"
	case status == 503:
		return "service_unavailable_error", "server_is_overloaded"
	case status < 500:
		return "invalid_request_error", ""
	}
	return "server_error", ""
}

// openAI speaks as OpenAI, Groq and DeepSeek do:
//
//	Rate limit reached in organization stampede on tokens per min (TPM): Limit 30000,
//	Used 22999, Requested 12528. Please try again in 11.054s.
func (r *refusal) openAI() {
	b := &r.body
	switch {
	case r.full() && b.Status == 429:
		b.Message = "Rate limit reached: all " + r.Axis.String() + " are taken."
	case r.full():
		b.Message = "The server is overloaded: all " + r.Axis.String() + " are taken."
	case r.Axis == Slope:
		b.Type, b.Code = "rate_limit_error", "slow_down"
		b.Message = "Slow down: your traffic grows too fast."
	case r.Kind == policies.QuotaExhausted:
		b.Type, b.Code = "insufficient_quota", "insufficient_quota"
		b.Message = "You exceeded your current quota, please check your plan and billing details."
	case r.impossible():
		b.Type = r.openAIAxis()
		b.Message = fmt.Sprintf("Request too large in organization stampede on %s: Limit %d, Requested %d. The input or output tokens must be reduced in order to run successfully.",
			r.limit.words(), r.room.Limit, r.Cost)
	case r.limit.Axis == LimitConcurrency:
		b.Message = fmt.Sprintf("Rate limit reached in organization stampede on %s: Limit %d.", r.limit.words(), r.room.Limit)
	default:
		b.Type = r.openAIAxis()
		b.Message = fmt.Sprintf("Rate limit reached in organization stampede on %s: Limit %d, Used %d, Requested %d.",
			r.limit.words(), r.room.Limit, r.room.Used, r.Cost)
	}
	r.tryAgain()
}

// tryAgain adds when to come again, as OpenAI writes it.
func (r *refusal) tryAgain() {
	if r.again {
		r.body.Message += " Please try again in " + spoken(r.wait) + "."
	}
}

func (r *refusal) openAIAxis() string {
	if r.limit.Axis == LimitRequests {
		return "requests"
	}
	return "tokens"
}

// words names a limit: "tokens per min (TPM)", "requests per day (RPD)", "requests per
// 10s".
func (c *LimitConfig) words() string {
	axis := strings.ReplaceAll(string(c.Axis), "_", " ")
	if c.Axis == LimitConcurrency {
		return "concurrent requests"
	}
	switch unit := unitWord(c.Per); {
	case unit == "":
		return axis + " per " + c.Per.String()
	case c.Axis == LimitRequests, c.Axis == LimitTokens:
		return fmt.Sprintf("%s per %s (%sP%s)", axis, unit, strings.ToUpper(axis[:1]), strings.ToUpper(unit[:1]))
	default:
		return axis + " per " + unit
	}
}

// unitWord names a time that is one of a unit.
func unitWord(per time.Duration) string {
	switch per {
	case time.Second:
		return "sec"
	case time.Minute:
		return "min"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return ""
}

// azure speaks as Azure OpenAI does:
//
//	Requests have exceeded token rate limit of your current OpenAI S0 pricing tier.
//	Please retry after 7 seconds.
func (r *refusal) azure() {
	what := "token"
	if r.limit.Axis == LimitRequests || r.limit.Axis == LimitConcurrency {
		what = "call"
	}
	switch {
	case r.full():
		r.body.Message = "The system is experiencing high demand and cannot process your request."
	case r.impossible():
		r.body.Message = fmt.Sprintf("The request needs %d tokens and can never fit the %s rate limit of %d of your current OpenAI S0 pricing tier.", r.Cost, what, r.room.Limit)
	default:
		r.body.Message = fmt.Sprintf("Requests have exceeded %s rate limit of your current OpenAI S0 pricing tier.", what)
	}
	if !r.again {
		return
	}
	seconds := decimals(r.wait)
	if r.azureSeconds {
		seconds = strconv.FormatInt(int64(SecondsFormat.cut(0, r.wait)/time.Second), 10)
	}
	r.body.Message += " Please retry after " + seconds + " seconds."
}
