package policies

import "time"

// Multiplied draws each wait from the one before it: min(cap, prev * factor * (1 + U)),
// where prev is base at first. Source: the OpenAI cookbook's own loop,
// `delay *= exponential_base * (1 + jitter * random.random())`, which sleeps after that.
//
//	retry (base 1s, cap 20s)  1   2    3    4    5
//	least                     2s  4s   8s   16s  20s
//	most                      4s  16s  20s  20s  20s
type Multiplied struct {
	Base   time.Duration `yaml:"base" min:"0"`   // default 1s; 0 retries at once
	Factor float64       `yaml:"factor" min:"0"` // default 2
	Cap    time.Duration `yaml:"cap" min:"0"`    // default 20s
}

// SetDefaults fills what a scenario leaves out.
func (m *Multiplied) SetDefaults() {
	*m = Multiplied{Base: time.Second, Factor: 2, Cap: 20 * time.Second}
}

// Check finds a cap below the base.
func (m Multiplied) Check() []Problem { return checkCap(m.Base, m.Cap) }

// Wait draws the next wait from r.U and r.Prev.
func (m Multiplied) Wait(r Retry) time.Duration {
	prev := m.Base
	if r.N > 0 {
		prev = r.Prev
	}
	return clamp(float64(float64(prev)*m.Factor)*(1+r.U), m.Cap)
}
