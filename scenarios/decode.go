package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

type defaulter interface{ SetDefaults() }

type checker interface{ Check() []policies.Problem }

const (
	mostAliased = 100_000 // values read by way of aliases; the others are as many as the file has
	mostDepth   = 100
)

// decoder fills structs from YAML and collects every mistake on the way.
type decoder struct {
	file     string
	set      overrides
	root     reflect.Type
	doc      *yaml.Node
	inside   map[*yaml.Node]bool   // what aliases being followed stand for
	wrong    map[string]bool       // paths of mistakes (true) and what they are below (false)
	aliased  int
	fields   map[reflect.Type][]field
	mistakes Mistakes
}

func (d *decoder) mistake(n *yaml.Node, p path, format string, args ...any) {
	if d.full() {
		return
	}
	m := Mistake{File: d.file, Line: n.Line, Column: n.Column, Path: p.String(), Text: fmt.Sprintf(format, args...)}
	if shown, over := d.set[n]; over {
		m.File, m.Line, m.Column = setFile, 0, 0
		if shown != "" {
			m.Path = shown
		}
	}
	d.mistakes = append(d.mistakes, m)
	d.suspect(p)
}

// full says whether there are more mistakes than anyone reads.
func (d *decoder) full() bool { return len(d.mistakes) >= 2*mostMistakes }

// suspect keeps later checks from judging what stands at the path.
func (d *decoder) suspect(p path) {
	for up := p; len(up) > 0; up = up[:len(up)-1] {
		d.wrong[up.id()] = d.wrong[up.id()] || len(up) == len(p)
	}
}

// isWrong says whether a mistake was found at the path or below it.
func (d *decoder) isWrong(steps ...string) bool {
	_, found := d.wrong[path(steps).id()]
	return found
}

// unreadable says whether a mistake was found at the path itself.
func (d *decoder) unreadable(steps ...string) bool { return d.wrong[path(steps).id()] }

// mistakeAt reports a mistake where the path stands, or else its nearest parent.
func (d *decoder) mistakeAt(p path, format string, args ...any) {
	n, _ := d.locate(p)
	d.mistake(n, p, format, args...)
}

// locate returns where the path stands, or else its nearest parent: a scalar by
// its own place, the rest by their key's.
func (d *decoder) locate(p path) (n *yaml.Node, whole bool) {
	place, at := d.doc, d.doc
	for _, step := range p {
		var key *yaml.Node
		switch at = resolve(at); at.Kind {
		case yaml.MappingNode:
			key, at = entry(at, step)
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.Content) {
				return place, false
			}
			at = at.Content[i]
		default:
			return place, false
		}
		if at == nil {
			return place, false
		}
		if _, over := d.set[at]; key == nil || at.Kind == yaml.ScalarNode || over {
			key = at
		}
		place = key
	}
	return place, true
}

// value fills v from n. The ranges of f hold for it, or for its items.
func (d *decoder) value(n *yaml.Node, v reflect.Value, f field, p path) {
	switch {
	case d.full(), d.exhausted(n, p):
		return
	case len(p) > mostDepth:
		d.mistake(n, p[:1], "nests deeper than %d levels; write it flatter", mostDepth)
		return
	case n.Kind == yaml.AliasNode:
		if d.inside[n.Alias] {
			d.mistake(n, p, "the anchor %s contains itself; write out what is meant", quote(n.Value))
			return
		}
		d.inside[n.Alias] = true
		defer delete(d.inside, n.Alias)
		n = n.Alias
	}
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		d.mistake(n, p, "the tag %s has no meaning here; remove it", quote(n.Tag))
		return
	case isNull(n):
		d.mistake(n, p, "has no value; write one%s, or remove the key", such(v.Type()))
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	_, isText := v.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case isText, v.Type() == reflect.TypeFor[time.Duration]():
		d.scalar(n, v, f, p)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, p)
	case reflect.Slice:
		d.slice(n, v, f, p)
	case reflect.Array:
		d.array(n, v, f, p)
	case reflect.Map:
		d.mapOf(n, v, p)
	default:
		d.scalar(n, v, f, p)
	}
}

// exhausted counts what aliases stand for, so that a few lines cannot stand for billions.
func (d *decoder) exhausted(n *yaml.Node, p path) bool {
	if len(d.inside) > 0 {
		d.aliased++
	}
	if d.aliased == mostAliased {
		d.aliased++
		d.mistake(n, p, "aliases stand for over %s values here; write fewer", grouped(mostAliased))
	}
	return d.aliased > mostAliased
}

func (d *decoder) slice(n *yaml.Node, v reflect.Value, f field, p path) {
	if n.Kind != yaml.SequenceNode {
		if n.Kind == yaml.ScalarNode {
			d.mistake(n, p, "is one value, not a list; write [%s]", printable(shorten(n.Value)))
		} else {
			d.mistake(n, p, "is a mapping, not a list; begin each item with a dash")
		}
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	d.items(n, v, f, p)
}

func (d *decoder) array(n *yaml.Node, v reflect.Value, f field, p path) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != v.Len() {
		has := kindOf(n)
		if n.Kind == yaml.SequenceNode {
			has = "a list of " + strconv.Itoa(len(n.Content))
		}
		d.mistake(n, p, "is %s; write a list of %d, such as %s", has, v.Len(), sample(v.Type()))
		return
	}
	d.items(n, v, f, p)
}

func (d *decoder) items(n *yaml.Node, v reflect.Value, f field, p path) {
	for i, item := range n.Content {
		at := p.in(strconv.Itoa(i))
		d.value(item, v.Index(i), f, at)
	}
}

func (d *decoder) mapOf(n *yaml.Node, v reflect.Value, p path) {
	if n.Kind != yaml.MappingNode {
		d.mistake(n, p, "is %s; write names, each with what it stands for", kindOf(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, k := range d.pairs(n, p) {
		d.entry(k, v, p)
	}
}

// entry puts one key of a mapping into a map.
func (d *decoder) entry(k pair, m reflect.Value, p path) {
	if k.name == "" {
		d.mistake(k.key, p, "a name is missing before the colon")
		return
	}
	before, at := len(d.mistakes), p.in(k.name)
	key, item := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
	d.scalar(resolve(k.key), key, field{min: "0"}, at)
	d.value(k.value, item, field{}, at)
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	if len(d.mistakes) == before && m.MapIndex(key).IsValid() {
		d.mistake(k.key, at, "is given already, written in another way; keep one")
	}
	m.SetMapIndex(key, item)
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, p path) {
	before := len(d.mistakes)
	fields := d.fieldsOf(v.Type())
	if s, ok := v.Addr().Interface().(defaulter); ok {
		s.SetDefaults()
	} else if len(onesOf(fields)) == len(fields) {
		v.SetZero() // what is given here replaces the parent's default whole
	}
	if n.Kind != yaml.MappingNode {
		if short := d.shortForm(n, v, fields, p); short.key == "" {
			return // nothing else is said, so nothing can contradict it
		}
	} else {
		d.mapping(n, v, fields, p)
	}
	if c, ok := v.Addr().Interface().(checker); ok && len(d.mistakes) == before {
		for _, problem := range c.Check() {
			at := p
			if problem.Key != "" {
				at = append(at[:len(at):len(at)], strings.Split(problem.Key, ".")...)
			}
			d.mistakeAt(at, "%s", printable(problem.Text))
		}
	}
}

func (d *decoder) fieldsOf(t reflect.Type) []field {
	fields, known := d.fields[t]
	if !known {
		fields = fieldsOf(t)
		d.fields[t] = fields
	}
	return fields
}

// shortForm reads a struct that is not written as a mapping: `backoff: none`, `hint: floor`.
func (d *decoder) shortForm(n *yaml.Node, v reflect.Value, fields []field, p path) field {
	ones, short := onesOf(fields), field{}
	short, hasShort := shortOf(fields)
	if n.Kind == yaml.ScalarNode && !isQuoted(n) {
		if f, ok := find(ones, n.Value); ok {
			if !f.needsNothing() {
				d.mistake(n, p, "%s alone says too little; write one such as {%s: %s}", f.key, f.key, sample(f.typ))
				return f
			}
			clearAll(v, ones)
			picked := v.FieldByIndex(f.index)
			picked.Set(reflect.New(f.typ.Elem()))
			if s, ok := picked.Interface().(defaulter); ok {
				s.SetDefaults()
			}
			return f
		}
		if near := closest(n.Value, keysOf(ones)); near != "" {
			f, _ := find(ones, near)
			write := near
			if !f.needsNothing() {
				write = "{" + near + ": " + sample(f.typ) + "}"
			}
			d.mistake(n, p, "there is no %s; did you mean %s?", quote(n.Value), write)
			return f
		}
	}
	switch {
	case hasShort:
		if short.one {
			clearAll(v, ones)
		}
		d.value(n, v.FieldByIndex(short.index), short, p)
	case len(ones) > 0:
		d.mistake(n, p, "%s is not one of %s", said(n), either(keysOf(ones)))
	default:
		d.mistake(n, p, "is %s; write a mapping with %s", kindOf(n), either(keysOf(fields)))
	}
	return short
}

func clearAll(v reflect.Value, fields []field) {
	for _, f := range fields {
		v.FieldByIndex(f.index).SetZero()
	}
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, fields []field, p path) {
	before := len(d.mistakes)
	ones := onesOf(fields)
	pairs := d.pairs(n, p)
	isOne := func(k pair) bool { _, known := find(ones, k.name); return known }
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
		clearAll(v, ones)
	}
	rest, hasRest := restOf(fields)
	for _, k := range pairs {
		f, known := find(fields, k.name)
		switch {
		case known:
			d.value(k.value, v.FieldByIndex(f.index), f, p.in(k.name))
		case hasRest:
			d.entry(k, v.FieldByIndex(rest.index), p)
		default:
			d.unknownKey(k, v.Type(), fields, p)
		}
	}
	if len(d.mistakes) > before {
		return
	}
	for _, f := range fields {
		if f.required && !slices.ContainsFunc(pairs, func(k pair) bool { return k.name == f.key }) {
			d.mistake(n, p.in(f.key), "is missing; write %s: %s", f.key, sample(f.typ))
		}
	}
	if len(ones) == 0 {
		return
	}
	for _, f := range ones {
		if !v.FieldByIndex(f.index).IsZero() {
			return
		}
	}
	plain := ""
	if _, ok := shortOf(fields); ok {
		plain = "a plain value, or "
	}
	d.mistake(n, p, "says nothing; write %sone of %s", plain, either(keysOf(ones)))
}

func (d *decoder) unknownKey(k pair, t reflect.Type, fields []field, p path) {
	at := p.in(k.name)
	switch {
	case d.full():
		return
	case isLater(t, p, k.name):
		d.mistake(k.key, at, "is not supported by this version yet; remove it")
		return
	case k.name == "":
		d.mistake(k.key, p, "a key is missing before the colon")
		return
	}
	keys := keysOf(fields)
	near, below := closest(k.name, keys), homes(t, p.String(), k.name)
	if near != "" && (below == "" || distance(k.name, near) == 1) {
		d.suspect(p.in(near))
		d.mistake(k.key, at, "unknown key; did you mean %s?", near)
		return
	}
	if below == "" {
		below = homes(d.root, "", k.name)
	}
	if below != "" {
		d.mistake(k.key, at, "unknown key; it belongs under %s", below)
		return
	}
	d.mistake(k.key, at, "unknown key; the keys here are %s", strings.Join(keys, ", "))
}

// homes says under which keys of t the key does exist: the nearest, at most three.
func homes(t reflect.Type, prefix, key string) string {
	type place struct {
		t  reflect.Type
		at string
	}
	under := func(at, step string) string {
		if at == "" {
			return step
		}
		return at + "." + step
	}
	for level, depth := []place{{t, prefix}}, 0; len(level) > 0 && depth < 8; depth++ {
		var found []string
		var next []place
		for _, at := range level {
			switch at.t = bare(at.t); at.t.Kind() {
			case reflect.Struct:
				fields := fieldsOf(at.t)
				if _, ok := find(fields, key); ok && depth > 0 {
					found = append(found, at.at)
				}
				for _, f := range fields {
					if f.key != "" {
						next = append(next, place{f.typ, under(at.at, f.key)})
					}
				}
			case reflect.Map:
				next = append(next, place{at.t.Elem(), under(at.at, "NAME")})
			case reflect.Slice:
				if bare(at.t.Elem()).Kind() == reflect.Struct && !strings.HasSuffix(at.at, "sum") {
					next = append(next, place{at.t.Elem(), under(at.at, "N")})
				}
			}
		}
		if len(found) > 0 {
			return either(found[:min(3, len(found))])
		}
		level = next
	}
	return ""
}
