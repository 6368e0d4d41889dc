package policies

import (
	"cmp"
	"fmt"
)

// Verdict is what triage makes of a failed attempt.
type Verdict uint8

// The verdicts.
const (
	TryAgain Verdict = iota // try again after the policy's own backoff
	AsTold                  // try again; the server's hint is weighed as the policy's `hint` says
	GiveUp                  // no retry can mend it
)

// TriageTable names a ready-made triage.
type TriageTable string

// The ready-made tables.
const (
	// StandardTriage retries 429, 503 and 529 as told, 408 and every other 5xx after
	// the policy's own backoff, and gives up on every other status (400, 401, 402, 403,
	// 404, 422, ...). What has no status (a reset, a time-out) is retried, and so is a
	// 200 whose answer stopped or ended in an error event. Source: the reference chapter's experiment E6.
	StandardTriage TriageTable = "standard"
	// EverythingTriage retries whatever failed, as told.
	EverythingTriage TriageTable = "everything"
)

// Words lists the tables a scenario may name.
func (TriageTable) Words() []string {
	return []string{string(StandardTriage), string(EverythingTriage)}
}

// OfRefusal says how a kind of refusal is judged that no wait, or no short one, can mend.
type OfRefusal string

// The ways.
const (
	ByStatus     OfRefusal = "by_status" // like any other answer of its status, as one who only looks at that
	RetryRefused OfRefusal = "retry"     // tried again after the policy's own backoff
	ToldRefused  OfRefusal = "as_told"   // tried again, weighing the server's hint
	FatalRefused OfRefusal = "fatal"     // given up
)

// Words lists the ways a scenario may name.
func (OfRefusal) Words() []string {
	return []string{string(ByStatus), string(RetryRefused), string(ToldRefused), string(FatalRefused)}
}

// Triage says which failed attempts are worth another: a table by name, or
// lists of failures that override the standard table.
type Triage struct {
	Table      TriageTable `yaml:"table,short"` // default standard
	Retry      []Failures  `yaml:"retry"`       // tried again after the policy's own backoff
	AsTold     []Failures  `yaml:"as_told"`     // tried again, weighing the server's hint
	Fatal      []Failures  `yaml:"fatal"`       // given up
	Quota      OfRefusal   `yaml:"quota"`       // a quota is used up (OpenAI's insufficient_quota); default by_status
	Impossible OfRefusal   `yaml:"impossible"`  // the request is larger than a limit; default fatal
}

// SetDefaults fills what a scenario leaves out.
func (t *Triage) SetDefaults() {
	t.Table, t.Quota, t.Impossible = StandardTriage, ByStatus, FatalRefused
}

// Check finds a failure, or a class, that is given two verdicts.
func (t Triage) Check() []Problem {
	seen := map[Failures]string{}
	var out []Problem
	for _, list := range []struct {
		key string
		of  []Failures
	}{{"retry", t.Retry}, {"as_told", t.AsTold}, {"fatal", t.Fatal}} {
		for i, s := range list.of {
			if first := seen[s]; first != "" {
				out = append(out, Problem{
					Key:  fmt.Sprintf("%s.%d", list.key, i),
					Text: fmt.Sprintf("%s stands under %s already; keep one", s, first),
				})
			}
			seen[s] = list.key
		}
	}
	return out
}

// Judge says what to do about a failed attempt. A refusal that is judged by itself comes
// first; else a word or a single status in a list beats a class (4xx), and any list beats
// the table.
func (t *Triage) Judge(a *Answer) Verdict {
	special := ByStatus
	switch a.Refusal {
	case BeyondLimit:
		special = cmp.Or(t.Impossible, FatalRefused)
	case QuotaExhausted:
		special = t.Quota
	}
	switch special {
	case RetryRefused:
		return TryAgain
	case ToldRefused:
		return AsTold
	case FatalRefused:
		return GiveUp
	}
	verdict, narrowest := t.fromTable(a), 1000
	if t.Retry == nil && t.AsTold == nil && t.Fatal == nil {
		return verdict
	}
	word := wordOf(*a)
	for _, list := range []struct {
		of []Failures
		is Verdict
	}{{t.Retry, TryAgain}, {t.AsTold, AsTold}, {t.Fatal, GiveUp}} {
		for _, f := range list.of {
			if width := f.width(); f.has(a.Status, word) && width < narrowest {
				verdict, narrowest = list.is, width
			}
		}
	}
	return verdict
}

func (t *Triage) fromTable(a *Answer) Verdict {
	switch {
	case a.End == Cancelled:
		return GiveUp
	case t.Table == EverythingTriage, a.Status == 429, a.Status == 503, a.Status == 529:
		return AsTold
	case a.End == TimedOut, a.End == Incomplete, a.Status == 0, a.Status == 408, a.Status/100 == 2, a.Status/100 == 5:
		return TryAgain
	}
	return GiveUp
}
