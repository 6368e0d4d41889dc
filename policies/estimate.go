package policies

// Estimate is how a client reckons a request's tokens before it sends it.
type Estimate struct {
	Input   EstimatePart    `yaml:"input"`   // actual (default) or none
	Output  EstimatePart    `yaml:"output"`  // max_tokens (default), actual or none
	Combine EstimateCombine `yaml:"combine"` // default sum
}

// SetDefaults fills what a scenario leaves out.
func (e *Estimate) SetDefaults() {
	*e = Estimate{Input: EstimateActual, Output: EstimateMaxTokens, Combine: EstimateSum}
}

// Check finds what no client can count.
func (e Estimate) Check() []Problem {
	if e.Input == EstimateMaxTokens {
		return []Problem{{"input", "max_tokens bounds the output; write actual or none"}}
	}
	return nil
}

// EstimatePart is how a part of a request's tokens is reckoned.
type EstimatePart string

// The ways.
const (
	EstimateActual    EstimatePart = "actual"     // what it is; of the output, what it will be
	EstimateMaxTokens EstimatePart = "max_tokens" // what the request allows; what it will be, where it sets no bound
	EstimateNone      EstimatePart = "none"
)

// Words lists the ways a scenario may name.
func (EstimatePart) Words() []string {
	return []string{string(EstimateActual), string(EstimateMaxTokens), string(EstimateNone)}
}

// EstimateCombine says how both parts make one estimate; "" is sum.
type EstimateCombine string

// The ways to combine.
const (
	EstimateSum EstimateCombine = "sum"
	EstimateMax EstimateCombine = "max" // the greater of both, as OpenAI documents its charge
)

// Words lists the ways a scenario may name.
func (EstimateCombine) Words() []string { return []string{string(EstimateSum), string(EstimateMax)} }

// Tokens is the estimate for a request of so many.
func (e Estimate) Tokens(input, output int64, most Count) int64 {
	if e.Input != EstimateActual {
		input = 0
	}
	switch {
	case e.Output == EstimateNone:
		output = 0
	case e.Output == EstimateMaxTokens && most != Unlimited:
		output = int64(most)
	default:
		output = min(output, int64(most))
	}
	if e.Combine == EstimateMax {
		return max(input, output)
	}
	return input + output
}
