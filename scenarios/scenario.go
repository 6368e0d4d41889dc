package scenarios

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Scenario is a workload, a provider, policies, and what must come out.
type Scenario struct {
	Name         string `yaml:"name,required" example:"my-scenario"` // [a-z0-9-]+
	About        string `yaml:"about"`                               // a sentence for people
	Against      string `yaml:"against,filled" example:"naive"`      // a policy that `run` shows beside the scenario's own; default none
	Seed         uint64 `yaml:"seed"`                                // default 1
	model.Config `yaml:",inline"`
	Expect       []Expectation `yaml:"expect"`
}

// SetDefaults fills what a scenario leaves out.
func (s *Scenario) SetDefaults() {
	s.Seed = 1
	s.Config.SetDefaults()
}

// Load reads a built-in scenario by name, or else the file at a path, with
// KEY=VALUE overrides. What is wrong with it is returned as [Mistakes].
func Load(nameOrPath string, set ...string) (*Scenario, error) {
	file, text, err := Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Decode(file, text, set...)
}

// Read returns the text of a built-in scenario by name, or else of the file at a path,
// and what its mistakes call it. What is wrong is returned as [Mistakes].
func Read(nameOrPath string) (file string, text []byte, err error) {
	if data, ok := Source(nameOrPath); ok {
		return nameOrPath + ".yaml", data, nil
	}
	data, wrong := read(nameOrPath)
	if wrong != "" {
		return "", nil, Mistakes{{File: nameOrPath, Text: wrong}}
	}
	return nameOrPath, data, nil
}

func read(file string) (data []byte, text string) {
	f, err := os.Open(file)
	if err == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, mostBytes+1))
	}
	var pe *fs.PathError
	switch {
	case err == nil:
		return data, ""
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(file, `/\.`):
		return nil, "is neither a built-in scenario nor a file" + didYouMean(file, builtins()) + " (`simulate list` names the built-ins)"
	case errors.Is(err, fs.ErrNotExist):
		base := strings.TrimSuffix(file[strings.LastIndexAny(file, `/\`)+1:], ".yaml")
		return nil, "there is no such file" + didYouMean(base, builtins()) + " (`simulate list` names the built-in scenarios)"
	case errors.Is(err, syscall.EISDIR):
		return nil, "is a directory; name a scenario file in it"
	case errors.As(err, &pe):
		return nil, "cannot be read: " + pe.Err.Error()
	}
	return nil, "cannot be read: " + printable(err.Error())
}

// Decode reads a scenario's text; file is what its mistakes call it.
func Decode(file string, data []byte, set ...string) (*Scenario, error) {
	t, err := NewTemplate(file, data, set...)
	if err != nil {
		return nil, err
	}
	return t.Scenario()
}

// PolicyNames lists the policies that the scenario may name, its own and those
// that need no definition.
func (s *Scenario) PolicyNames() []string {
	names := slices.Collect(maps.Keys(s.Policies))
	for name := range policies.Default() {
		names = append(names, name)
	}
	for _, p := range clientPresets() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ResolvePolicy returns the policy of that name; the scenario's own definition wins.
func (s *Scenario) ResolvePolicy(name string) (policies.Policy, error) {
	if p, ok := s.Policies[name]; ok {
		return p, nil
	}
	if p, ok := policies.Default()[name]; ok {
		return p, nil
	}
	if p, wrong := clientPreset(name); wrong == "" {
		return p.fresh(), nil
	}
	if wrong := otherVersion(name); wrong != "" {
		return policies.Policy{}, errors.New(wrong)
	}
	few := slices.Collect(maps.Keys(s.Policies))
	for name := range policies.Default() {
		few = append(few, name)
	}
	slices.Sort(few)
	instead := orAnyOf(name, slices.Compact(few))
	if near := nearPreset(name, s.PolicyNames()); near != "" {
		instead = near
	} else if closest(name, few) == "" {
		instead += " (`simulate list --policies` names more)"
	}
	return policies.Policy{}, fmt.Errorf("there is no policy %s%s", quote(name), instead)
}

// With returns the scenario with every group's policy replaced, the innermost where there
// are several.
func (s *Scenario) With(policy string) (*Scenario, error) {
	if _, err := s.ResolvePolicy(policy); err != nil {
		return nil, err
	}
	with := *s
	with.Clients = slices.Clone(s.Clients)
	for i := range with.Clients {
		with.Clients[i] = with.Clients[i].Under(policy)
	}
	addPresets(&with.Config)
	return &with, nil
}
