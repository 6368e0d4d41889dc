package policies

import (
	"strings"
	"testing"
	"time"
)

func TestParseHint(t *testing.T) {
	now := time.Date(2026, 10, 5, 10, 0, 0, 500e6, time.UTC)
	given := func(d time.Duration) Hint { return Hint{Kind: GivenHint, Wait: d} }
	malformed := Hint{Kind: MalformedHint}
	for _, row := range []struct {
		says      string
		after, ms string
		want      Hint
	}{
		{says: "no header, no hint"},
		{"whole seconds", "7", "", given(7 * time.Second)},
		{"a fraction of a second", "0.25", "", given(250 * time.Millisecond)},
		{"0 asks for no wait", "0", "", given(0)},
		{"blanks around are not part of it", " 7\t", "", given(7 * time.Second)},
		{"milliseconds win over seconds", "2", "1500", given(1500 * time.Millisecond)},
		{"milliseconds alone", "", "40.5", given(40500 * time.Microsecond)},
		{"seconds where the milliseconds are junk", "2", "soon", given(2 * time.Second)},
		{"a date, against a now between seconds", "Mon, 05 Oct 2026 10:00:30 GMT", "", given(29500 * time.Millisecond)},
		{"a date of RFC 850", "Monday, 05-Oct-26 10:00:30 GMT", "", given(29500 * time.Millisecond)},
		{"a date of C", "Mon Oct  5 10:00:30 2026", "", given(29500 * time.Millisecond)},
		{"a date that is past", "Mon, 05 Oct 2026 09:59:59 GMT", "", given(-1500 * time.Millisecond)},
		{"a number beyond every clock", "99999999999999999999", "", given(Never)},
		{"one of three hundred years", "10000000000", "", given(Never)},
		{"a negative number", "-5", "", malformed},
		{"negative milliseconds alone", "", "-5", malformed},
		{"no number", "NaN", "", malformed},
		{"infinity", "Inf", "", malformed},
		{"an exponent", "1e3", "", malformed},
		{"hexadecimal", "0x10", "", malformed},
		{"two points", "1.2.3", "", malformed},
		{"a point", ".", "", malformed},
		{"a unit", "5s", "", malformed},
		{"two numbers", "5, 7", "", malformed},
		{"words", "in a while", "", malformed},
		{"a date of another zone", "Mon, 05 Oct 2026 10:00:30 CEST", "", malformed},
	} {
		if got := ParseHint(AllForms, row.after, row.ms, now); got != row.want {
			t.Errorf("%s: ParseHint(%q, %q) = %+v, want %+v", row.says, row.after, row.ms, got, row.want)
		}
	}
}

func FuzzParseHint(f *testing.F) {
	for _, s := range []string{"", "1", "-1", "1.5", ".", "NaN", "1e9", "Mon, 05 Oct 2026 10:00:30 GMT", strings.Repeat("9", 400)} {
		f.Add(s, s)
	}
	now := time.Date(2026, 10, 5, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, after, ms string) {
		h := ParseHint(AllForms, after, ms, now)
		if h.Kind != GivenHint && h.Wait != 0 {
			t.Errorf("ParseHint(AllForms, %q, %q) = %+v: a wait without a hint", after, ms, h)
		}
		if after == "" && ms == "" && h.Kind != NoHint {
			t.Errorf("a hint out of nothing: %+v", h)
		}
	})
}
