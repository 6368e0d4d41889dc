package scenarios

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"pgregory.net/rapid"
)

// drawer draws scenarios over the whole language: it goes by the shapes of the
// structs, and for plain values by their schema. What it draws is right by itself,
// but one key may contradict another.
type drawer struct {
	t    *rapid.T
	leaf generator
}

func newDrawer(t *rapid.T) *drawer {
	return &drawer{t, generator{types: map[string]reflect.Type{}, defs: jsonschema.Definitions{}}}
}

func (d *drawer) value(t reflect.Type, f field, depth int) any {
	t = bare(t)
	_, isText := reflect.Zero(t).Interface().(schemer)
	switch {
	case t == reflect.TypeFor[Expectation]():
		return pick(d, "success == 1", "latency_s.p99 < 30s", "wall >= 0", "attempts.rejected <= 1e3", "success >= 99.9 %", "attempts.by_status.429 == 0")
	case isText, t == reflect.TypeFor[time.Duration]():
		return d.plain(d.leaf.value(t, f, reflect.Value{}), f)
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.structure(t, depth)
	case reflect.Slice:
		return d.items(t, f, rapid.IntRange(btoi(f.filled), 2).Draw(d.t, "items"), depth)
	case reflect.Array:
		return d.items(t, f, t.Len(), depth)
	case reflect.Map:
		m := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(d.t, "entries") {
			d.entry(m, t, f, depth)
		}
		return m
	}
	return d.plain(d.leaf.value(t, f, reflect.Value{}), f)
}

func (d *drawer) items(t reflect.Type, f field, n, depth int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = d.value(t.Elem(), f, depth+1)
	}
	return items
}

func (d *drawer) entry(m map[string]any, t reflect.Type, f field, depth int) {
	if t.Key() == reflect.TypeFor[time.Duration]() {
		m[pick(d, "0s", "1s", "1m30s", "2d")] = d.value(t.Elem(), f, depth+1)
		return
	}
	m[pick(d, "three", "naive", "a.b", "42", "</script>")] = d.value(t.Elem(), f, depth+1)
}

// structure draws one of a struct's short forms, or a mapping.
func (d *drawer) structure(t reflect.Type, depth int) any {
	is, deep := shapeOf(t), depth > 12
	var words []string
	for _, one := range is.ones {
		if one.needsNothing() {
			words = append(words, one.key)
		}
	}
	switch {
	case is.short != nil && (deep || rapid.Bool().Draw(d.t, "short")) && !isMapping(is.short.typ):
		return d.value(is.short.typ, *is.short, depth)
	case words != nil && rapid.Bool().Draw(d.t, "word"):
		return pick(d, words...)
	}
	m := map[string]any{}
	put := func(f field) {
		m[f.key] = d.value(f.typ, f, depth+1)
	}
	for _, f := range is.fields {
		if f.key != "" && !f.one && (f.required || f.key == "name" || rapid.IntRange(1, 3).Draw(d.t, f.key) == 1) {
			put(f)
		}
	}
	if len(is.ones) > 0 {
		f := is.ones[rapid.IntRange(0, len(is.ones)-1).Draw(d.t, "alternative")]
		switch {
		case f.key != "":
			put(f)
		case len(is.ones) == len(is.fields):
			return d.value(f.typ, f, depth)
		}
	}
	if is.rest != nil {
		for range rapid.IntRange(1, 3).Draw(d.t, "rest") {
			d.entry(m, is.rest.typ, *is.rest, depth)
		}
	}
	return m
}

// plain draws what a schema of plain values allows.
func (d *drawer) plain(s *jsonschema.Schema, f field) any {
	number := func(text json.Number, otherwise int64) int64 {
		if n, err := text.Int64(); err == nil {
			return n
		}
		return otherwise
	}
	switch {
	case strings.HasSuffix(s.Ref, "/Duration"):
		return pick[any](d, 0, "0", "0s", "1ms", "2.5s", "1h30m", "1d", ".5s", "3µs", "1.s")
	case s.Ref != "":
		return pick(d, "1ns", "1ms", "1s", "2.5s", "1h30m", "10d")
	case s.OneOf != nil:
		return d.plain(s.OneOf[rapid.IntRange(0, len(s.OneOf)-1).Draw(d.t, "form")], f)
	case s.Enum != nil:
		return pick(d, s.Enum...)
	case s.Type == "integer":
		least := number(s.Minimum, number(s.ExclusiveMinimum, -1)+1)
		return rapid.Int64Range(least, min(least+1000, number(s.Maximum, 1<<62))).Draw(d.t, "whole")
	case s.Type == "number":
		return pick(d, 0.25, 0.5, 1, 2, 17)
	case s.Type == "boolean":
		return rapid.Bool().Draw(d.t, "bool")
	case s.Pattern != "":
		few := strings.ReplaceAll(strings.ReplaceAll(s.Pattern, "]+", "]{1,5}"), "]*", "]{0,5}")
		return rapid.StringMatching(few).Filter(func(text string) bool {
			return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) && (s.AllOf == nil || strings.ContainsAny(text, "123456789"))
		}).Draw(d.t, "text")
	}
	switch f.key {
	case "name":
		return rapid.StringMatching("[a-z0-9-]{1,8}").Draw(d.t, "name")
	case "policy", "against":
		return pick(d, "naive", "none", "full-jitter", "decorrelated")
	case "":
		return "three"
	}
	if f.one {
		return "text"
	}
	return pick[any](d, "text", "a: b #", "γ\u202e", "", "null", "42", 42, 1.5, true)
}

// isMapping tells whether a type has no form but that of a mapping or a list.
func isMapping(t reflect.Type) bool {
	t = bare(t)
	_, isText := reflect.Zero(t).Interface().(schemer)
	return t.Kind() == reflect.Struct && !isText && shapeOf(t).short == nil || t.Kind() == reflect.Map || t.Kind() == reflect.Slice
}

func pick[T any](d *drawer, of ...T) T { return rapid.SampledFrom(of).Draw(d.t, "one of") }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
