package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
)

// judge holds decoder and schema against each other.
type judge struct {
	compiler *jsonschema.Compiler
	root     reflect.Type
	schema   *jsonschema.Schema
}

func newJudge(t *testing.T) judge {
	t.Helper()
	schema, err := GenerateSchema() // the file may be of yesterday, of which another test tells
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	return judge{c, reflect.TypeFor[Scenario](), c.MustCompile("schema.json")}
}

// of judges a part of the language alone.
func (j judge) of(t reflect.Type) judge {
	if t != j.root {
		j.root, j.schema = t, j.compiler.MustCompile("schema.json#/$defs/"+defName(t))
	}
	return j
}

// compare returns the mistakes that the decoder finds, and how decoder and schema
// disagree, if they do. What only crosses keys is beyond a schema.
func (j judge) compare(text []byte) (found Mistakes, disagreement error) {
	doc, mistakes := parse("x.yaml", text)
	if mistakes != nil {
		return mistakes, fmt.Errorf("no YAML: %w", mistakes)
	}
	var tree any
	if err := doc.Decode(&tree); err != nil {
		return nil, fmt.Errorf("no tree: %w", err)
	}
	asJSON, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return nil, err
	}
	refusal := j.schema.Validate(instance)
	v := reflect.New(j.root)
	d := newDecoder("x.yaml", doc, j.root, overrides{})
	d.value(doc, v.Elem(), field{}, nil)
	if s, whole := v.Interface().(*Scenario); whole {
		d.check(s)
	}
	switch {
	case refusal != nil && len(d.mistakes) == 0:
		return nil, fmt.Errorf("the decoder accepts what the schema refuses: %w", refusal)
	case refusal == nil && len(d.mistakes) > d.crossed:
		return d.mistakes, fmt.Errorf("the schema accepts what the decoder refuses: %w", d.mistakes)
	}
	return d.mistakes, nil
}

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
	j := newJudge(t)
	for _, e := range List() {
		source, _ := Source(e.Name)
		if !bytes.HasPrefix(source, []byte("# yaml-language-server: $schema=schema.json\n")) {
			t.Errorf("%s: the first line does not name the schema for editors", e.Name)
		}
		if mistakes, err := j.compare(source); err != nil || mistakes != nil {
			t.Errorf("%s: %v, mistakes %v", e.Name, err, mistakes)
		}
	}
}

// A thousand random scenarios, and each again with one change; a quarter of them
// under the race detector.
func TestDecoderAndSchemaAgree(t *testing.T) {
	t.Parallel()
	checks, part := "1000", 1
	if Raced {
		checks, part = "250", 4
	}
	if testing.Short() {
		part *= 5 // as rapid itself does
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("rapid.checks", "100") //nolint:errcheck // its own default
	j, outcomes := newJudge(t), map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := newDrawer(t)
		tree := d.value(reflect.TypeFor[Scenario](), field{}, 0)
		asJSON := rapid.Bool().Draw(t, "JSON")
		try := func(what string) Mistakes {
			mistakes, err := j.compare(written(tree, asJSON))
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, written(tree, asJSON))
			}
			return mistakes
		}
		mistakes := try("drawn")
		for tries := 0; mistakes != nil && tries < 10; tries++ {
			for _, m := range mistakes {
				leaveOut(tree, m.Path)
			}
			mistakes = try("mended")
		}
		outcomes[outcome("drawn", mistakes)]++
		if mistakes == nil {
			change := d.change(tree)
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
		{"a key left out, refused", 5},
		{"a key left out, valid", 50},
		{"another value, refused", 50},
		{"another value, valid", 5},
		{"a misspelled word, refused", 50},
	} {
		if !t.Failed() && outcomes[row.what] < row.least/part {
			t.Errorf("only %d of: %s", outcomes[row.what], row.what)
		}
	}
}

func outcome(change string, mistakes Mistakes) string {
	if len(mistakes) > 0 {
		return change + ", refused"
	}
	return change + ", valid"
}

// Every key of the language, each with every kind of wrong value. Small parts come
// first, so that few have to be tried in a whole scenario.
func TestDecoderAndSchemaAgreeOnEveryKey(t *testing.T) {
	t.Parallel()
	whole, tried := newJudge(t), map[string]bool{}
	wrong := slices.Concat(wordsOfReaders(t), wrongValues)
	for _, part := range slices.Backward(structsBelow(reflect.TypeFor[Scenario](), nil)) {
		j := whole.of(part)
		draw := rapid.Custom(func(t *rapid.T) any { return newDrawer(t).structure(part, 0) })
		missing := map[string]bool{}
		for _, f := range fieldsOf(part) {
			missing[part.String()+"."+f.key] = f.key != ""
		}
		maps.DeleteFunc(missing, func(_ string, is bool) bool { return !is })
		for seed := 0; seed < 1000 && len(missing) > 0; seed++ {
			tree := draw.Example(seed)
			for _, at := range placesIn(tree, part, "") {
				delete(missing, at.id)
				if !tried[at.id] {
					tried[at.id] = true
					j.tryAt(t, tree, at, wrong)
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
func (j judge) tryAt(t *testing.T, tree any, at place, all []any) {
	t.Helper()
	right := at.get()
	for i, wrong := range all {
		if Raced && (i+len(at.id))%8 != 0 {
			continue // each place another eighth of them
		}
		at.set(wrong)
		text, isText := wrong.(string)
		_, err := j.compare(written(tree, false))
		if isText && err == nil && !strings.ContainsAny(text, " .+") {
			_, err = j.compare(written(tree, true)) // where it is in quotation marks
		}
		if err != nil {
			t.Errorf("%s: %v: %v", at.id, wrong, err)
		}
	}
	at.set(right)
}

// structsBelow lists the structs of the language, each before what it holds.
func structsBelow(t reflect.Type, seen []reflect.Type) []reflect.Type {
	t = bare(t)
	_, isText := reflect.Zero(t).Interface().(schemer)
	switch {
	case isText || slices.Contains(seen, t):
		return seen
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		return structsBelow(t.Elem(), seen)
	case t.Kind() != reflect.Struct:
		return seen
	}
	seen = append(seen, t)
	for _, f := range fieldsOf(t) {
		seen = structsBelow(f.typ, seen)
	}
	return seen
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

// place is where a value of a tree stands.
type place struct {
	id  string // Type.key, and .N or .NAME below it for what a list or names hold
	key string
	get func() any
	set func(any)
}

// placesIn lists what a tree of type t holds.
func placesIn(tree any, t reflect.Type, id string) []place {
	var all []place
	switch x := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			at := id + ".NAME"
			if t := bare(t); t != nil && t.Kind() == reflect.Struct {
				if _, known := find(fieldsOf(t), key); known {
					at = t.String() + "." + key
				}
			}
			all = append(all, place{at, key, func() any { return x[key] }, func(v any) { x[key] = v }})
			all = append(all, placesIn(x[key], step(t, key), at)...)
		}
	case []any:
		for i := range x {
			all = append(all, place{id + ".N", "", func() any { return x[i] }, func(v any) { x[i] = v }})
			all = append(all, placesIn(x[i], step(t, ""), id+".N")...)
		}
	}
	return all
}

// leaveOut removes the key at a mistake's path, or else the nearest above it.
func leaveOut(tree any, at string) {
	steps, err := model.SplitPath(at)
	if err != nil {
		return
	}
	var in map[string]any
	var key string
	for _, step := range steps {
		switch x := tree.(type) {
		case map[string]any:
			below, given := x[step]
			if !given {
				tree = nil
				continue
			}
			in, key, tree = x, step, below
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(x) {
				tree = x[i]
			}
		}
	}
	delete(in, key)
}

// change makes one change to a tree, most often for the worse, and says of which kind.
func (d *drawer) change(tree any) string {
	var mappings []map[string]any
	var texts []place
	places := placesIn(tree, reflect.TypeFor[Scenario](), "")
	for _, at := range append(places, place{get: func() any { return tree }}) {
		switch x := at.get().(type) {
		case map[string]any:
			if len(x) > 0 {
				mappings = append(mappings, x)
			}
		case string:
			if at.key != "about" && at.key != "name" {
				texts = append(texts, at)
			}
		}
	}
	in := pick(d, mappings...)
	key := pick(d, slices.Sorted(maps.Keys(in))...)
	switch kind := rapid.IntRange(0, 4).Draw(d.t, "change"); {
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
		at := pick(d, texts...)
		at.set(at.get().(string) + "x")
		return "a misspelled word"
	}
	pick(d, places...).set(pick(d, wrongValues...))
	return "another value"
}
