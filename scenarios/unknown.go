package scenarios

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

func (d *decoder) unknownKey(k pair, t reflect.Type, fields []field, p path) {
	at := p.in(k.name)
	switch {
	case d.full():
		return
	case isLater(p, k.name):
		d.mistake(k.key, at, "is not supported by this version yet (`simulate version` prints which it is); remove it")
		return
	case k.name == "":
		d.mistake(k.key, p, "a key is missing before the colon; write one of %s", either(keysOf(fields)))
		return
	}
	keys := keysOf(fields)
	if _, over := d.set.shown[k.key]; over && len(p) == 0 {
		keys = append(keys, "policy") // which --set knows
	}
	if len(p) == 2 && p[0] == "clients" && k.name == "preset" {
		d.mistake(k.key, at, "unknown key; a client's preset is its policy: write policy: %s", namedPolicy(k.value))
		return
	}
	if len(p) == 2 && p[0] == "clients" && k.name == "rate" { // which gate is near
		d.mistake(k.key, at, "unknown key; it belongs under %s", append(p[:2:2], "arrive"))
		return
	}
	near, below := closest(k.name, keys), ""
	if near == "" || distance(k.name, near) > 1 {
		below = homes(t, p.String(), k.name)
	}
	if near != "" && below == "" {
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

// namedPolicy is a plain value as a policy's name, or one that there is.
func namedPolicy(n *yaml.Node) string {
	if n = resolve(n); n.Kind == yaml.ScalarNode && n.Value != "" {
		return bareWord(n.Value)
	}
	return "openai-node@6.49"
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
