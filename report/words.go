package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// clean makes any text safe to show: what is not printable (control and escape
// codes, bidi marks, line breaks) is written as Go escapes it.
func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// shorten cuts clean text to so many columns.
func shorten(s string, columns int) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	return string([]rune(s)[:columns-1]) + "…"
}

// name makes a name from a scenario fit for a sentence.
func name(s string) string { return shorten(clean(s), 24) }

// Short makes a name from a scenario fit for a title.
func Short(s string) string { return name(s) }

// wrap breaks clean text into lines of at most so many columns, at spaces where
// there are any.
func wrap(s string, columns int) []string {
	var lines []string
	line := []rune{}
	for word := range strings.FieldsSeq(s) {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) > columns {
			lines = append(lines, string(line))
			line = line[:0]
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(w) > columns {
			lines = append(lines, string(w[:columns]))
			w = w[columns:]
		}
		line = append(line, w...)
	}
	if len(line) > 0 {
		lines = append(lines, string(line))
	}
	return lines
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-utf8.RuneCountInString(s)))
}

func padLeft(s string, columns int) string {
	return strings.Repeat(" ", max(0, columns-utf8.RuneCountInString(s))) + s
}

var asciiFor = strings.NewReplacer("█", "#", "▒", "=", "–", "-", "…", "~", "·", ".", "×", "x", "µ", "u")

// toASCII writes text without a character beyond ASCII. What the report itself draws
// keeps its columns.
func toASCII(s string) string {
	var b strings.Builder
	for _, r := range asciiFor.Replace(s) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
