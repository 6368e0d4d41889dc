package policies

import "time"

// Policy is one retry loop: what is worth another attempt, how many, and how
// long to wait before each.
type Policy struct {
	Preset   string        `yaml:"preset"`             // a client preset whose keys stand for those left out here, such as openai-node@6.49; time-outs of the preset that could no longer fire, and failures that the triage here judges, are left out; default none
	Attempts Count         `yaml:"attempts" min:"1"`   // all of them, the first included; default unlimited
	Triage   Triage        `yaml:"triage"`             // default standard
	Backoff  BackoffConfig `yaml:"backoff"`            // default exponential: base 200ms, cap 20s, no jitter
	Hint     HintRule      `yaml:"hint"`               // what the server's wish for the next attempt is worth; default ignore
	Deadline time.Duration `yaml:"deadline" above:"0"` // of this layer, from its call: no retry is waited for that could not begin before it, and what is in flight then is left; default none
	Hedge    *Hedge        `yaml:"hedge"`              // of the innermost layer; default none
	Timeouts Timeouts      `yaml:"timeouts"`           // of the innermost layer: each for a group that leaves that one out
	Stream   StreamRule    `yaml:"stream"`             // of the innermost layer: each key for a group that leaves that one out
}

// SetDefaults fills what a scenario leaves out.
func (p *Policy) SetDefaults() {
	p.Attempts = Unlimited
	p.Triage.SetDefaults()
	p.Backoff.SetDefaults()
	p.Hint.SetDefaults()
}

// Check finds settings that could have no effect.
func (p Policy) Check() []Problem {
	if p.Attempts == 1 && p.Hint.Mode != IgnoreHint {
		return []Problem{{"hint", "has no effect with attempts: 1; remove it, or allow more attempts"}}
	}
	return nil
}

// Registry holds policies by name.
type Registry map[string]Policy

// Default returns the policies that need no definition: none, naive, full-jitter,
// equal-jitter and decorrelated. Each call returns a map of the caller's own, to extend.
func Default() Registry {
	base := func() (p Policy) {
		p.SetDefaults()
		return p
	}
	none, naive, full, equal, decorrelated := base(), base(), base(), base(), base()
	none.Attempts = 1
	none.Backoff = BackoffConfig{None: &NoBackoff{}, Jitter: NoJitter}
	full.Backoff.Jitter = FullJitter
	equal.Backoff.Jitter = EqualJitter
	decorrelated.Backoff = BackoffConfig{Decorrelated: &Decorrelated{}, Jitter: NoJitter}
	decorrelated.Backoff.Decorrelated.SetDefaults()
	return Registry{"none": none, "naive": naive, "full-jitter": full, "equal-jitter": equal, "decorrelated": decorrelated}
}
