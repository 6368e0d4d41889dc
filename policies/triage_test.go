package policies

import (
	"strings"
	"testing"
)

func statuses(t *testing.T, words ...string) []Failures {
	t.Helper()
	out := make([]Failures, len(words))
	for i, w := range words {
		if err := out[i].UnmarshalText([]byte(w)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestStandardTriage(t *testing.T) {
	// The reference chapter's table E6; 503 and 529 may bring a hint too.
	want := map[int16]Verdict{
		429: AsTold, 503: AsTold, 529: AsTold,
		408: TryAgain, 500: TryAgain, 502: TryAgain, 504: TryAgain,
		400: GiveUp, 401: GiveUp, 402: GiveUp, 403: GiveUp, 404: GiveUp, 409: GiveUp, 422: GiveUp,
	}
	triage := Triage{}
	triage.SetDefaults()
	for status, verdict := range want {
		if got := triage.Judge(&Answer{End: Errored, Status: status}); got != verdict {
			t.Errorf("%d: verdict %d, want %d", status, got, verdict)
		}
	}
}

func TestTriage(t *testing.T) {
	standard := Triage{Table: StandardTriage}
	listed := Triage{Table: StandardTriage, Retry: statuses(t, "5xx", "400"), AsTold: statuses(t, "503"), Fatal: statuses(t, "429", "501", "4xx")}
	tests := []struct {
		says string
		of   Triage
		a    Answer
		want Verdict
	}{
		{"a reset has no status and is tried again", standard, Answer{End: Errored}, TryAgain},
		{"a time-out is tried again", standard, Answer{End: TimedOut}, TryAgain},
		{"an answer that stopped after its 200 is tried again", standard, Answer{End: Incomplete, Status: 200}, TryAgain},
		{"a 200 with an error event inside is tried again", standard, Answer{End: Errored, Status: 200}, TryAgain},
		{"what the user took back is not", standard, Answer{End: Cancelled}, GiveUp},
		{"everything tries a 401 again", Triage{Table: EverythingTriage}, Answer{End: Errored, Status: 401}, AsTold},
		{"a list beats the table", listed, Answer{End: Rejected, Status: 429}, GiveUp},
		{"a class beats the table", listed, Answer{End: Errored, Status: 408}, GiveUp},
		{"a status beats a class", listed, Answer{End: Errored, Status: 400}, TryAgain},
		{"whichever list it stands in", listed, Answer{End: Errored, Status: 503}, AsTold},
		{"a class covers the rest", listed, Answer{End: Errored, Status: 599}, TryAgain},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			if got := test.of.Judge(&test.a); got != test.want {
				t.Errorf("verdict %d, want %d", got, test.want)
			}
		})
	}
}

func TestTriageWords(t *testing.T) {
	of := Triage{Table: StandardTriage, Retry: statuses(t, "4xx", "5xx"), AsTold: statuses(t, "connection"), Fatal: statuses(t, "timeout", "stream", "200")}
	for _, row := range []struct {
		says string
		a    Answer
		want Verdict
	}{
		{"no header came", Answer{End: Errored}, AsTold},
		{"a time-out of the client's own", Answer{End: TimedOut}, GiveUp},
		{"also of an answer that had begun", Answer{End: TimedOut, Status: 200}, GiveUp},
		{"a stream that broke", Answer{End: Incomplete, Status: 200}, GiveUp},
		{"a stream that ended in an error event", Answer{End: Errored, Status: 200}, GiveUp},
		{"a status is told by itself", Answer{End: Errored, Status: 408}, TryAgain},
	} {
		if got := of.Judge(&row.a); got != row.want {
			t.Errorf("%s: verdict %d, want %d", row.says, got, row.want)
		}
	}
	word := Triage{Table: StandardTriage, Retry: statuses(t, "stream"), Fatal: statuses(t, "200", "2xx")}
	if got := word.Judge(&Answer{End: Incomplete, Status: 200}); got != TryAgain {
		t.Errorf("a word is narrower than its status, and gets verdict %d", got)
	}
}

func TestTriageOfRefusals(t *testing.T) {
	quota := Answer{End: Rejected, Status: 429, Refusal: QuotaExhausted}
	tooLarge := Answer{End: Rejected, Status: 429, Refusal: BeyondLimit}
	for _, row := range []struct {
		says              string
		change            func(*Triage)
		quota, impossible Verdict
	}{
		{"by default", func(*Triage) {}, AsTold, GiveUp},
		{"who only looks at the status", func(t *Triage) { t.Impossible = ByStatus }, AsTold, AsTold},
		{"everything does not mean the impossible", func(t *Triage) { t.Table = EverythingTriage }, AsTold, GiveUp},
		{"who stops at a quota", func(t *Triage) { t.Quota = FatalRefused }, GiveUp, GiveUp},
		{"who does not ask again when", func(t *Triage) { t.Quota, t.Impossible = RetryRefused, ToldRefused }, TryAgain, AsTold},
	} {
		var triage Triage
		triage.SetDefaults()
		row.change(&triage)
		if q, i := triage.Judge(&quota), triage.Judge(&tooLarge); q != row.quota || i != row.impossible {
			t.Errorf("%s: a quota %d, the impossible %d; want %d, %d", row.says, q, i, row.quota, row.impossible)
		}
	}
}

func TestTriageCheck(t *testing.T) {
	for _, twice := range []Triage{
		{Retry: statuses(t, "408", "429"), Fatal: statuses(t, "429", "4xx")},
		{Retry: statuses(t, "4xx", "5xx"), Fatal: statuses(t, "5xx", "501")},
	} {
		problems := twice.Check()
		if len(problems) != 1 || problems[0].Key != "fatal.0" || !strings.Contains(problems[0].Text, "retry") {
			t.Errorf("a status, or a class, with two verdicts: %v", problems)
		}
	}
	if problems := (Triage{Retry: statuses(t, "5xx"), Fatal: statuses(t, "501")}).Check(); problems != nil {
		t.Errorf("an exception from a class is no mistake: %v", problems)
	}
}

func TestFailuresText(t *testing.T) {
	for _, good := range []string{"429", "5xx", "100", "connection", "timeout", "stream"} {
		if got := statuses(t, good)[0].String(); got != good {
			t.Errorf("%s is written back as %s", good, got)
		}
	}
	for _, bad := range []string{"", "42", "4290", "6xx", "x29", "99", "-29", "4x9", "5XX "} {
		var s Failures
		if err := s.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
}
