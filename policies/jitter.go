package policies

import "time"

// Jitter spreads a backoff, so that clients that failed together do not come
// back together.
type Jitter string

// The jitters, for a backoff of v. Source: AWS, "Exponential Backoff And Jitter".
const (
	NoJitter    Jitter = "none"  // v
	FullJitter  Jitter = "full"  // U(0, v)
	EqualJitter Jitter = "equal" // v/2 + U(0, v/2)
)

// Words lists the jitters a scenario may name.
func (Jitter) Words() []string {
	return []string{string(NoJitter), string(FullJitter), string(EqualJitter)}
}

type fullJitter struct{ of Backoff }

func (j fullJitter) Wait(r Retry) time.Duration {
	return time.Duration(r.U * float64(j.of.Wait(r)))
}

type equalJitter struct{ of Backoff }

func (j equalJitter) Wait(r Retry) time.Duration {
	v := j.of.Wait(r)
	return v/2 + time.Duration(r.U*float64(v-v/2))
}
