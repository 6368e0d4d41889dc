package model

import (
	"slices"

	"github.com/stampede-sim/stampede/policies"
)

// permits returns how many permits the clients' gates have together; false where there
// are no gates, or one whose permits are not a number.
func (c *Config) permits() (total int64, known bool) {
	shared := map[string]bool{}
	for i := range c.Clients {
		g := &c.Clients[i]
		gate, err := c.gateOf(g)
		if err != nil || gate == nil {
			continue
		}
		if !slices.Contains(gate.Scope.Words(), string(gate.Scope)) {
			return 0, false
		}
		if gate.Scope == policies.FleetScope {
			if shared[g.Gate.Name] && g.Gate.Name != "" {
				continue
			}
			shared[g.Gate.Name] = true
		}
		n := int64(g.gates(gate.Scope))
		if gate.Concurrency < 1 || gate.Concurrency == policies.Unlimited {
			return 0, false
		}
		total, known = total+n*int64(gate.Concurrency), true
	}
	return total, known
}
