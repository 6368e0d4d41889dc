package model

import (
	"testing"

	"github.com/stampede-sim/stampede/policies"
)

func TestPermitsOfAllGates(t *testing.T) {
	gate := func(permits policies.Count, scope policies.GateScope) *GroupGate {
		return &GroupGate{GateConfig: policies.GateConfig{Concurrency: permits, Scope: scope}}
	}
	named := &GroupGate{Name: "shared"}
	tests := []struct {
		says  string
		gates []*GroupGate // of groups of ten clients each
		want  int64
		known bool
	}{
		{"no gate has no permits", []*GroupGate{nil}, 0, false},
		{"a group's gate counts once", []*GroupGate{gate(3, policies.GroupScope)}, 3, true},
		{"a gate each counts for every client", []*GroupGate{gate(3, policies.ClientScope)}, 30, true},
		{"groups add up, those without a gate add nothing", []*GroupGate{gate(3, policies.GroupScope), nil, gate(4, policies.GroupScope)}, 7, true},
		{"a fleet's gate counts once for all who name it", []*GroupGate{named, named}, 5, true},
		{"fleet gates in place are one each", []*GroupGate{gate(2, policies.FleetScope), gate(2, policies.FleetScope)}, 4, true},
		{"a gate without a number of permits makes the sum unknown", []*GroupGate{gate(3, policies.GroupScope), gate(0, policies.GroupScope)}, 0, false},
		{"nor is one of a scope that is not known here", []*GroupGate{gate(3, "planet")}, 0, false},
	}
	for _, test := range tests {
		c := &Config{Gates: map[string]policies.GateConfig{"shared": {Concurrency: 5, Scope: policies.FleetScope}}}
		for _, g := range test.gates {
			c.Clients = append(c.Clients, Group{Count: 10, Gate: g})
		}
		if got, known := c.permits(); got != test.want || known != test.known {
			t.Errorf("%s: %d, %t; want %d, %t", test.says, got, known, test.want, test.known)
		}
	}
}
