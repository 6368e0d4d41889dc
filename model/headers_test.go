package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// asked is a provider of which so much is used at time 0, and what it makes of one more
// request.
func asked(c ProviderConfig, used []*Ask, q *Ask) (*Provider, *Request, Decision) {
	p := NewProvider(c)
	for i, a := range used {
		p.limits.Admit(0, policies.Ticket(i), a)
	}
	request := &Request{Ask: *q}
	return p, request, p.Offer(0, policies.Ticket(len(used)), request)
}

func limited(f Flavour, formats []HintFormat, limits ...LimitConfig) ProviderConfig {
	var c ProviderConfig
	c.SetDefaults()
	c.Flavour, c.Limits = f, limits
	c.Hint.RetryAfter.Exact, c.Hint.Format = true, formats
	return c
}

var wall = time.Date(2025, 6, 2, 8, 10, 0, 0, time.UTC)

func said(h []Header) string {
	var lines []string
	for _, header := range h {
		lines = append(lines, header.Name+": "+header.Value)
	}
	return strings.Join(lines, "\n")
}

func oneOf(requests int64) []*Ask {
	return slices.Repeat([]*Ask{input(0)}, int(requests))
}

// Every text of section 1.2: "Limit L, Used U, Requested R. Please try again in W."
func TestOpenAITexts(t *testing.T) {
	for _, row := range []struct {
		axis                   LimitAxis
		per                    time.Duration
		limit, used, requested int64
		words, again           string
	}{
		{LimitTokens, time.Minute, 30_000, 22_999, 12_528, "tokens per min (TPM)", "11.054s"},
		{LimitTokens, time.Minute, 30_000, 20_122, 18_269, "tokens per min (TPM)", "16.782s"},
		{LimitTokens, time.Minute, 30_000, 14_567, 24_754, "tokens per min (TPM)", "18.642s"},
		{LimitTokens, time.Minute, 30_000, 29_937, 385, "tokens per min (TPM)", "644ms"},
		{LimitTokens, time.Minute, 30_000, 30_000, 154, "tokens per min (TPM)", "308ms"},
		{LimitTokens, time.Minute, 200_000, 195_869, 4_412, "tokens per min (TPM)", "84ms"},
		{LimitTokens, time.Minute, 300_000, 286_751, 16_144, "tokens per min (TPM)", "579ms"},
		{LimitTokens, time.Minute, 450_000, 379_102, 89_741, "tokens per min (TPM)", "2.512s"},
		{LimitTokens, day, 1_500_000, 1_484_072, 16_144, "tokens per day (TPD)", "12.441s"},
		{LimitTokens, day, 1_500_000, 1_485_066, 16_144, "tokens per day (TPD)", "1m9.696s"},
		{LimitRequests, time.Minute, 500, 500, 1, "requests per min (RPM)", "120ms"},
		{LimitRequests, time.Minute, 3, 3, 1, "requests per min (RPM)", "20s"},
		{LimitRequests, day, 200, 200, 1, "requests per day (RPD)", "7m12s"},
	} {
		used, kind := []*Ask{input(row.used)}, "tokens"
		limit := LimitConfig{Axis: row.axis, Limit: row.limit, Per: row.per}
		if row.axis == LimitRequests {
			used, kind, limit.Rejected = oneOf(row.used), "requests", RejectedCharged
		}
		p, q, d := asked(limited(OpenAIFlavour, []HintFormat{SecondsFormat, MillisFormat, BodyFormat}, limit), used, input(row.requested))
		b := p.Refusal(0, p.config.Flavour, q, &d)
		want := fmt.Sprintf(" on %s: Limit %d, Used %d, Requested %d. Please try again in %s.", row.words, row.limit, row.used, row.requested, row.again)
		if b.Status != 429 || b.Type != kind || b.Code != "rate_limit_exceeded" || !strings.HasSuffix(b.Message, want) {
			t.Errorf("%+v, want %s, rate_limit_exceeded, and a text that ends with %q", b, kind, want)
		}
		if wait, err := time.ParseDuration(row.again); err != nil || policies.ParseBodyHint(b.Message) != (policies.Hint{Kind: policies.GivenHint, Wait: wait}) {
			t.Errorf("%q is read as %+v, want %s", b.Message, policies.ParseBodyHint(b.Message), row.again)
		}
	}
}

// Aider-AI/aider#3265, 2.3 s apart, to the token's time.
func TestGroqTexts(t *testing.T) {
	const aToken = 4 * ms // a minute / 15,000
	c := limited(GroqFlavour, []HintFormat{SecondsFormat, BodyFormat}, LimitConfig{Axis: LimitTokens, Limit: 15_000, Per: time.Minute})
	p, q, d := asked(c, []*Ask{input(11_972)}, input(4_351))
	for _, row := range []struct {
		at   time.Duration
		used string
		want time.Duration
	}{{0, "Limit 15000, Used 11972, Requested 4351.", 5289 * ms}, {2328 * ms, "Limit 15000, Used 11390, Requested 4351.", 2961 * ms}} {
		if row.at > 0 {
			d = p.Offer(row.at, 1, q)
		}
		text := p.Refusal(row.at, p.config.Flavour, q, &d).Message
		if wait := policies.ParseBodyHint(text).Wait; !strings.Contains(text, row.used) || (wait-row.want).Abs() > aToken {
			t.Errorf("at %v: %q, want %s and a wait of %v", row.at, text, row.used, row.want)
		}
	}
}

func TestOpenAIHeaders(t *testing.T) {
	tpm := func(limit int64) LimitConfig { return LimitConfig{Axis: LimitTokens, Limit: limit, Per: time.Minute} }
	for _, row := range []struct {
		says   string
		limits []LimitConfig
		q      *Ask // what is used, and then told of
		want   string
	}{
		{
			"Kong capture of 2025-01-04",
			[]LimitConfig{tpm(10_000)},
			input(519),
			"x-ratelimit-limit-tokens: 10000\nx-ratelimit-remaining-tokens: 9481\nx-ratelimit-reset-tokens: 3.114s",
		},
		{
			"openai-realtime-console#42",
			[]LimitConfig{{Axis: LimitRequests, Limit: 5_000, Per: time.Minute}, tpm(20_000)},
			input(4_518),
			"x-ratelimit-limit-requests: 5000\nx-ratelimit-remaining-requests: 4999\nx-ratelimit-reset-requests: 12ms\n" +
				"x-ratelimit-limit-tokens: 20000\nx-ratelimit-remaining-tokens: 15482\nx-ratelimit-reset-tokens: 13.554s",
		},
		{
			"10,000 requests a day: 86,400 s / 10,000, and not the 500 a minute",
			[]LimitConfig{{Axis: LimitRequests, Limit: 500, Per: time.Minute}, {Axis: LimitRequests, Limit: 10_000, Per: day}},
			input(0),
			"x-ratelimit-limit-requests: 10000\nx-ratelimit-remaining-requests: 9999\nx-ratelimit-reset-requests: 8.64s",
		},
		{
			"all of a small limit: six minutes",
			[]LimitConfig{{Axis: LimitTokens, Limit: 100, Per: 6 * time.Minute}},
			input(100),
			"x-ratelimit-limit-tokens: 100\nx-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 6m0s",
		},
		{
			"a second",
			[]LimitConfig{{Axis: LimitRequests, Limit: 60, Per: time.Minute}},
			input(0),
			"x-ratelimit-limit-requests: 60\nx-ratelimit-remaining-requests: 59\nx-ratelimit-reset-requests: 1s",
		},
		{
			"6 ms: one of 10,000 a minute",
			[]LimitConfig{{Axis: LimitRequests, Limit: 10_000, Per: time.Minute}},
			input(0),
			"x-ratelimit-limit-requests: 10000\nx-ratelimit-remaining-requests: 9999\nx-ratelimit-reset-requests: 6ms",
		},
	} {
		p, q, d := asked(limited(OpenAIFlavour, []HintFormat{SecondsFormat}, row.limits...), nil, row.q)
		if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); got != row.want {
			t.Errorf("%s: \n%s\nwant\n%s", row.says, got, row.want)
		}
	}
	// OpenAI community 541210: 43,244 of 1,500,000 a day left; the page has 23h18m29.14x s.
	p, q, d := asked(limited(OpenAIFlavour, nil, LimitConfig{Axis: LimitTokens, Limit: 1_500_000, Per: day}), nil, input(1_500_000-43_244))
	if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); !strings.Contains(got, "remaining-tokens: 43244\nx-ratelimit-reset-tokens: 23h18m29.14") {
		t.Errorf("tokens of a day:\n%s", got)
	}
}

// whoz-oss/coday#110, 2025-06-02: the bucket is 10,000 below zero and the request needs
// about 43,000.
func TestAnthropicHeaders(t *testing.T) {
	c := limited(AnthropicFlavour, []HintFormat{SecondsFormat},
		LimitConfig{Axis: LimitRequests, Limit: 4_000, Per: time.Minute},
		LimitConfig{Axis: LimitInputTokens, Limit: 200_000, Per: time.Minute},
		LimitConfig{Axis: LimitOutputTokens, Limit: 80_000, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated}})
	p := NewProvider(c)
	p.limits.limiters[1].meter(0).add(0, 210_000)
	q := &Request{Ask: *input(43_000)}
	d := p.Offer(0, 0, q)
	const want = `anthropic-ratelimit-requests-limit: 4000
anthropic-ratelimit-requests-remaining: 4000
anthropic-ratelimit-requests-reset: 2025-06-02T08:10:00Z
anthropic-ratelimit-tokens-limit: 280000
anthropic-ratelimit-tokens-remaining: 80000
anthropic-ratelimit-tokens-reset: 2025-06-02T08:11:03Z
anthropic-ratelimit-input-tokens-limit: 200000
anthropic-ratelimit-input-tokens-remaining: 0
anthropic-ratelimit-input-tokens-reset: 2025-06-02T08:11:03Z
anthropic-ratelimit-output-tokens-limit: 80000
anthropic-ratelimit-output-tokens-remaining: 80000
anthropic-ratelimit-output-tokens-reset: 2025-06-02T08:10:00Z
x-should-retry: true
retry-after: 16`
	if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	b := p.Refusal(0, p.config.Flavour, q, &d)
	if b.Type != "rate_limit_error" || !strings.Contains(b.Message, "200,000 input tokens per minute") {
		t.Errorf("%+v", b)
	}

	q = &Request{Ask: *input(600)}
	p = NewProvider(limited(AnthropicFlavour, nil, LimitConfig{Axis: LimitInputTokens, Limit: 30_000, Per: time.Minute}))
	d = p.Offer(0, 0, q)
	if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); !strings.Contains(got, "input-tokens-remaining: 29000\nanthropic-ratelimit-input-tokens-reset: 2025-06-02T08:10:02Z") {
		t.Errorf("29,400 left are 29,000 to the nearest thousand, and 1.2 s are up to the second; got\n%s", got)
	}
}

func TestOtherHeaders(t *testing.T) {
	const min = time.Minute
	for _, row := range []struct {
		says string
		c    ProviderConfig
		used []*Ask
		q    *Ask
		want string
	}{
		{
			"Azure: bare numbers; requests in a slice of 10 s",
			limited(AzureFlavour, []HintFormat{SecondsFormat, MillisFormat}, LimitConfig{Axis: LimitRequests, Limit: 20, Per: 10 * time.Second, Algorithm: SlidingLogAlgorithm}, LimitConfig{Axis: LimitTokens, Limit: 10_000, Per: min, Algorithm: SlidingLogAlgorithm}),
			nil, input(2000),
			"x-ratelimit-limit-requests: 20\nx-ratelimit-remaining-requests: 19\nx-ratelimit-reset-requests: 10\n" +
				"x-ratelimit-limit-tokens: 10000\nx-ratelimit-remaining-tokens: 8000\nx-ratelimit-reset-tokens: 60",
		},
		{
			"Azure: a 429 does not say what remains",
			limited(AzureFlavour, []HintFormat{SecondsFormat, MillisFormat}, LimitConfig{Axis: LimitTokens, Limit: 10_000, Per: min, Algorithm: SlidingLogAlgorithm}),
			[]*Ask{input(10_000)},
			input(1),
			"x-ratelimit-limit-tokens: 10000\nx-ratelimit-reset-tokens: 60\nretry-after-ms: 60000\nretry-after: 60",
		},
		{
			"Groq: requests of the day, tokens of the minute",
			limited(GroqFlavour, []HintFormat{SecondsFormat},
				LimitConfig{Axis: LimitRequests, Limit: 30, Per: min}, LimitConfig{Axis: LimitRequests, Limit: 14_400, Per: day},
				LimitConfig{Axis: LimitTokens, Limit: 500_000, Per: day}, LimitConfig{Axis: LimitTokens, Limit: 6_000, Per: min}),
			nil, input(600),
			"x-ratelimit-limit-requests: 14400\nx-ratelimit-remaining-requests: 14399\nx-ratelimit-reset-requests: 6s\n" +
				"x-ratelimit-limit-tokens: 6000\nx-ratelimit-remaining-tokens: 5400\nx-ratelimit-reset-tokens: 6s",
		},
		{
			"Mistral: by the minute, and what the request cost",
			limited(MistralFlavour, []HintFormat{SecondsFormat}, LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Second}, LimitConfig{Axis: LimitTokens, Limit: 500_000, Per: min}),
			nil, input(700),
			"x-ratelimit-limit-req-minute: 300\nx-ratelimit-remaining-req-minute: 240\n" +
				"x-ratelimit-limit-tokens-minute: 500000\nx-ratelimit-remaining-tokens-minute: 499300\nx-ratelimit-tokens-query-cost: 700",
		},
		{
			"Gemini: none, not even a hint",
			limited(GeminiFlavour, []HintFormat{BodyFormat}, LimitConfig{Axis: LimitRequests, Limit: 1, Per: min}),
			oneOf(1), input(1), "",
		},
		{
			"DeepSeek: none",
			limited(DeepSeekFlavour, nil, LimitConfig{Axis: LimitConcurrency, Limit: 1}),
			oneOf(1), input(1), "",
		},
	} {
		p, q, d := asked(row.c, row.used, row.q)
		if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.says, got, row.want)
		}
	}
}

// The wait is 11.054 s and a bit less than a millisecond.
func TestHintHeaders(t *testing.T) {
	for _, row := range []struct {
		says    string
		formats []HintFormat
		change  func(*HintConfig)
		want    string
	}{
		{"seconds are rounded up", []HintFormat{SecondsFormat}, nil, "retry-after: 12"},
		{"milliseconds are cut", []HintFormat{MillisFormat}, nil, "retry-after-ms: 11054"},
		{"three decimals", []HintFormat{FloatFormat}, nil, "retry-after: 11.054"},
		{"a date on the wall, rounded up", []HintFormat{DateFormat}, nil, "retry-after: Mon, 02 Jun 2025 08:10:12 GMT"},
		{"both headers", []HintFormat{SecondsFormat, MillisFormat}, nil, "retry-after-ms: 11054\nretry-after: 12"},
		{"one retry-after: the finest", []HintFormat{DateFormat, SecondsFormat, FloatFormat}, nil, "retry-after: 11.054"},
		{"in the body alone", []HintFormat{BodyFormat}, nil, ""},
		{"half of the wait", []HintFormat{SecondsFormat, MillisFormat}, func(h *HintConfig) { h.Scale = Whole / 2 }, "retry-after-ms: 5527\nretry-after: 6"},
		{"a wait that is fixed", []HintFormat{MillisFormat}, func(h *HintConfig) { h.RetryAfter = RetryAfter{Given: true, Wait: time.Second} }, "retry-after-ms: 1000"},
		{"one that is malformed", []HintFormat{MillisFormat, BodyFormat}, func(h *HintConfig) { h.Malformed = "-5" }, "retry-after: -5"},
		{"none", nil, func(h *HintConfig) { h.RetryAfter = RetryAfter{} }, ""},
	} {
		c := limited(GeminiFlavour, row.formats, LimitConfig{Axis: LimitTokens, Limit: 30_000, Per: time.Minute})
		if row.change != nil {
			row.change(&c.Hint)
		}
		p, q, d := asked(c, []*Ask{input(22_999)}, input(12_528))
		if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.says, got, row.want)
		}
		if text := p.Refusal(0, p.config.Flavour, q, &d); strings.Contains(text.Message, "retry in") != (slices.Contains(row.formats, BodyFormat) && c.Hint.Malformed == "") {
			t.Errorf("%s: %q", row.says, text.Message)
		}
	}
}

// The statuses, types and codes of section 1.
func TestRefusals(t *testing.T) {
	tokens := LimitConfig{Axis: LimitTokens, Limit: 30_000, Per: time.Minute}
	minute := LimitConfig{Axis: LimitRequests, Limit: 1, Per: time.Minute, Algorithm: FixedWindowAlgorithm}
	aDay := LimitConfig{Axis: LimitRequests, Limit: 1, Per: day, Algorithm: FixedWindowAlgorithm, Kind: QuotaLimit}
	text := []HintFormat{BodyFormat}
	both := []HintFormat{SecondsFormat, BodyFormat}
	slow := limited(OpenAIFlavour, nil)
	slow.Slope = &SlopeConfig{Axis: LimitInputTokens, Above: policies.Rate{N: 10, Per: time.Minute}, Grow: Whole / 2, Per: 15 * time.Minute}
	ramp := slow
	ramp.Flavour = AnthropicFlavour
	for _, row := range []struct {
		says string
		c    ProviderConfig
		used []*Ask
		q    *Ask
		want ErrorBody // the message: a part of it
	}{
		{"OpenAI, larger than the limit", limited(OpenAIFlavour, both, tokens), nil, input(30_601), ErrorBody{Status: 429, Type: "tokens", Code: "rate_limit_exceeded", Message: "Request too large in organization stampede on tokens per min (TPM): Limit 30000, Requested 30601. The"}},
		{"OpenAI, too steep a ramp", slow, []*Ask{input(10)}, input(5), ErrorBody{Status: 429, Type: "rate_limit_error", Code: "slow_down", Message: "Slow down"}},
		{"OpenAI, money", limited(OpenAIFlavour, nil, aDay), oneOf(1), input(1), ErrorBody{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota", Message: "quota"}},
		{"Azure, tokens", limited(AzureFlavour, both, tokens), []*Ask{input(30_000)}, input(3_100), ErrorBody{Status: 429, Code: "429", Message: "have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 7 seconds."}},
		{"Azure, calls", limited(AzureFlavour, both, minute), oneOf(1), input(1), ErrorBody{Status: 429, Code: "429", Message: "have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 60 seconds."}},
		{"Anthropic, too steep a ramp", ramp, []*Ask{input(10)}, input(5), ErrorBody{Status: 429, Type: "rate_limit_error", Message: "acceleration limit"}},
		{"Gemini, a minute's requests", limited(GeminiFlavour, text, minute), oneOf(1), input(1), ErrorBody{Status: 429, Type: "RESOURCE_EXHAUSTED", Message: "Please retry in 60.000s.", Quota: "GenerateRequestsPerMinutePerProjectPerModel", Limit: 1, Delay: "60s"}},
		{"Gemini, a day's", limited(GeminiFlavour, text, aDay), oneOf(1), input(1), ErrorBody{Status: 429, Type: "RESOURCE_EXHAUSTED", Message: "Please retry in 86400.000s.", Quota: "GenerateRequestsPerDayPerProjectPerModel", Limit: 1, Delay: "86400s"}},
		{"Gemini, RetryInfo is cut to seconds", limited(GeminiFlavour, text, tokens), []*Ask{input(30_000)}, input(3_940), ErrorBody{Status: 429, Type: "RESOURCE_EXHAUSTED", Message: "Please retry in 7.880s.", Quota: "GenerateTokensPerMinutePerProjectPerModel", Limit: 30_000, Delay: "7s"}},
		{"Mistral", limited(MistralFlavour, nil, minute), oneOf(1), input(1), ErrorBody{Status: 429, Type: "rate_limited", Code: "1300", Message: "Rate limit exceeded"}},
	} {
		p, q, d := asked(row.c, row.used, row.q)
		got := p.Refusal(0, p.config.Flavour, q, &d)
		message := got.Message
		if got.Message = row.want.Message; got != row.want || !strings.Contains(message, row.want.Message) {
			t.Errorf("%s: %q, %+v, want %+v", row.says, message, got, row.want)
		}
	}
}

// What a full house and a fault say, by status.
func TestPlainBodies(t *testing.T) {
	for _, row := range []struct {
		flavour    Flavour
		status     int
		kind, code string
	}{
		{OpenAIFlavour, 401, "invalid_request_error", "invalid_api_key"},
		{OpenAIFlavour, 500, "server_error", ""},
		{OpenAIFlavour, 503, "service_unavailable_error", "server_is_overloaded"},
		{"", 503, "service_unavailable_error", "server_is_overloaded"},
		{AzureFlavour, 429, "", "429"},
		{AnthropicFlavour, 401, "authentication_error", ""},
		{AnthropicFlavour, 402, "billing_error", ""},
		{AnthropicFlavour, 413, "request_too_large", ""},
		{AnthropicFlavour, 429, "rate_limit_error", ""},
		{AnthropicFlavour, 500, "api_error", ""},
		{AnthropicFlavour, 504, "timeout_error", ""},
		{AnthropicFlavour, 529, "overloaded_error", ""},
		{GeminiFlavour, 429, "RESOURCE_EXHAUSTED", ""},
		{GeminiFlavour, 503, "UNAVAILABLE", ""},
		{MistralFlavour, 429, "rate_limited", "1300"},
	} {
		if b := row.flavour.plain(row.status); b.Status != row.status || b.Type != row.kind || b.Code != row.code || b.Message == "" {
			t.Errorf("%s, %d: %+v, want %q, %q", row.flavour, row.status, b, row.kind, row.code)
		}
	}
	full := limited(AnthropicFlavour, nil)
	full.Seats, full.Refuses.Status = 1, 529
	p := NewProvider(full)
	q := &Request{FirstToken: time.Second}
	p.Offer(0, 0, q)
	d := p.Offer(0, 1, q)
	if b := p.Refusal(0, p.config.Flavour, q, &d); b != (ErrorBody{Status: 529, Type: "overloaded_error", Message: "Overloaded"}) {
		t.Errorf("a full house says %+v", b)
	}
}

// A fault tells nothing of limits.
func TestFaultsAreTold(t *testing.T) {
	c := limited(AnthropicFlavour, []HintFormat{SecondsFormat}, LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute})
	c.Faults = []Fault{{First: policies.Unlimited, Status: 401}}
	p := NewProvider(c)
	q := &Request{}
	d := p.Offer(0, 0, q)
	if got := said(p.Headers(0, wall, p.config.Flavour, q, &d)); got != "x-should-retry: false" {
		t.Errorf("headers\n%s", got)
	}
	if b := p.Refusal(0, p.config.Flavour, q, &d); b.Type != "authentication_error" || b.Status != 401 {
		t.Errorf("body %+v", b)
	}
}
