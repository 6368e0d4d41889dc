package live

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// preset is a provider that speaks as a preset does, before a few clients that are told
// when to come again.
func preset(t *testing.T, name string, set ...string) *model.Config {
	t.Helper()
	s, err := scenarios.Decode("preset.yaml", []byte(`
name: preset
provider: {preset: `+name+`, service: {first_token: 20ms, per_token: 5ms}}
clients:
  - {name: herd, count: 12, policy: told, request: {input_tokens: 40, output_tokens: 10, max_tokens: 50, stream: true}, network: {one_way: {sum: [1ms, {uniform: [0ms, 4ms]}]}}}
policies:
  told: {attempts: 8, backoff: {exponential: {base: 200ms, cap: 20s}, jitter: full}, hint: floor}
`), set...)
	if err != nil {
		t.Fatal(err)
	}
	return &s.Config
}

// Which headers of limits an answer of each preset carries, from section 1.
func TestPresetHeaderNames(t *testing.T) {
	both := func(prefix string, kinds, of []string) []string {
		var names []string
		for _, kind := range kinds {
			for _, what := range of {
				names = append(names, strings.NewReplacer("KIND", kind, "WHAT", what).Replace(prefix))
			}
		}
		return names
	}
	three, pair := []string{"limit", "remaining", "reset"}, []string{"requests", "tokens"}
	openAI := both("X-Ratelimit-WHAT-KIND", pair, three)
	want := map[string][]string{
		"openai": slices.Concat(openAI, []string{"X-Request-Id"}), "azure": slices.Concat(openAI, []string{"Apim-Request-Id"}), "groq": openAI,
		"anthropic": append(both("Anthropic-Ratelimit-KIND-WHAT", []string{"requests", "tokens", "input-tokens", "output-tokens"}, three), "Request-Id"),
		"mistral":   append(both("X-Ratelimit-WHAT-KIND", []string{"req-minute", "tokens-minute"}, three[:2]), "X-Ratelimit-Tokens-Query-Cost"),
		"gemini":    nil, "deepseek": nil,
	}
	plain := []string{"Content-Type", "Cache-Control", "Date", "Content-Length"}
	bubble(t, func(t *testing.T) {
		for _, p := range scenarios.Presets() {
			family, _, _ := strings.Cut(p.Name, "/")
			s := open(t, preset(t, p.Name))
			r := s.ask(t.Context(), http.MethodPost, path, `{"messages": [{"role": "user", "content": "hello"}], "stream": true, "max_tokens": 50}`)
			s.body(r)
			s.close()
			var got, names []string
			for name := range r.Header {
				if !slices.Contains(plain, name) {
					got = append(got, name)
				}
			}
			for _, name := range want[family] {
				names = append(names, http.CanonicalHeaderKey(name))
			}
			slices.Sort(got)
			slices.Sort(names)
			if r.StatusCode != 200 || !slices.Equal(got, names) {
				t.Errorf("%s: status %d, headers\n%v\nwant\n%v", p.Name, r.StatusCode, got, names)
			}
		}
	})
}

// What a preset answers on the wire to the second of two, word for word but for the
// texts that model's tests hold.
func TestPresetRefusalsOnTheWire(t *testing.T) {
	for _, row := range []struct {
		name           string
		limit          string // set to what the first request takes
		headers, lacks string
		body           string
	}{
		{
			"openai/gpt-4o/tier-1", "provider.limits.0.limit=1", "Retry-After-Ms: 60000|Retry-After: 60|X-Ratelimit-Remaining-Requests: 0|X-Ratelimit-Reset-Requests: 1m0s", "",
			`{"error":{"message":"Rate limit reached in organization stampede on requests per min (RPM): Limit 1, Used 1, Requested 1. Please try again in 1m0s.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
		},
		{
			"azure/gpt-4o/measured", "provider.limits.0.limit=1", "Retry-After: 10|X-Ratelimit-Limit-Requests: 1|X-Ratelimit-Reset-Requests: 10", "X-Ratelimit-Remaining-Requests",
			`{"error":{"code":"429","message":"Requests have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 10 seconds."}}`,
		},
		{
			"anthropic/sonnet-4/tier-1", "provider.limits.0.limit=1", "Retry-After: 60|X-Should-Retry: true|Request-Id: req_2|Anthropic-Ratelimit-Requests-Reset: 2000-01-01T00:01:00Z", "Retry-After-Ms",
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization (stampede) of 1 requests per minute."},"request_id":"req_2"}`,
		},
		{
			"anthropic/sonnet-4/tier-1/old-output", "provider.limits.0.limit=1", "X-Should-Retry: true", "Retry-After",
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization (stampede) of 1 requests per minute."},"request_id":"req_2"}`,
		},
		{
			"gemini/2.5-flash/free", "provider.limits.0.limit=1", "", "Retry-After",
			`{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 59.935s.","status":"RESOURCE_EXHAUSTED","details":[` +
				`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel","quotaValue":"1"}]},` +
				`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"59s"}]}}`,
		},
		{
			"mistral/free", "provider.limits.0.limit=1", "Retry-After: 1", "",
			`{"object":"error","message":"Rate limit exceeded","type":"rate_limited","code":"1300","raw_status_code":429}`,
		},
	} {
		bubble(t, func(t *testing.T) {
			s := open(t, preset(t, row.name, row.limit))
			defer s.close()
			const ask = `{"messages": [{"role": "user", "content": "hello"}], "stream": true, "max_tokens": 10}`
			s.body(s.ask(t.Context(), http.MethodPost, path, ask))
			r := s.ask(t.Context(), http.MethodPost, path, ask)
			body := strings.TrimSpace(s.body(r))
			if r.StatusCode != 429 || body != row.body {
				t.Errorf("%s: status %d, body\n%s\nwant\n%s", row.name, r.StatusCode, body, row.body)
			}
			for h := range strings.SplitSeq(row.headers, "|") {
				if name, value, given := strings.Cut(h, ": "); given && r.Header.Get(name) != value {
					t.Errorf("%s: %s is %q, want %q", row.name, name, r.Header.Get(name), value)
				}
			}
			if row.lacks != "" && r.Header.Get(row.lacks) != "" {
				t.Errorf("%s: %s is %q, want none", row.name, row.lacks, r.Header.Get(row.lacks))
			}
		})
	}
}

// Hints in every form are read on sockets as virtual time has them.
func TestPresetsSameAsVirtualTime(t *testing.T) {
	for _, row := range []struct {
		name string
		set  []string
	}{
		{"openai/gpt-4o/tier-1", []string{"provider.limits.0.limit=6", "provider.limits.1.limit=400"}},
		{"azure/gpt-4o/measured", nil},
		{"anthropic/sonnet-4/tier-1", []string{"provider.limits.0.limit=5"}},
		{"anthropic/sonnet-4/tier-1/old-output", []string{"provider.limits.0.limit=5"}},
		{"gemini/2.5-flash/free", nil},
		{"groq/llama-3.3-70b/free", []string{"provider.limits.0.limit=8"}},
		{"groq/llama-3.3-70b/free", []string{"provider.limits.0.limit=8", "provider.hint.format=[body]"}},
		{"azure/gpt-4o/measured", []string{"provider.hint.format=[body]"}},
		{"anthropic/sonnet-4/tier-1", []string{"provider.limits.0.limit=7", "provider.hint.format=[body]"}},
		{"mistral/free", []string{"provider.hint.format=[float]"}},
		{"openai/gpt-4o/tier-1", []string{"provider.limits.0.limit=7", "provider.hint.format=[date]"}},
		{"openai/gpt-4o/tier-1", []string{"provider.limits.0.limit=7", "provider.hint.malformed=-5"}},
		{"deepseek/500-slots", []string{"provider.limits.0.limit=4"}},
	} {
		t.Run(row.name+strings.Join(row.set, " "), func(t *testing.T) {
			c := preset(t, row.name, row.set...)
			for seed := range uint64(2) {
				virtual := virtually(t, c, seed)
				if virtual.Attempts.Rejected == 0 {
					t.Errorf("seed %d: nobody is refused, so this tests nothing", seed)
				}
				sameFigures(t, seed, virtual, inBubble(t, c, seed))
			}
		})
	}
}
