package policies

import (
	"fmt"
	"strconv"
)

// FailureWord names failures that have no status of their own.
type FailureWord string

// The words.
const (
	ConnectionFailure FailureWord = "connection" // reset or refused before any header
	TimeoutFailure    FailureWord = "timeout"    // a time-out of the client's own
	StreamFailure     FailureWord = "stream"     // a 200 whose answer broke, stopped, or ended in an error event
)

// Failures is one HTTP status (429), a class of them (5xx), or a word: connection,
// timeout or stream.
type Failures struct {
	From, To int
	Word     FailureWord
}

// wordOf names what failed without a status of its own; "" where it is told by its status.
func wordOf(a Answer) FailureWord {
	switch {
	case a.End == TimedOut:
		return TimeoutFailure
	case a.End == Incomplete, a.Status/100 == 2:
		return StreamFailure
	case a.Status == 0:
		return ConnectionFailure
	}
	return ""
}

// Has says whether the status is among them.
func (f Failures) Has(status int) bool { return f.Word == "" && f.From <= status && status <= f.To }

// Covers says whether all of the others are among them; those that are none never are.
func (f Failures) Covers(o Failures) bool {
	if f.Word != "" || o.Word != "" {
		return f.Word == o.Word
	}
	return f.From > 0 && f.From <= o.From && o.To <= f.To
}

func (f Failures) has(status int16, word FailureWord) bool {
	if f.Word != "" {
		return f.Word == word
	}
	return f.Has(int(status))
}

// width is how many failures there are besides: a word is narrower than any status.
func (f Failures) width() int {
	if f.Word != "" {
		return -1
	}
	return f.To - f.From
}

// UnmarshalText reads 429, 5xx or a word.
func (f *Failures) UnmarshalText(text []byte) error {
	switch word := FailureWord(text); word {
	case ConnectionFailure, TimeoutFailure, StreamFailure:
		*f = Failures{Word: word}
		return nil
	}
	if len(text) == 3 && text[0] >= '1' && text[0] <= '5' {
		if string(text[1:]) == "xx" {
			from := int(text[0]-'0') * 100
			*f = Failures{From: from, To: from + 99}
			return nil
		}
		if n, err := strconv.Atoi(string(text)); err == nil {
			*f = Failures{From: n, To: n}
			return nil
		}
	}
	return fmt.Errorf("%q is not a status; write one such as 429, a class such as 5xx, or connection, timeout or stream", text)
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Failures) Schema() string {
	return `{"oneOf": [{"type": "integer", "minimum": 100, "maximum": 599}, {"type": "string", "pattern": "^[1-5]xx$"}, {"enum": ["connection", "timeout", "stream"]}]}`
}

// MarshalText writes the failures as a scenario does.
func (f Failures) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String writes the failures as a scenario does.
func (f Failures) String() string {
	switch {
	case f.Word != "":
		return string(f.Word)
	case f.From == f.To:
		return strconv.Itoa(f.From)
	}
	return strconv.Itoa(f.From/100) + "xx"
}
