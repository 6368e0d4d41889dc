package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

func (d *decoder) structure(n *yaml.Node, v reflect.Value, p path) {
	before := len(d.mistakes)
	is := shapeOf(v.Type())
	if s, ok := v.Addr().Interface().(defaulter); ok {
		s.SetDefaults()
	} else if len(is.ones) == len(is.fields) {
		v.SetZero() // what is given here replaces the parent's default whole
	}
	if n.Kind != yaml.MappingNode {
		if short := d.shortForm(n, v, is, p); short.key == "" {
			return // nothing else is said, so nothing can contradict it
		}
	} else {
		d.mapping(n, v, is, p)
	}
	if c, ok := v.Addr().Interface().(checker); ok && len(d.mistakes) == before {
		for _, problem := range c.Check() {
			at := p
			if problem.Key != "" {
				at = append(at[:len(at):len(at)], strings.Split(problem.Key, ".")...)
			}
			d.problem(at, problem.Text)
		}
	}
	if len(d.mistakes) == before {
		d.fillEmpirical(v.Addr().Interface(), p)
	}
}

// shortForm reads a struct that is not written as a mapping: `backoff: none`, `hint: floor`.
func (d *decoder) shortForm(n *yaml.Node, v reflect.Value, is *shape, p path) field {
	if n.Kind == yaml.ScalarNode && startsWord(n.Value) {
		if f, ok := find(is.ones, n.Value); ok {
			if !f.needsNothing() {
				d.mistake(n, p, "%s alone says too little; write one such as {%s: %s}", quote(f.key), f.key, sample(f.typ))
				return f
			}
			clearAll(v, is.ones)
			picked := v.FieldByIndex(f.index)
			picked.Set(reflect.New(f.typ.Elem()))
			if s, ok := picked.Interface().(defaulter); ok {
				s.SetDefaults()
			}
			return f
		}
		if near := closest(n.Value, keysOf(is.ones)); near != "" {
			f, _ := find(is.ones, near)
			write := near
			if !f.needsNothing() {
				write = "{" + near + ": " + sample(f.typ) + "}"
			}
			d.mistake(n, p, "there is no %s; did you mean %s?", quote(n.Value), write)
			return f
		}
	}
	switch {
	case is.short != nil:
		if is.short.one {
			clearAll(v, is.ones)
		}
		d.value(n, v.FieldByIndex(is.short.index), *is.short, p)
		return *is.short
	case len(is.ones) > 0 && n.Kind == yaml.ScalarNode:
		d.mistake(n, p, "%s is not known here; write one of %s", quote(n.Value), either(keysOf(is.ones)))
	case len(is.ones) > 0:
		d.mistake(n, p, "is %s; write one of %s", kindOf(n), either(keysOf(is.ones)))
	case d.fitsAlone(n, is) != "":
		d.mistake(n, p, "is %s; write {%s: %s}", kindOf(n), d.fitsAlone(n, is), n.Value)
	default:
		d.mistake(n, p, "is %s; write a mapping with %s", kindOf(n), either(keysOf(is.fields)))
	}
	return field{}
}

// fitsAlone is the one required key of a struct, where it reads what stands in the place
// of the mapping; else "".
func (d *decoder) fitsAlone(n *yaml.Node, is *shape) (key string) {
	for _, f := range is.fields {
		if !f.required || n.Kind != yaml.ScalarNode {
			continue
		}
		try := newDecoder(d.file, d.doc, d.root, overrides{})
		if try.value(n, reflect.New(f.typ).Elem(), f, nil); len(try.mistakes) > 0 || key != "" {
			return ""
		}
		key = f.key
	}
	return key
}

// startsWord tells a word from a number, with a unit or without.
func startsWord(s string) bool { return s != "" && unicode.IsLetter(rune(s[0])) }

func clearAll(v reflect.Value, fields []field) {
	for _, f := range fields {
		v.FieldByIndex(f.index).SetZero()
	}
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, is *shape, p path) {
	before := len(d.mistakes)
	pairs := d.pairs(n, p)
	if is.rest != nil && len(pairs) == 0 {
		d.mistake(n, p, "is an empty mapping; write at least one key, such as in %s", is.rest.sample())
	}
	isOne := func(k pair) bool { _, known := find(is.ones, k.name); return known }
	if slices.ContainsFunc(pairs, func(k pair) bool { return isOne(k) && !k.merged }) {
		pairs = slices.DeleteFunc(pairs, func(k pair) bool { return isOne(k) && k.merged })
	}
	var given []pair
	for _, k := range pairs {
		if isOne(k) {
			given = append(given, k)
		}
	}
	if len(given) > 1 {
		names := make([]string, len(given))
		for i, g := range given {
			names[i] = g.name
		}
		d.mistake(given[1].key, p, "%s are alternatives; keep one", strings.Join(names, " and "))
	}
	if len(given) > 0 {
		clearAll(v, is.ones)
	}
	for _, k := range pairs {
		f, known := find(is.fields, k.name)
		switch {
		case known:
			d.value(k.value, v.FieldByIndex(f.index), f, p.in(k.name))
		case is.rest != nil:
			d.entry(k, v.FieldByIndex(is.rest.index), *is.rest, p)
		default:
			d.unknownKey(k, v.Type(), is.fields, p)
		}
	}
	for _, f := range is.fields {
		if f.required && !d.isWrong(p.in(f.key)...) && !slices.ContainsFunc(pairs, func(k pair) bool { return k.name == f.key }) {
			d.missing(n, v, f, p.in(f.key))
		}
	}
	if len(d.mistakes) > before || len(is.ones) == 0 {
		return
	}
	for _, f := range is.ones {
		if !v.FieldByIndex(f.index).IsZero() {
			return
		}
	}
	says, plain := "says nothing", ""
	if len(pairs) == 0 {
		says = "is an empty mapping"
	}
	if is.short != nil {
		plain = plainly(is.short.typ) + ", or "
	}
	d.mistake(n, p, "%s; write %sone of %s", says, plain, either(keysOf(is.ones)))
}

// missing reports a required key that is not there.
func (d *decoder) missing(n *yaml.Node, v reflect.Value, f field, p path) {
	if e, ok := v.Addr().Interface().(exampler); ok {
		if fit := e.Example(f.key); fit != "" {
			d.mistake(n, p, "is missing; write one such as %s: %s", f.key, fit)
			return
		}
	}
	d.mistake(n, p, "is missing; write %s: %s", f.key, f.sample())
}
