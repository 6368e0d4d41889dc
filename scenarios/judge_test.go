package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Judge holds decoder and schema against each other.
type Judge struct {
	compiler *jsonschema.Compiler
	root     reflect.Type
	schema   *jsonschema.Schema
}

func NewJudge(t *testing.T) Judge {
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
	return Judge{c, reflect.TypeFor[Scenario](), c.MustCompile("schema.json")}
}

// Of judges a part of the language alone.
func (j Judge) Of(t reflect.Type) Judge {
	if t != j.root {
		j.root, j.schema = t, j.compiler.MustCompile("schema.json#/$defs/"+defName(t))
	}
	return j
}

// Compare returns the mistakes that the decoder finds, and how decoder and schema
// disagree, if they do. What only crosses keys is beyond a schema.
func (j Judge) Compare(text []byte) (found Mistakes, disagreement error) {
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

// StructsBelow lists the structs of the language, each before what it holds.
func StructsBelow(t reflect.Type, seen []reflect.Type) []reflect.Type {
	t = bare(t)
	_, isText := reflect.Zero(t).Interface().(schemer)
	switch {
	case isText || slices.Contains(seen, t):
		return seen
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		return StructsBelow(t.Elem(), seen)
	case t.Kind() != reflect.Struct:
		return seen
	}
	seen = append(seen, t)
	for _, f := range fieldsOf(t) {
		seen = StructsBelow(f.typ, seen)
	}
	return seen
}

// Place is where a value of a tree stands.
type Place struct {
	ID  string // Type.key, and .N or .NAME below it for what a list or names hold
	Key string
	Get func() any
	Set func(any)
}

// PlacesIn lists what a tree of type t holds.
func PlacesIn(tree any, t reflect.Type, id string) []Place {
	var all []Place
	switch x := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			at := id + ".NAME"
			if t := bare(t); t != nil && t.Kind() == reflect.Struct {
				if _, known := find(fieldsOf(t), key); known {
					at = t.String() + "." + key
				}
			}
			all = append(all, Place{at, key, func() any { return x[key] }, func(v any) { x[key] = v }})
			all = append(all, PlacesIn(x[key], step(t, key), at)...)
		}
	case []any:
		for i := range x {
			all = append(all, Place{id + ".N", "", func() any { return x[i] }, func(v any) { x[i] = v }})
			all = append(all, PlacesIn(x[i], step(t, ""), id+".N")...)
		}
	}
	return all
}

// KeysOf lists the keys of a part of the language, as places name them.
func KeysOf(part reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for _, f := range fieldsOf(part) {
		if f.key != "" {
			keys[part.String()+"."+f.key] = true
		}
	}
	return keys
}

// DefName is the name of a part in the schema.
func DefName(part reflect.Type) string { return defName(part) }
