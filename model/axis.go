package model

// Axis is what a refused request ran out of.
type Axis uint8

// The axes, in the order of summary.json.
const (
	Seats Axis = iota
	Queue
	Concurrency
	Requests
	Tokens
	InputTokens
	OutputTokens
	Slope
	Axes
)

var axisNames = [Axes]string{"seats", "queue", "concurrency", "requests", "tokens", "input_tokens", "output_tokens", "slope"}

// String is the axis's name in summary.json.
func (a Axis) String() string { return axisNames[a] }
