package scenarios

import (
	"reflect"
	"strings"
	"sync"
)

// field is one key of a struct.
type field struct {
	key      string // "" where only the short form exists
	index    []int  // of the struct, for reflect's FieldByIndex
	typ      reflect.Type
	one      bool // an alternative to the other fields marked so
	short    bool // what a node that is not a mapping fills
	required bool // in a mapping
	filled   bool // a list, or a text, that must not be empty
	rest     bool // a map of the keys that are not fields
	min, max string
	above    string
	noun     string // what a number between min and max is
	example  string // what to write, where a value of the type says too little
}

// shape is what the fields of a struct make of it.
type shape struct {
	fields []field
	ones   []field // the alternatives among them
	short  *field  // what a node that is not a mapping fills; nil where nothing is
	rest   *field  // what keys that are no fields go to; nil where they are mistakes
}

// shapes are those found so far, by type: they never change.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	known, _ := shapes.LoadOrStore(t, newShape(t))
	return known.(*shape)
}

func newShape(t reflect.Type) *shape {
	s := &shape{fields: fieldsOf(t)}
	for i := range s.fields {
		f := &s.fields[i]
		if f.one {
			s.ones = append(s.ones, *f)
		}
		if f.short {
			s.short = f
		}
		if f.rest {
			s.rest = f
		}
	}
	return s
}

// fieldsOf lists the keys of a struct, those of inlined structs among them.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("yaml")
		if !tagged || tag == "-" || !f.IsExported() {
			continue
		}
		key, options, _ := strings.Cut(tag, ",")
		g := field{
			key: key, index: []int{i}, typ: f.Type,
			min: f.Tag.Get("min"), max: f.Tag.Get("max"), above: f.Tag.Get("above"),
			noun: f.Tag.Get("noun"), example: f.Tag.Get("example"),
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "inline":
				for _, inner := range fieldsOf(f.Type) {
					inner.index = append([]int{i}, inner.index...)
					out = append(out, inner)
				}
			case "one":
				g.one = true
			case "short":
				g.short = true
			case "required":
				g.required = true
			case "filled":
				g.filled = true
			case "rest":
				g.rest = true
			}
		}
		if key != "" || g.short || g.rest {
			out = append(out, g)
		}
	}
	return out
}

func find(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.key == key && key != "" {
			return f, true
		}
	}
	return field{}, false
}

func keysOf(fields []field) []string {
	var keys []string
	for _, f := range fields {
		if f.key != "" {
			keys = append(keys, f.key)
		}
	}
	return keys
}

// needsNothing says whether the alternative can be picked by its bare word: it
// has defaults for all it holds.
func (f field) needsNothing() bool {
	if f.typ.Kind() != reflect.Pointer || f.typ.Elem().Kind() != reflect.Struct {
		return false
	}
	return f.typ.Elem().NumField() == 0 || f.typ.Implements(reflect.TypeFor[defaulter]())
}

// sample is text that the field would read.
func (f field) sample() string {
	if f.example != "" {
		return f.example
	}
	return sample(f.typ)
}

// span says which numbers a field with a min and a max takes.
func (f field) span() string {
	text := f.min + " to " + f.max
	if f.isChoice() {
		text = f.min + " or " + f.max
	}
	if f.noun != "" {
		text = f.noun + ", " + text
	}
	return text
}

// needsText tells a text that must not be empty.
func (f field) needsText() bool { return f.filled && f.typ.Kind() == reflect.String }

// isChoice tells a field of two whole numbers.
func (f field) isChoice() bool {
	return f.min != "" && f.max != "" && f.typ.Kind() == reflect.Int && floatBound(f.max)-floatBound(f.min) == 1
}

// isNarrow says whether the span tells more than that a number is meant.
func (f field) isNarrow() bool { return f.noun != "" || f.isChoice() }

// step returns the type that a key of t, or an item of it, has; nil where there is none.
func step(t reflect.Type, key string) reflect.Type {
	switch t = bare(t); {
	case t == nil:
		return nil
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map:
		return t.Elem()
	case t.Kind() == reflect.Struct:
		is := shapeOf(t)
		if f, ok := find(is.fields, key); ok {
			return f.typ
		}
		if is.rest != nil {
			return is.rest.typ.Elem()
		}
	}
	return nil
}

// bare is the type behind pointers.
func bare(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
