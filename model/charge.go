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
	Input   InputCharge  `yaml:"input"`   // default actual, none on output_tokens
	Output  OutputCharge `yaml:"output"`  // default max_tokens, none on input_tokens, actual where check is after
	Combine Combine      `yaml:"combine"` // default sum
	Unset   Unset        `yaml:"unset"`   // what output: max_tokens charges a request without one; default actual: what the answer will hold
}

// charge is a ChargeConfig with its defaults.
type charge struct {
	input  InputCharge
	output OutputCharge
	max    bool
	tokens bool // false: a request costs 1

	prompt, answer func(q *Ask) int64 // the parts; nil: none
	real           func(q *Ask) int64 // what the prompt really uses; nil: nothing
}

func (c *LimitConfig) charge() charge {
	h := charge{tokens: c.Axis.countsTokens(), input: c.Charge.Input, output: c.Charge.Output, max: c.Charge.Combine == CombineMax}
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
	if !h.tokens {
		return h
	}
	h.prompt, h.real = partsOf(h.input)
	unset := c.Charge.Unset
	switch {
	case h.output == OutputActual:
		h.answer = (*Ask).output
	case h.output == OutputMaxTokens && !unset.Given:
		h.answer = (*Ask).reserved
	case h.output == OutputMaxTokens:
		h.answer = func(q *Ask) int64 {
			if q.MaxTokens == policies.Unlimited {
				return unset.Tokens
			}
			return q.reserved()
		}
	}
	return h
}

// partsOf returns what a prompt is charged, and what it really uses.
func partsOf(c InputCharge) (charged, real func(q *Ask) int64) {
	switch c {
	case InputActual:
		return (*Ask).input, (*Ask).input
	case InputChars4:
		return (*Ask).chars4, (*Ask).input
	case InputUncached:
		return (*Ask).uncached, (*Ask).uncached
	case InputAzure:
		return (*Ask).azure, (*Ask).input
	}
	return nil, nil
}

// of is what a request costs when it is admitted; an answer that is charged as it
// is generated costs nothing yet.
func (c *charge) of(q *Ask) int64 {
	if !c.tokens {
		return 1
	}
	return c.join(partOf(c.prompt, q), partOf(c.answer, q))
}

// partOf is a part of a charge; all are at most mostCharge.
func partOf(of func(q *Ask) int64, q *Ask) int64 {
	if of == nil {
		return 0
	}
	return min(of(q), mostCharge)
}

// join makes one charge of both parts.
func (c *charge) join(input, output int64) int64 {
	if c.max {
		return max(input, output)
	}
	return min(input+output, mostCharge)
}

// isReal says whether the charge needs no correction.
func (c *charge) isReal() bool {
	estimated := c.input == InputChars4 || c.input == InputAzure || c.output == OutputMaxTokens || c.max
	return !c.tokens || !estimated
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
	Azure     int64          // tokens of the prompt as Azure counts them; 0: those of one message of Chars
}

func (q *Ask) input() int64 { return q.Input }

func (q *Ask) uncached() int64 { return max(0, q.Input-q.Cached) }

func (q *Ask) chars4() int64 { return q.characters() / 4 }

func (q *Ask) azure() int64 {
	if q.Azure == 0 {
		return azureTokens(q.characters())
	}
	return q.Azure
}

// azureTokens is what Azure counts a message of so many characters as.
func azureTokens(chars int64) int64 { return chars/4 + 1 }

func (q *Ask) output() int64 { return min(q.Output, int64(q.MaxTokens)) }

func (q *Ask) reserved() int64 {
	if q.MaxTokens == policies.Unlimited {
		return q.Output
	}
	return int64(q.MaxTokens)
}

func (q *Ask) characters() int64 {
	if q.Chars == 0 {
		return 4 * min(q.Input, mostCharge)
	}
	return q.Chars
}
