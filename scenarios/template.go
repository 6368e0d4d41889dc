package scenarios

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Template is a scenario's text, parsed once, of which many scenarios are made that
// differ in a few keys. It is safe for concurrent use.
type Template struct {
	file string
	own  bool // it is the built-in scenario that the file is named after
	doc  *yaml.Node
	set  []string
}

// NewTemplate parses a scenario's text. The overrides hold for every scenario that is
// made of it, before those it is given itself.
func NewTemplate(file string, data []byte, set ...string) (*Template, error) {
	doc, mistakes := parse(file, data)
	if mistakes != nil {
		return nil, mistakes
	}
	return &Template{file: file, own: isOwn(file, data), doc: doc, set: slices.Clone(set)}, nil
}

// Scenario returns the scenario with more KEY=VALUE overrides. What is wrong with it is
// returned as [Mistakes], as [Decode] does.
func (t *Template) Scenario(set ...string) (*Scenario, error) {
	doc := *t.doc // overrides put copies in the place of what they change
	return t.decode(&doc, append(t.set[:len(t.set):len(t.set)], set...))
}

func (t *Template) decode(doc *yaml.Node, set []string) (*Scenario, error) {
	s := &Scenario{}
	over, wrong := override(doc, reflect.TypeFor[Scenario](), set)
	d := newDecoder(t.file, doc, reflect.TypeFor[Scenario](), over)
	d.mistakes, d.own = wrong, t.own
	if doc.Kind == yaml.MappingNode {
		d.value(doc, reflect.ValueOf(s).Elem(), field{}, nil)
		d.check(s)
		addPresets(&s.Config, s.Against)
	} else {
		d.mistake(doc, nil, "is %s; write keys, beginning with name: (`simulate show herd-100` prints a scenario)", kindOf(doc))
	}
	if len(d.mistakes) > 0 {
		return nil, d.mistakes.tidy()
	}
	return s, nil
}
