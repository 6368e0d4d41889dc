package scenarios

import (
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
)

// expand writes out the provider's preset, if it names one that exists: its keys stand
// below those of the scenario.
func (o overrides) expand(doc *yaml.Node) {
	given := resolve(child(doc, "provider"))
	if full := o.withPreset(given); full != given {
		changed, err := o.put(doc, nil, nil, path{"provider"}, full)
		if err == nil {
			*doc = *changed
		}
	}
}

// withPreset returns a provider with its preset's keys where it has none of its own.
// They stand where the preset is named, so a mistake that only both together make is
// reported there.
func (o overrides) withPreset(provider *yaml.Node) *yaml.Node {
	provider = resolve(provider)
	name := resolve(child(provider, "preset"))
	if name == nil || name.Kind != yaml.ScalarNode {
		return provider
	}
	p, wrong := preset(name.Value)
	if wrong != "" {
		return provider // said by the decoder
	}
	return o.joined(provider, o.moved(p.node, name), reflect.TypeFor[model.ProviderConfig]())
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

// presetFirst moves each provider.preset=NAME before what else is set of the provider,
// so that the order they are given in changes nothing, but not before a provider=VALUE,
// which replaces all that was set before it.
func presetFirst(items []string) []string {
	var out []string
	from := 0 // where those after the last provider= begin
	for _, item := range items {
		switch key, _, _ := cutAssignment(item); key {
		case "provider":
			out = append(out, item)
			from = len(out)
		case "provider.preset":
			out = append(out[:from:from], append([]string{item}, out[from:]...)...)
			from++
		default:
			out = append(out, item)
		}
	}
	return out
}
