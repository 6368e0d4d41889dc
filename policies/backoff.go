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
	Multiplied   *Multiplied   `yaml:"multiplied,one"`
	Steps        *Steps        `yaml:"steps,one"`
	Jitter       Jitter        `yaml:"jitter"`         // laid on a backoff of v; default none; decorrelated and multiplied draw their own
	Least        time.Duration `yaml:"least" min:"0"`  // no backoff is shorter, with jitter or without; what is drawn is drawn from here on: with jitter: full, U(least, v); default 0s
	Most         time.Duration `yaml:"most" above:"0"` // no backoff is longer, with jitter or without; what is drawn is cut to this, so waits pile up there; default: no bound
	Custom       Backoff       `yaml:"-"`              // for Go programs: used as it is, instead of all the above
}

// SetDefaults fills what a scenario leaves out.
func (c *BackoffConfig) SetDefaults() {
	c.Exponential = &Exponential{}
	c.Exponential.SetDefaults()
	c.Jitter = NoJitter
}

// Check finds a jitter and bounds that could have no effect.
func (c BackoffConfig) Check() []Problem {
	drawn := ""
	switch {
	case c.Decorrelated != nil:
		drawn = "a decorrelated"
	case c.Multiplied != nil:
		drawn = "a multiplied"
	}
	var out []Problem
	problem := func(wrong bool, key, text string) {
		if wrong {
			out = append(out, Problem{key, text})
		}
	}
	jittered := c.Jitter != NoJitter && c.Jitter != ""
	problem(jittered && drawn != "", "jitter", "has no effect on "+drawn+" backoff, which draws its own; remove it")
	problem(jittered && c.None != nil, "jitter", "has no effect without a backoff; remove it, or write backoff: {exponential: {base: 200ms, cap: 20s}, jitter: full}")
	for _, bound := range []struct {
		key   string
		given bool
	}{{"least", c.Least > 0}, {"most", c.Most > 0}} {
		problem(bound.given && drawn != "", bound.key, "has no effect on "+drawn+" backoff; its base and cap bound it")
		problem(bound.given && c.None != nil, bound.key, "has no effect without a backoff; remove it, or write backoff: {constant: 1s}")
	}
	if out == nil && c.Most > 0 && c.Most < c.Least {
		out = []Problem{{"most", "is below least, so every wait would be the same; write more than " + FormatDuration(c.Least)}}
	}
	return out
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
	case c.Steps != nil:
		formula = *c.Steps
	case c.Decorrelated != nil:
		return *c.Decorrelated
	case c.Multiplied != nil:
		return *c.Multiplied
	default:
		return NoBackoff{}
	}
	if c.Least == 0 && c.Most == 0 {
		switch c.Jitter {
		case NoJitter, "":
			return formula
		case FullJitter:
			return fullJitter{formula}
		case EqualJitter:
			return equalJitter{formula}
		}
	}
	s, _ := c.Jitter.span()
	return spanJitter{formula, s, c.Least, c.Most}
}

// longest is the longest wait that a backoff comes to without a draw, so that all who
// wait it wait alike; 0 where there is none.
func (c BackoffConfig) longest() time.Duration {
	if c.Custom != nil {
		return 0
	}
	s, _ := c.Jitter.span()
	var longest time.Duration
	switch e := c.Exponential; {
	case c.Decorrelated != nil && c.Decorrelated.Clamp != ClampBefore:
		return c.Decorrelated.Cap
	case c.Multiplied != nil:
		return c.Multiplied.Cap
	case c.Most > 0:
		return c.Most
	case s != span{whole, whole, 0}:
		return 0
	case c.Constant != nil:
		longest = c.Constant.Delay
	case c.Linear != nil:
		longest = c.Linear.Cap
	case e != nil && e.Factor > 1:
		longest = e.Cap
	case e != nil:
		longest = e.Base
	case c.Steps != nil && len(c.Steps.Waits) > 0:
		longest = c.Steps.Waits[len(c.Steps.Waits)-1]
	}
	return max(longest, c.Least)
}

// SpreadAdvice says what to write so that the longest wait is not the same for all.
func (c BackoffConfig) SpreadAdvice() string {
	switch {
	case c.Decorrelated != nil:
		return "clamp: before"
	case c.Multiplied != nil:
		return "a greater cap"
	case c.Most > 0:
		return "a greater most"
	}
	return "jitter: full"
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
