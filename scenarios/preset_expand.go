package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// expand writes out the presets that are named and exist, the provider's and those of
// policies: their keys stand below those of the scenario.
func (o overrides) expand(doc *yaml.Node) {
	type place struct {
		at path
		t  reflect.Type
		of presetsOf
	}
	places := []place{{path{"provider"}, reflect.TypeFor[model.ProviderConfig](), providerPreset}}
	if named := resolve(child(doc, "policies")); named != nil && named.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(named.Content); i += 2 {
			if !isMerge(named.Content[i]) {
				places = append(places, place{path{"policies", named.Content[i].Value}, reflect.TypeFor[policies.Policy](), policyPreset})
			}
		}
	}
	for _, p := range places {
		given := doc
		for _, step := range p.at {
			given = resolve(child(given, step))
		}
		if full := o.withPreset(given, p.t, p.of); full != given {
			if changed, err := o.put(doc, nil, nil, p.at, full); err == nil {
				*doc = *changed
			}
		}
	}
}

// presetsOf finds a preset by name; nil where there is none.
type presetsOf func(name string) *yaml.Node

func providerPreset(name string) *yaml.Node {
	if p, wrong := preset(name); wrong == "" {
		return p.node
	}
	return nil
}

func policyPreset(name string) *yaml.Node {
	if p, wrong := clientPreset(name); wrong == "" {
		return p.node
	}
	return nil
}

// withPreset returns a provider, or a policy, with its preset's keys where it has none of
// its own. They stand where the preset is named, so a mistake that only both together make
// is reported there.
func (o overrides) withPreset(n *yaml.Node, t reflect.Type, find presetsOf) *yaml.Node {
	n = resolve(n)
	name := resolve(child(n, "preset"))
	if name == nil || name.Kind != yaml.ScalarNode {
		return n
	}
	base := find(name.Value)
	if base == nil {
		return n // said by the decoder
	}
	return o.joined(n, o.moved(base, name), t)
}

// joined returns n with what base has besides: mappings are joined key by key, anything
// else that n has, a list or a distribution among it, stands for base's whole.
func (o overrides) joined(n, base *yaml.Node, t reflect.Type) *yaml.Node {
	t, n = bare(t), resolve(n)
	if n.Kind != yaml.MappingNode || base.Kind != yaml.MappingNode || t == nil || t.Kind() != reflect.Struct {
		return n
	}
	is := shapeOf(t)
	if len(is.ones) == len(is.fields) {
		return n
	}
	n = o.copied(n)
	for i := 0; i+1 < len(base.Content); i += 2 {
		key, value := base.Content[i], base.Content[i+1]
		f, _ := find(is.fields, key.Value)
		own := child(n, key.Value)
		switch {
		case own != nil:
			if both := o.joined(own, value, step(t, key.Value)); both != resolve(own) {
				setOwn(n, key, both)
			}
		case f.one && hasOne(n, is.ones):
		default:
			n.Content = append(n.Content, key, value)
		}
	}
	o.yield(n, t)
	return n
}

func hasOne(n *yaml.Node, ones []field) bool {
	for _, f := range ones {
		if child(n, f.key) != nil {
			return true
		}
	}
	return false
}

// setOwn gives a mapping a value for a key, in place of its own or before a merged one.
func setOwn(n, key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key.Value && !isMerge(n.Content[i]) {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, key, value)
}

// moved returns a copy of n that stands, all of it, where `to` does.
func (o overrides) moved(n, to *yaml.Node) *yaml.Node {
	c := *n
	c.Line, c.Column = to.Line, to.Column
	c.Content = make([]*yaml.Node, len(n.Content))
	for i := range n.Content {
		c.Content[i] = o.moved(n.Content[i], to)
	}
	o.preset[&c] = to.Value
	if shown, over := o.shown[to]; over {
		o.shown[&c] = shown
	}
	return &c
}

// presetFirst moves each provider.preset=NAME before what else is set of the provider, and
// policies.P.preset=NAME before what else is set of P, so that the order they are given in
// changes nothing, but not before a provider=VALUE, or a policies.P=VALUE, which replaces
// all that was set before it.
func presetFirst(items []string) []string {
	var out []string
	for _, item := range items {
		key, _, _ := cutAssignment(item)
		whole, isPreset := strings.CutSuffix(key, ".preset")
		if !isPreset || whole != "provider" && !strings.HasPrefix(whole, "policies") {
			out = append(out, item)
			continue
		}
		at := 0 // behind the last that replaces the whole, and the presets behind that
		for i, before := range out {
			if k, _, _ := cutAssignment(before); k == whole || k == "policies" || k == key {
				at = i + 1
			}
		}
		out = slices.Insert(out, at, item)
	}
	return out
}
