package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Config is everything a run needs: the body of a scenario.
type Config struct {
	Stop     Stop                           `yaml:"stop"`
	WarmUp   time.Duration                  `yaml:"warm_up" min:"0"` // operations that start earlier count in the series only; default 0s
	Slot     time.Duration                  `yaml:"slot" above:"0"`  // width of a bar of the histogram; default 50ms
	Provider ProviderConfig                 `yaml:"provider"`
	Clients  []Group                        `yaml:"clients,required,filled" example:"[{name: herd, count: 100}]"`
	Gates    map[string]policies.GateConfig `yaml:"gates"`
	Policies policies.Registry              `yaml:"policies"`
}

// SetDefaults fills what a scenario leaves out.
func (c *Config) SetDefaults() {
	c.Slot = 50 * time.Millisecond
	c.Stop.SetDefaults()
	c.Provider.SetDefaults()
}

// StopWhen says what ends a run.
type StopWhen string

// What can end a run.
const (
	AllDone StopWhen = "all-done" // the last operation, or the horizon
	Horizon StopWhen = "horizon"  // the horizon alone
)

// Words lists what a scenario may name.
func (StopWhen) Words() []string { return []string{string(AllDone), string(Horizon)} }

// Stop says when a run ends.
type Stop struct {
	When  StopWhen      `yaml:"when"`          // default all-done
	After time.Duration `yaml:"after" min:"0"` // the horizon: what happens before it is simulated; default 1h; 0 runs nothing
}

// SetDefaults fills what a scenario leaves out.
func (s *Stop) SetDefaults() { *s = Stop{When: AllDone, After: time.Hour} }

// Group is a number of clients that are alike. Groups start in order of name.
type Group struct {
	Name        string              `yaml:"name"`                         // default clients
	Count       int                 `yaml:"count" min:"0"`                // of a closed group; default 1
	Workers     int                 `yaml:"workers" min:"1" max:"100000"` // replicas that the clients are spread over: client n, or arrival n, is at worker n mod workers; a gate of scope worker is one each; default 1
	Arrive      Arrive              `yaml:"arrive"`
	Repeat      Repeat              `yaml:"repeat"`          // of a closed group; default one operation
	Priority    uint8               `yaml:"priority"`        // lower goes first where there is any; default 0
	Timeouts    policies.Timeouts   `yaml:"timeouts"`        // one left out is as the innermost policy says, and never fires where that has none
	Idempotency IdempotencyKey      `yaml:"idempotency_key"` // default none
	Request     RequestConfig       `yaml:"request"`
	Network     NetworkConfig       `yaml:"network"`
	Gate        *GroupGate          `yaml:"gate"`                         // a name under gates, a gate in place, or none; default none
	Key         string              `yaml:"key,filled" example:"main"`    // which limits of scope key it is charged to; default: its own, by its name
	Tenant      string              `yaml:"tenant,filled" example:"acme"` // which limits of scope tenant; default: its own, by its name
	Pool        string              `yaml:"pool,filled" example:"batch"`  // which limits of scope pool; default none
	Policy      string              `yaml:"policy"`                       // a name under policies, or one that needs no definition; default none (no retry)
	Layers      []string            `yaml:"layers,filled"`                // instead of policy, several: each, outermost first, tries again what the next has given up
	Stream      policies.StreamRule `yaml:"stream"`                       // what is left out is as the innermost policy says
	Cancel      *CancelConfig       `yaml:"cancel"`                       // default never
}

// SetDefaults fills what a scenario leaves out.
func (g *Group) SetDefaults() {
	g.Name, g.Count, g.Workers, g.Policy, g.Idempotency = "clients", 1, 1, "none", NoKey
	g.Repeat.SetDefaults()
	g.Arrive.SetDefaults()
	g.Request.SetDefaults()
}

// Stack is the names of the group's policies, outermost first.
func (g *Group) Stack() []string {
	if g.Layers != nil {
		return g.Layers
	}
	return []string{g.Policy}
}

// Under returns the group with its innermost policy replaced.
func (g Group) Under(policy string) Group {
	if g.Layers == nil {
		g.Policy = policy
		return g
	}
	g.Layers = slices.Clone(g.Layers)
	g.Layers[len(g.Layers)-1] = policy
	return g
}

// mostLayers is how many retry loops there may be around an attempt.
const mostLayers = 10

// Check finds a gate that would hold nobody back, and settings without effect.
func (g Group) Check() []policies.Problem {
	var found []policies.Problem
	if len(g.Layers) > mostLayers {
		found = append(found, policies.Problem{Key: "layers", Text: fmt.Sprintf("are %d retry loops around one another; write at most %d", len(g.Layers), mostLayers)})
	}
	if g.Stream != (policies.StreamRule{}) && !g.Request.Stream {
		found = append(found, policies.Problem{Key: "stream", Text: "has no effect on answers that come in one piece; write request: {stream: true}, or remove it"})
	}
	if g.Timeouts.IdleReset != "" && !g.Request.Stream {
		found = append(found, policies.Problem{Key: "timeouts.idle_reset", Text: "has no effect on answers that come in one piece; write request: {stream: true}, or remove it"})
	}
	if g.EachItsOwn() && g.Gate != nil && g.Gate.Name == "" && g.Gate.Scope == policies.ClientScope {
		found = append(found, policies.Problem{Key: "gate.scope", Text: ClientOfArrival})
	}
	return found
}

// EachItsOwn says whether each of the group's operations comes from a client of its own.
func (g *Group) EachItsOwn() bool { return g.Arrive.Open() && g.Arrive.OverClients == 0 }

// Population is how many clients a group has; 0 where each operation is one of its own.
func (g *Group) Population() int {
	if g.Arrive.Open() {
		return g.Arrive.OverClients
	}
	return g.Count
}

// ClientOfArrival says what is wrong with a gate for each client before operations that
// arrive of their own.
const ClientOfArrival = "client would hold nobody back, since each arrival is a client of its own; write group or fleet, or over_clients: 50 beside a trace"

// Arrive says when a group's operations start: those of a closed population of `count`
// clients, one each, or those of an open one, which come at a rate or out of a trace.
type Arrive struct {
	At          time.Duration     `yaml:"at" min:"0"`                            // default 0s
	Over        time.Duration     `yaml:"over" min:"0"`                          // closed: each client starts at a random instant of [at, at+over); default 0s: all at once
	Rate        *RateSteps        `yaml:"rate"`                                  // open: each arrival is one operation
	Process     Process           `yaml:"process"`                               // of the rate; default constant
	Ramp        bool              `yaml:"ramp"`                                  // the rate changes evenly from step to step, instead of at once; default false
	For         time.Duration     `yaml:"for" min:"0"`                           // of the rate: arrivals come in [at, at+for); default and 0s: up to the horizon
	Trace       string            `yaml:"trace,filled" example:"azure-conv.csv"` // open: a CSV file beside the scenario, each row of which is one operation; or one that comes with Stampede. Lengths that request says go before those of the rows
	Columns     TraceColumns      `yaml:"columns"`                               // of the trace; default azure
	Speed       Share             `yaml:"speed" above:"0"`                       // the trace goes so many times as fast; default 1
	Slice       *[2]time.Duration `yaml:"slice" min:"0"`                         // [from, to) of the trace, its first row being at 0s; from is replayed at the group's at; default all
	OverClients int               `yaml:"over_clients" min:"1" max:"1000000"`    // the trace's rows are dealt out to so many clients in turn; default: each is a client of its own

	Playback Playback `yaml:"-"` // of the trace
}

// SetDefaults fills what a scenario leaves out.
func (a *Arrive) SetDefaults() {
	a.Columns.Layout = AzureLayout
	a.Speed = Whole
}

// Check finds settings that belong to the other kind of population.
func (a Arrive) Check() []policies.Problem {
	switch {
	case a.Rate != nil && a.Trace != "":
		return []policies.Problem{{Key: "trace", Text: "has the arrivals that the rate would make up; remove one of them"}}
	case a.Trace != "":
		return a.checkTrace()
	case a.Columns != TraceColumns{Layout: AzureLayout}:
		return []policies.Problem{{Key: "columns", Text: withoutTrace}}
	case a.Speed != Whole:
		return []policies.Problem{{Key: "speed", Text: withoutTrace}}
	case a.Slice != nil:
		return []policies.Problem{{Key: "slice", Text: withoutTrace}}
	case a.OverClients != 0:
		return []policies.Problem{{Key: "over_clients", Text: withoutTrace}}
	}
	return a.checkRate()
}

const withoutTrace = "has no effect without a trace; write trace: azure-conv.csv, or remove it"

func (a Arrive) checkTrace() []policies.Problem {
	switch s := a.Slice; {
	case a.Over > 0:
		return []policies.Problem{{Key: "over", Text: "has no effect with a trace, which says when each operation starts; remove it"}}
	case a.For > 0:
		return []policies.Problem{{Key: "for", Text: "has no effect with a trace; write slice: [0s, 20m] to replay a part of it"}}
	case a.Ramp:
		return []policies.Problem{{Key: "ramp", Text: "has no effect with a trace, which says when each operation starts; remove it"}}
	case a.Process != Process{}:
		return []policies.Problem{{Key: "process", Text: "has no effect with a trace, which says when each operation starts; remove it"}}
	case s != nil && s[1] <= s[0]:
		return []policies.Problem{{Key: "slice", Text: fmt.Sprintf("runs from %s to %s, so nothing is in it; write a later end", written(s[0]), written(s[1]))}}
	}
	return nil
}

func (a Arrive) checkRate() []policies.Problem {
	switch {
	case a.Rate == nil && a.For > 0:
		return []policies.Problem{{Key: "for", Text: "has no effect without a rate; write rate: 5/s, or over: 20s for clients that start once"}}
	case a.Rate == nil && a.Ramp, a.Ramp && len(a.Rate.Steps) < 2:
		return []policies.Problem{{Key: "ramp", Text: "has no effect without steps of a rate; write rate: {0s: 5/s, 1m: 20/s}, or remove it"}}
	case a.Rate == nil && a.Process != Process{}:
		return []policies.Problem{{Key: "process", Text: "has no effect without a rate; write rate: 5/s, or over: 20s for clients that start at random instants"}}
	case a.Rate != nil && a.Over > 0:
		return []policies.Problem{{Key: "over", Text: "has no effect with a rate; write for: 20s to say how long operations arrive"}}
	}
	return nil
}

// Repeat says how often a client of a closed group asks.
type Repeat struct {
	Loop       Loop           `yaml:"loop"`               // default closed
	Gap        DurationDist   `yaml:"gap"`                // default 0
	Operations policies.Count `yaml:"operations" min:"1"` // of each client; default 1
}

// SetDefaults fills what a scenario leaves out.
func (r *Repeat) SetDefaults() { r.Loop, r.Operations = ClosedLoop, 1 }

// Loop says what the gap between a client's operations is counted from.
type Loop string

// The loops.
const (
	ClosedLoop Loop = "closed" // from the end of the operation before: who waits does not ask
	OpenLoop   Loop = "open"   // from its start: who waits asks all the same
)

// Words lists the loops a scenario may name.
func (Loop) Words() []string { return words(ClosedLoop, OpenLoop) }

// IdempotencyKey says what has a key of its own, by which a provider may know a request again.
type IdempotencyKey string

// What can have one.
const (
	KeyPerOperation IdempotencyKey = "operation" // all attempts of an operation share it
	KeyPerAttempt   IdempotencyKey = "attempt"   // which nobody will know again
	NoKey           IdempotencyKey = "none"
)

// Words lists what a scenario may name.
func (IdempotencyKey) Words() []string { return words(KeyPerOperation, KeyPerAttempt, NoKey) }

// RequestConfig is what a client asks for.
type RequestConfig struct {
	InputTokens  TokenDist      `yaml:"input_tokens"`       // default 0
	Cached       Share          `yaml:"cached"`             // share of the input that is cached, rounded down to tokens; default 0%
	OutputTokens TokenDist      `yaml:"output_tokens"`      // what the answer would be long; default 1
	MaxTokens    policies.Count `yaml:"max_tokens" min:"1"` // the answer is cut there; default unlimited
	Stream       bool           `yaml:"stream"`             // tokens arrive as they are made; default false
}

// SetDefaults fills what a scenario leaves out.
func (r *RequestConfig) SetDefaults() {
	r.OutputTokens = TokenDist{Constant: new(int64(1))}
	r.MaxTokens = policies.Unlimited
}

// Check finds a share above the whole.
func (r RequestConfig) Check() []policies.Problem {
	if r.Cached > Whole {
		return []policies.Problem{{Key: "cached", Text: fmt.Sprintf("%v of the input cannot be cached; write at most 100%%", r.Cached)}}
	}
	return nil
}

// NetworkConfig is the way between a client and the provider.
type NetworkConfig struct {
	OneWay DurationDist `yaml:"one_way"` // each way; default 0
}

// GroupGate is a group's `gate`: a name under gates, or a gate in place.
type GroupGate struct {
	Name                string `yaml:",short"`
	policies.GateConfig `yaml:",inline"`
}

// ProviderConfig is the provider of a scenario.
type ProviderConfig struct {
	Preset      string            `yaml:"preset"`        // whose keys stand for those left out here, such as openai/gpt-4o/tier-1; default none
	Flavour     Flavour           `yaml:"flavour"`       // whose headers and bodies it speaks; default openai
	Seats       policies.Count    `yaml:"seats" min:"1"` // requests served at once; default unlimited
	Queue       QueueConfig       `yaml:"queue"`
	Service     ServiceConfig     `yaml:"service"`
	Abandoned   AbandonedConfig   `yaml:"abandoned"`
	Refuses     Refusal           `yaml:"refuses"`
	Limits      []LimitConfig     `yaml:"limits"` // all must admit a request, or none is charged
	Slope       *SlopeConfig      `yaml:"slope"`  // default none
	Hint        HintConfig        `yaml:"hint"`
	Faults      []Fault           `yaml:"faults"`  // the first that matches wins
	Weather     []Weather         `yaml:"weather"` // what changes with time
	Idempotency IdempotencyConfig `yaml:"idempotency"`
	Price       *PriceConfig      `yaml:"price"` // default none
}

// SetDefaults fills what a scenario leaves out.
func (p *ProviderConfig) SetDefaults() {
	p.Flavour = OpenAIFlavour
	p.Seats = policies.Unlimited
	p.Queue.SetDefaults()
	p.Abandoned.SetDefaults()
	p.Idempotency.SetDefaults()
	p.Refuses.Status = 429
	p.Hint.SetDefaults()
}

// Check finds settings that could have no effect.
func (p ProviderConfig) Check() []policies.Problem {
	found := p.Service.check(p.Seats)
	problem := func(wrong bool, key, text string) {
		if wrong {
			found = append(found, policies.Problem{Key: key, Text: text})
		}
	}
	beside := ""
	if p.Preset != "" {
		beside = fmt.Sprintf(" (preset %s sets none)", p.Preset)
	}
	problem(p.Seats == policies.Unlimited && p.Queue.Places > 0, "queue", "has no effect while seats are unlimited"+beside+"; write seats: 10, or remove the queue")
	problem(p.Seats != policies.Unlimited && p.Queue.Reserve >= int64(p.Seats), "queue.reserve", "leaves no seat to other priorities; write fewer than seats")
	for i := range p.Weather {
		w, at := &p.Weather[i], fmt.Sprintf("weather.%d.", i)
		problem(w.Seats != nil && p.Seats == policies.Unlimited, at+"seats", "has no effect while seats are unlimited; write provider.seats, or remove the period")
		problem(w.Limits != nil && len(p.Limits) == 0, at+"limits", "has no effect without limits; write provider.limits, or remove the period")
	}
	return found
}

// ServiceConfig is how long an answer takes: first_token + (max(tokens, 1) - 1) * per_token.
type ServiceConfig struct {
	FirstToken DurationDist `yaml:"first_token"` // default 0
	PerToken   DurationDist `yaml:"per_token"`   // for each token after the first, drawn once an answer; default 0
	Pace       *PaceConfig  `yaml:"pace"`        // default: at full speed, however many
}

// Refusal is what a full house answers.
type Refusal struct {
	Status RefusalStatus `yaml:"status"` // 429 (default), 503 or 529
}

// HintConfig is what the provider tells those it refuses.
type HintConfig struct {
	RetryAfter RetryAfter    `yaml:"retry_after"`                   // a wait, exact (the true one) or none; default none
	Scale      Share         `yaml:"scale"`                         // the hint is this share of the wait; default 100%
	Late       time.Duration `yaml:"late" min:"0"`                  // it asks for so much more, as one reckoned too early does; default 0s
	Round      time.Duration `yaml:"round" min:"0"`                 // it is rounded up to a multiple of this; default 0s: not at all
	Format     []HintFormat  `yaml:"format"`                        // where and how it is written; default [seconds]
	Malformed  string        `yaml:"malformed,filled" example:"-5"` // what stands in retry-after instead, such as -5
}

// SetDefaults fills what a scenario leaves out.
func (h *HintConfig) SetDefaults() {
	h.Scale, h.Format = Whole, []HintFormat{SecondsFormat}
}

// Check finds settings of a hint that is never given.
func (h HintConfig) Check() []policies.Problem {
	if !h.RetryAfter.None() {
		return nil
	}
	for _, g := range []struct {
		given bool
		key   string
	}{{h.Scale != Whole, "scale"}, {h.Late > 0, "late"}, {h.Round > 0, "round"}, {h.Malformed != "", "malformed"}} {
		if g.given {
			return []policies.Problem{{Key: g.key, Text: "has no effect without a hint; write retry_after: exact, or a wait such as 1s"}}
		}
	}
	return nil
}
