package scenarios

import (
	"bytes"
	"embed"
	"slices"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// newcomer is the order in which someone new best meets the built-in scenarios;
// any others follow by name.
var newcomer = [...]string{
	"herd-100", "herd-100-naive", "herd-20", "gate-20",
	"blocking", "streaming", "retry-everything", "triage-first", "herd-w2",
	"two-axes", "tokens-bind", "split-budgets", "window-edge", "burst-bucket",
	"daily-quota", "local-limits", "azure-conv", "too-large", "drained-gauge", "same-beat", "oversize",
	"metastable", "overload-queue", "slow-provider", "idempotency",
	"endings", "hang", "stall", "cancel", "nested-retries", "broken-streams",
}

// Entry is a built-in scenario.
type Entry struct {
	Name  string
	About string // one sentence
}

// Source returns the file of a built-in scenario exactly as written.
func Source(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".yaml")
	return data, err == nil
}

// List returns the built-in scenarios in an order good for a newcomer.
func List() []Entry {
	names := builtins()
	entries := make([]Entry, len(names))
	for i, name := range names {
		data, _ := Source(name)
		entries[i] = Entry{name, about(data)}
	}
	return entries
}

func builtins() []string {
	found, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, f := range found {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	place := func(name string) int {
		if i := slices.Index(newcomer[:], name); i >= 0 {
			return i
		}
		return len(newcomer)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}

// about reads a built-in's about line, which is plain text in one line.
func about(data []byte) string {
	for line := range bytes.Lines(data) {
		if text, ok := bytes.CutPrefix(line, []byte("about: ")); ok {
			return string(bytes.TrimSpace(text))
		}
	}
	return ""
}
