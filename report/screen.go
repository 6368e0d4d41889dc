package report

import (
	"strings"
	"unicode/utf8"
)

// Style says what a terminal can show.
type Style struct {
	Width int  // columns; 0 is 80, and less than 64 is 64
	Color bool // escape codes for colours
	ASCII bool // nothing but ASCII
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return max(64, s.Width)
}

// ink is how a piece of text looks on a terminal with colours.
type ink string

const (
	plain       ink = ""
	firstInk    ink = "36" // cyan
	retryInk    ink = "33" // yellow
	headingInk  ink = "1"  // bold
	quietInk    ink = "2"  // faint
	warningInk  ink = "33"
	escapeStart     = "\x1b["
	escapeEnd       = "\x1b[0m"
)

// screen collects the lines of a report in one style.
type screen struct {
	style Style
	b     strings.Builder
}

func (s *screen) put(i ink, text string) {
	if s.style.ASCII {
		text = toASCII(text)
	}
	if i == plain || !s.style.Color || text == "" {
		s.b.WriteString(text)
		return
	}
	s.b.WriteString(escapeStart + string(i) + "m" + text + escapeEnd)
}

// name is a run's name as this screen can show it.
func (s *screen) name(r Run) string {
	if s.style.ASCII {
		return name(toASCII(clean(r.name())))
	}
	return r.name()
}

func (s *screen) end() { s.b.WriteByte('\n') }

// paragraph puts text, from anywhere, on lines of its own; the second and later ones
// begin with the indent.
func (s *screen) paragraph(i ink, text, indent string) {
	text = clean(text)
	if s.style.ASCII {
		text = toASCII(text)
	}
	for n, line := range wrap(text, s.style.width()-len(indent)) {
		if n > 0 {
			line = indent + line
		}
		s.put(i, line)
		s.end()
	}
}

// table puts rows of cells, as wide as need be: the first cell of a row at the left,
// the others there too or at the right. It reports false, and puts nothing, if they
// don't fit.
func (s *screen) table(rows [][]string, right bool) bool {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total > s.style.width() {
		return false
	}
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			if i > 0 && right {
				cells = append(cells, padLeft(cell, widths[i]))
			} else {
				cells = append(cells, pad(cell, widths[i]))
			}
		}
		look := plain
		if row[0] == "" {
			look = headingInk
		}
		s.put(look, strings.TrimRight(strings.Join(cells, "  "), " "))
		s.end()
	}
	return true
}
