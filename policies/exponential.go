package policies

import (
	"fmt"
	"time"
)

// Exponential waits min(cap, base * factor^(n+first)), n = 0 for the first retry.
// Source: AWS, "Exponential Backoff And Jitter" (2015), whose own program starts at
// first: 1; most SDKs start at 0.
//
//	retry (base 200ms, cap 20s)  1      2      3      4     5     6     7      8
//	delay, first: 0              200ms  400ms  800ms  1.6s  3.2s  6.4s  12.8s  20s
//	delay, first: 1              400ms  800ms  1.6s   3.2s  6.4s  12.8s 20s    20s
//
// Where a 429 says that the server throttles, it may begin with another base. Source:
// aws-sdk-go-v2, aws/retry/jitter_backoff.go: 50ms, and 1s after a throttle.
type Exponential struct {
	Base   time.Duration `yaml:"base" min:"0"`          // default 200ms; 0 retries at once
	Factor float64       `yaml:"factor" min:"0"`        // default 2; below 1 the waits shrink
	Cap    time.Duration `yaml:"cap" min:"0"`           // default 20s
	First  int           `yaml:"first" min:"0" max:"1"` // exponent of the first retry: 0 (default) or 1

	Throttled time.Duration `yaml:"throttled" above:"0"` // the base after a 429; default: the same
}

// SetDefaults fills what a scenario leaves out.
func (e *Exponential) SetDefaults() {
	*e = Exponential{Base: 200 * time.Millisecond, Factor: 2, Cap: 20 * time.Second}
}

// Check finds a cap below the base.
func (e Exponential) Check() []Problem { return checkCap(max(e.Base, e.Throttled), e.Cap) }

// Wait returns min(cap, base * factor^(n+first)).
func (e Exponential) Wait(r Retry) time.Duration {
	base := e.Base
	if e.Throttled > 0 && r.Outcome.Status == 429 {
		base = e.Throttled
	}
	return clamp(float64(base)*power(e.Factor, r.N+e.First), e.Cap)
}

// power is x^n by squaring. Products round alike on every machine, math.Pow does not.
func power(x float64, n int) float64 {
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result *= x
		}
		x *= x
	}
	return result
}

// clamp turns a wait in nanoseconds into one between 0 and limit; infinity and
// the product 0 * infinity, which is no number, are over every limit.
func clamp(ns float64, limit time.Duration) time.Duration {
	if !(ns < float64(limit)) {
		return max(0, limit)
	}
	return max(0, time.Duration(ns))
}

func checkCap(base, limit time.Duration) []Problem {
	if limit >= base {
		return nil
	}
	return []Problem{{"cap", fmt.Sprintf("is %s, below the base of %s, so every wait would be the cap; write at least %s", FormatDuration(limit), FormatDuration(base), FormatDuration(base))}}
}
