package policies

import "time"

// Steps waits what a list says, and its last again and again. With this any schedule can
// be written down that has no formula here, such as azcore's 0.8s * (2^try - 1) or
// azure-core's none at first.
//
//	retry (steps: [800ms, 2.4s, 5.6s])  1      2     3     4     5
//	delay                               800ms  2.4s  5.6s  5.6s  5.6s
type Steps struct {
	Waits []time.Duration `yaml:"waits,short,required,filled" min:"0" example:"[800ms, 2.4s, 5.6s]"` // before each retry; 0 retries at once
}

// Wait returns the step of r.N, or the last.
func (s Steps) Wait(r Retry) time.Duration {
	if len(s.Waits) == 0 {
		return 0
	}
	return s.Waits[min(r.N, len(s.Waits)-1)]
}
