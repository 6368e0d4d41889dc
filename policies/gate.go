package policies

import "time"

// Ticket names one caller of a gate or a provider. The caller chooses it: small,
// dense, and its own until the call is over.
type Ticket uint32

// Never is the wake time of a machine that waits for nothing.
const Never = time.Duration(1<<63 - 1)

// Gate says who may send now. It never blocks and knows no clock: Enter and Leave
// change its state, Poll says who got in and when to ask again. Not safe for
// concurrent use.
type Gate interface {
	// Enter asks for a permit for so many tokens; lower priorities go first where the gate has any. It returns false to refuse at once.
	Enter(now time.Duration, t Ticket, tokens int64, priority uint8) bool
	// Leave gives a permit back and reports how the attempt ended; a caller that still waits withdraws. A stranger changes nothing.
	Leave(now time.Duration, t Ticket, end AttemptEnd)
	// Poll appends to buf the tickets that got a permit since the last call, first come first, and says when to ask again (Never: after the next Enter or Leave).
	Poll(now time.Duration, buf []Ticket) (granted []Ticket, wake time.Duration)
}

// GateScope says who shares one gate.
type GateScope string

// The scopes.
const (
	ClientScope GateScope = "client" // each client has its own
	WorkerScope GateScope = "worker" // one for each of a group's workers
	GroupScope  GateScope = "group"  // one for each group of clients
	FleetScope  GateScope = "fleet"  // one for every group that names the gate
)

// Words lists the scopes a scenario may name.
func (GateScope) Words() []string {
	return []string{string(ClientScope), string(WorkerScope), string(GroupScope), string(FleetScope)}
}

// PermitHold says how long a caller keeps its permit.
type PermitHold string

// The ways to hold a permit.
const (
	PerAttempt   PermitHold = "attempt"   // given back while backing off
	PerOperation PermitHold = "operation" // kept until the operation ends
)

// Words lists the ways a scenario may name.
func (PermitHold) Words() []string { return []string{string(PerAttempt), string(PerOperation)} }

// GateConfig is a gate of a scenario: permits, rates, or both.
type GateConfig struct {
	Concurrency Count         `yaml:"concurrency" min:"1"` // inside at once
	Requests    *Rate         `yaml:"requests"`            // let through, of a full bucket
	Tokens      *Rate         `yaml:"tokens"`              // the same, by the estimate
	Burst       time.Duration `yaml:"burst" above:"0"`     // a bucket holds what its rate gives in this time, rounded up, at least 1; default 1s
	Estimate    Estimate      `yaml:"estimate"`            // the tokens of a request, as the client knows them
	Oversize    Oversize      `yaml:"oversize"`            // a request of more tokens than the bucket; default borrow
	Scope       GateScope     `yaml:"scope"`               // default group
	Permit      PermitHold    `yaml:"permit"`              // default attempt
}

// SetDefaults fills what a scenario leaves out.
func (c *GateConfig) SetDefaults() {
	*c = GateConfig{Burst: time.Second, Oversize: BorrowOversize, Scope: GroupScope, Permit: PerAttempt}
	c.Estimate.SetDefaults()
}

// Paced says whether the gate has a rate.
func (c GateConfig) Paced() bool { return c.Requests != nil || c.Tokens != nil }

// Check finds a gate that would hold nobody back, or everybody.
func (c GateConfig) Check() []Problem {
	switch {
	case c.Requests != nil && c.Requests.N == 0:
		return []Problem{{"requests", "0 lets nobody through; write a rate such as 450/min"}}
	case c.Tokens != nil && c.Tokens.N == 0:
		return []Problem{{"tokens", "0 lets nobody through; write a rate such as 400000/min"}}
	case c.Concurrency == Unlimited && !c.Paced():
		return []Problem{{"concurrency", "unlimited holds nobody back; write a number, or remove the gate"}}
	case c.Concurrency == 0 && !c.Paced():
		return []Problem{{"", "has no limit; write concurrency: 3 or requests: 450/min"}}
	case c.Paced() && c.Permit == PerOperation && c.Concurrency == 0:
		return []Problem{{"permit", "has no effect without concurrency, since a rate is spent by each attempt; remove it"}}
	case c.Tokens == nil && c.Estimate != Estimate{Input: EstimateActual, Output: EstimateMaxTokens, Combine: EstimateSum}:
		return []Problem{{"estimate", "has no effect without tokens; remove it, or write tokens: 400000/min"}}
	}
	return nil
}

// New makes a gate for one scope.
func (c GateConfig) New() Gate {
	if c.Paced() {
		return NewPacedGate(c)
	}
	return NewConcurrencyGate(int64(c.Concurrency))
}
