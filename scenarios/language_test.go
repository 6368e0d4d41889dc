package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

func TestTheLanguagePageIsThatOfTheStructs(t *testing.T) {
	page, parts, err := scenarios.GenerateLanguage()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "LANGUAGE.md", page)
	if lines := strings.Count(page, "\n"); lines >= 600 {
		t.Errorf("%d lines are too many to read; write fewer than 600", lines)
	}
	for _, p := range parts {
		key := p.Title[strings.LastIndex(p.Title, ".")+1:] + ":"
		if p.Title != "scenario" && p.Title != "distributions" && !strings.Contains(p.Example, key) {
			t.Errorf("%s: its example has no %s write one in language_examples_test.go", p.Title, key)
		}
		text := p.Example
		if !strings.HasPrefix(text, "name:") {
			text = "name: example\n" + text
		}
		if !strings.Contains("\n"+text, "\nclients:") {
			text += "clients: [{count: 1}]\n"
		}
		if _, err := scenarios.Decode(p.Title, []byte(text)); err != nil {
			t.Error(err)
		}
	}
}
