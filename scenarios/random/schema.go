package random

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Language is what a JSON Schema of scenarios says, as far as drawing one needs it.
type Language struct {
	root *node
	defs map[string]*node
}

// node is a schema.
type node struct {
	Ref              string           `json:"$ref"`
	Type             any              `json:"type"`
	OneOf            []*node          `json:"oneOf"`
	AllOf            []*node          `json:"allOf"`
	Enum             []any            `json:"enum"`
	Pattern          string           `json:"pattern"`
	Minimum          json.Number      `json:"minimum"`
	Maximum          json.Number      `json:"maximum"`
	ExclusiveMinimum json.Number      `json:"exclusiveMinimum"`
	Items            *node            `json:"items"`
	MinItems         int              `json:"minItems"`
	MaxItems         *int             `json:"maxItems"`
	Properties       properties       `json:"properties"`
	Required         []string         `json:"required"`
	Additional       json.RawMessage  `json:"additionalProperties"`
	Names            *node            `json:"propertyNames"`
	Defs             map[string]*node `json:"$defs"`

	def  string // the definition it is of, "Scenario" for the whole
	rest *node  // of keys that are no properties; nil where there are none
}

// properties keeps the order of the file.
type properties []property

type property struct {
	key string
	*node
}

func (p *properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		n := &node{}
		if err := d.Decode(n); err != nil {
			return fmt.Errorf("%v: %w", key, err)
		}
		*p = append(*p, property{key.(string), n})
	}
	return nil
}

// Read reads a JSON Schema of scenarios.
func Read(schema []byte) (*Language, error) {
	root := &node{}
	if err := json.Unmarshal(schema, root); err != nil {
		return nil, err
	}
	l := &Language{root: root, defs: root.Defs}
	if err := root.name("Scenario"); err != nil {
		return nil, err
	}
	for name, def := range l.defs {
		if err := def.name(name); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// name tells a definition's nodes where they stand.
func (n *node) name(def string) error {
	if n == nil {
		return nil
	}
	n.def = def
	if len(n.Additional) > 0 && n.Additional[0] == '{' {
		n.rest = &node{}
		if err := json.Unmarshal(n.Additional, n.rest); err != nil {
			return err
		}
	}
	below := slices.Concat(n.OneOf, n.AllOf, []*node{n.Items, n.rest})
	for _, p := range n.Properties {
		below = append(below, p.node)
	}
	for _, b := range below {
		if err := b.name(def); err != nil {
			return err
		}
	}
	return nil
}

// of follows a reference.
func (l *Language) of(n *node) *node {
	for n.Ref != "" {
		n = l.defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	}
	return n
}

func (n *node) isObject() bool { return n.Type == "object" }

// forms are the ways to write a value: n itself, or what it is one of.
func (l *Language) forms(n *node) []*node {
	n = l.of(n)
	if n.OneOf == nil {
		return []*node{n}
	}
	var all []*node
	for _, of := range n.OneOf {
		all = append(all, l.forms(of)...)
	}
	return all
}

func (n *node) property(key string) *node {
	for _, p := range n.Properties {
		if p.key == key {
			return p.node
		}
	}
	return nil
}

// fits says whether a mapping could be of this form.
func (n *node) fits(m map[string]any) bool {
	if !n.isObject() {
		return false
	}
	for key := range m {
		if n.property(key) == nil && n.rest == nil {
			return false
		}
	}
	return !slices.ContainsFunc(n.Required, func(key string) bool { _, given := m[key]; return !given })
}

// Uses lists what a scenario's tree makes use of: keys as LimitConfig.axis, words as
// LimitConfig.axis=tokens. One may come more than once.
func (l *Language) Uses(tree any) []string {
	return l.uses(nil, l.root, tree, "")
}

func (l *Language) uses(all []string, n *node, value any, id string) []string {
	switch x := value.(type) {
	case map[string]any:
		for _, form := range l.forms(n) {
			if !form.fits(x) {
				continue
			}
			for key, below := range x {
				if of := form.property(key); of != nil {
					at := form.def + "." + key
					all = append(all, at)
					all = l.uses(all, of, below, at)
				} else {
					all = l.uses(all, form.rest, below, id)
				}
			}
			break
		}
	case []any:
		for _, form := range l.forms(n) {
			if form.Items != nil {
				for _, item := range x {
					all = l.uses(all, form.Items, item, id)
				}
			}
		}
	case string:
		for _, form := range l.forms(n) {
			if slices.Contains(form.Enum, any(x)) {
				all = append(all, id+"="+x)
			}
		}
	}
	return all
}

// Everything lists all that a scenario could make use of, as Uses does, in order of name.
func (l *Language) Everything() []string {
	seen := map[string]bool{}
	var walk func(n *node, id string)
	walk = func(n *node, id string) {
		for _, form := range l.forms(n) {
			for _, word := range form.Enum {
				if text, is := word.(string); is {
					seen[id+"="+text] = true
				}
			}
			if form.Items != nil {
				walk(form.Items, id)
			}
			if form.rest != nil {
				walk(form.rest, id)
			}
			for _, p := range form.Properties {
				at := form.def + "." + p.key
				if !seen[at] {
					seen[at] = true
					walk(p.node, at)
				}
			}
		}
	}
	walk(l.root, "")
	var all []string
	for id := range seen {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}
