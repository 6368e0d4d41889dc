package scenarios

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// pair is one key of a mapping with its value.
type pair struct {
	name       string
	key, value *yaml.Node
	merged     bool // by <<, so what is written in the mapping itself beats it
}

// pairs lists a mapping's keys in order, merged ones after its own, and reports
// those given twice.
func (d *decoder) pairs(n *yaml.Node, p path) []pair {
	var all []pair
	var merges []*yaml.Node
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if d.followed > 0 && d.exhausted(n, p) {
			break
		}
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		if key.Kind == yaml.AliasNode {
			name = key.Alias.Value
		}
		if resolve(key).Kind != yaml.ScalarNode {
			d.mistake(key, p, "a key is %s; write a word", kindOf(key))
			continue
		}
		if before := first[name]; before != nil {
			d.mistake(key, p.in(name), "given twice, first on line %d; keep one", before.Line)
			continue
		}
		first[name] = key
		if isMerge(key) {
			merges = append(merges, value)
		} else {
			all = append(all, pair{name: name, key: key, value: value})
		}
	}
	for _, m := range merges {
		for _, merged := range d.merge(m, p) {
			if first[merged.name] == nil {
				first[merged.name] = merged.key
				all = append(all, merged)
			}
		}
	}
	return all
}

// merge lists the keys that the value of a << brings in.
func (d *decoder) merge(n *yaml.Node, p path) []pair {
	source := resolve(n)
	switch {
	case d.exhausted(n, p):
		return nil
	case d.inside[source]:
		d.insideItself(n, p, "the keys that are meant")
		return nil
	case source.Kind == yaml.MappingNode, source.Kind == yaml.SequenceNode && n == source:
	default:
		d.suspect(p.in("<<"))
		d.mistake(n, p, "<< needs an anchor of a mapping, not %s; write one such as <<: *base", strings.TrimPrefix(kindOf(source), "the plain value "))
		return nil
	}
	d.inside[source] = true
	d.followed++
	defer func() {
		delete(d.inside, source)
		d.followed--
	}()
	var all []pair
	if source.Kind == yaml.MappingNode {
		all = d.pairs(source, p)
	} else {
		for _, item := range source.Content {
			all = append(all, d.merge(item, p)...)
		}
	}
	for i := range all {
		all[i].merged = true
	}
	return all
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

func resolve(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
