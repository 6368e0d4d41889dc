package policies

import (
	"fmt"
	"strconv"
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

// Triage says which failed attempts are worth another: a table by name, or
// lists of statuses that override the standard table.
type Triage struct {
	Table  TriageTable `yaml:",short"`  // default standard
	Retry  []Statuses  `yaml:"retry"`   // tried again after the policy's own backoff
	AsTold []Statuses  `yaml:"as_told"` // tried again, weighing the server's hint
	Fatal  []Statuses  `yaml:"fatal"`   // given up
}

// SetDefaults fills what a scenario leaves out.
func (t *Triage) SetDefaults() { t.Table = StandardTriage }

// Check finds a status, or a class, that is given two verdicts.
func (t Triage) Check() []Problem {
	seen := map[Statuses]string{}
	var out []Problem
	for _, list := range []struct {
		key string
		of  []Statuses
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

// Judge says what to do about a failed attempt. A single status in a list beats
// a class (4xx), and any list beats the table.
func (t *Triage) Judge(a Answer) Verdict {
	verdict, narrowest := t.fromTable(a), 1000
	if t.Retry == nil && t.AsTold == nil && t.Fatal == nil {
		return verdict
	}
	for _, list := range []struct {
		of []Statuses
		is Verdict
	}{{t.Retry, TryAgain}, {t.AsTold, AsTold}, {t.Fatal, GiveUp}} {
		for _, s := range list.of {
			if width := s.To - s.From; s.Has(int(a.Status)) && width < narrowest {
				verdict, narrowest = list.is, width
			}
		}
	}
	return verdict
}

func (t *Triage) fromTable(a Answer) Verdict {
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

// Statuses is one HTTP status (429) or a class of them (5xx).
type Statuses struct{ From, To int }

// Has says whether the status is among them.
func (s Statuses) Has(status int) bool { return s.From <= status && status <= s.To }

// UnmarshalText reads 429 or 5xx.
func (s *Statuses) UnmarshalText(text []byte) error {
	if len(text) == 3 && text[0] >= '1' && text[0] <= '5' {
		if string(text[1:]) == "xx" {
			from := int(text[0]-'0') * 100
			*s = Statuses{from, from + 99}
			return nil
		}
		if n, err := strconv.Atoi(string(text)); err == nil {
			*s = Statuses{n, n}
			return nil
		}
	}
	return fmt.Errorf("%q is not a status; write one such as 429, or a class such as 5xx", text)
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Statuses) Schema() string {
	return `{"oneOf": [{"type": "integer", "minimum": 100, "maximum": 599}, {"type": "string", "pattern": "^[1-5]xx$"}]}`
}

// MarshalText writes the statuses as a scenario does.
func (s Statuses) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String writes the statuses as a scenario does.
func (s Statuses) String() string {
	if s.From == s.To {
		return strconv.Itoa(s.From)
	}
	return strconv.Itoa(s.From/100) + "xx"
}
