package policies

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func spreadOf(t *testing.T, text string) (s Spread) {
	t.Helper()
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryRuleForHints(t *testing.T) {
	const own, u = 800 * ms, 0.5
	given := func(d time.Duration) Hint { return Hint{Kind: GivenHint, Wait: d} }
	rule := func(change func(*HintRule)) HintRule {
		var r HintRule
		r.SetDefaults()
		r.Mode = ObeyHint
		if change != nil {
			change(&r)
		}
		return r
	}
	for _, row := range []struct {
		says   string
		rule   HintRule
		status int16
		hint   Hint
		want   time.Duration
		heed   Heed
	}{
		{"a share of the hint is added", rule(func(r *HintRule) { r.Spread = spreadOf(t, "10%") }), 429, given(20 * time.Second), 21 * time.Second, ToldWait},
		{"or a time", rule(func(r *HintRule) { r.Spread = spreadOf(t, "750ms") }), 429, given(20 * time.Second), 20375 * ms, ToldWait},
		{"also to one that is cut to up_to", rule(func(r *HintRule) { r.UpTo, r.Beyond, r.Spread = 20*time.Second, ClampBeyond, spreadOf(t, "10%") }), 429, given(time.Hour), 21 * time.Second, ToldWait},
		{"floor compares the hint as it is spread", rule(func(r *HintRule) { r.Mode, r.Spread = FloorHint, spreadOf(t, "100%") }), 429, given(600 * ms), 900 * ms, ToldWait},
		{"an endless hint stays one", rule(func(r *HintRule) { r.Spread = spreadOf(t, "10%") }), 429, given(Never), Never, ToldWait},
		{"0 is at once", rule(nil), 429, given(0), 0, ToldWait},
		{"or no hint", rule(func(r *HintRule) { r.Zero = BackoffZero }), 429, given(0), own, OwnWait},
		{"which says nothing of a date that is past", rule(func(r *HintRule) { r.Zero = BackoffZero }), 429, given(-time.Second), 0, ToldWait},
		{"that has a rule of its own", rule(func(r *HintRule) { r.Past = BackoffZero }), 429, given(-time.Second), own, OwnWait},
		{"none at all is the backoff", rule(nil), 429, Hint{}, own, OwnWait},
		{"or the end", rule(func(r *HintRule) { r.Absent = FailAbsent }), 429, Hint{}, 0, NoWait},
		{"but not after a 5xx", rule(func(r *HintRule) { r.Absent = FailAbsent }), 503, Hint{}, own, OwnWait},
		{"nor for one that cannot be read", rule(func(r *HintRule) { r.Absent = FailAbsent }), 429, Hint{Kind: MalformedHint}, own, OwnWait},
		{"which may mean at once", rule(func(r *HintRule) { r.Malformed = ImmediateMalformed }), 429, Hint{Kind: MalformedHint}, 0, ToldWait},
	} {
		if got, heed := row.rule.Wait(own, Answer{Status: row.status, Hint: row.hint}, u); got != row.want || heed != row.heed {
			t.Errorf("%s: waits %v (%v), want %v (%v)", row.says, got, heed, row.want, row.heed)
		}
	}
}

// RS-D1's invariant: who honours hints sends no attempt earlier than the hint, whatever
// else the rule says.
func TestNoAttemptIsEarlierThanItsHint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r HintRule
		r.SetDefaults()
		r.Mode = rapid.SampledFrom([]HintMode{ObeyHint, FloorHint}).Draw(t, "mode")
		for _, s := range []string{rapid.SampledFrom([]string{"0s", "10%", "1000%", "750ms", "1h"}).Draw(t, "spread")} {
			if err := r.Spread.UnmarshalText([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		r.Beyond = FailBeyond
		r.UpTo = time.Duration(rapid.Int64Range(0, int64(Never)).Draw(t, "up_to"))
		hint := time.Duration(rapid.Int64Range(1, int64(Never)).Draw(t, "hint"))
		own := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "own"))
		u := rapid.Float64Range(0, nearlyOne).Draw(t, "u")
		wait, heed := r.Wait(own, Answer{Status: 429, Hint: Hint{Kind: GivenHint, Wait: hint}}, u)
		if heed != NoWait && wait < hint {
			t.Fatalf("%+v: waits %v where the hint is %v", r, wait, hint)
		}
		if (heed == NoWait) != (hint > r.UpTo) {
			t.Fatalf("%+v: a hint of %v: %v", r, hint, heed)
		}
	})
}

func TestHintRuleChecks(t *testing.T) {
	spread := spreadOf(t, "10%")
	for _, row := range []struct {
		says string
		rule HintRule
		keys string
	}{
		{"parts of a rule that is ignored", HintRule{Mode: IgnoreHint, UpTo: Never, Spread: spread, Zero: BackoffZero, Absent: FailAbsent, Reads: []HintForm{DateForm}}, "spread zero absent reads "},
		{"what floor makes no difference to", HintRule{Mode: FloorHint, UpTo: Never, Spread: spread, Past: BackoffZero, Malformed: ImmediateMalformed}, "past malformed "},
		{"x-should-retry needs no hint", HintRule{Mode: IgnoreHint, UpTo: Never, ShouldRetry: ObeyRetry}, ""},
		{"all of obey", HintRule{Mode: ObeyHint, UpTo: 1, Spread: spread, Zero: BackoffZero, Past: BackoffZero, Absent: FailAbsent, Malformed: ImmediateMalformed}, ""},
	} {
		keys := ""
		for _, p := range row.rule.Check() {
			keys += p.Key + " "
		}
		if keys != row.keys {
			t.Errorf("%s: problems with %q, want %q", row.says, keys, row.keys)
		}
	}
}

// What a client does that reads some forms only.
func TestReads(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	const soon = "Sun, 29 Nov 2026 12:00:30 GMT"
	given := func(d time.Duration) Hint { return Hint{Kind: GivenHint, Wait: d} }
	malformed := Hint{Kind: MalformedHint}
	for _, row := range []struct {
		says  string
		reads []HintForm
		text  HintText
		want  Hint
	}{
		{"all: milliseconds first", nil, HintText{RetryAfter: "30", RetryAfterMS: "29500"}, given(29500 * ms)},
		{"no milliseconds", []HintForm{FloatForm, DateForm}, HintText{RetryAfter: "30", RetryAfterMS: "29500"}, given(30 * time.Second)},
		{"milliseconds after retry-after", []HintForm{SecondsForm, MillisForm}, HintText{RetryAfter: "30", RetryAfterMS: "29500"}, given(30 * time.Second)},
		{"or where that says nothing", []HintForm{SecondsForm, MillisForm}, HintText{RetryAfterMS: "29500"}, given(29500 * ms)},
		{"or cannot be read", []HintForm{SecondsForm, MillisForm}, HintText{RetryAfter: "soon", RetryAfterMS: "29500"}, given(29500 * ms)},
		{"whole seconds alone: a fraction is malformed", []HintForm{SecondsForm}, HintText{RetryAfter: "56.5"}, malformed},
		{"whole seconds alone: so is a date", []HintForm{SecondsForm}, HintText{RetryAfter: soon}, malformed},
		{"float reads whole seconds too", []HintForm{FloatForm}, HintText{RetryAfter: "56"}, given(56 * time.Second)},
		{"dates alone: a number is malformed", []HintForm{DateForm}, HintText{RetryAfter: "56"}, malformed},
		{"dates alone: a date", []HintForm{DateForm}, HintText{RetryAfter: soon}, given(30 * time.Second)},
		{"the body where no header is looked at", []HintForm{BodyForm}, HintText{RetryAfter: "7", Body: "try again in 30s"}, given(30 * time.Second)},
		{"a header that cannot be read is no silence", []HintForm{SecondsForm, BodyForm}, HintText{RetryAfter: "soon", Body: "try again in 30s"}, malformed},
		{"no body", []HintForm{MillisForm, FloatForm, DateForm}, HintText{Body: "try again in 30s"}, Hint{}},
		{"x-should-retry is always read", []HintForm{DateForm}, HintText{ShouldRetry: "false"}, Hint{Retry: NoRetry}},
		{"and says only true or false", nil, HintText{ShouldRetry: "maybe"}, Hint{}},
	} {
		if got := ParseAnswerHint(FormsOf(row.reads), row.text, now); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.says, got, row.want)
		}
	}
}
