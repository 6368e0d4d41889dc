package policies

import "time"

// Retry is all a backoff may look at.
type Retry struct {
	N       int           // retries made so far: 0 before the first
	Prev    time.Duration // this loop's last backoff; 0 before the first
	Outcome Answer        // the failed attempt, with the server's hint
	U       float64       // its one uniform draw, in [0, 1): no generator crosses packages
}

// Backoff says how long to wait before a retry: never below 0, never above its
// cap. Safe for concurrent use.
type Backoff interface {
	Wait(r Retry) time.Duration
}

// BackoffConfig is a policy's `backoff`: one formula, and the jitter laid on it.
type BackoffConfig struct {
	None         *NoBackoff    `yaml:"none,one"`
	Constant     *Constant     `yaml:"constant,one"`
	Linear       *Linear       `yaml:"linear,one"`
	Exponential  *Exponential  `yaml:"exponential,one"` // the default
	Decorrelated *Decorrelated `yaml:"decorrelated,one"`
	Jitter       Jitter        `yaml:"jitter"` // laid on a backoff of v; default none; a decorrelated backoff draws its own
	Custom       Backoff       `yaml:"-"`      // for Go programs: used as it is, instead of all the above
}

// SetDefaults fills what a scenario leaves out.
func (c *BackoffConfig) SetDefaults() {
	c.Exponential = &Exponential{}
	c.Exponential.SetDefaults()
	c.Jitter = NoJitter
}

// Check finds a jitter that could have no effect.
func (c BackoffConfig) Check() []Problem {
	switch {
	case c.Jitter == NoJitter || c.Jitter == "":
	case c.Decorrelated != nil:
		return []Problem{{"jitter", "has no effect on a decorrelated backoff, which draws its own; remove it"}}
	case c.None != nil:
		return []Problem{{"jitter", "has no effect without a backoff; remove it, or write backoff: {exponential: {base: 200ms, cap: 20s}, jitter: full}"}}
	}
	return nil
}

// New makes the backoff that the config describes.
func (c BackoffConfig) New() Backoff {
	var formula Backoff
	switch {
	case c.Custom != nil:
		return c.Custom
	case c.Constant != nil:
		formula = *c.Constant
	case c.Linear != nil:
		formula = *c.Linear
	case c.Exponential != nil:
		formula = *c.Exponential
	case c.Decorrelated != nil:
		return *c.Decorrelated
	default:
		return NoBackoff{}
	}
	switch c.Jitter {
	case FullJitter:
		return fullJitter{formula}
	case EqualJitter:
		return equalJitter{formula}
	}
	return formula
}

// NoBackoff retries at once.
type NoBackoff struct{}

// Wait returns 0.
func (NoBackoff) Wait(Retry) time.Duration { return 0 }

// Constant waits the same time before every retry.
//
//	attempt  1    2    3    4
//	delay    30s  30s  30s  30s
type Constant struct {
	Delay time.Duration `yaml:"delay,short,required" min:"0"` // 0 retries at once
}

// Wait returns the delay.
func (c Constant) Wait(Retry) time.Duration { return c.Delay }

// Linear waits min(cap, base * (n+1)), n = 0 for the first retry.
//
//	retry (base 200ms, cap 20s)  1      2      3      4      100
//	delay                        200ms  400ms  600ms  800ms  20s
type Linear struct {
	Base time.Duration `yaml:"base" min:"0"` // default 200ms
	Cap  time.Duration `yaml:"cap" min:"0"`  // default 20s
}

// SetDefaults fills what a scenario leaves out.
func (l *Linear) SetDefaults() { *l = Linear{Base: 200 * time.Millisecond, Cap: 20 * time.Second} }

// Check finds a cap below the base.
func (l Linear) Check() []Problem { return checkCap(l.Base, l.Cap) }

// Wait returns min(cap, base * (n+1)).
func (l Linear) Wait(r Retry) time.Duration {
	return clamp(float64(l.Base)*float64(r.N+1), l.Cap)
}
