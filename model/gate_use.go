package model

import (
	"fmt"
	"slices"

	"github.com/stampede-sim/stampede/policies"
)

// gateTally is what a group's gate had to do with requests larger than its bucket.
type gateTally struct {
	path     string // of the gate in the scenario
	holds    int64  // tokens; 0 if it counts none
	rule     policies.Oversize
	oversize int64 // operations
}

func (c *Config) newGateTally(g *Group) gateTally {
	gate, err := c.gateOf(g)
	if err != nil || gate == nil {
		return gateTally{}
	}
	path := JoinPath([]string{"gates", g.Gate.Name})
	if g.Gate.Name == "" {
		at := slices.IndexFunc(c.Clients, func(other Group) bool { return other.Name == g.Name })
		path = fmt.Sprintf("clients.%d.gate", at)
	}
	holds, _ := gate.HoldsTokens()
	return gateTally{path: path, holds: holds, rule: gate.Oversize}
}

// Entered counts an operation that asks its group's gate for the first time, by the
// tokens that its client reckons with.
func (t *Tally) Entered(g int, tokens int64) {
	if gate := &t.group(g).gate; gate.holds > 0 && tokens > gate.holds {
		gate.oversize++
	}
}

// warning says what became of requests larger than the gate's bucket; "" if there were none.
func (g *gateTally) warning() string {
	if g.oversize == 0 {
		return ""
	}
	does := map[policies.Oversize]string{
		policies.RejectOversize:   "they were refused at once",
		policies.BorrowOversize:   "each went when the bucket was full, and the next waited until the debt was repaid",
		policies.WhenFullOversize: "each went when the bucket was full and paid no more than that, so more tokens went through than the rate allows",
	}
	return fmt.Sprintf("%s.burst: %s of more tokens than the %d that its bucket holds; %s (oversize: %s)",
		g.path, were(g.oversize), g.holds, does[g.rule], g.rule)
}
