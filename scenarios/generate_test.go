package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

// GenerateSchema writes the language as a JSON Schema. Its source is that of the
// decoder: the structs, their tags, SetDefaults, Words and Schema methods, and the
// comments beside them.
func GenerateSchema() ([]byte, error) {
	var comments jsonschema.Reflector
	for _, folder := range []string{".", "../model", "../policies"} {
		if err := comments.AddGoComments(module+"scenarios", folder); err != nil {
			return nil, err
		}
	}
	duration := func(pattern string, zero bool) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "string", Pattern: "^" + pattern + "$"}
		if zero {
			s.Pattern = "^(0|" + pattern + ")$"
			return &jsonschema.Schema{OneOf: []*jsonschema.Schema{s, {Enum: []any{0}}}}
		}
		s.AllOf = []*jsonschema.Schema{{Pattern: "[1-9]"}}
		return s
	}
	g := generator{comments: comments.CommentMap, types: map[string]reflect.Type{}, defs: jsonschema.Definitions{
		"Duration":         duration(durationForm, true),
		"DurationAbove0":   duration(durationForm, false),
		"NegativeDuration": duration("-?"+durationForm, true),
	}}
	g.ref(reflect.TypeFor[Scenario](), reflect.Value{})
	root := g.defs["Scenario"]
	delete(g.defs, "Scenario")
	root.Version, root.Title, root.Definitions = jsonschema.Version, "Stampede scenario", g.defs
	name, _ := root.Properties.Get("name")
	name.Pattern, name.MaxLength = nameForm.String(), new(uint64(mostName))
	name.Extras = map[string]any{"type": []string{"string", "integer", "boolean"}}

	compact, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, compact, "", "  ")
	readable := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(out.String())
	return []byte(readable + "\n"), err
}

const module = "github.com/stampede-sim/stampede/"

type generator struct {
	comments map[string]string // by package, type and field
	types    map[string]reflect.Type
	defs     jsonschema.Definitions
}

// value is the schema of what the decoder's value reads into a field that holds v
// before; v may be invalid.
func (g *generator) value(t reflect.Type, f field, v reflect.Value) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t, v = t.Elem(), reflect.Value{}
	}
	text, isText := reflect.Zero(t).Interface().(schemer)
	_, reads := reflect.New(t).Interface().(interface{ UnmarshalText([]byte) error })
	switch {
	case isText:
		s := &jsonschema.Schema{}
		if err := json.Unmarshal([]byte(text.Schema()), s); err != nil {
			panic(fmt.Sprintf("%v: Schema: %v", t, err))
		}
		limitText(s, t, f)
		return s
	case reads:
		panic(fmt.Sprintf("%v has UnmarshalText but no Schema; write one beside it that says what it reads", t))
	case t == reflect.TypeFor[time.Duration]():
		switch {
		case f.min == "" && f.above == "":
			return &jsonschema.Schema{Ref: "#/$defs/NegativeDuration"}
		case f.min == "0":
			return &jsonschema.Schema{Ref: "#/$defs/Duration"}
		}
		return &jsonschema.Schema{Ref: "#/$defs/DurationAbove0"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.ref(t, v)
	case reflect.Slice:
		s := &jsonschema.Schema{Type: "array", Items: g.value(t.Elem(), f, reflect.Value{})}
		if f.filled {
			s.MinItems = new(uint64(1))
		}
		return s
	case reflect.Array:
		length := new(uint64(t.Len()))
		return &jsonschema.Schema{Type: "array", Items: g.value(t.Elem(), f, reflect.Value{}), MinItems: length, MaxItems: length}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: g.value(t.Elem(), f, reflect.Value{}), PropertyNames: g.keys(t.Key())}
	}
	return plainValue(t, f)
}

// keys is the schema of a map's keys.
func (g *generator) keys(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.String {
		return &jsonschema.Schema{MinLength: new(uint64(1))}
	}
	return g.value(t, field{min: "0"}, reflect.Value{})
}

func plainValue(t reflect.Type, f field) *jsonschema.Schema {
	limits := func(kind string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: kind, Minimum: json.Number(f.min), Maximum: json.Number(f.max), ExclusiveMinimum: json.Number(f.above)}
	}
	switch t.Kind() {
	case reflect.Bool:
		if f.one {
			return &jsonschema.Schema{Enum: []any{true}} // an alternative that is not taken is left out
		}
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Float64:
		return limits("number")
	case reflect.Int, reflect.Int64:
		return limits("integer")
	case reflect.Uint8:
		return &jsonschema.Schema{Type: "integer", Minimum: "0", Maximum: "255"}
	case reflect.Uint64:
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer", Minimum: "0"}, {Type: "string", Pattern: "^(0|[1-9][0-9]*)$"}}}
	case reflect.String:
		if words := wordsOf(t); words != nil {
			return &jsonschema.Schema{Enum: anys(words)}
		}
		s := &jsonschema.Schema{Extras: map[string]any{"type": []string{"string", "number", "boolean"}}} // YAML's 42 and true are text here
		if f.one || f.needsText() {
			s.MinLength = new(uint64(1)) // what is not taken is left out
		}
		return s
	}
	panic(fmt.Sprintf("no scenario can hold a %v", t))
}

// limitText adds a field's range to the schema of a type that reads its own text.
func limitText(s *jsonschema.Schema, t reflect.Type, f field) {
	limit := func(tag string, at *json.Number) {
		if tag == "" || t.Kind() != reflect.Int64 && t.Kind() != reflect.Int {
			return
		}
		v := reflect.New(t).Elem()
		v.SetInt(bound(tag, t))
		if text := encode(v).Value; numberForm.MatchString(text) {
			*at = json.Number(text)
		} else if v.Int() == 0 {
			*at = "0"
		}
	}
	switch s.Type {
	case "integer", "number":
		limit(f.min, &s.Minimum)
		limit(f.max, &s.Maximum)
		limit(f.above, &s.ExclusiveMinimum)
	case "string":
		if f.above == "0" {
			s.AllOf = []*jsonschema.Schema{{Pattern: "[1-9]"}}
		}
	}
	for _, of := range s.OneOf {
		limitText(of, t, f)
	}
}

// ref defines a struct once, with what it holds where it is found first, and
// refers to it.
func (g *generator) ref(t reflect.Type, v reflect.Value) *jsonschema.Schema {
	name := defName(t)
	if of, defined := g.types[name]; !defined {
		g.types[name], g.defs[name] = t, &jsonschema.Schema{}
		*g.defs[name] = *g.structure(t, v)
		g.defs[name].Description = g.comments[typeName(t)]
	} else if of != t {
		panic(fmt.Sprintf("%v and %v have one name", of, t))
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// structure is the schema of a struct: a mapping, or one of its short forms.
func (g *generator) structure(t reflect.Type, v reflect.Value) *jsonschema.Schema {
	is, v := shapeOf(t), defaultsOf(t, v)
	forms := g.shortForms(is)
	var common []field
	byDefault := len(is.ones) == 0
	for _, f := range is.fields {
		if !f.one {
			common = append(common, f)
		} else if !v.FieldByIndex(f.index).IsZero() {
			byDefault = true
		}
	}
	if byDefault {
		forms = append(forms, g.object(t, is, v, common, ""))
	}
	for _, one := range is.ones {
		if one.key != "" {
			forms = append(forms, g.object(t, is, v, append([]field{one}, common...), one.key))
		}
	}
	if len(forms) == 1 {
		return forms[0]
	}
	return &jsonschema.Schema{OneOf: forms}
}

// shortForms are the schemas of what is not a mapping.
func (g *generator) shortForms(is *shape) []*jsonschema.Schema {
	var forms []*jsonschema.Schema
	var words []string
	for _, one := range is.ones {
		if one.needsNothing() {
			words = append(words, one.key)
		}
	}
	if words != nil {
		forms = append(forms, &jsonschema.Schema{Enum: anys(words)})
	}
	if is.short == nil {
		return forms
	}
	if inner := bare(is.short.typ); inner.Kind() == reflect.Struct {
		if _, isText := reflect.Zero(inner).Interface().(schemer); !isText {
			return append(forms, g.shortForms(shapeOf(inner))...)
		}
	}
	return append(forms, g.value(is.short.typ, *is.short, reflect.Value{}))
}

// object is the schema of a mapping with these keys, one of them the alternative it is.
func (g *generator) object(t reflect.Type, is *shape, defaults reflect.Value, fields []field, alternative string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, f := range fields {
		if f.key == "" {
			continue
		}
		p := g.value(f.typ, f, defaults.FieldByIndex(f.index))
		p.Description = g.comments[fieldName(t, f)]
		if !f.required {
			p.Default = defaultOf(defaults.FieldByIndex(f.index), f)
		}
		s.Properties.Set(f.key, p)
		if f.required || f.key == alternative {
			s.Required = append(s.Required, f.key)
		}
	}
	if is.rest != nil {
		s.MinProperties = new(uint64(1))
		s.AdditionalProperties = g.value(is.rest.typ.Elem(), *is.rest, reflect.Value{})
		s.PropertyNames = g.keys(is.rest.typ.Key())
		if keys := keysOf(is.fields); keys != nil {
			s.PropertyNames = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s.PropertyNames, {Enum: anys(keys)}}}
		}
	}
	return s
}

// defaultsOf is a struct as the decoder has it before it reads anything.
func defaultsOf(t reflect.Type, v reflect.Value) reflect.Value {
	of := reflect.New(t)
	if s, ok := of.Interface().(defaulter); ok {
		s.SetDefaults()
	} else if v.IsValid() {
		return v
	}
	return of.Elem()
}

// defaultOf is what a key stands for when it is left out, where that is a plain
// value or a list of them; a mapping's defaults are its keys' own.
func defaultOf(v reflect.Value, f field) any {
	if v.Type() == reflect.TypeFor[time.Duration]() && v.Int() == int64(policies.Never) {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		return nil
	case reflect.Struct, reflect.Slice, reflect.String:
		if v.IsZero() {
			return nil
		}
	}
	n := encode(v)
	if n.Kind == yaml.MappingNode || n.Kind == yaml.ScalarNode && inRange(n.Value, v, f) != nil {
		return nil
	}
	text, err := yaml.Marshal(untagged(n))
	if err != nil {
		panic(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return value
}

// untagged lets YAML find out what a plain value is.
func untagged(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Value: n.Value}
	for _, below := range n.Content {
		c.Content = append(c.Content, untagged(below))
	}
	return c
}

// defName is a type's name, Dist[time.Duration] as DurationDist.
func defName(t reflect.Type) string {
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	of = strings.TrimSuffix(of[strings.LastIndex(of, ".")+1:], "]")
	return strings.ToUpper(of[:1]) + of[1:] + name
}

func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath() + "." + name
}

// fieldName is the name by which a field's comment is found, that of an inlined
// struct's field by its own struct.
func fieldName(t reflect.Type, f field) string {
	last := len(f.index) - 1
	for _, i := range f.index[:last] {
		t = t.Field(i).Type
	}
	return typeName(t) + "." + t.Field(f.index[last]).Name
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return slices.Clip(out)
}
