package model

import (
	"regexp"
	"strings"

	"github.com/stampede-sim/stampede/policies"
)

// ReadRefusal judges an answer without a result by its status and what it says, as far as a
// client can: whether a limit refused the request, which, and what waiting can do. Only a
// 429 is a limit's. The body is believed before the headers that tell what is left; where
// neither names an axis, it is that of requests.
//
//	OpenAI     type tokens or requests, or "... on tokens per min (TPM)"
//	Anthropic  "... of 50,000 input tokens per minute"
//	Azure      "... exceeded token rate limit", "... exceeded call rate limit"
//	Gemini     quotaId GenerateRequestsPerMinutePerProjectPerModel
func ReadRefusal(status int, header func(name string) string, body string) (axis Axis, kind policies.RefusalKind, refused bool) {
	kind = policies.Temporary
	if status != 429 {
		return 0, kind, false
	}
	switch {
	case moneyInError.MatchString(body):
		kind = policies.QuotaExhausted
	case strings.Contains(body, "Request too large"), strings.Contains(body, "can never fit"):
		kind = policies.BeyondLimit
	}
	axis, known := axisInBody(body)
	if !known {
		axis = axisInHeaders(header)
	}
	return axis, kind, true
}

// moneyInError is what says that money is out, which no wait brings back.
var moneyInError = regexp.MustCompile(`"(?:insufficient_quota|credit_balance_exhausted|(?:organization|project)_spend_limit_exceeded|organization_usage_limit_exceeded|enforced_spend_limit_reached)"`)

// What names an axis in a body, the surest first.
var axesInBodies = []struct {
	axis Axis
	says *regexp.Regexp
}{
	{Slope, regexp.MustCompile(`acceleration limit|"slow_down"`)},
	{InputTokens, regexp.MustCompile(`(?i)input[ _-]?tokens? (?:per|count)|Generate(?:Content)?InputTokens`)},
	{OutputTokens, regexp.MustCompile(`(?i)output[ _-]?tokens? per|GenerateOutputTokens`)},
	{Concurrency, regexp.MustCompile(`(?i)concurrent (?:requests|connections)|GenerateConcurrency`)},
	{Tokens, regexp.MustCompile(`(?i)tokens? per |token rate limit|"type"\s*:\s*"tokens"|GenerateTokens`)},
	{Requests, regexp.MustCompile(`(?i)requests? per |call rate limit|"type"\s*:\s*"requests"|GenerateRequests`)},
}

func axisInBody(body string) (axis Axis, known bool) {
	for _, of := range axesInBodies {
		if of.says.MatchString(body) {
			return of.axis, true
		}
	}
	return 0, false
}

// axisInHeaders is that of which nothing is left.
func axisInHeaders(header func(name string) string) Axis {
	for _, of := range []struct {
		name string
		axis Axis
	}{
		{"X-Ratelimit-Remaining-Requests", Requests},
		{"Anthropic-Ratelimit-Requests-Remaining", Requests},
		{"X-Ratelimit-Remaining-Req-Minute", Requests},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", InputTokens},
		{"Anthropic-Ratelimit-Output-Tokens-Remaining", OutputTokens},
		{"X-Ratelimit-Remaining-Tokens", Tokens},
		{"Anthropic-Ratelimit-Tokens-Remaining", Tokens},
		{"X-Ratelimit-Remaining-Tokens-Minute", Tokens},
	} {
		if header(of.name) == "0" {
			return of.axis
		}
	}
	return Requests
}
