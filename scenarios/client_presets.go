package scenarios

import (
	"embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

//go:embed clients/*.yaml
var clientFiles embed.FS

// clientFamilies are the files of client presets, in the order in which they are listed.
var clientFamilies = [...]string{"openai", "anthropic", "frameworks", "clouds", "libraries"}

// ClientPreset is a client as data: the retry policy that a version of an SDK, a framework
// or a library has if nobody tells it otherwise. Its name is a policy's name.
type ClientPreset struct {
	Name   string   // openai-node@6.49
	Date   string   // of the facts: 2026-11
	Source string   // where they are from
	Grade  string   // how good that is: see GradeWords
	Note   string   // what a reader must know besides; often ""
	Open   []string // what the source leaves open, and what stands here
	Policy policies.Policy

	node *yaml.Node // the policy as a scenario would write it
}

// ClientPresets lists the client presets by family, each in the order of its file.
func ClientPresets() []ClientPreset { return slices.Clone(clientPresets()) }

// YAML is the preset as a scenario would define it.
func (p *ClientPreset) YAML() []byte {
	text, err := yaml.Marshal(map[string]any{"policies": map[string]*yaml.Node{p.Name: p.node}})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return text
}

var clientPresets = sync.OnceValue(func() []ClientPreset {
	var all []ClientPreset
	for _, f := range clientFamilies {
		data, err := clientFiles.ReadFile("clients/" + f + ".yaml")
		if err != nil {
			panic(err) // the files are part of the program
		}
		some, err := readClientPresets(data)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", f, err))
		}
		all = append(all, some...)
	}
	return all
})

// clientFile is a file of client presets. What an entry leaves out the file says.
type clientFile struct {
	Facts, Grade string
	Presets      []struct {
		Name, Facts, Grade, Source, Note string
		Open                             []string
		Policy                           yaml.Node
	}
}

func readClientPresets(data []byte) ([]ClientPreset, error) {
	var file clientFile
	if err := yaml.Load(data, &file, yaml.WithKnownFields()); err != nil {
		return nil, err
	}
	all := make([]ClientPreset, len(file.Presets)) // of which nobody must change anything that Policy points to
	for i := range file.Presets {
		e, p := &file.Presets[i], &all[i]
		*p = ClientPreset{
			Name: e.Name, Date: orElse(e.Facts, file.Facts), Grade: orElse(e.Grade, file.Grade),
			Source: e.Source, Note: e.Note, Open: e.Open, node: &e.Policy,
		}
		d := newDecoder(e.Name, p.node, reflect.TypeFor[policies.Policy](), overrides{})
		d.value(p.node, reflect.ValueOf(&p.Policy).Elem(), field{}, nil)
		if len(d.mistakes) > 0 {
			return nil, d.mistakes
		}
	}
	return all, nil
}

// fresh is the preset's policy, that shares nothing with another.
func (p *ClientPreset) fresh() (own policies.Policy) {
	d := newDecoder(p.Name, p.node, reflect.TypeFor[policies.Policy](), overrides{})
	d.value(p.node, reflect.ValueOf(&own).Elem(), field{}, nil)
	return own
}

// clientPreset finds a client preset by its whole name. Where there is none, it says what
// to write.
func clientPreset(name string) (*ClientPreset, string) {
	all := clientPresets()
	var names []string
	for i := range all {
		if all[i].Name == name {
			return &all[i], ""
		}
		names = append(names, all[i].Name)
	}
	const where = " (`simulate list --policies` names them)"
	if wrong := otherVersion(name); wrong != "" {
		return nil, wrong
	}
	return nil, fmt.Sprintf("there is no client preset %s%s%s", quote(name), nearPreset(name, names), where)
}

// otherVersion says which versions there are of a client whose name is known; "" where it
// is not.
func otherVersion(name string) string {
	base, version, versioned := strings.Cut(name, "@")
	var versions []string
	for _, p := range clientPresets() {
		if of, v, _ := strings.Cut(p.Name, "@"); of == base {
			versions = append(versions, v)
		}
	}
	switch {
	case versions == nil:
		return ""
	case versions[0] == "":
		return fmt.Sprintf("%s has no versions here; write %s", base, base)
	case !versioned:
		return fmt.Sprintf("%s is a client preset, whose version is part of its name; write %s", base, eitherOf(base, versions))
	}
	return fmt.Sprintf("there is no version %s of the client preset %s; write %s", quote(version), base, eitherOf(base, versions))
}

func eitherOf(base string, versions []string) string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = base + "@" + v
	}
	return either(names)
}

// nearPreset is "; did you mean X?" for a name that is near one of them, with its version
// or without.
func nearPreset(name string, names []string) string {
	if near := closest(name, names); near != "" {
		return didYouMean(name, names)
	}
	base, _, _ := strings.Cut(name, "@")
	var bases []string
	for _, n := range names {
		of, _, _ := strings.Cut(n, "@")
		bases = append(bases, of)
	}
	if near := closest(base, bases); near != "" {
		return "; did you mean " + names[slices.Index(bases, near)] + "?"
	}
	return ""
}

// addPresets defines the client presets that a config names and does not define itself.
func addPresets(c *model.Config, more ...string) {
	own := c.Policies
	for i := range c.Clients {
		more = append(more, c.Clients[i].Stack()...)
	}
	for _, name := range more {
		if _, defined := c.Policies[name]; defined {
			continue
		}
		for _, p := range clientPresets() {
			if p.Name != name {
				continue
			}
			if len(c.Policies) == len(own) {
				c.Policies = maps.Clone(own) // which others may share
			}
			if c.Policies == nil {
				c.Policies = map[string]policies.Policy{}
			}
			c.Policies[name] = p.fresh()
		}
	}
}
