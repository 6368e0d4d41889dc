package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// CancelConfig says which operations their users take back, and when.
type CancelConfig struct {
	Probability Share        `yaml:"probability"`    // of all operations, so many; default 100%
	After       DurationDist `yaml:"after,required"` // from the intended start; one that is over by then has not been taken back
}

// SetDefaults fills what a scenario leaves out.
func (c *CancelConfig) SetDefaults() { c.Probability = Whole }

// Check finds a share that is none.
func (c CancelConfig) Check() []policies.Problem {
	switch {
	case c.Probability == 0:
		return []policies.Problem{{Key: "probability", Text: "0 takes nothing back; write a share such as 1%, or remove cancel"}}
	case c.Probability > Whole:
		return []policies.Problem{{Key: "probability", Text: c.Probability.String() + " is more than all; write at most 100%"}}
	}
	return nil
}

// cancel is a group's `cancel` made ready to draw from.
type cancel struct {
	chance float64 // 0: never
	after  sampler
}

func (c *CancelConfig) compile(known tables) cancel {
	if c == nil {
		return cancel{}
	}
	return cancel{float64(c.Probability) / float64(Whole), c.After.compile(known)}
}

// Cancels says whether any operation is taken back.
func (d *Draws) Cancels() bool { return d.cancel.chance > 0 }

// Cancel is how long after its start an operation is taken back; policies.Never if it
// is not.
func (d *Draws) Cancel(operation Key) time.Duration {
	if d.cancel.chance < 1 && operation.At(uint64(drawCancel)).Uniform() >= d.cancel.chance {
		return policies.Never
	}
	return time.Duration(d.cancel.after.ofOperation(operation, drawCancelAfter))
}
