package model

import (
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

const day = 24 * time.Hour

// input is a request that costs so many input tokens and nothing else.
func input(tokens int64) *Ask { return &Ask{Input: tokens, MaxTokens: policies.Unlimited} }

// taken is a limiter of which so much is used at time 0, by requests that fit.
func taken(c LimitConfig, used int64) *Limits {
	l := NewLimits([]LimitConfig{c}, nil)
	if c.Axis != LimitRequests {
		l.Admit(0, 0, input(used))
		return l
	}
	for range used {
		l.Admit(0, 0, input(0))
	}
	return l
}

// Every message "Limit L, Used U, Requested R. Please try again in W" of section 1.2.
func TestOpenAIWaits(t *testing.T) {
	tests := []struct {
		axis                   LimitAxis
		per                    time.Duration
		limit, used, requested int64
		says                   string
	}{
		{LimitTokens, time.Minute, 30_000, 22_999, 12_528, "11.054s"},
		{LimitTokens, time.Minute, 30_000, 20_122, 18_269, "16.782s"},
		{LimitTokens, time.Minute, 30_000, 14_567, 24_754, "18.642s"},
		{LimitTokens, time.Minute, 30_000, 29_937, 385, "644ms"},
		{LimitTokens, time.Minute, 30_000, 30_000, 154, "308ms"},
		{LimitTokens, time.Minute, 200_000, 195_869, 4_412, "84ms"},
		{LimitTokens, time.Minute, 300_000, 286_751, 16_144, "579ms"},
		{LimitTokens, time.Minute, 450_000, 379_102, 89_741, "2.512s"},
		{LimitTokens, day, 1_500_000, 1_484_072, 16_144, "12.441s"},
		{LimitTokens, day, 1_500_000, 1_485_066, 16_144, "1m9.696s"},
		{LimitRequests, time.Minute, 500, 500, 1, "120ms"},
		{LimitRequests, time.Minute, 3, 3, 1, "20s"},
		{LimitRequests, day, 200, 200, 1, "7m12s"},
	}
	for _, test := range tests {
		says, err := time.ParseDuration(test.says)
		if err != nil {
			t.Fatal(err)
		}
		for _, rejected := range []RejectedCharge{RejectedFree, RejectedCharged} {
			if rejected == RejectedCharged && test.axis == LimitTokens {
				continue // they charge a refused request no tokens: Used stays below Limit
			}
			l := taken(LimitConfig{Axis: test.axis, Limit: test.limit, Per: test.per, Rejected: rejected}, test.used)
			r := l.Ask(0, input(test.requested))
			if r.Kind != policies.Temporary || r.Requested != test.requested || r.Wait.Truncate(ms) != says {
				t.Errorf("limit %d, used %d, requested %d, refused ones %s: %+v, want a wait of %v", test.limit, test.used, test.requested, rejected, r, says)
			}
		}
	}
}

func TestOpenAIResets(t *testing.T) {
	tests := []struct {
		says             string
		axis             LimitAxis
		per              time.Duration
		limit, remaining int64
		want, within     time.Duration
	}{
		{"Kong capture of 2025-01-04", LimitTokens, time.Minute, 10_000, 9_481, 3114 * ms, 0},
		{"realtime, tokens", LimitTokens, time.Minute, 20_000, 15_482, 13554 * ms, 0},
		{"realtime, requests", LimitRequests, time.Minute, 5_000, 4_999, 12 * ms, 0},
		{"community 541210, tokens of a day", LimitTokens, day, 1_500_000, 43_244, 23*time.Hour + 18*time.Minute + 29144*ms, 10 * ms},
		{"one request of 10,000 a day", LimitRequests, day, 10_000, 9_999, 8640 * ms, 0},
	}
	for _, test := range tests {
		l := taken(LimitConfig{Axis: test.axis, Limit: test.limit, Per: test.per}, test.limit-test.remaining)
		r := l.Room(0, 0, input(0))
		if r.Limit != test.limit || r.Remaining != test.remaining || (r.Reset.Truncate(ms)-test.want).Abs() > test.within {
			t.Errorf("%s: %+v, want %d left and a reset in %v", test.says, r, test.remaining, test.want)
		}
	}
}

// Aider-AI/aider#3265: two refusals 2.3 s apart; the first charged nothing.
func TestGroqWaits(t *testing.T) {
	const limit, requested = 15_000, 4_351
	aToken := time.Minute / limit
	l := taken(LimitConfig{Axis: LimitTokens, Limit: limit, Per: time.Minute}, 11_972)
	for _, test := range []struct {
		at   time.Duration
		used int64
		want time.Duration
	}{
		{0, 11_972, 5289 * ms},
		{2328 * ms, 11_390, 2961 * ms},
	} {
		q := input(requested)
		r := l.Ask(test.at, q)
		l.Refuse(test.at, q)
		if used := l.Room(test.at, 0, q).Used; used != test.used || (r.Wait-test.want).Abs() > aToken {
			t.Errorf("at %v: used %d and a wait of %v, want %d and %v within %v", test.at, used, r.Wait, test.used, test.want, aToken)
		}
	}
}

// stuartleeks/aoai-testing, measured in 2024-07 and 2024-08.
func TestAzureCharges(t *testing.T) {
	gpt4 := LimitConfig{Axis: LimitTokens, Charge: ChargeConfig{Input: InputAzure, Unset: Unset{Given: true, Tokens: 640}}}
	gpt35 := LimitConfig{Axis: LimitTokens, Charge: ChargeConfig{Input: InputNone, Unset: Unset{Given: true, Tokens: 16}}}
	const none = policies.Unlimited
	tests := []struct {
		says      string
		config    LimitConfig
		messages  []int64 // characters
		maxTokens policies.Count
		want      int64
	}{
		{"gpt-4o: 28 characters, no max_tokens", gpt4, []int64{28}, none, 648},
		{"gpt-4o: 233 characters, no max_tokens", gpt4, []int64{233}, none, 699},
		{"gpt-4o: four messages", gpt4, []int64{59, 16, 673, 233}, none, 888},
		{"gpt-4o: max_tokens of 1,000", gpt4, []int64{28}, 1000, 1008},
		{"gpt-4o: max_tokens of 2,000", gpt4, []int64{28}, 2000, 2008},
		{"gpt-3.5-turbo: no max_tokens, a prompt of 15 tokens", gpt35, []int64{60}, none, 16},
		{"gpt-3.5-turbo: no max_tokens, a prompt of 914 tokens", gpt35, []int64{3656}, none, 16},
		{"gpt-3.5-turbo: max_tokens of 10", gpt35, []int64{60}, 10, 10},
		{"gpt-3.5-turbo: max_tokens of 100", gpt35, []int64{3656}, 100, 100},
		{"gpt-3.5-turbo: max_tokens of 1,000", gpt35, []int64{60}, 1000, 1000},
		{"gpt-3.5-turbo: max_tokens of 2,000", gpt35, []int64{3656}, 2000, 2000},
	}
	for _, test := range tests {
		c := test.config.charge()
		var prompt Prompt
		for _, chars := range test.messages {
			prompt.Message(chars)
		}
		q := &Ask{Input: 20, Output: 100, Chars: prompt.Chars, Azure: prompt.Azure, MaxTokens: test.maxTokens}
		if got := c.of(q); got != test.want {
			t.Errorf("%s: charged %d, want %d", test.says, got, test.want)
		}
		if len(test.messages) == 1 {
			q = &Ask{Input: 20, Output: 100, Chars: test.messages[0], MaxTokens: test.maxTokens}
			if got := c.of(q); got != test.want {
				t.Errorf("%s, by its characters: charged %d, want %d", test.says, got, test.want)
			}
		}
	}
}

func azureLimits() *Limits {
	return NewLimits([]LimitConfig{
		{Axis: LimitRequests, Limit: 10, Per: 10 * time.Second, Algorithm: SlidingLogAlgorithm, Rejected: RejectedCharged},
		{Axis: LimitTokens, Limit: 10_000, Per: time.Minute, Algorithm: SlidingLogAlgorithm, Charge: ChargeConfig{Input: InputNone}},
	}, nil)
}

// 10,000 TPM and calls of 2,000: 200x5, 429x42, 200x5, 429x42, 200x5, where an answer
// takes 2 s and a refusal 1.2 s. After 42 refusals the first success shows one request
// left, not nine: refused calls are in the log of requests, but not in that of tokens.
func TestAzureSlidingPattern(t *testing.T) {
	l := azureLimits()
	q := &Ask{Input: 20, Output: 100, MaxTokens: 2000}
	type phase struct{ status, calls int }
	var got []phase
	var left []int64
	now := time.Duration(0)
	for id := range policies.Ticket(5 + 42 + 5 + 42 + 5) {
		r := l.Ask(now, q)
		status, takes := 200, 2*time.Second
		if r.Kind == policies.NotRefused {
			l.Admit(now, id, q)
		} else {
			l.Refuse(now, q)
			status, takes = 429, 1200*ms
			if r.Axis != Tokens {
				t.Errorf("at %v refused by %v, want tokens", now, r.Axis)
			}
		}
		if len(got) == 0 || got[len(got)-1].status != status {
			got = append(got, phase{status: status})
			left = append(left, l.Room(now, 0, q).Remaining)
		}
		got[len(got)-1].calls++
		now += takes
	}
	if want := []phase{{200, 5}, {429, 42}, {200, 5}, {429, 42}, {200, 5}}; !slices.Equal(got, want) {
		t.Errorf("pattern %v, want %v", got, want)
	}
	if left[2] != 1 {
		t.Errorf("%d requests are left after the first success, want 1", left[2])
	}
}

func TestAzureRequestsHoldSteady(t *testing.T) {
	l := azureLimits()
	q := &Ask{Input: 20, MaxTokens: 16}
	for i := range 100 {
		now := time.Duration(i) * 1300 * ms
		if r := l.Ask(now, q); r.Kind != policies.NotRefused {
			t.Fatalf("call %d is refused: %+v", i, r)
		}
		l.Admit(now, 0, q)
		if left := l.Room(now, 0, q).Remaining; i >= 7 && left != 2 {
			t.Fatalf("call %d leaves %d requests, want 2: eight calls at 1.3 s are in 10 s", i, left)
		}
	}
}

// whoz-oss/coday#110: a reset 63 s away on a limit of 200,000 a minute means 10,000
// below zero; a wait of 16 s fits that debt and a request of 43,333.
func TestAnthropicDebt(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitInputTokens, Limit: 200_000, Per: time.Minute, Charge: ChargeConfig{Input: InputChars4}, Settle: SettleCompletion}}, nil)
	l.Admit(0, 1, &Ask{Input: 210_000, Chars: 4 * 190_000, MaxTokens: policies.Unlimited})
	l.Done(0, 1, 0)
	q := input(43_333)
	if room := l.Room(0, 0, q); room.Remaining != 0 || room.Reset != 63*time.Second {
		t.Errorf("%+v, want nothing left and a reset in 63s", room)
	}
	if r := l.Ask(0, q); r.Wait.Round(time.Second) != 16*time.Second {
		t.Errorf("%+v, want a wait of 16s", r)
	}
}

// A provisioned deployment whose 100 % is 6,000 tokens: the last request overflows,
// and its correction ends the wait of others early.
func TestAzureProvisioned(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitTokens, Limit: 6000, Per: time.Minute, Algorithm: LeakyAlgorithm, Charge: ChargeConfig{Input: InputUncached}}}, nil)
	q := &Ask{Input: 3000, Cached: 1000, Output: 500, MaxTokens: 2000}
	steps := []struct {
		says string
		at   time.Duration
		wait time.Duration
		used int64 // after an admission
	}{
		{"an estimate of 2,000 uncached and 2,000 reserved", 0, 0, 4000},
		{"at 67 % the next is admitted whole", 0, 0, 8000},
		{"at 133 % there is a wait of 2,000 tokens' drain", 0, 20 * time.Second, 0},
	}
	for i, step := range steps {
		r := l.Ask(step.at, q)
		if r.Wait != step.wait {
			t.Fatalf("%s: %+v, want a wait of %v", step.says, r, step.wait)
		}
		if r.Kind == policies.NotRefused {
			l.Admit(step.at, policies.Ticket(i), q)
			if used := l.Room(step.at, 0, q).Used; used != step.used {
				t.Fatalf("%s: used %d, want %d", step.says, used, step.used)
			}
		}
	}
	l.Done(5*time.Second, 0, 500)
	if room := l.Room(5*time.Second, 0, q); room.Used != 6000 || l.Ask(5*time.Second, q).Kind != policies.NotRefused {
		t.Errorf("%+v, want 8,000 less 500 drained and 1,500 never generated, which is 100 %% and admits", room)
	}
}
