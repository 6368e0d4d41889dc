package report

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode"
)

// A terminal obeys no text of a document, and who reads it finds the text as it was.
func TestDocumentHoldsNoControlCharacters(t *testing.T) {
	want := map[string]string{"a\u009b2Jgroup": "\x1b[2J \u007f \u0085 tab\t é \U0001f40e", "plain": "<b>"}
	var out strings.Builder
	if err := Document(&out, want); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); at >= 0 {
		t.Errorf("a control character at %d of %q", at, text)
	}
	line, err := Compact(want)
	if err != nil || strings.ContainsFunc(string(line), unicode.IsControl) {
		t.Errorf("%q, %v", line, err)
	}
	if !strings.Contains(text, "<b>") || !strings.HasSuffix(text, "}\n") {
		t.Errorf("%q", text)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(text), &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
