package scenarios

import (
	"encoding"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

type defaulter interface{ SetDefaults() }

type checker interface{ Check() []policies.Problem }

// exampler is a struct that says what a key of its could be, given the others; "" where
// they say nothing about it.
type exampler interface{ Example(key string) string }

const (
	mostAliased = 100_000 // values read by way of aliases; the others are as many as the file has
	mostDepth   = 100
)

// decoder fills structs from YAML and collects every mistake on the way.
type decoder struct {
	file     string
	set      overrides
	own      bool // the text is a built-in's own
	root     reflect.Type
	doc      *yaml.Node
	inside   map[*yaml.Node]bool // what is being read and may be named again: by an alias or an anchor
	followed int                 // aliases on the way here
	wrong    map[string]bool     // paths of mistakes (true) and what they are below (false)
	aliased  int
	crossed  int // mistakes that no key has by itself: what it names is not there, or another key contradicts it
	mistakes Mistakes
}

func newDecoder(file string, doc *yaml.Node, root reflect.Type, set overrides) *decoder {
	return &decoder{
		file: file, set: set, root: root, doc: doc,
		inside: map[*yaml.Node]bool{}, wrong: map[string]bool{},
	}
}

// value fills v from n. The ranges of f hold for it, or for what it holds.
func (d *decoder) value(n *yaml.Node, v reflect.Value, f field, p path) {
	switch {
	case d.full(), d.exhausted(n, p):
		return
	case len(p) > mostDepth:
		d.mistake(n, p[:1], "nests deeper than %d levels; write it flatter", mostDepth)
		return
	case n.Kind == yaml.AliasNode:
		if d.inside[n.Alias] {
			d.insideItself(n, p, "the value")
			return
		}
		d.followed++
		defer func() { d.followed-- }()
		n = n.Alias
	}
	if n.Anchor != "" {
		d.inside[n] = true
		defer delete(d.inside, n)
	}
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		d.mistake(n, p, "the tag %s has no meaning here; remove it", quote(n.Tag))
		return
	case isNull(n):
		remove := ", or remove it"
		if f.required {
			remove = ""
		}
		d.mistake(n, p, "has no value; write %s%s", f.whole(v.Type()), remove)
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
		d.mapOf(n, v, f, p)
	default:
		d.scalar(n, v, f, p)
	}
}

func (d *decoder) insideItself(alias *yaml.Node, p path, with string) {
	name := bareWord(alias.Value)
	d.mistake(alias, p, "*%s stands inside its own anchor &%s; replace *%s with %s", name, name, name, with)
}

// exhausted counts what aliases stand for, so that a few lines cannot stand for billions.
func (d *decoder) exhausted(n *yaml.Node, p path) bool {
	if d.followed > 0 {
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
		if n.Kind == yaml.ScalarNode && !isPlain(v.Type().Elem()) {
			d.mistake(n, p, "is %s; write %s", kindOf(n), f.whole(v.Type()))
		} else if n.Kind == yaml.ScalarNode {
			d.mistake(n, p, "%s is one value, not a list; write [%s]", quote(n.Value), printable(shorten(n.Value)))
		} else {
			d.mistake(n, p, "is a mapping, not a list; begin each item with a dash")
		}
		return
	}
	if f.filled && len(n.Content) == 0 {
		d.mistake(n, p, "is an empty list; write at least one item, such as %s", f.sample())
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
		d.mistake(n, p, "is %s; write a list of %d, such as %s", has, v.Len(), sampleNear(n, v.Type()))
		return
	}
	d.items(n, v, f, p)
}

func (d *decoder) items(n *yaml.Node, v reflect.Value, f field, p path) {
	for i, item := range n.Content {
		if d.full() {
			return
		}
		at := p.in(strconv.Itoa(i))
		d.value(item, v.Index(i), f, at)
	}
}

func (d *decoder) mapOf(n *yaml.Node, v reflect.Value, f field, p path) {
	if n.Kind != yaml.MappingNode {
		d.mistake(n, p, "is %s; write names, each with what it stands for", kindOf(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, k := range d.pairs(n, p) {
		d.entry(k, v, f, p)
	}
}

// entry puts one key of a mapping into a map.
func (d *decoder) entry(k pair, m reflect.Value, f field, p path) {
	if k.name == "" {
		such := sample(m.Type().Key())
		switch p[len(p)-1] {
		case "policies":
			such = "my-policy"
		case "gates":
			such = "my-gate"
		}
		d.mistake(k.key, p, "a name is missing before the colon; write one, such as %s:", such)
		return
	}
	before, at := len(d.mistakes), p.in(k.name)
	key, item := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
	d.scalar(resolve(k.key), key, field{min: "0"}, at)
	d.value(k.value, item, f, at)
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	if len(d.mistakes) == before && m.MapIndex(key).IsValid() {
		d.mistake(k.key, at, "is given already, written in another way; keep one")
	}
	m.SetMapIndex(key, item)
}
