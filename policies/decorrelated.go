package policies

import "time"

// Clamp says where a decorrelated backoff meets its cap.
type Clamp string

// The two clamps in use.
const (
	// ClampAfter draws first: min(cap, U(base, 3*prev)). Waits pile up at exactly
	// the cap. Source: AWS, "Exponential Backoff And Jitter", its published program.
	ClampAfter Clamp = "after"
	// ClampBefore caps the range: U(base, min(cap, 3*prev)). No pile at the cap.
	// Source: Finagle's Backoff.scala.
	ClampBefore Clamp = "before"
)

// Words lists the clamps a scenario may name.
func (Clamp) Words() []string { return []string{string(ClampAfter), string(ClampBefore)} }

// Decorrelated draws each wait between base and three times the wait before it,
// which starts at base.
//
//	retry (base 200ms, cap 20s)  1      2      3      4      5       6
//	least                        200ms  200ms  200ms  200ms  200ms   200ms
//	most                         600ms  1.8s   5.4s   16.2s  20s     20s
type Decorrelated struct {
	Base  time.Duration `yaml:"base" min:"0"` // default 200ms
	Cap   time.Duration `yaml:"cap" min:"0"`  // default 20s
	Clamp Clamp         `yaml:"clamp"`        // default after
}

// SetDefaults fills what a scenario leaves out.
func (d *Decorrelated) SetDefaults() {
	*d = Decorrelated{Base: 200 * time.Millisecond, Cap: 20 * time.Second, Clamp: ClampAfter}
}

// Check finds a cap below the base.
func (d Decorrelated) Check() []Problem { return checkCap(d.Base, d.Cap) }

// Wait draws the next wait from r.U and r.Prev.
func (d Decorrelated) Wait(r Retry) time.Duration {
	top := 3 * float64(max(r.Prev, d.Base))
	if d.Clamp == ClampBefore {
		top = min(float64(d.Cap), top)
	}
	base := float64(d.Base)
	return clamp(base+float64(r.U*(top-base)), d.Cap)
}
