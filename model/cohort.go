package model

import (
	"fmt"

	"github.com/stampede-sim/stampede/policies"
)

// Cohort is a group made ready to run: what a driver of its clients needs, in
// virtual time or on sockets. It is immutable.
type Cohort struct {
	*Group
	Loop  *policies.Client
	Draws *Draws
	First int                // number of its first client, over all groups in order of name
	gate  int                // number of its first gate; -1 without
	rate  *policies.Estimate // how it reckons tokens before a gate that counts them; nil elsewhere
	each  int                // 1 where each client has its own gate, else 0
}

// GateOf returns the number of the gate before a client, by its number within the
// group, or -1 where nothing holds it back.
func (co *Cohort) GateOf(client int) int { return co.gate + co.each*client }

// Shown is how many tokens of an attempt that ended were shown to whoever asked.
func (co *Cohort) Shown(a *policies.Answer) int64 {
	if a.End != policies.Succeeded && co.Loop.Stream().Buffers() {
		return 0
	}
	return a.Tokens
}

// Estimate is how many tokens an operation's request is reckoned to have, before a gate
// that counts them; elsewhere 0.
func (co *Cohort) Estimate(operation Key) int64 {
	if co.rate == nil {
		return 0
	}
	d := co.Draws
	return co.rate.Tokens(d.InputTokens(operation), d.output.ofOperation(operation, drawOutputTokens), d.ask.MaxTokens)
}

// Crowd is the clients of a scenario made ready to run.
type Crowd struct {
	Cohorts []Cohort               // in order of name
	Clients int                    // of all closed groups together
	Gates   []func() policies.Gate // a maker for each gate

	keys, tenants numbers
	pools         *Limits
}

// Crowd makes the clients of a config that has passed its checks ready to run.
func (c *Config) Crowd() (*Crowd, error) {
	keys, tenants, pools := numbers{}, numbers{}, NewLimits(c.Provider.Limits, nil)
	crowd := &Crowd{keys: keys, tenants: tenants, pools: pools}
	named := map[string]int{}
	for _, k := range c.Provider.faultKeys() {
		keys.of(k, "") // first, so that the provider knows their numbers
	}
	registry := policies.Default()
	for name, p := range c.Policies {
		registry[name] = p
	}
	for _, g := range byName(c.Clients) {
		if g.Arrive.Open() {
			g.Repeat.SetDefaults() // each arrival is one operation
		}
		var layers []policies.Policy
		for _, name := range g.Stack() {
			policy, known := registry[name]
			if !known {
				return nil, fmt.Errorf("group %q: there is no policy %q", g.Name, name)
			}
			layers = append(layers, policy)
		}
		gate, err := c.gateOf(&g)
		if err != nil {
			return nil, err
		}
		loop := policies.NewClient(policies.ClientConfig{Layers: layers, Timeouts: g.Timeouts, Stream: g.Stream, Streams: g.Request.Stream, Gate: gate})
		co := Cohort{Group: &g, Loop: loop, Draws: NewDraws(&g, &c.Provider), First: crowd.Clients, gate: -1}
		co.Draws.each = g.Request.Stream && c.Provider.paced() && (loop.Timeouts() != policies.Timeouts{} || co.Draws.Cancels() || loop.Hedges() > 0 || loop.Bounded())
		if gate != nil {
			co.gate, co.each = crowd.addGates(&g, gate, named)
			if gate.Tokens != nil {
				co.rate = &gate.Estimate
			}
		}
		co.Draws.ask.Key, co.Draws.ask.Tenant = keys.of(g.Key, g.Name), tenants.of(g.Tenant, g.Name)
		co.Draws.ask.Pool = pools.Pool(g.Pool)
		crowd.Cohorts = append(crowd.Cohorts, co)
		if !g.Arrive.Open() {
			crowd.Clients += g.Count
		}
	}
	return crowd, nil
}

// gateOf returns the gate a group stands behind, or nil.
func (c *Config) gateOf(g *Group) (*policies.GateConfig, error) {
	switch {
	case g.Gate == nil:
		return nil, nil
	case g.Gate.Name == "":
		return &g.Gate.GateConfig, nil
	}
	gate, known := c.Gates[g.Gate.Name]
	if !known {
		return nil, fmt.Errorf("group %q: there is no gate %q", g.Name, g.Gate.Name)
	}
	return &gate, nil
}

// addGates makes the gates of a group's scope, or finds the one its fleet shares.
func (w *Crowd) addGates(g *Group, gate *policies.GateConfig, named map[string]int) (first, each int) {
	first = len(w.Gates)
	n := 1
	switch gate.Scope {
	case policies.ClientScope:
		n, each = g.Count, 1
	case policies.FleetScope:
		if at, shared := named[g.Gate.Name]; shared && g.Gate.Name != "" {
			return at, 0
		}
		named[g.Gate.Name] = first
	}
	for range n {
		w.Gates = append(w.Gates, gate.New)
	}
	return first, each
}

// numbers are small numbers for names.
type numbers map[string]uint32

// of returns the number of a key or a tenant; a group that names none has its own.
func (n numbers) of(name, group string) uint32 {
	if name == "" {
		name = "\x00" + group
	}
	if _, known := n[name]; !known {
		n[name] = uint32(len(n))
	}
	return n[name]
}
