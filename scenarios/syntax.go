package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// syntaxError says what the YAML reader found, and where.
func syntaxError(file string, data []byte, err error) (line, column int, text string) {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return 0, 0, "is not YAML: " + printable(err.Error())
	}
	line, column = le.Mark.Line, le.Mark.Column
	if tab := tabIndent(data, line); tab > 0 {
		return line, tab, "a tab in the indentation; write spaces"
	}
	if open, end := unclosed(data, le); open != "" {
		here := " opened here"
		if file == setFile {
			here = "" // an override has no places
		}
		return le.ContextMark.Line, le.ContextMark.Column, fmt.Sprintf("the %s%s is not closed; write %s", open, here, end)
	}
	at := characterAt(data, line, column)
	for _, s := range syntax {
		if strings.Contains(le.Message, s.message) && strings.Contains(le.ContextMsg, s.context) && (s.at == "" || s.at == at) {
			if s.atContext {
				line, column = le.ContextMark.Line, le.ContextMark.Column
			}
			return line, column, strings.ReplaceAll(s.text, "CHARACTER", at)
		}
	}
	if _, name, is := strings.Cut(le.Message, "unknown anchor '"); is {
		return line, column, fmt.Sprintf("unknown anchor %s; define it with & before it is used, or quote the value if the * is meant as text", quote(strings.TrimSuffix(name, "' referenced")))
	}
	text = le.Message
	if le.ContextMsg != "" {
		text = le.ContextMsg + ", " + text
	}
	return line, column, "is not YAML: " + printable(text)
}

// syntax is what to say instead of the YAML reader's own messages: the first that fits.
var syntax = []struct {
	message, context string
	at               string // the character where the reader stumbled; "" for any
	text             string
	atContext        bool // where the context began
}{
	{message: "mapping values are not allowed", text: "a colon where no key can be; check the indentation, and quote text that contains \": \""},
	{message: "cannot start any token", text: "a value cannot begin with CHARACTER; put the value in quotation marks"},
	{message: "did not find expected ','", at: `":"`, text: "a second colon in one item; write a comma before the next key, or quote text that contains \": \""},
	{message: "did not find expected ','", text: "a comma is missing before CHARACTER; write one, or quote text that contains it"},
	{message: "could not find expected ':'", text: "a line without a colon; write KEY: VALUE", atContext: true},
	{message: "did not find expected key", text: "no key can begin here; indent it as those above, and quote the whole of a text that has quotation marks inside"},
	{message: "did not find expected '-'", text: "no item can begin here; begin it with a dash, indented as those above"},
	{message: "block sequence entries are not allowed", text: "a dash where no list can begin; write the list on lines of its own, or as [a, b]"},
	{message: "mapping keys are not allowed", text: "a question mark where no key can be; put the value in quotation marks"},
	{message: "comment without preceding whitespace", text: "a # without a space before it; write the space, or put the value in quotation marks"},
	{message: "alphabetic or numeric", context: "alias", text: "a * without the name of an anchor; put the value in quotation marks if the * is meant as text"},
	{message: "alphabetic or numeric", context: "anchor", text: "an & without a name; put the value in quotation marks if the & is meant as text"},
	{message: "unknown escape", text: "a backslash before a letter that it gives no meaning; write two backslashes, or put the text in single quotation marks"},
	{context: "directive", text: "a value cannot begin with \"%\"; put the value in quotation marks", atContext: true},
	{message: "tab", text: "a tab where spaces must be; write spaces"},
	{message: "did not find expected node content", text: "a value is missing before CHARACTER; write it, or put it in quotation marks if it begins so"},
	{message: "did not find expected <document start>", text: "more text after the end of the value; remove it, or put the whole in quotation marks"},
}

// unclosed says which bracket or quotation mark is never closed, and with what; "" if
// that is not what the reader stumbled over.
func unclosed(data []byte, le *yaml.LoadError) (open, end string) {
	rest := from(data, le.ContextMark.Line, le.ContextMark.Column)
	if len(rest) == 0 {
		return "", ""
	}
	switch first := rest[0]; {
	case strings.HasSuffix(le.ContextMsg, "a quoted scalar") && strings.HasPrefix(le.Message, "found unexpected "):
		return string(first), string(first)
	case !strings.Contains(le.ContextMsg, "parsing a flow "):
	case first == '[' && !closes(rest):
		return "[", "]"
	case first == '{' && !closes(rest):
		return "{", "}"
	}
	return "", ""
}

// closes says whether the bracket that a text begins with is closed in it.
func closes(text []rune) bool {
	var open []rune
	before := ' '
	for i := 0; i < len(text); i++ {
		r := text[i]
		switch {
		case r == '[' || r == '{':
			open = append(open, r+2) // its partner: [ ], { }
		case r == ']' || r == '}':
			if open[len(open)-1] != r {
				return false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return true
			}
		case r == '#' && unicode.IsSpace(text[i-1]):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		case (r == '"' || r == '\'') && strings.ContainsRune("[{,:", before):
			for i++; i < len(text) && text[i] != r; i++ {
				if r == '"' && text[i] == '\\' {
					i++
				}
			}
		}
		if !unicode.IsSpace(r) {
			before = r
		}
	}
	return false
}

// from returns the text that begins at a place.
func from(data []byte, line, column int) []rune {
	for n := 1; n < line; n++ {
		_, after, more := bytes.Cut(data, []byte("\n"))
		if !more {
			return nil
		}
		data = after
	}
	text := []rune(string(data))
	if line < 1 || column < 1 || column > len(text) {
		return nil
	}
	return text[column-1:]
}

// characterAt quotes the character at a place.
func characterAt(data []byte, line, column int) string {
	if rest := from(data, line, column); len(rest) > 0 && rest[0] != '\n' {
		return quote(string(rest[:1]))
	}
	return "the end of the line"
}

// tabIndent returns the column of a tab in the line's indentation, or 0.
func tabIndent(data []byte, line int) int {
	for n, text := range bytes.Split(data, []byte("\n")) {
		if n+1 == line {
			indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
			return 1 + bytes.IndexByte(indent, '\t')
		}
	}
	return 0
}
