package model

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// LimitConfig is one limit of a provider.
type LimitConfig struct {
	Axis      LimitAxis      `yaml:"axis,required"`
	Limit     int64          `yaml:"limit,required" min:"1" max:"1000000000000"` // so much in each `per`; on concurrency, at once
	Per       time.Duration  `yaml:"per" above:"0"`                              // required but on concurrency, which has none
	Algorithm Algorithm      `yaml:"algorithm"`                                  // default bucket
	Burst     int64          `yaml:"burst" min:"1" max:"1000000000000"`          // what a bucket holds; default limit
	Start     BucketStart    `yaml:"start"`                                      // of a bucket; default full
	Rejected  RejectedCharge `yaml:"rejected"`                                   // default free
	Charge    ChargeConfig   `yaml:"charge"`                                     // of an axis of tokens
	Settle    Settle         `yaml:"settle"`                                     // default never, completion on a leaky bucket
	Scope     LimitScope     `yaml:"scope"`                                      // default all
	Slices    time.Duration  `yaml:"slices" above:"0"`                           // a window is enforced in parts so long, each with its part of the limit, rounded down; default whole
	When      CheckTime      `yaml:"check"`                                      // default before
	Phase     time.Duration  `yaml:"phase" min:"0"`                              // when the first aligned window begins after time 0, less than per; default 0s
	Kind      LimitKind      `yaml:"kind"`                                       // default temporary
}

// settles says whether a charge is corrected when its request is done.
func (c *LimitConfig) settles() bool {
	if c.When == CheckAfter {
		return false
	}
	return c.Settle == SettleCompletion || c.Settle == "" && c.Algorithm == LeakyAlgorithm
}

// capacity is the most that may be used at once.
func (c *LimitConfig) capacity() int64 {
	if c.Burst > 0 {
		return c.Burst
	}
	limit, _ := c.window()
	return limit
}

// window is what is enforced: the limit and its time, or those of a slice.
func (c *LimitConfig) window() (limit int64, per time.Duration) {
	if c.Slices == 0 {
		return c.Limit, c.Per
	}
	limitOfSlice, _, _ := policies.MulDiv(uint64(c.Limit), uint64(c.Slices), uint64(c.Per))
	return int64(limitOfSlice), c.Slices
}

// Check finds settings that are missing or could have no effect.
func (c LimitConfig) Check() []policies.Problem {
	var found []policies.Problem
	problem := func(wrong bool, key, format string, args ...any) {
		if wrong {
			found = append(found, policies.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
		}
	}
	if c.Axis == LimitConcurrency {
		for _, g := range []struct {
			given bool
			key   string
		}{
			{c.Per != 0, "per"},
			{c.Algorithm != "", "algorithm"},
			{c.Burst != 0, "burst"},
			{c.Start != "", "start"},
			{c.Rejected != "", "rejected"},
			{c.Charge != ChargeConfig{}, "charge"},
			{c.Settle != "", "settle"},
			{c.Slices != 0, "slices"},
			{c.When != "", "check"},
			{c.Phase != 0, "phase"},
			{c.Kind != "", "kind"},
		} {
			problem(g.given, g.key, "has no effect on concurrency, which counts who is there; remove it")
		}
		return found
	}

	problem(c.Per == 0, "per", "is missing; write the time the limit is for, such as per: 1m")
	name := c.Algorithm
	if name == "" {
		name = BucketAlgorithm
	}
	if name.isWindow() {
		problem(c.Burst != 0, "burst", "has no effect on a %s, which has no bucket; remove it, or write algorithm: bucket", name)
		problem(c.Start != "", "start", "has no effect on a %s, which has no bucket; remove it, or write algorithm: bucket", name)
	} else {
		problem(c.Slices != 0, "slices", "has no effect on a %s, which has no window; write algorithm: fixed-window, or burst in place of slices", name)
	}
	problem(c.Phase != 0 && !name.isAligned(), "phase", "has no effect on a %s, which has no aligned windows; remove it, or write algorithm: fixed-window", name)
	if c.Per > 0 {
		problem(c.Phase >= c.Per && name.isAligned(), "phase", "is not less than per; write %s", policies.FormatDuration(c.Phase%c.Per))
		c.checkSlices(problem)
	}
	c.checkCharge(problem)
	return found
}

func (c *LimitConfig) checkSlices(problem func(wrong bool, key, format string, args ...any)) {
	switch limit, _ := c.window(); {
	case c.Slices == 0 || !c.Algorithm.isWindow():
	case c.Slices > c.Per:
		problem(true, "slices", "is longer than per; write at most %s", policies.FormatDuration(c.Per))
	case c.Per%c.Slices != 0:
		problem(true, "slices", "does not divide per; write one that does, such as %s", policies.FormatDuration(c.Per/(c.Per/c.Slices)))
	case limit == 0:
		problem(true, "slices", "leaves less than one for each slice; write longer ones, or a greater limit")
	}
}

func (c *LimitConfig) checkCharge(problem func(wrong bool, key, format string, args ...any)) {
	given, h := c.Charge, c.charge()
	settled := c.Settle == SettleCompletion
	if c.Axis == LimitRequests {
		problem(given != ChargeConfig{}, "charge", "has no effect on requests, which cost 1 each; remove it")
		problem(settled, "settle", "has no effect on requests, which cost 1 each; remove it")
		return
	}
	problem(c.Axis == LimitOutputTokens && given.Input != "" && given.Input != InputNone, "charge.input", "has no effect on output_tokens; remove it, or write axis: tokens")
	problem(c.Axis == LimitInputTokens && given.Output != "" && given.Output != OutputNone, "charge.output", "has no effect on input_tokens; remove it, or write axis: tokens")
	problem(h.input == InputNone && h.output == OutputNone, "charge", "charges nothing; write what is charged, such as charge: {input: actual}")
	problem(given.Unset.Given && h.output != OutputMaxTokens, "charge.unset", "has no effect where output is not charged by max_tokens; remove it")
	switch {
	case !h.max:
	case h.input == InputNone || h.output == OutputNone:
		problem(true, "charge.combine", "has no effect where only one part is charged; remove it")
	case h.output == OutputAsGenerated:
		problem(true, "charge.combine", "max cannot be told while the answer is being generated; write sum, or another output")
	}
	asGenerated := h.output == OutputAsGenerated
	problem(asGenerated && c.When == CheckAfter, "check", "after counts on completion what as-generated counts before; remove one of them")
	problem(asGenerated && h.input == InputNone && c.Rejected == RejectedCharged, "rejected", "has no effect where only generated tokens are charged; remove it")
	problem(settled && c.When == CheckAfter, "settle", "has no effect where check is after, since the charge is made on completion; remove it")
	problem(settled && c.When != CheckAfter && h.isReal(), "settle", "corrects nothing, since the charge is the real use already; remove it")
}

// SlopeConfig is a provider's acceleration limit.
type SlopeConfig struct {
	Axis  LimitAxis     `yaml:"axis,required"`
	Above policies.Rate `yaml:"above,required" example:"1000000/min"` // slower traffic is never refused; its unit is the time over which traffic is judged
	Grow  Share         `yaml:"grow,required" above:"0" example:"50%"`
	Per   time.Duration `yaml:"per,required" above:"0"` // a whole number of the unit of above
}

// Check finds what the slope cannot be judged by.
func (c SlopeConfig) Check() []policies.Problem {
	switch {
	case c.Axis == LimitConcurrency:
		return []policies.Problem{{Key: "axis", Text: "concurrency has no rate; write requests, tokens, input_tokens or output_tokens"}}
	case c.Above.N == 0 || c.Above.Per == 0:
		return []policies.Problem{{Key: "above", Text: "is 0, which would let nothing begin; write a rate such as 1000000/min"}}
	case c.Above.N > 1_000_000_000_000:
		return []policies.Problem{{Key: "above", Text: "is too large; write at most 1000000000000 in its unit"}}
	case c.Grow > 1000*Whole:
		return []policies.Problem{{Key: "grow", Text: "is too large; write at most 100000%"}}
	case c.Per%c.Above.Per != 0:
		return []policies.Problem{{Key: "per", Text: fmt.Sprintf("is not a whole number of %s, the unit of above; write one such as %s", policies.FormatDuration(c.Above.Per), policies.FormatDuration(15*c.Above.Per))}}
	}
	return nil
}
