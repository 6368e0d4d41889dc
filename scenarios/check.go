package scenarios

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

const (
	mostSlots      = 1_000_000
	mostName       = 100
	bytesPerClient = 250
)

var nameForm = regexp.MustCompile(`^[a-z0-9-]+$`)

// check finds what is wrong with the scenario as a whole. It says nothing of a
// part that could not be read.
func (d *decoder) check(s *Scenario) {
	if !d.isWrong("name") {
		d.checkName(s.Name)
	}
	if !d.unreadable("policies") {
		if _, err := s.ResolvePolicy(s.Against); s.Against != "" && err != nil {
			d.mistakeAt(path{"against"}, "%v", err)
		}
	}
	d.checkGroups(s)
	if name := s.Provider.Preset; d.given("provider", "preset") && !d.isWrong("provider", "preset") {
		if _, wrong := preset(name); wrong != "" {
			d.mistakeAt(path{"provider", "preset"}, "%s", printable(wrong))
		}
	}
	for name, p := range s.Policies {
		at := path{"policies", name, "preset"}
		if d.given(at...) && !d.isWrong(at...) {
			if _, wrong := clientPreset(p.Preset); wrong != "" {
				d.mistakeAt(at, "%s", printable(wrong))
			}
		}
	}
	d.checkFaults(s)
	d.checkEffects(s)
	if s.Slot > 0 && s.Stop.After/s.Slot > mostSlots && !d.isWrong("slot") && !d.isWrong("stop") {
		d.mistakeAt(path{"slot"}, "%s in slots of %s makes %s of them, and at most %s can be counted; write slot: %s, or an earlier stop.after",
			policies.FormatDuration(s.Stop.After), policies.FormatDuration(s.Slot), grouped(int64(s.Stop.After/s.Slot)), grouped(mostSlots), policies.FormatDuration(slotFor(s.Stop.After)))
	}
	d.checkNewNames(s)
	groups, summary := s.emptySummary()
	for i, e := range s.Expect {
		at := path{"expect", strconv.Itoa(i)}
		if d.full() || d.isWrong(at...) || e.Figure == "" {
			continue
		}
		if err := e.check(groups, summary); err != nil {
			d.mistakeAt(at, "%s", printable(err.Error()))
		}
	}
}

func (d *decoder) given(steps ...string) bool {
	_, whole := d.locate(steps)
	return whole
}

// IsName says whether a text can be a scenario's name.
func IsName(text string) bool { return nameForm.MatchString(text) && len(text) <= mostName }

func (d *decoder) checkName(name string) {
	n, _ := d.locate(path{"name"})
	switch {
	case !nameForm.MatchString(name):
		fit := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
		if fit == "" {
			fit = "my-scenario"
		}
		d.mistake(n, path{"name"}, "%s may hold only a-z, 0-9 and -; write %s", quote(name), shorten(fit))
	case len(name) > mostName:
		d.mistake(n, path{"name"}, "is longer than %d characters; write a shorter one", mostName)
	}
}

func (d *decoder) checkGroups(s *Scenario) {
	var total int64
	first := map[string]int{}
	for i, g := range s.Clients {
		if d.full() {
			return
		}
		at := path{"clients", strconv.Itoa(i)}
		total += min(int64(g.Count), 1<<40)
		if before, again := first[g.Name]; again && !d.isWrong(at.in("name")...) {
			d.mistakeAt(at.in("name"), "%s is the name of clients.%d too; write another", quote(g.Name), before)
		} else if g.Name == "" && !d.isWrong(at.in("name")...) && !d.isWrong(at...) {
			d.mistakeAt(at.in("name"), "is empty; write a name, or remove the key")
		}
		if _, again := first[g.Name]; !again {
			first[g.Name] = i
		}
		if d.given(at.in("policy")...) && !d.isWrong(at.in("policy")...) && !d.unreadable("policies") {
			if _, err := s.ResolvePolicy(g.Policy); err != nil {
				d.mistakeAt(at.in("policy"), "%v", err)
			}
		}
		d.loadTrace(&s.Clients[i], at)
		d.checkLayers(s, &g, at)
		if g.Gate != nil && g.Gate.Name == noGate && !d.given("gates", noGate) {
			s.Clients[i].Gate = nil
			continue
		}
		d.checkGate(g.Gate, s.Gates, at.in("gate"))
		if g.EachItsOwn() && g.Gate != nil && s.Gates[g.Gate.Name].Scope == policies.ClientScope && !d.isWrong(at...) {
			d.mistakeAt(at.in("gate"), "%s has scope: %s", quote(g.Gate.Name), model.ClientOfArrival)
		}
	}
	if total > sim.MaxSlots {
		at := path{"clients"}
		if len(s.Clients) == 1 {
			at = path{"clients", "0", "count"}
		}
		d.mistakeAt(at, "%s clients are too many; the most is %s (about %d GB)", grouped(total), grouped(sim.MaxSlots), sim.MaxSlots*bytesPerClient/1_000_000_000)
	}
}

// checkLayers finds policies of a stack that are not there, and settings of an outer one
// that only the innermost can have.
func (d *decoder) checkLayers(s *Scenario, g *model.Group, at path) {
	if !d.given(at.in("layers")...) || d.isWrong(at.in("layers")...) || d.unreadable("policies") {
		return
	}
	if d.given(at.in("policy")...) {
		d.mistakeAt(at.in("policy"), "stands beside layers, which name every policy; keep one")
	}
	for i, name := range g.Layers {
		below := at.in("layers").in(strconv.Itoa(i))
		p, err := s.ResolvePolicy(name)
		switch {
		case err != nil:
			d.mistakeAt(below, "%v", err)
		case i < len(g.Layers)-1 && p.Hedge != nil:
			d.mistakeAt(below, "%s has a hedge, which only the innermost layer can have; put it last, or remove the hedge", quote(name))
		}
	}
}

// noGate is the word for no gate.
const noGate = "none"

func (d *decoder) checkGate(g *model.GroupGate, gates map[string]policies.GateConfig, at path) {
	if g == nil || d.isWrong(at...) || d.unreadable("gates") || g.Name == "" && (g.Concurrency > 0 || g.Paced()) {
		return
	}
	if _, ok := gates[g.Name]; ok {
		return
	}
	names := slices.Sorted(maps.Keys(gates))
	instead := orAnyOf(g.Name, names)
	if instead == "" {
		instead = "; define it under gates, or write one in place, such as {concurrency: 3}"
	}
	d.mistakeAt(at, "there is no gate %s%s", quote(g.Name), instead)
}

// checkNewNames finds policies and gates that an override defines under a name that
// nothing uses, where it is like another.
func (d *decoder) checkNewNames(s *Scenario) {
	used := []string{s.Against}
	gates := slices.Sorted(maps.Keys(s.Gates))
	for _, g := range s.Clients {
		used = append(used, g.Stack()...)
		if g.Gate != nil {
			used = append(used, g.Gate.Name)
		}
	}
	for _, of := range []struct {
		key   string
		names []string
	}{{"policies", s.PolicyNames()}, {"gates", gates}} {
		n := resolve(child(d.doc, of.key))
		if n == nil || n.Kind != yaml.MappingNode || d.isWrong(of.key) {
			continue
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			_, over := d.set.shown[n.Content[i]]
			_, ready := policies.Default()[name]
			if !over || ready || policyPreset(name) != nil || slices.Contains(used, name) {
				continue
			}
			others := slices.DeleteFunc(slices.Clone(of.names), func(other string) bool { return other == name })
			if near := didYouMean(name, others); near != "" {
				d.mistakeAt(path{of.key, name}, "nothing uses this name%s", near)
			}
		}
	}
}

// checkFaults finds faults behind one that takes every attempt, and keys that nobody
// has.
func (d *decoder) checkFaults(s *Scenario) {
	faults := s.Provider.Faults
	if d.isWrong("provider", "faults") {
		return
	}
	for i := range faults {
		at := path{"provider", "faults", strconv.Itoa(i)}
		for k, key := range faults[i].Keys {
			has := func(g model.Group) bool { return g.Key == key }
			if !slices.ContainsFunc(s.Clients, has) && !d.unreadable("clients") && !d.isWrong(at...) {
				d.mistakeAt(at.in("keys").in(strconv.Itoa(k)), "no group has the key %s; write key: %s in a group, or remove it", quote(key), key)
			}
		}
		if i > 0 && faults[i-1].Always() {
			d.mistakeAt(at, "is never reached: the fault before it takes every attempt; move it up, or remove it")
			return
		}
	}
}

// slotFor returns the least round width (1, 2 or 5 times a power of ten) that
// divides the time into few enough slots.
func slotFor(after time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			if width := unit * digit; after/width <= mostSlots {
				return width
			}
		}
	}
}
