package model

import (
	"fmt"

	"github.com/stampede-sim/stampede/policies"
)

// Cohort is a group made ready to run: what a driver of its clients needs, in
// virtual time or on sockets. It is immutable.
type Cohort struct {
	*Group
	Loop    *policies.Client
	Draws   *Draws
	Reads   policies.HintForms // the forms of a hint that it can read: its innermost policy, which sends the requests, says
	First   int                // number of its first client, over all groups in order of name
	gate    int                // number of its first gate; -1 without
	gates   int                // that its clients are spread over, client by client
	rate    *policies.Estimate // how it reckons tokens before a gate that counts them; nil elsewhere
	dealt   int32              // how many clients a trace is dealt out to, at least 1; 0 without a trace
	gaps    *quantiles         // between arrivals; nil where they are exponential, or none
	sided   bool               // its operations have sides
	cancels bool               // users take some back
}

// GateOf returns the number of the gate before a client, by its number within the
// group, or -1 where nothing holds it back.
func (co *Cohort) GateOf(client int) int {
	if co.gates < 2 {
		return co.gate
	}
	return co.gate + client%co.gates
}

// Row is the number of an operation among those that came before it out of a trace; 0 in
// other groups.
func (co *Cohort) Row(client, operation int32) int32 {
	if co.dealt == 0 {
		return 0
	}
	return operation*co.dealt + client
}

// born names the operation that is the n-th to come in an open group.
func (co *Cohort) born(n int32) (client, operation int32) {
	if over := int32(co.Arrive.OverClients); over > 0 {
		return n % over, n / over
	}
	return n, 0
}

// Shown is how many tokens of an attempt that ended were shown to whoever asked.
func (co *Cohort) Shown(a *policies.Answer) int64 {
	if a.End != policies.Succeeded && co.Loop.Buffers() {
		return 0
	}
	return a.Tokens
}

// SeenAtEnd says whether an answer that succeeded is first seen when it is whole.
func (co *Cohort) SeenAtEnd(a *policies.Answer) bool {
	return !co.Request.Stream || a.Tokens == 0 || co.Loop.Buffers()
}

// Estimate is how many tokens an operation's request is reckoned to have, before a gate
// that counts them; elsewhere 0. The row is that of [Cohort.Row].
func (co *Cohort) Estimate(operation Key, row int32) int64 {
	if co.rate == nil {
		return 0
	}
	d := co.Draws
	input, output := d.sizes(operation, row)
	return co.rate.Tokens(input, output, d.ask.MaxTokens)
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
	named, tabulated := map[string]int{}, tables{}
	keys, tenants, pools := numbers{}, numbers{}, NewLimits(c.Provider.Limits, nil)
	crowd := &Crowd{keys: keys, tenants: tenants, pools: pools}
	for _, k := range c.Provider.faultKeys() {
		keys.of(k, "") // first, so that the provider knows their numbers
	}
	for _, g := range byName(c.Clients) {
		if g.Arrive.Open() {
			g.Repeat.SetDefaults() // each arrival is one operation
		}
		var layers []policies.Policy
		for _, name := range g.Stack() {
			policy, known := c.policy(name)
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
		co := Cohort{Group: &g, Loop: loop, Draws: newDraws(&g, &c.Provider, tabulated), Reads: policies.FormsOf(layers[len(layers)-1].Hint.Reads), First: crowd.Clients, gate: -1}
		co.sided, co.cancels = loop.HasSide(), co.Draws.Cancels()
		leaves := loop.Timeouts() != policies.Timeouts{} || co.Draws.Cancels() || loop.Hedges() > 0 || loop.Bounded()
		joins := c.Provider.Idempotency.Mode == IdempotencyAttach && g.Idempotency == KeyPerOperation
		co.Draws.each = g.Request.Stream && leaves && (c.Provider.paced() || joins)
		if gate != nil {
			co.gate, co.gates = crowd.addGates(&g, gate, named)
			if gate.Tokens != nil {
				co.rate = &gate.Estimate
			}
		}
		if g.Arrive.Open() {
			co.gaps = g.Arrive.Process.gaps(tabulated)
		}
		if g.Arrive.Trace != "" {
			if g.Arrive.Playback.Rows == nil {
				return nil, fmt.Errorf("group %q: the trace %s was not read; see Arrive.Playback", g.Name, g.Arrive.Trace)
			}
			co.dealt = int32(max(1, g.Arrive.OverClients))
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

// policy finds a policy by name; the scenario's own definition wins.
func (c *Config) policy(name string) (p policies.Policy, known bool) {
	if p, known = c.Policies[name]; !known {
		p, known = policies.Default()[name]
	}
	return p, known
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
func (w *Crowd) addGates(g *Group, gate *policies.GateConfig, named map[string]int) (first, n int) {
	first = len(w.Gates)
	if gate.Scope == policies.FleetScope {
		if at, shared := named[g.Gate.Name]; shared && g.Gate.Name != "" {
			return at, 1
		}
		named[g.Gate.Name] = first
	}
	n = g.gates(gate.Scope)
	for range n {
		w.Gates = append(w.Gates, gate.New)
	}
	return first, n
}

// gates is how many gates of a scope the group has.
func (g *Group) gates(scope policies.GateScope) int {
	switch scope {
	case policies.ClientScope:
		return g.Population()
	case policies.WorkerScope:
		return max(1, g.Workers)
	}
	return 1
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
