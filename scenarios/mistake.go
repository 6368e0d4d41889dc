package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing wrong with a scenario.
type Mistake struct {
	File         string // as it was named; --set for an override
	Line, Column int    // from 1; 0 where there is no place, as in an empty file or an override
	Path         string // of the key, such as clients.0.count; "" for the file itself
	Text         string // what is wrong; what to write
}

func (m Mistake) String() string {
	var b strings.Builder
	b.WriteString(printable(m.File))
	if m.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", m.Line, m.Column)
	}
	b.WriteString(": ")
	if m.Path != "" {
		b.WriteString(m.Path)
		b.WriteString(": ")
	}
	b.WriteString(m.Text)
	return b.String()
}

// Mistakes is everything wrong with a scenario, in the order of the file, overrides last.
type Mistakes []Mistake

// Error has one line for each mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// mostMistakes is as many as anyone reads.
const mostMistakes = 100

// tidy sorts mistakes by place and drops those that say the same of one place,
// as an anchor used twice does.
func (ms Mistakes) tidy() Mistakes {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		switch {
		case (a.File == setFile) != (b.File == setFile):
			if a.File == setFile {
				return 1
			}
			return -1
		case a.Line != b.Line:
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	seen := map[Mistake]bool{}
	ms = slices.DeleteFunc(ms, func(m Mistake) bool {
		if m.Line > 0 {
			m.Path = ""
		}
		again := seen[m]
		seen[m] = true
		return again
	})
	if more := len(ms) - mostMistakes; more > 0 {
		ms = append(ms[:mostMistakes], Mistake{File: ms[0].File, Text: fmt.Sprintf("and at least %d more mistakes", more)})
	}
	return ms
}
