package model

import "github.com/stampede-sim/stampede/policies"

// mostCharge is the most one charge can be, above every limit, so that sums stay
// far from overflow.
const mostCharge = 1 << 40

// ChargeConfig is what a request costs on an axis of tokens. The axis says which
// parts count: input_tokens has no output, output_tokens no input.
//
//	provider             input     output        combine  unset
//	OpenAI, documented   chars/4   max_tokens    max      0
//	Azure gpt-4, gpt-4o  azure     max_tokens    sum      640
//	Azure gpt-3.5-turbo  none      max_tokens    sum      16
//	Anthropic input      uncached  none
//	Anthropic output     none      as-generated
//	Gemini               actual    none
//	Cerebras, Groq       actual    max_tokens    sum
type ChargeConfig struct {
	Input   InputCharge  `yaml:"input"`   // default actual; none on output_tokens
	Output  OutputCharge `yaml:"output"`  // default max_tokens; none on input_tokens; actual where check is after
	Combine Combine      `yaml:"combine"` // default sum
	Unset   Unset        `yaml:"unset"`   // what output: max_tokens charges a request without one; default actual: what the answer will hold
}

// charge is a ChargeConfig with its defaults.
type charge struct {
	axis   LimitAxis
	input  InputCharge
	output OutputCharge
	max    bool
	unset  Unset
}

func (c *LimitConfig) charge() charge {
	h := charge{axis: c.Axis, input: c.Charge.Input, output: c.Charge.Output, max: c.Charge.Combine == CombineMax, unset: c.Charge.Unset}
	switch {
	case c.Axis == LimitOutputTokens:
		h.input = InputNone
	case h.input == "":
		h.input = InputActual
	}
	switch {
	case c.Axis == LimitInputTokens:
		h.output = OutputNone
	case h.output == "" && c.When == CheckAfter:
		h.output = OutputActual
	case h.output == "":
		h.output = OutputMaxTokens
	}
	return h
}

// of is what a request costs when it is admitted; an answer that is charged as it
// is generated costs nothing yet.
func (c *charge) of(q *Ask) int64 {
	if !c.axis.countsTokens() {
		return 1
	}
	return c.join(c.prompt(q), c.answer(q))
}

// join makes one charge of both parts.
func (c *charge) join(input, output int64) int64 {
	if c.max {
		return min(max(input, output), mostCharge)
	}
	return min(input+output, mostCharge)
}

func (c *charge) prompt(q *Ask) int64 {
	switch c.input {
	case InputActual:
		return min(q.Input, mostCharge)
	case InputChars4:
		return min(q.characters()/4, mostCharge)
	case InputUncached:
		return min(max(0, q.Input-q.Cached), mostCharge)
	case InputAzure:
		if len(q.Messages) == 0 {
			return min(q.characters()/4+1, mostCharge)
		}
		var sum int64
		for _, chars := range q.Messages {
			sum += chars/4 + 1
		}
		return min(sum, mostCharge)
	}
	return 0
}

func (c *charge) answer(q *Ask) int64 {
	switch {
	case c.output == OutputMaxTokens && q.MaxTokens != policies.Unlimited:
		return min(int64(q.MaxTokens), mostCharge)
	case c.output == OutputMaxTokens && c.unset.Given:
		return c.unset.Tokens
	case c.output == OutputMaxTokens, c.output == OutputActual:
		return min(q.Output, int64(q.MaxTokens), mostCharge)
	}
	return 0
}

// real is the part of the prompt that was really used.
func (c *charge) real(q *Ask) int64 {
	switch c.input {
	case InputNone:
		return 0
	case InputUncached:
		return c.prompt(q)
	}
	return min(q.Input, mostCharge)
}

// isReal says whether the charge needs no correction.
func (c *charge) isReal() bool {
	estimated := c.input == InputChars4 || c.input == InputAzure || c.output == OutputMaxTokens || c.max
	return !c.axis.countsTokens() || !estimated
}

// Ask is what limiters look at in a request. Keys, tenants and pools are small
// numbers; a pool's is [Limits.Pool].
type Ask struct {
	Key, Tenant, Pool uint32

	Input     int64          // tokens of the prompt
	Cached    int64          // those of them that are cached
	Output    int64          // tokens of the whole answer
	MaxTokens policies.Count // Unlimited: the request sets none
	Chars     int64          // characters of the prompt; 0: 4 for each token
	Messages  []int64        // characters of each message, where they are known; they stand instead of Chars
}

func (q *Ask) characters() int64 {
	if len(q.Messages) > 0 {
		var sum int64
		for _, chars := range q.Messages {
			sum += chars
		}
		return sum
	}
	if q.Chars == 0 {
		return 4 * min(q.Input, mostCharge)
	}
	return q.Chars
}
