package scenarios_test

import (
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

func TestNoneIsNoGate(t *testing.T) {
	const paced = "name: small\nclients: [{gate: paced}]\ngates: {paced: {requests: 5/s}}\n"
	for _, c := range []struct {
		says, text string
		set        []string
		gated      bool
	}{
		{"written", "name: small\nclients: [{gate: none}]\n", nil, false},
		{"set", paced, []string{"clients.0.gate=none"}, false},
		{"set in place of one in place", "name: small\nclients: [{gate: {concurrency: 3}}]\n", []string{"clients.0.gate=none"}, false},
		{"not set", paced, []string{"clients.0.gate=paced"}, true},
		{"a gate of that name", "name: small\nclients: [{gate: none}]\ngates: {none: {requests: 5/s}}\n", nil, true},
	} {
		s, err := scenarios.Decode("gate.yaml", []byte(c.text), c.set...)
		if err != nil {
			t.Errorf("%s: %v", c.says, err)
		} else if got := s.Clients[0].Gate != nil; got != c.gated {
			t.Errorf("%s: there is a gate: %v, want %v", c.says, got, c.gated)
		}
	}
}
