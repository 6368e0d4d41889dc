package model

import (
	"fmt"

	"github.com/stampede-sim/stampede/policies"
)

// idleWorkers says where workers have no effect, since nothing is one for each of them. It
// is a warning, so that a comparison may go over gates of either scope.
func (c *Config) idleWorkers() (found []string) {
	for i := range c.Clients {
		g := &c.Clients[i]
		if g.Workers < 2 {
			continue
		}
		if gate, err := c.gateOf(g); err == nil && (gate == nil || gate.Scope != policies.WorkerScope) {
			found = append(found, fmt.Sprintf("clients.%d.workers: nothing is one for each worker, so this has no effect; write scope: worker in its gate", i))
		}
	}
	return found
}
