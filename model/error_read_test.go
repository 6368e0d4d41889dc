package model

import (
	"net/http"
	"testing"

	"github.com/stampede-sim/stampede/policies"
)

// Refusals in the words of the providers, as their documents and issue threads have them.
func TestReadRefusal(t *testing.T) {
	for _, row := range []struct {
		says         string
		status       int
		header, left string
		body         string
		axis         Axis
		kind         policies.RefusalKind
		refused      bool
	}{
		{"OpenAI, tokens", 429, "", "", `{"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, Tokens, policies.Temporary, true},
		{"OpenAI, requests", 429, "", "", `{"error":{"message":"Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3, Requested 1.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, Requests, policies.Temporary, true},
		{"OpenAI, the type alone, with blanks", 429, "", "", `{"error": {"type" : "tokens"}}`, Tokens, policies.Temporary, true},
		{"OpenAI, a request that can never fit", 429, "", "", `{"error":{"message":"Request too large for gpt-4 in organization org-x on tokens per min (TPM): Limit 10000, Requested 14000.","type":"tokens","code":"rate_limit_exceeded"}}`, Tokens, policies.BeyondLimit, true},
		{"OpenAI, no money", 429, "", "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, Requests, policies.QuotaExhausted, true},
		{"OpenAI, a growth that is too fast", 429, "", "", `{"error":{"type":"rate_limit_error","code":"slow_down"}}`, Slope, policies.Temporary, true},
		{"Anthropic, input tokens", 429, "", "", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization (org) of 50,000 input tokens per minute."}}`, InputTokens, policies.Temporary, true},
		{"Anthropic, output tokens", 429, "", "", `{"error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 8,000 output tokens per minute."}}`, OutputTokens, policies.Temporary, true},
		{"Anthropic, requests", 429, "", "", `{"error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization of 50 requests per minute."}}`, Requests, policies.Temporary, true},
		{"Anthropic, concurrency", 429, "", "", `{"error":{"type":"rate_limit_error","message":"Number of concurrent connections has exceeded your rate limit."}}`, Concurrency, policies.Temporary, true},
		{"Anthropic, acceleration", 429, "", "", `{"error":{"type":"rate_limit_error","message":"This request would exceed your organization's acceleration limit."}}`, Slope, policies.Temporary, true},
		{"Anthropic, by the header alone", 429, "anthropic-ratelimit-output-tokens-remaining", "0", `{"error":{"type":"rate_limit_error","message":"Rate limited."}}`, OutputTokens, policies.Temporary, true},
		{"Azure, tokens", 429, "", "", `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 7 seconds."}}`, Tokens, policies.Temporary, true},
		{"Azure, calls", 429, "", "", `{"error":{"code":"429","message":"Requests have exceeded call rate limit of your current OpenAI S0 pricing tier."}}`, Requests, policies.Temporary, true},
		{"Gemini, by its quotaId", 429, "", "", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute"}]}]}}`, InputTokens, policies.Temporary, true},
		{"Mistral says nothing, its headers do", 429, "x-ratelimit-remaining-tokens-minute", "0", `{"object":"error","message":"Rate limit exceeded","type":"rate_limited","code":"1300"}`, Tokens, policies.Temporary, true},
		{"something is left of it", 429, "x-ratelimit-remaining-tokens", "9481", `{}`, Requests, policies.Temporary, true},
		{"nobody says anything", 429, "", "", ``, Requests, policies.Temporary, true},
		{"a proxy's page", 429, "", "", `<html>Too Many Requests</html>`, Requests, policies.Temporary, true},
		{"an overload is an error", 529, "", "", `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, 0, policies.Temporary, false},
		{"so is a wrong key, whatever it says", 401, "", "", `{"error":{"message":"requests per min"}}`, 0, policies.Temporary, false},
	} {
		h := http.Header{}
		h.Set(row.header, row.left)
		if axis, kind, refused := ReadRefusal(row.status, h.Get, row.body); axis != row.axis || kind != row.kind || refused != row.refused {
			t.Errorf("%s: %v, %v, %v; want %v, %v, %v", row.says, axis, kind, refused, row.axis, row.kind, row.refused)
		}
	}
}
