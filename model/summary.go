package model

import (
	"math"
	"strconv"
)

// Number is a figure of summary.json: rounded to 9 significant digits, and null
// where it is not defined (NaN).
type Number float64

// Undefined is the Number that is null.
func Undefined() Number { return Number(math.NaN()) }

// Defined says whether the figure has a value.
func (n Number) Defined() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Defined() || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 9, 64), nil
}

// Summary is one run's figures: the object of summary.json, in its order.
// Times are seconds.
type Summary struct {
	Scenario    string                  `json:"scenario"`
	Seed        string                  `json:"seed"`
	Partial     bool                    `json:"partial"`
	Says        string                  `json:"says"`
	Warnings    []string                `json:"warnings"`
	Wall        Number                  `json:"wall_s"` // when the last operation ends
	Operations  Operations              `json:"operations"`
	Attempts    Attempts                `json:"attempts"`
	Amplify     Number                  `json:"amplification"` // attempts per operation
	Herd        Herd                    `json:"herd"`
	Latency     Spread                  `json:"latency_s"`           // of successes, from the intended start
	FromSend    Spread                  `json:"latency_from_send_s"` // of successes, from the send: see [Spread]
	FailLatency Spread                  `json:"failure_latency_s"`   // of failures
	AllLatency  Spread                  `json:"all_latency_s"`       // a failure, and what is unfinished, counts as infinite: null
	FirstToken  Percentiles             `json:"first_token_s"`       // when the caller first sees output
	Retries     Retries                 `json:"retries_per_operation"`
	Tokens      TokenSums               `json:"tokens"`
	Cost        Cost                    `json:"cost"`
	Provider    ProviderUse             `json:"provider"`
	Gate        GateUse                 `json:"gate"`
	Groups      map[string]GroupSummary `json:"groups"`
	Engine      Engine                  `json:"engine"`
	Against     *Summary                `json:"against,omitempty"` // the same seed under the scenario's `against`
}

// Operations counts logical calls: total = succeeded + failed + cancelled + in_flight.
type Operations struct {
	Total     int64    `json:"total"`
	Succeeded int64    `json:"succeeded"`
	Failed    int64    `json:"failed"` // the sum of failures
	Cancelled int64    `json:"cancelled"`
	InFlight  int64    `json:"in_flight"`
	Truncated int64    `json:"truncated"` // of those that succeeded: the client took for whole what was not
	Failures  Failures `json:"failures"`
}

// Failures counts failed operations by reason.
type Failures struct {
	AttemptsExhausted int64 `json:"attempts_exhausted"`
	Deadline          int64 `json:"deadline"`
	TimedOut          int64 `json:"timed_out"`
	Fatal             int64 `json:"fatal"`
	Incomplete        int64 `json:"incomplete"`
	Impossible        int64 `json:"impossible"`
	Quota             int64 `json:"quota"`
	Budget            int64 `json:"budget"`
	Breaker           int64 `json:"breaker"`
	Throttled         int64 `json:"throttled"`
	Gate              int64 `json:"gate"`
}

// Attempts counts HTTP requests: total is the sum of the seven ends.
type Attempts struct {
	Total      int64            `json:"total"`
	Succeeded  int64            `json:"succeeded"`
	Rejected   int64            `json:"rejected"` // the sum of rejected_by
	Errored    int64            `json:"errored"`
	TimedOut   int64            `json:"timed_out"`
	Incomplete int64            `json:"incomplete"`
	Cancelled  int64            `json:"cancelled"`
	InFlight   int64            `json:"in_flight"`
	TimedOutBy Timeouts         `json:"timed_out_by"` // the same time-outs by which fired
	Hedges     int64            `json:"hedges"`       // sent beside one in flight
	ByStatus   map[string]int64 `json:"by_status"`
	RejectedBy RejectedBy       `json:"rejected_by"`
	RejectedAs RefusalKinds     `json:"rejected_as"` // the same rejections by what waiting can do
	Hints      HintKinds        `json:"hints"`
}

// Timeouts counts the attempts that timed out, by the time-out that fired.
type Timeouts struct {
	FirstEvent int64 `json:"first_event"`
	Idle       int64 `json:"idle"`
	Attempt    int64 `json:"attempt"`
	Operation  int64 `json:"operation"`
	Deadline   int64 `json:"deadline"` // of a layer
}

// HintKinds counts the answers that came with a hint, by whether it could be read.
type HintKinds struct {
	Given     int64 `json:"given"`
	Malformed int64 `json:"malformed"`
}

// RejectedBy counts rejections by the axis that was full.
type RejectedBy struct {
	Seats        int64 `json:"seats"`
	Queue        int64 `json:"queue"`
	Concurrency  int64 `json:"concurrency"`
	Requests     int64 `json:"requests"`
	Tokens       int64 `json:"tokens"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Slope        int64 `json:"slope"`
}

// Herd is the histogram's shape: attempts sent in the busiest slot, and retries in
// the busiest slot of retries.
type Herd struct {
	Slot         Number `json:"slot_s"`
	Busiest      int64  `json:"busiest"`
	BusiestRetry int64  `json:"busiest_retry"`
}

// Spread is a distribution of times in seconds; null where there is none.
//
// Of latencies there are two. latency_s begins when the operation was to start: what whoever
// asks has waited. latency_from_send_s begins when its first attempt leaves the client: it
// lacks the wait at the client's gate before that attempt, and has all waits and attempts
// after it. A tool that starts its clock when it sends measures this one, and hides the wait.
type Spread struct {
	Mean Number `json:"mean"`
	P50  Number `json:"p50"`
	P90  Number `json:"p90"`
	P99  Number `json:"p99"`
	Max  Number `json:"max"`
}

// Percentiles is a distribution of times in seconds without its mean.
type Percentiles struct {
	P50 Number `json:"p50"`
	P90 Number `json:"p90"`
	P99 Number `json:"p99"`
	Max Number `json:"max"`
}

// Retries counts operations by the number of their retries.
type Retries struct {
	Mean   Number  `json:"mean"`
	Max    int64   `json:"max"`
	Counts []int64 `json:"counts"` // counts[n]: operations that made n retries
}

// TokenSums are output tokens, those of answers: billed = useful + wasted. Input tokens are
// in none of them; they are in [Cost], and limits count them.
type TokenSums struct {
	Billed     int64 `json:"billed"`     // made by the provider
	Useful     int64 `json:"useful"`     // of answers that a caller took for whole, or kept in part
	Wasted     int64 `json:"wasted"`     // the rest: of answers that were left, cut or errored
	Delivered  int64 `json:"delivered"`  // shown to callers
	Duplicated int64 `json:"duplicated"` // of these, shown of an answer that was then asked for again

	apart bool // what the provider alone knows is null: see [NewClientsTally]
}

// Cost is money; null where the scenario has no price.
type Cost struct {
	Total    Number  `json:"total"`
	Wasted   Number  `json:"wasted"`
	Currency *string `json:"currency"`
}

// ProviderUse is what the provider did.
type ProviderUse struct {
	Utilisation      Number `json:"utilisation"`   // busy share of the seats over the run; null without seats
	Busy             Number `json:"busy_s"`        // seat time, all seats together: useful + wasted
	UsefulBusy       Number `json:"useful_busy_s"` // of answers that a caller received whole, told again or not
	WastedBusy       Number `json:"wasted_busy_s"` // left, cut, errored, and what is not finished when the run ends
	Goodput          Number `json:"goodput_ops_per_s"`
	MaxInFlight      int64  `json:"max_in_flight"`  // being served
	MeanInFlight     Number `json:"mean_in_flight"` // over time, from the end of the warm-up
	MaxQueue         int64  `json:"max_queue"`
	MeanQueue        Number `json:"mean_queue"`
	QueueWait        Spread `json:"queue_wait_s"` // of requests that got a seat, 0 for those that found one free
	QueuedShare      Number `json:"queued_share"` // of them, those that had to wait
	AnswersGenerated int64  `json:"answers_generated"`
	TriggerEnd       Number `json:"trigger_end_s"` // when the weather was over; null without weather, or if the run ended before it did
	Recovery         Number `json:"recovery_s"`    // when goodput was back: the first second that has, and opens 10 s or longer that have, 80% of what it was before the weather; null if it never was, or too few operations tell

	Limits      []LimitSummary `json:"limits"`       // in the scenario's order; the slope last
	BindingAxis *string        `json:"binding_axis"` // of the limit that made most requests wait; null if none did

	apart bool // as of [TokenSums]
}

// GateUse is what the clients' gates did.
type GateUse struct {
	MaxInFlight int64     `json:"max_in_flight"` // permits held at once, over all gates
	Waited      GateWaits `json:"waited_s"`
}

// GateWaits is how long operations of gated groups waited for permits, all their waits together.
type GateWaits struct {
	P50 Number `json:"p50"`
	P99 Number `json:"p99"`
	Max Number `json:"max"`
}

// GroupSummary is one group's share.
type GroupSummary struct {
	Operations Operations     `json:"operations"`
	Attempts   Attempts       `json:"attempts"`
	Latency    Spread         `json:"latency_s"`
	FromSend   Spread         `json:"latency_from_send_s"`
	FirstToken Percentiles    `json:"first_token_s"`
	Tokens     TokenSums      `json:"tokens"`
	Cost       Cost           `json:"cost"`
	Answers    int64          `json:"answers_generated"` // whole ones, with those that nobody received; not those told again
	Layers     []LayerSummary `json:"layers"`            // outermost first; none where there is one

	apart bool // as of [TokenSums]
}

// LayerSummary is a layer's share of what a group did. Each attempt is an operation's
// first, a hedge, or one layer's retry.
type LayerSummary struct {
	Policy  string `json:"policy"`
	Retries int64  `json:"retries"`
	Waited  Number `json:"waited_s"` // before them
}

// Engine is what the run cost. The last two hang on the machine: they are left out of files.
type Engine struct {
	Events          int64    `json:"events"`
	RealSeconds     *float64 `json:"real_s,omitempty"`
	EventsPerSecond *float64 `json:"events_per_s,omitempty"`
}
