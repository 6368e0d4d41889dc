package scenarios

import (
	"embed"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// families are the files of presets, in the order in which they are listed.
var families = [...]string{"openai", "azure", "anthropic", "gemini", "groq", "mistral", "deepseek"}

// Preset is a provider as data: what one was known to do at a date.
type Preset struct {
	Name     string // openai/gpt-4o/tier-1
	Date     string // of the facts: 2026-10
	Source   string // where they are from
	Grade    string // how good that is: see GradeWords
	Note     string // what a reader must know besides; often ""
	Provider model.ProviderConfig

	node *yaml.Node // the provider as a scenario would write it
}

// GradeWords says what a preset's grade means.
func GradeWords(grade string) string {
	switch grade {
	case "D":
		return "official document or source code"
	case "T":
		return "third party's copy of an official page"
	case "O":
		return "observed on the wire"
	case "I":
		return "inferred from observations"
	}
	return "unverified"
}

// Presets lists the provider presets by family, each in the order of its file.
func Presets() []Preset { return slices.Clone(presets()) }

var presets = sync.OnceValue(func() []Preset {
	var all []Preset
	for _, f := range families {
		data, err := presetFiles.ReadFile("presets/" + f + ".yaml")
		if err != nil {
			panic(err) // the files are part of the program
		}
		some, err := readPresets(data)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", f, err))
		}
		all = append(all, some...)
	}
	return all
})

// presetFile is a file of presets: rules, each a provider whose limits have names and
// no numbers, and a table of the numbers. What an entry leaves out the file says.
type presetFile struct {
	Facts   string
	Grade   string
	Source  string
	Rules   map[string]yaml.Node
	Presets []struct {
		Name, Facts, Grade, Source, Note string
		Rules                            string
		Limits                           map[string]int64 `yaml:",inline"`
	}
}

func readPresets(data []byte) ([]Preset, error) {
	var file presetFile
	if err := yaml.Load(data, &file, yaml.WithKnownFields()); err != nil {
		return nil, err
	}
	all := make([]Preset, 0, len(file.Presets))
	for _, e := range file.Presets {
		p := Preset{Name: e.Name, Date: orElse(e.Facts, file.Facts), Grade: orElse(e.Grade, file.Grade), Source: orElse(e.Source, file.Source), Note: e.Note}
		rules, known := file.Rules[orElse(e.Rules, "standard")]
		if !known {
			return nil, fmt.Errorf("%s: there are no rules %q", e.Name, e.Rules)
		}
		var err error
		if p.node, err = provider(&rules, e.Limits); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		d := newDecoder(e.Name, p.node, reflect.TypeFor[model.ProviderConfig](), overrides{})
		d.value(p.node, reflect.ValueOf(&p.Provider).Elem(), field{}, nil)
		if len(d.mistakes) > 0 {
			return nil, d.mistakes
		}
		all = append(all, p)
	}
	return all, nil
}

func orElse(given, otherwise string) string {
	if given != "" {
		return given
	}
	return otherwise
}

// provider writes rules with the numbers of the limits that have one.
func provider(rules *yaml.Node, numbers map[string]int64) (*yaml.Node, error) {
	p := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	used := 0
	for i := 0; i+1 < len(rules.Content); i += 2 {
		key, value := rules.Content[i], rules.Content[i+1]
		if key.Value != "limits" {
			p.Content = append(p.Content, key, value)
			continue
		}
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for j := 0; j+1 < len(value.Content); j += 2 {
			n, given := numbers[value.Content[j].Value]
			if !given {
				continue
			}
			used++
			limit := *value.Content[j+1]
			limit.Content = append(slices.Clone(limit.Content), word("limit"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(n, 10)})
			list.Content = append(list.Content, &limit)
		}
		p.Content = append(p.Content, key, list)
	}
	if used != len(numbers) {
		return nil, fmt.Errorf("%d of its %d numbers are no limits of its rules", len(numbers)-used, len(numbers))
	}
	return p, nil
}

// word is a text in YAML, as an override or a preset writes it.
func word(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// preset finds a preset by its name, with or without the date of its facts. Where there
// is none, it says what to write.
func preset(name string) (*Preset, string) {
	base, date, dated := strings.Cut(name, "@")
	all := presets()
	var dates, names []string
	newest := -1
	for i := range all {
		names = append(names, all[i].Name)
		if all[i].Name != base {
			continue
		}
		if dated && all[i].Date == date {
			return &all[i], ""
		}
		dates = append(dates, all[i].Date)
		if newest < 0 || all[i].Date > all[newest].Date {
			newest = i
		}
	}
	switch {
	case newest >= 0 && !dated:
		return &all[newest], ""
	case newest >= 0:
		return nil, fmt.Sprintf("the facts of %s are of %s, not of %s; write %s@%s, or leave the date out",
			base, strings.Join(dates, " and "), quote(date), base, all[newest].Date)
	}
	if near := closest(base, names); near != "" {
		return nil, fmt.Sprintf("there is no preset %s; did you mean %s?", quote(name), near)
	}
	if family, step, _ := strings.Cut(base, "/"); step != "" {
		models := modelsOf(family, names)
		if step, _, _ = strings.Cut(step, "/"); len(models) > 0 && !slices.Contains(models, step) {
			return nil, fmt.Sprintf("there is no model %s; %s has %s (`simulate list --providers` names them)", quote(step), family, listed(models, "and"))
		}
	}
	return nil, fmt.Sprintf("there is no preset %s%s (`simulate list --providers` names them)", quote(name), presetsBelow(base, names))
}

// modelsOf lists the models that a family has presets of.
func modelsOf(family string, names []string) []string {
	var models []string
	for _, n := range names {
		if rest, of := strings.CutPrefix(n, family+"/"); of {
			if model, _, _ := strings.Cut(rest, "/"); !slices.Contains(models, model) {
				models = append(models, model)
			}
		}
	}
	return models
}

// presetsBelow names what follows as much of a name as any preset begins with.
func presetsBelow(name string, names []string) string {
	for at := name + "/"; ; at = at[:1+strings.LastIndexByte(at[:len(at)-1], '/')] {
		var next []string
		for _, n := range names {
			if rest, below := strings.CutPrefix(n, at); below {
				step, _, deeper := strings.Cut(rest, "/")
				if step = at + step; deeper {
					step += "/..."
				}
				if !slices.Contains(next, step) {
					next = append(next, step)
				}
			}
		}
		if len(next) > 0 || at == "" {
			return "; write " + either(next)
		}
	}
}
