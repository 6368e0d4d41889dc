package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// mostBytes is the longest scenario that is read.
const mostBytes = 10 << 20

// parse reads the one YAML document of a file.
func parse(file string, data []byte) (*yaml.Node, Mistakes) {
	fail := func(line, column int, text string) (*yaml.Node, Mistakes) {
		return nil, Mistakes{{File: file, Line: line, Column: column, Text: text}}
	}
	if len(data) > mostBytes {
		return fail(0, 0, "is larger than 10 MB, too large for a scenario")
	}
	if line, column, text := badText(data); text != "" {
		return fail(line, column, text)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return fail(0, 0, printable(err.Error()))
	}
	var doc, next yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return fail(0, 0, emptyText)
	case err != nil:
		return fail(syntaxError(data, err))
	case len(doc.Content) == 0 || isNull(doc.Content[0]):
		return fail(0, 0, emptyText)
	}
	switch err := loader.Load(&next); {
	case errors.Is(err, io.EOF):
		return doc.Content[0], nil
	case err != nil:
		return fail(syntaxError(data, err))
	}
	return fail(next.Line, next.Column, "a second document begins here; a scenario is one document, so keep one")
}

const emptyText = "is empty; write a scenario, beginning with a name: line (`simulate show herd-100` prints one)"

// badText finds what is not text at all.
func badText(data []byte) (line, column int, text string) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return 0, 0, "is UTF-16; save it as UTF-8"
	}
	line, column = 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column, fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", data[i])
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f:
			return line, column, fmt.Sprintf("control character %U; remove it", r)
		case r == '\n':
			line, column = line+1, 0
		}
		i += size
		column++
	}
	return 0, 0, ""
}

// syntaxError says what the YAML reader found, and where.
func syntaxError(data []byte, err error) (line, column int, text string) {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return 0, 0, "is not YAML: " + printable(err.Error())
	}
	text = le.Message
	if le.ContextMsg != "" {
		text = le.ContextMsg
		if le.ContextMark.Line > 0 && le.ContextMark.Line != le.Mark.Line {
			text += fmt.Sprintf(" that begins on line %d", le.ContextMark.Line)
		}
		text += ", " + le.Message
	}
	line, column = le.Mark.Line, le.Mark.Column
	if tab := tabIndent(data, line); tab > 0 {
		return line, tab, "a tab in the indentation; write spaces"
	}
	switch {
	case strings.Contains(le.Message, "mapping values are not allowed"):
		text = "a colon where no key can be; check the indentation, and quote text that contains \": \""
	case strings.Contains(le.Message, "cannot start any token"):
		text = "a value cannot begin with this character; put the value in quotation marks"
	case strings.Contains(le.Message, "unknown anchor"):
		text = strings.TrimSuffix(le.Message, " referenced") + "; define it with & before it is used"
	default:
		text = "is not YAML: " + text
	}
	return line, column, printable(text)
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

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isQuoted(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}
