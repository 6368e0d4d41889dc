package model

import (
	"encoding"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func TestLimitChecks(t *testing.T) {
	tests := []struct {
		says   string
		config LimitConfig
		keys   []string
	}{
		{"a bucket", LimitConfig{Axis: LimitRequests, Limit: 5000, Per: time.Minute, Algorithm: BucketAlgorithm, Burst: 5000, Start: StartFull, Rejected: RejectedCharged}, nil},
		{"OpenAI's tokens", LimitConfig{Axis: LimitTokens, Limit: 450_000, Per: time.Minute, Charge: ChargeConfig{Input: InputChars4, Output: OutputMaxTokens, Combine: CombineMax}, Settle: SettleNever}, nil},
		{"a log for each key", LimitConfig{Axis: LimitRequests, Limit: 833, Per: 10 * time.Second, Algorithm: SlidingLogAlgorithm, Scope: LimitScope{Kind: ScopeKey}}, nil},
		{"output as it is generated", LimitConfig{Axis: LimitOutputTokens, Limit: 80_000, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated}}, nil},
		{"a quota", LimitConfig{Axis: LimitTokens, Limit: 1_500_000, Per: day, Algorithm: FixedWindowAlgorithm, Kind: QuotaLimit}, nil},
		{"concurrency", LimitConfig{Axis: LimitConcurrency, Limit: 100}, nil},
		{"concurrency has no time", LimitConfig{Axis: LimitConcurrency, Limit: 100, Per: time.Minute, Algorithm: BucketAlgorithm, Kind: QuotaLimit}, []string{"per", "algorithm", "kind"}},
		{"a limit without a time", LimitConfig{Axis: LimitRequests, Limit: 5}, []string{"per"}},
		{"a burst of a window", LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute, Algorithm: FixedWindowAlgorithm, Burst: 3, Start: StartEmpty}, []string{"burst", "start"}},
		{"slices of a bucket", LimitConfig{Axis: LimitRequests, Limit: 600, Per: time.Minute, Slices: time.Second}, []string{"slices"}},
		{"slices that do not divide", LimitConfig{Axis: LimitRequests, Limit: 600, Per: time.Minute, Algorithm: FixedWindowAlgorithm, Slices: 7 * time.Second}, []string{"slices"}},
		{"slices longer than the window", LimitConfig{Axis: LimitRequests, Limit: 600, Per: time.Minute, Algorithm: FixedWindowAlgorithm, Slices: time.Hour}, []string{"slices"}},
		{"slices of less than one", LimitConfig{Axis: LimitRequests, Limit: 59, Per: time.Minute, Algorithm: SlidingLogAlgorithm, Slices: time.Second}, []string{"slices"}},
		{"the phase of a log", LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute, Algorithm: SlidingLogAlgorithm, Phase: time.Second}, []string{"phase"}},
		{"a phase of a whole window", LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute, Algorithm: TwoWindowAlgorithm, Phase: time.Minute}, []string{"phase"}},
		{"charges of requests", LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Input: InputActual}, Settle: SettleCompletion}, []string{"charge", "settle"}},
		{"the input of output", LimitConfig{Axis: LimitOutputTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Input: InputActual}}, []string{"charge.input"}},
		{"the output of input", LimitConfig{Axis: LimitInputTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Output: OutputMaxTokens}}, []string{"charge.output"}},
		{"a charge of nothing", LimitConfig{Axis: LimitTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Input: InputNone, Output: OutputNone}}, []string{"charge"}},
		{"max of one part", LimitConfig{Axis: LimitInputTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Combine: CombineMax}}, []string{"charge.combine"}},
		{"max of what is not known yet", LimitConfig{Axis: LimitTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated, Combine: CombineMax}}, []string{"charge.combine"}},
		{"unset where it does not matter", LimitConfig{Axis: LimitTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Output: OutputActual, Unset: Unset{Given: true, Tokens: 16}}}, []string{"charge.unset"}},
		{"generated tokens counted after", LimitConfig{Axis: LimitTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated}, When: CheckAfter}, []string{"check"}},
		{"generated tokens of refused requests", LimitConfig{Axis: LimitOutputTokens, Limit: 5, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated}, Rejected: RejectedCharged}, []string{"rejected"}},
		{"a correction of what is counted after", LimitConfig{Axis: LimitTokens, Limit: 5, Per: time.Minute, When: CheckAfter, Settle: SettleCompletion}, []string{"settle"}},
		{"a correction of what is real", LimitConfig{Axis: LimitInputTokens, Limit: 5, Per: time.Minute, Settle: SettleCompletion}, []string{"settle"}},
		{"two mistakes at once", LimitConfig{Axis: LimitRequests, Limit: 5, Phase: time.Second}, []string{"per", "phase"}},
	}
	for _, test := range tests {
		var keys []string
		for _, p := range test.config.Check() {
			keys = append(keys, p.Key)
			if !strings.Contains(p.Text, "write") && !strings.Contains(p.Text, "remove") {
				t.Errorf("%s: %q does not say what to write", test.says, p.Text)
			}
		}
		if !slices.Equal(keys, test.keys) {
			t.Errorf("%s: problems with %v, want %v", test.says, keys, test.keys)
		}
	}
}

func TestSlopeChecks(t *testing.T) {
	million := policies.Rate{N: 1_000_000, Per: time.Minute}
	tests := []struct {
		says   string
		config SlopeConfig
		key    string
	}{
		{"the rule of thumb", SlopeConfig{Axis: LimitInputTokens, Above: million, Grow: Whole / 2, Per: 15 * time.Minute}, ""},
		{"concurrency has no rate", SlopeConfig{Axis: LimitConcurrency, Above: million, Grow: Whole / 2, Per: 15 * time.Minute}, "axis"},
		{"nothing may begin", SlopeConfig{Axis: LimitTokens, Above: policies.Rate{Per: time.Minute}, Grow: Whole / 2, Per: 15 * time.Minute}, "above"},
		{"spans of half minutes", SlopeConfig{Axis: LimitTokens, Above: million, Grow: Whole / 2, Per: 90 * time.Second}, "per"},
		{"growth without end", SlopeConfig{Axis: LimitTokens, Above: million, Grow: 1001 * Whole, Per: 15 * time.Minute}, "grow"},
	}
	for _, test := range tests {
		key := ""
		for _, p := range test.config.Check() {
			key = p.Key
		}
		if key != test.key {
			t.Errorf("%s: problem with %q, want %q", test.says, key, test.key)
		}
	}
}

func TestLimitScalars(t *testing.T) {
	type text interface {
		encoding.TextMarshaler
		encoding.TextUnmarshaler
	}
	share := func() text { return new(Share) }
	scope := func() text { return new(LimitScope) }
	unset := func() text { return new(Unset) }
	tests := []struct {
		of         func() text
		text, want string // "" is refused
	}{
		{share, "20%", "20%"},
		{share, "0.2", "20%"},
		{share, "1", "100%"},
		{share, "150%", "150%"},
		{share, "0.1%", "0.1%"},
		{share, "0", "0%"},
		{share, "0.000000001", "0.0000001%"},
		{share, "33.3333333%", "33.3333333%"},
		{share, "33.33333333%", ""},
		{share, "0.0000000001", ""},
		{share, "-1%", ""},
		{share, "1e3", ""},
		{share, ".5", ""},
		{share, "5.", ""},
		{share, "%", ""},
		{share, "half", ""},
		{share, "NaN", ""},
		{share, "99999999999", ""},
		{scope, "all", "all"},
		{scope, "key", "key"},
		{scope, "tenant", "tenant"},
		{scope, "pool long context", "pool long context"},
		{scope, "pool", ""},
		{scope, "pool ", ""},
		{scope, "keys", ""},
		{unset, "actual", "actual"},
		{unset, "640", "640"},
		{unset, "0", "0"},
		{unset, "-1", ""},
		{unset, "1.5", ""},
		{unset, "some", ""},
	}
	for _, test := range tests {
		v := test.of()
		err := v.UnmarshalText([]byte(test.text))
		if (err == nil) != (test.want != "") {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), "write") {
				t.Errorf("%q: %v does not say what to write", test.text, err)
			}
			continue
		}
		if got, err := v.MarshalText(); string(got) != test.want || err != nil {
			t.Errorf("%q is written back as %q (%v), want %q", test.text, got, err, test.want)
		}
	}
}

func TestCharges(t *testing.T) {
	q := &Ask{Input: 1000, Cached: 400, Output: 300, MaxTokens: 500, Chars: 3601}
	long := &Ask{Input: 1000, Output: 300, MaxTokens: policies.Unlimited}
	tests := []struct {
		says   string
		axis   LimitAxis
		charge ChargeConfig
		q      *Ask
		want   int64
	}{
		{"by default input and max_tokens", LimitTokens, ChargeConfig{}, q, 1500},
		{"without max_tokens, what the answer will hold", LimitTokens, ChargeConfig{}, long, 1300},
		{"OpenAI: max_tokens, if the prompt is shorter", LimitTokens, ChargeConfig{Input: InputChars4, Combine: CombineMax, Unset: Unset{Given: true}}, &Ask{Input: 100, MaxTokens: 500}, 500},
		{"OpenAI: else the prompt's characters / 4", LimitTokens, ChargeConfig{Input: InputChars4, Combine: CombineMax, Unset: Unset{Given: true}}, q, 900},
		{"OpenAI: without max_tokens the prompt alone, at 4 characters a token", LimitTokens, ChargeConfig{Input: InputChars4, Combine: CombineMax, Unset: Unset{Given: true}}, long, 1000},
		{"uncached input", LimitInputTokens, ChargeConfig{Input: InputUncached}, q, 600},
		{"Azure takes one message where it knows no better", LimitTokens, ChargeConfig{Input: InputAzure}, q, 901 + 500},
		{"actual use", LimitTokens, ChargeConfig{Output: OutputActual}, q, 1300},
		{"actual use is cut by max_tokens", LimitOutputTokens, ChargeConfig{Output: OutputActual}, &Ask{Output: 900, MaxTokens: 500}, 500},
		{"input alone", LimitInputTokens, ChargeConfig{}, q, 1000},
		{"output alone", LimitOutputTokens, ChargeConfig{}, q, 500},
		{"generated tokens cost nothing yet", LimitTokens, ChargeConfig{Output: OutputAsGenerated}, q, 1000},
		{"a request", LimitRequests, ChargeConfig{}, q, 1},
		{"a charge has an end", LimitTokens, ChargeConfig{}, &Ask{Input: 1 << 62, MaxTokens: 1 << 62}, mostCharge},
	}
	for _, test := range tests {
		c := LimitConfig{Axis: test.axis, Charge: test.charge}
		h := c.charge()
		if got := h.of(test.q); got != test.want {
			t.Errorf("%s: %d, want %d", test.says, got, test.want)
		}
	}
}
