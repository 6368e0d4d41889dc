package scenarios_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/scenarios/random"
)

// written writes a tree as YAML or as JSON, which is YAML too.
func written(tree any, asJSON bool) []byte {
	text, err := yaml.Marshal(tree)
	if asJSON {
		text, err = json.Marshal(tree)
	}
	if err != nil {
		panic(err)
	}
	return text
}

func TestBuiltinsNameTheSchemaAndFollowIt(t *testing.T) {
	j := scenarios.NewJudge(t)
	for _, e := range scenarios.List() {
		source, _ := scenarios.Source(e.Name)
		if !bytes.HasPrefix(source, []byte("# yaml-language-server: $schema=schema.json\n")) {
			t.Errorf("%s: the first line does not name the schema for editors", e.Name)
		}
		if mistakes, err := j.Compare(source); err != nil || mistakes != nil {
			t.Errorf("%s: %v, mistakes %v", e.Name, err, mistakes)
		}
	}
}

// A thousand random scenarios, and each again with one change; a quarter of them
// under the race detector.
func TestDecoderAndSchemaAgree(t *testing.T) {
	t.Parallel()
	checks, part := "1000", 1
	if scenarios.Raced {
		checks, part = "250", 4
	}
	if testing.Short() {
		part *= 5 // as rapid itself does
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("rapid.checks", "100") //nolint:errcheck // its own default
	j, language, outcomes := scenarios.NewJudge(t), languageOf(t), map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		tree := language.Wild(t).Part("Scenario")
		asJSON := rapid.Bool().Draw(t, "JSON")
		try := func(what string) scenarios.Mistakes {
			mistakes, err := j.Compare(written(tree, asJSON))
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, written(tree, asJSON))
			}
			return mistakes
		}
		mistakes := try("drawn")
		for tries := 0; mistakes != nil && tries < 20 && random.Mend(tree, mistakes); tries++ {
			mistakes = try("mended")
		}
		outcomes[outcome("drawn", mistakes)]++
		if mistakes == nil {
			change := change(t, tree)
			outcomes[outcome(change, try(change))]++
		}
	})
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%s: %d", name, outcomes[name])
	}
	for _, row := range []struct {
		what  string
		least int
	}{
		{"drawn, valid", 900},
		{"an unknown key, refused", 100},
		{"a misspelled key, refused", 100},
		{"a key left out, refused", 3},
		{"a key left out, valid", 50},
		{"another value, refused", 50},
		{"another value, valid", 3},
		{"a misspelled word, refused", 50},
	} {
		if !t.Failed() && outcomes[row.what] < row.least/part {
			t.Errorf("only %d of: %s", outcomes[row.what], row.what)
		}
	}
}

func outcome(change string, mistakes scenarios.Mistakes) string {
	if len(mistakes) > 0 {
		return change + ", refused"
	}
	return change + ", valid"
}

// Every key of the language, each with every kind of wrong value. Small parts come
// first, so that few have to be tried in a whole scenario.
func TestDecoderAndSchemaAgreeOnEveryKey(t *testing.T) {
	t.Parallel()
	whole, language, tried := scenarios.NewJudge(t), languageOf(t), map[string]bool{}
	wrong := slices.Concat(wordsOfReaders(t), wrongValues)
	for _, part := range slices.Backward(scenarios.StructsBelow(reflect.TypeFor[scenarios.Scenario](), nil)) {
		j := whole.Of(part)
		draw := rapid.Custom(func(t *rapid.T) any { return language.Wild(t).Part(scenarios.DefName(part)) })
		missing := scenarios.KeysOf(part)
		for seed := 0; seed < 1000 && len(missing) > 0; seed++ {
			tree := draw.Example(seed)
			for _, at := range scenarios.PlacesIn(tree, part, "") {
				delete(missing, at.ID)
				if !tried[at.ID] {
					tried[at.ID] = true
					tryAt(t, j, tree, at, wrong)
				}
			}
		}
		if len(missing) > 0 {
			t.Errorf("never drawn: %v", missing)
		}
	}
	t.Logf("%d places", len(tried))
}

// wordsOfReaders lists the words that UnmarshalText methods know, by their source, so
// that a Schema method cannot forget one.
func wordsOfReaders(t *testing.T) []any {
	t.Helper()
	var words []any
	models, _ := filepath.Glob("../model/*.go")
	policies, _ := filepath.Glob("../policies/*.go")
	for _, file := range slices.Concat(models, policies) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			reader, ok := decl.(*ast.FuncDecl)
			if !ok || reader.Name.Name != "UnmarshalText" {
				continue
			}
			ast.Inspect(reader, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && wordForm.MatchString(text.Value) {
					words = append(words, strings.Trim(text.Value, `"`))
				}
				return true
			})
		}
	}
	if len(words) < 5 {
		t.Fatalf("found only %v", words)
	}
	return words
}

var wordForm = regexp.MustCompile(`^"[a-z][a-z0-9-]*"$`)

// tryAt tries every wrong value at a place.
func tryAt(t *testing.T, j scenarios.Judge, tree any, at scenarios.Place, all []any) {
	t.Helper()
	right := at.Get()
	for i, wrong := range all {
		if scenarios.Raced && (i+len(at.ID))%8 != 0 {
			continue // each place another eighth of them
		}
		at.Set(wrong)
		text, isText := wrong.(string)
		_, err := j.Compare(written(tree, false))
		if isText && err == nil && !strings.ContainsAny(text, " .+") {
			_, err = j.Compare(written(tree, true)) // where it is in quotation marks
		}
		if err != nil {
			t.Errorf("%s: %v: %v", at.ID, wrong, err)
		}
	}
	at.Set(right)
}

// wrongValues are wrong somewhere, each in its own way, and right elsewhere.
var wrongValues = []any{
	nil, true, -1, 0, 1, 2, 0.5, 42, 429, 600, 2_000_000_000,
	[]any{},
	[]any{1, 2},
	[]any{"1s", "2s"},
	map[string]any{},
	map[string]any{"x": 1},
	map[string]any{"0s": "1/s"},
	"", " ", "x", "0", "10", "-1", "0.5", "1e3", "true", "unlimited", "Unlimited", "none", "exponential",
	"0s", "1s", "-1s", "-0s", "+1s", "01s", "00", "1.5 seconds", "20 sec", "20 parsecs", "10msec", "1,5s", ".s", "1s1", "1h05m", "5/s", "5 /s", "-5/s", "5/sec", "5./s",
	"0.0/d", "20%", "0%", "20 %", "-20%", "5xx", "429", "6xx", "pool", "pool a", "key", "constant", "seconds", "success", "success == 1", "success = 1", "wall < 1s",
}

// change makes one change to a tree, most often for the worse, and says of which kind.
func change(t *rapid.T, tree any) string {
	var mappings []map[string]any
	var texts []scenarios.Place
	places := scenarios.PlacesIn(tree, reflect.TypeFor[scenarios.Scenario](), "")
	for _, at := range append(places, scenarios.Place{Get: func() any { return tree }}) {
		switch x := at.Get().(type) {
		case map[string]any:
			if len(x) > 0 {
				mappings = append(mappings, x)
			}
		case string:
			if at.Key != "about" && at.Key != "name" {
				texts = append(texts, at)
			}
		}
	}
	in := pick(t, mappings...)
	key := pick(t, slices.Sorted(maps.Keys(in))...)
	switch kind := rapid.IntRange(0, 4).Draw(t, "change"); {
	case kind == 0:
		in["colour"] = "red"
		return "an unknown key"
	case kind == 1:
		in[key+"x"] = in[key]
		delete(in, key)
		return "a misspelled key"
	case kind == 2:
		delete(in, key)
		return "a key left out"
	case kind == 3 && len(texts) > 0:
		at := pick(t, texts...)
		at.Set(at.Get().(string) + "x")
		return "a misspelled word"
	}
	pick(t, places...).Set(pick(t, wrongValues...))
	return "another value"
}

func pick[T any](t *rapid.T, of ...T) T { return rapid.SampledFrom(of).Draw(t, "one of") }

// languageOf is that of the structs as they are; the file may be of yesterday.
func languageOf(t *testing.T) *random.Language {
	t.Helper()
	schema, err := scenarios.GenerateSchema()
	if err != nil {
		t.Fatal(err)
	}
	language, err := random.Read(schema)
	if err != nil {
		t.Fatal(err)
	}
	return language
}
