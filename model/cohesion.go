package model

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// alikeWaits counts a layer's waits, and those that had no draw in them, by how long they
// were.
type alikeWaits struct {
	policy string
	write  string     // what would spread its longest backoff
	same   []sameWait // of the first mostAlike lengths that came
}

// sameWait is a wait that many had, to the nanosecond.
type sameWait struct {
	wait time.Duration
	by   policies.Alike
	n    int64
}

const (
	mostAlike = 16
	cohort    = 10 // fewer are no herd
)

// WaitsAlike counts a wait before a retry, made by a layer, that has no draw in it.
func (t *Tally) WaitsAlike(g, layer int, wait time.Duration, by policies.Alike) {
	if group := t.group(g); layer < len(group.cohesion) {
		group.cohesion[layer].count(wait, by)
	}
}

// waitsOf is how many waits a layer made: one before each of its retries, and those that go on.
func (g *groupTally) waitsOf(layer int) (n int64) {
	if n = g.sent - g.started - g.hedges; g.layers != nil {
		n = g.layers[layer].retries
	}
	for _, s := range g.cohesion[layer].same {
		n = max(n, s.n)
	}
	return n
}

func (c *alikeWaits) count(wait time.Duration, by policies.Alike) {
	for i := range c.same {
		if s := &c.same[i]; s.wait == wait && s.by == by {
			s.n++
			return
		}
	}
	if len(c.same) < mostAlike {
		c.same = append(c.same, sameWait{wait, by, 1})
	}
}

// herd is how many could come back together.
func (g *groupTally) herd() int64 {
	if g.callers > 0 {
		return g.callers
	}
	return g.started
}

// warning says where most of a policy's waits were the same to the nanosecond; "" if they
// were not. herd is how many could come back together, waits how many waits there were.
func (c *alikeWaits) warning(herd, waits int64) string {
	if herd < cohort {
		return ""
	}
	var top sameWait
	for _, s := range c.same {
		if s.n > top.n {
			top = s
		}
	}
	if top.n < cohort || 2*top.n < waits {
		return ""
	}
	what, write := "", c.write
	if top.by == policies.AlikeHint {
		what, write = ", as the provider's hint asked", "hint.spread: 10%"
	}
	return fmt.Sprintf("%s: no spread at the cap: %d of %d waits were exactly %s%s, so those who fail together come back together; write %s",
		JoinPath([]string{"policies", c.policy}), top.n, waits, policies.FormatDuration(top.wait), what, write)
}
