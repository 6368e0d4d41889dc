package scenarios

import (
	"reflect"

	"go.yaml.in/yaml/v4"
)

// SweepFile is a sweep written as a file, in the words of the flags.
type SweepFile struct {
	Scenario string       `yaml:"scenario,required" example:"herd-100"` // a built-in scenario, or a path from where the file is
	About    string       `yaml:"about"`                                // a sentence for people
	Vary     []Vary       `yaml:"vary,required,filled" example:"[provider.seats=1..9/5]"`
	Set      []Assignment `yaml:"set"`                                      // KEY=VALUE, for every cell
	Seed     *uint64      `yaml:"seed"`                                     // default the scenario's
	Seeds    int          `yaml:"seeds" min:"1" max:"100000000"`            // of each cell; default 10
	Sample   int          `yaml:"sample" min:"1" max:"1000000"`             // cells drawn, in place of the whole grid
	Method   SampleMethod `yaml:"sample_method"`                            // default random
	Until    string       `yaml:"until" example:"median(wall_s) within 2%"` // when a cell has seeds enough
	Figures  []string     `yaml:"figures"`                                  // columns besides those there always are
}

// SampleMethod is how the cells of a sample are drawn.
type SampleMethod string

// The methods.
const (
	RandomSample   SampleMethod = "random" // each by itself
	LatinHypercube SampleMethod = "lhs"    // of N cells, one in each Nth of every key's range
)

// Words lists the methods.
func (SampleMethod) Words() []string { return []string{string(RandomSample), string(LatinHypercube)} }

// Assignment is KEY=VALUE as --set takes it.
type Assignment string

// IsSweepFile tells a sweep from a scenario: it names the scenario it is of.
func IsSweepFile(data []byte) bool {
	doc, mistakes := parse("", data)
	return mistakes == nil && doc.Kind == yaml.MappingNode && child(doc, "scenario") != nil && child(doc, "clients") == nil
}

// DecodeSweepFile reads a sweep's text; file is what its mistakes call it. What is wrong
// is returned as [Mistakes].
func DecodeSweepFile(file string, data []byte) (*SweepFile, error) {
	doc, mistakes := parse(file, data)
	if mistakes != nil {
		return nil, mistakes
	}
	f := &SweepFile{}
	d := newDecoder(file, doc, reflect.TypeFor[SweepFile](), overrides{})
	d.value(doc, reflect.ValueOf(f).Elem(), field{}, nil)
	if len(d.mistakes) > 0 {
		return nil, d.mistakes.tidy()
	}
	return f, nil
}
