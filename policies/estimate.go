package policies

// Estimate is how a client reckons a request's tokens before it sends it.
type Estimate struct {
	Input  EstimatePart `yaml:"input"`  // actual (default) or none
	Output EstimatePart `yaml:"output"` // max_tokens (default), actual or none
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

// Tokens is the estimate for a request of so many.
func (e Estimate) Tokens(input, output int64, most Count) int64 {
	sum := int64(0)
	if e.Input == EstimateActual {
		sum = input
	}
	switch {
	case e.Output == EstimateNone:
	case e.Output == EstimateMaxTokens && most != Unlimited:
		sum += int64(most)
	default:
		sum += min(output, int64(most))
	}
	return sum
}
