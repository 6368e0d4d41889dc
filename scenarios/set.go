package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// setFile is what mistakes in an override call their file.
const setFile = "--set"

// overrides are the nodes that the scenario's own text does not have.
type overrides struct {
	shown  map[*yaml.Node]string // from KEY=VALUE, each with the path its mistakes show where that is not its own
	preset map[*yaml.Node]string // from a preset, each with its name
}

// override applies KEY=VALUE items, the last one last, to a document of type t.
// They change the tree before it is read, so that every check holds for them too.
func override(doc *yaml.Node, t reflect.Type, items []string) (overrides, Mistakes) {
	over := overrides{map[*yaml.Node]string{}, map[*yaml.Node]string{}}
	var wrong Mistakes
	for _, item := range presetFirst(items) {
		if at, err := over.apply(doc, t, item); err != nil {
			wrong = append(wrong, Mistake{File: setFile, Path: path(at).String(), Text: printable(err.Error())})
		}
	}
	over.expand(doc)
	return over, wrong
}

func (o overrides) apply(doc *yaml.Node, t reflect.Type, item string) (path, error) {
	key, text, ok := cutAssignment(item)
	if !ok {
		return nil, fmt.Errorf("%s has no =; write KEY=VALUE, such as clients.0.count=10", quote(item))
	}
	if strings.Trim(key, ".") == "" {
		return nil, errors.New("a key is missing before the =; write KEY=VALUE, such as clients.0.count=10")
	}
	if wrong := dots(key, t); wrong != "" {
		return nil, fmt.Errorf("%s %s", quote(key), wrong)
	}
	if meant := bracketed(key); meant != "" {
		return nil, fmt.Errorf("a name with a dot in it stands in brackets; write %s", meant)
	}
	at, err := model.SplitPath(key)
	if err != nil {
		return nil, fmt.Errorf("%s is no key: %w", quote(key), err)
	}
	if strings.TrimSpace(text) == "" {
		return at, errors.New("has no value; write one after the =")
	}
	value, mistakes := parse(setFile, []byte(text))
	if mistakes != nil {
		return at, errors.New(mistakes[0].Text)
	}
	if doc.Kind != yaml.MappingNode {
		return nil, nil // said once by the decoder
	}
	if key != "policy" {
		o.mark(value, "")
		changed, err := o.put(doc, t, nil, at, value)
		if err == nil {
			*doc = *changed
		}
		return at, err
	}
	o.mark(value, key)
	groups := resolve(child(doc, "clients"))
	if groups == nil {
		return nil, nil
	}
	for i := range groups.Content {
		at := path{"clients", strconv.Itoa(i), "policy"}
		if layers := resolve(child(resolve(groups.Content[i]), "layers")); layers != nil && len(layers.Content) > 0 {
			at = path{"clients", strconv.Itoa(i), "layers", strconv.Itoa(len(layers.Content) - 1)}
		}
		changed, err := o.put(doc, t, nil, at, value)
		if err != nil {
			return at, err
		}
		*doc = *changed
	}
	return path{key}, nil
}

// bracketed is a key below a client preset whose name has a dot, as it must be written; ""
// where it is no such key.
func bracketed(key string) string {
	for _, p := range clientPresets() {
		if rest, below := strings.CutPrefix(key, "policies."+p.Name); below && strings.Contains(p.Name, ".") {
			return path{"policies", p.Name}.String() + rest
		}
	}
	return ""
}

// cutAssignment splits at the first = that is not inside a quoted name.
func cutAssignment(s string) (key, value string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			if quoted, err := strconv.QuotedPrefix(s[i:]); err == nil {
				i += len(quoted) - 1
			}
		case '=':
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func (o overrides) mark(n *yaml.Node, shown string) {
	o.shown[n] = shown
	for _, c := range n.Content {
		o.mark(c, shown)
	}
}

// put returns what stands in n's place once value is set at rest below it. n is
// at done and of type t, and nil where the key is absent. Nodes on the way are
// copied: an anchor's other uses keep what they have.
func (o overrides) put(n *yaml.Node, t reflect.Type, done, rest path, value *yaml.Node) (*yaml.Node, error) {
	if len(rest) == 0 {
		return value, nil
	}
	t = bare(t)
	n = o.copied(resolve(n))
	if isList := t != nil && t.Kind() == reflect.Slice; isList || n != nil && n.Kind == yaml.SequenceNode {
		return n, o.putItem(n, t, done, rest, value)
	}
	n = o.opened(n, t)
	key := rest[0]
	if t != nil && t.Kind() == reflect.Struct {
		if f, ok := find(shapeOf(t).fields, key); ok && f.one {
			dropOthers(n, t, key)
		}
	}
	at := done.in(key)
	present := child(n, key)
	if present == nil && len(rest) > 1 && len(done) == 1 && done[0] == "policies" {
		if p, ok := policies.Default()[key]; ok {
			present = encode(reflect.ValueOf(p))
			o.mark(present, "")
		} else if policyPreset(key) != nil && rest[1] != "preset" {
			present = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{word("preset"), word(key)}}
			o.mark(present, "")
		}
	}
	if len(rest) > 1 && len(done) == 1 && done[0] == "policies" && rest[1] != "preset" {
		present = o.withPreset(present, reflect.TypeFor[policies.Policy](), policyPreset)
	}
	if len(rest) > 1 && len(done) == 0 && key == "provider" && rest[1] != "preset" {
		present = o.withPreset(present, reflect.TypeFor[model.ProviderConfig](), providerPreset)
	}
	below, err := o.put(present, step(t, key), at, rest[1:], value)
	if err != nil {
		return nil, err
	}
	name := word(key)
	o.shown[name] = ""
	setOwn(n, name, below)
	return n, nil
}

func (o overrides) putItem(n *yaml.Node, t reflect.Type, done, rest path, value *yaml.Node) error {
	switch {
	case n == nil || n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return fmt.Errorf("%s has no items, so there is no item %s; write the list whole: %s=[...]", done, quote(rest[0]), done)
	case n.Kind != yaml.SequenceNode:
		return fmt.Errorf("%s is not a list, so there is no %s in it", done, quote(rest[0]))
	}
	i := itemNumber(n, rest[0])
	if i < 0 {
		return noItem(n, done, rest)
	}
	var item reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		item = t.Elem()
	}
	below, err := o.put(n.Content[i], item, done.in(rest[0]), rest[1:], value)
	if err == nil {
		n.Content[i] = below
	}
	return err
}

// noItem says which items a list has instead.
func noItem(n *yaml.Node, done, rest path) error {
	write := func(step string) string { return append(done.in(step), rest[1:]...).String() }
	names := itemNames(n)
	has, last := "1 item", len(n.Content)-1
	if last > 0 {
		has = fmt.Sprintf("%d items", last+1)
	}
	switch near := didYouMean(rest[0], names); {
	case near != "":
		return fmt.Errorf("there is no item %s%s", quote(rest[0]), near)
	case !wholeForm.MatchString(rest[0]):
		first := write("0")
		if named := slices.IndexFunc(names, func(name string) bool { return name != "" }); named >= 0 {
			first += " or " + write(names[named])
		}
		return fmt.Errorf("there is no item %s; items go by number or name: write %s", quote(rest[0]), first)
	case last == 0:
		return fmt.Errorf("there is no item %s; %s has %s: write %s", quote(rest[0]), done, has, write("0"))
	case last == 1:
		return fmt.Errorf("there is no item %s; %s has %s: write %s or %s", quote(rest[0]), done, has, write("0"), write("1"))
	}
	return fmt.Errorf("there is no item %s; %s has %s: write %s to %s", quote(rest[0]), done, has, write("0"), write(strconv.Itoa(last)))
}

// dots says what is wrong with a key that has a dot too many, or begins or ends with one.
func dots(key string, t reflect.Type) string {
	steps := strings.Split(key, ".")
	if strings.ContainsAny(key, "[\"") || !slices.Contains(steps, "") {
		return ""
	}
	var meant path
	for i, s := range steps {
		inside := 0 < i && i < len(steps)-1
		if of := bare(t); s == "" && inside && of != nil && of.Kind() == reflect.Slice {
			s = "N"
		}
		if s != "" {
			meant, t = append(meant, s), step(t, s)
		}
	}
	what := "has two dots in a row"
	switch {
	case steps[0] == "":
		what = "begins with a dot"
	case steps[len(steps)-1] == "":
		what = "ends with a dot"
	}
	return what + "; write " + meant.String()
}

// itemNumber finds a list item by number, or else by its name; -1 where there is none.
func itemNumber(n *yaml.Node, step string) int {
	if i, err := strconv.Atoi(step); err == nil && wholeForm.MatchString(step) {
		if 0 <= i && i < len(n.Content) {
			return i
		}
		return -1
	}
	return slices.Index(itemNames(n), step)
}

// itemNames lists what the items of a list are called, "" where they have no name.
func itemNames(n *yaml.Node) []string {
	names := make([]string, len(n.Content))
	for i, item := range n.Content {
		if name := resolve(child(resolve(item), "name")); name != nil {
			names[i] = name.Value
		}
	}
	return names
}

// copied returns a copy of n that shares its children.
func (o overrides) copied(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Anchor = ""
	c.Content = slices.Clone(n.Content)
	if shown, over := o.shown[n]; over {
		o.shown[&c] = shown
	}
	return &c
}

// opened returns n as a mapping: a new one where nothing fits, and what a short
// form says (`hint: floor`, `backoff: exponential`) written out.
func (o overrides) opened(n *yaml.Node, t reflect.Type) *yaml.Node {
	if n != nil && n.Kind == yaml.MappingNode {
		return n
	}
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	o.shown[m] = ""
	if n == nil || isNull(n) || t == nil || t.Kind() != reflect.Struct {
		return m
	}
	is := shapeOf(t)
	key, value := "", n
	if f, ok := find(is.ones, n.Value); ok && f.needsNothing() {
		key, value = f.key, &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	} else if is.short != nil {
		key = is.short.key
	}
	if key != "" {
		m.Content = []*yaml.Node{word(key), value}
		o.shown[m.Content[0]] = ""
	}
	return m
}

// dropOthers removes the alternatives to key.
func dropOthers(n *yaml.Node, t reflect.Type, key string) {
	ones := shapeOf(t).ones
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if _, one := find(ones, n.Content[i].Value); !one || n.Content[i].Value == key {
			kept = append(kept, n.Content[i], n.Content[i+1])
		}
	}
	n.Content = kept
}

// child returns the value of a key, its own or merged; nil where there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	_, value := entry(n, key)
	return value
}

// entry finds a key with its value, its own or else a merged one; nil where there is none.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	return entryIn(n, name, map[*yaml.Node]bool{})
}

// entryIn looks into each mapping once, however often it is merged.
func entryIn(n *yaml.Node, name string, seen map[*yaml.Node]bool) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode || seen[n] {
		return nil, nil
	}
	seen[n] = true
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && !isMerge(n.Content[i]) {
			return n.Content[i], n.Content[i+1]
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, source := range sources {
			if key, value = entryIn(resolve(source), name, seen); value != nil {
				return key, value
			}
		}
	}
	return nil, nil
}
