package scenarios

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostQuoted is how many characters of a user's text a message repeats.
const mostQuoted = 40

// quote repeats a user's text in a message: in quotation marks, short, and without
// characters that move a cursor.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// bareWord is a text to write: as it is where it is one plain word, else as [quote] gives it.
func bareWord(s string) string {
	s = shorten(s)
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '"' || r == '\\' || r == ' ' || r == ';' || r == ',' || !unicode.IsPrint(r)
	}) {
		return s
	}
	return strconv.Quote(s)
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= mostQuoted {
		return s
	}
	return string([]rune(s)[:mostQuoted-3]) + "..."
}

// printable escapes what a terminal would act on instead of showing.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// grouped writes a count with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// either joins words as "a, b or c".
func either(words []string) string { return listed(words, "or") }

func listed(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
