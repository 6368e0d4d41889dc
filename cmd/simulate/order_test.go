package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stampede-sim/stampede/"

// mayImport is the order of design.md: imports go one way.
var mayImport = map[string][]string{
	"sim":                  {},
	"policies":             {},
	"model":                {"policies", "sim"},
	"scenarios":            {"model", "policies", "sim"},
	"report":               {"model", "policies", "sim"},
	"live":                 {"model", "policies", "sim"},
	"experiment":           {"live", "report", "scenarios", "model", "policies", "sim"},
	"report/echarts/fetch": {"report"},             // run by go generate alone
	"scenarios/random":     {"scenarios", "model"}, // drawn for tests alone
	"cmd/simulate":         {"experiment", "live", "report", "scenarios", "model", "policies", "sim"},
}

// imports calls visit with every import of every Go file that is no test.
func imports(t *testing.T, visit func(folder, file, path string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "out" || strings.HasPrefix(entry.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			visit(filepath.ToSlash(folder), filepath.Base(path), imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	imports(t, func(folder, file, path string) {
		allowed, known := mayImport[folder]
		if !known {
			t.Errorf("%s is a new folder: give it a place in the order, and a reason in the README's map", folder)
		}
		seen[folder] = true
		if inside, is := strings.CutPrefix(path, module); is && !slices.Contains(allowed, inside) {
			t.Errorf("%s/%s may not import %s", folder, file, inside)
		}
	})
	for folder := range mayImport {
		if !seen[folder] {
			t.Errorf("there is no Go file in %s", folder)
		}
	}
}

// What decides is told the time and knows neither a clock, nor HTTP, nor the engine.
func TestDecisionsKnowNoClock(t *testing.T) {
	engineFree := []string{
		"provider.go", "due.go", "ring.go", "axis.go", "config.go", "words.go",
		"flavour.go", "headers.go", "headers_openai.go", "headers_anthropic.go", "headers_mistral.go",
		"error_body.go", "error_openai.go", "error_anthropic.go", "error_gemini.go", "error_mistral.go",
	}
	imports(t, func(folder, file, path string) {
		if folder != "policies" && (folder != "model" || !slices.Contains(engineFree, file)) {
			return
		}
		if path == "net/http" || path == module+"sim" || strings.Contains(path, "clock") || path == "math/rand" || path == "math/rand/v2" {
			t.Errorf("%s/%s may not import %s", folder, file, path)
		}
	})
	imports(t, func(folder, file, path string) {
		if folder == "sim" && path == "net/http" || strings.HasPrefix(path, "math/rand") {
			t.Errorf("%s/%s may not import %s", folder, file, path)
		}
	})
}
