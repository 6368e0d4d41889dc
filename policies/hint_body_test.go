package policies

import (
	"testing"
	"time"
)

func TestParseBodyHint(t *testing.T) {
	given := func(d time.Duration) Hint { return Hint{Kind: GivenHint, Wait: d} }
	const ms = time.Millisecond
	for _, row := range []struct {
		says, body string
		want       Hint
	}{
		{"nothing, nothing", "", Hint{}},
		{"a text without a wait", `{"error":{"message":"Please try again later."}}`, Hint{}},
		{"seconds", "Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s. Visit us.", given(11054 * ms)},
		{"at the end of a sentence", "Please try again in 20s.", given(20 * time.Second)},
		{"milliseconds", "Please try again in 644ms.", given(644 * ms)},
		{"a minute and more", "Please try again in 1m9.696s.", given(69696 * ms)},
		{"minutes and seconds", "Please try again in 7m12s.", given(432 * time.Second)},
		{"hours", "Please try again in 23h18m29.144s.", given(23*time.Hour + 18*time.Minute + 29144*ms)},
		{"Gemini's text", "Please retry in 47.881s.", given(47881 * ms)},
		{"Azure's text", "Please retry after 7 seconds. Please go here", given(7 * time.Second)},
		{"a day of Azure's", "Please retry after 86400 seconds.", given(24 * time.Hour)},
		{"one second", "retry after 1 second.", given(time.Second)},
		{"RetryInfo", `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "47s"}`, given(47 * time.Second)},
		{"RetryInfo with a fraction", `"retryDelay":"0.5s"`, given(500 * ms)},
		{"the text is finer than RetryInfo", `{"message":"Please retry in 47.881s.","details":[{"retryDelay":"47s"}]}`, given(47881 * ms)},
		{"a number without a unit", "try again in 5", Hint{}},
		{"two points", "try again in 1.2.3s", Hint{}},
		{"a negative RetryInfo", `"retryDelay":"-5s"`, Hint{}},
	} {
		if got := ParseBodyHint(row.body); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.says, got, row.want)
		}
	}
}

func TestHeadersBeatBodies(t *testing.T) {
	const body = "Please try again in 11.054s."
	for _, row := range []struct {
		says, after, ms string
		want            Hint
	}{
		{"a header wins", "12", "", Hint{Kind: GivenHint, Wait: 12 * time.Second}},
		{"one of milliseconds, too", "", "11054", Hint{Kind: GivenHint, Wait: 11054 * time.Millisecond}},
		{"a malformed one is no silence", "soon", "", Hint{Kind: MalformedHint}},
		{"without one the body speaks", "", "", Hint{Kind: GivenHint, Wait: 11054 * time.Millisecond}},
	} {
		if got := ParseAnswerHint(AllForms, HintText{RetryAfter: row.after, RetryAfterMS: row.ms, Body: body}, time.Time{}); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.says, got, row.want)
		}
	}
}

func FuzzParseBodyHint(f *testing.F) {
	for _, s := range []string{"", "try again in 5s", "retry after 86400 seconds", `"retryDelay": "47s"`, "retry in 99999999999999999999h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if h := ParseBodyHint(body); h.Wait < 0 || h.Kind == NoHint && h.Wait != 0 {
			t.Errorf("ParseBodyHint(%q) = %+v", body, h)
		}
	})
}
