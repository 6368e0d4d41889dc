package model

import (
	"slices"
	"testing"

	"github.com/stampede-sim/stampede/policies"
)

func TestWorkersThatHaveNoEffectAreWarnedOf(t *testing.T) {
	const warning = "clients.0.workers: nothing is one for each worker, so this has no effect; write scope: worker in its gate"
	gate := func(scope policies.GateScope) policies.GateConfig {
		return policies.GateConfig{Concurrency: 1, Scope: scope}
	}
	for _, test := range []struct {
		says    string
		workers int
		gate    *GroupGate
		want    []string
	}{
		{"one worker, no gate", 1, nil, nil},
		{"no gate", 2, nil, []string{warning}},
		{"a gate for the whole group", 2, &GroupGate{GateConfig: gate(policies.GroupScope)}, []string{warning}},
		{"a gate for each worker", 2, &GroupGate{GateConfig: gate(policies.WorkerScope)}, nil},
		{"the same by name", 2, &GroupGate{Name: "local"}, nil},
	} {
		c := &Config{Gates: map[string]policies.GateConfig{"local": gate(policies.WorkerScope)}}
		c.SetDefaults()
		c.Clients = []Group{{Workers: test.workers, Gate: test.gate}}
		if got := NewTally(c).idle; !slices.Equal(got, test.want) {
			t.Errorf("%s: the tally warns of %q, want %q", test.says, got, test.want)
		}
	}
}
