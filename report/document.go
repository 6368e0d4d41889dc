package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Document writes v as one indented JSON document.
func Document(w io.Writer, v any) error {
	b, err := Indented(v, "")
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("as JSON: %w", err)
	}
	return nil
}

// Indented is v as JSON whose lines but the first begin with an indent.
func Indented(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return uncontrolled(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// Compact is v as JSON in one line.
func Compact(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return uncontrolled(text), err
}

// uncontrolled escapes the control characters that encoding/json leaves in texts: a terminal obeys
// U+009B as it does ESC and [.
func uncontrolled(text []byte) []byte {
	control := func(r rune) bool { return r > ' ' && unicode.IsControl(r) }
	if !bytes.ContainsFunc(text, control) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if control(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
