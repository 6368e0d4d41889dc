package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
		return fail(0, 0, emptyText(file, data))
	case err != nil:
		return fail(syntaxError(file, data, err))
	case len(doc.Content) == 0, isNull(doc.Content[0]) && (file == setFile || doc.Content[0].Value == ""):
		return fail(0, 0, emptyText(file, data))
	}
	switch err := loader.Load(&next); {
	case errors.Is(err, io.EOF):
		return doc.Content[0], nil
	case err != nil:
		return fail(syntaxError(file, data, err))
	}
	return fail(next.Line, next.Column, "a second document begins here; remove the --- and what follows, or make it another file")
}

// emptyText says what is wrong with a text without a value.
func emptyText(file string, data []byte) string {
	switch {
	case file == setFile:
		return "has no value; write one after the ="
	case len(bytes.TrimSpace(data)) == 0:
		return "is empty; write a scenario, beginning with a name: line (`simulate show herd-100` prints one)"
	}
	return "holds no keys (only comments or ---); write a scenario, beginning with a name: line (`simulate show herd-100` prints one)"
}

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

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isQuoted(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}
