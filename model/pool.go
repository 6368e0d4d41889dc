package model

// Pool merges the times of several runs, so that a percentile over all of them is
// one of their operations and never an average of percentiles. The order in which
// tallies are added changes nothing. Not safe for concurrent use.
type Pool struct {
	whole groupTally
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{groupTally{gated: true}} } // which has a sample of its own from the send

// Add merges a closed tally.
func (p *Pool) Add(t *Tally) { p.whole.add(t.whole()) }

// Pooled are percentiles over the operations of all runs, in seconds.
type Pooled struct {
	Operations  int64       `json:"operations"`
	Latency     Spread      `json:"latency_s"`
	FromSend    Spread      `json:"latency_from_send_s"`
	FailLatency Spread      `json:"failure_latency_s"`
	AllLatency  Spread      `json:"all_latency_s"`
	FirstToken  Percentiles `json:"first_token_s"`
	Retries     Retries     `json:"retries_per_operation"`
	Error       Number      `json:"percentile_error"` // greatest relative error; 0 while every value is kept
}

// Figures takes the pool's figures.
func (p *Pool) Figures() Pooled {
	all := &p.whole
	return Pooled{
		Operations: all.started,
		Latency:    spread(&all.latency), FromSend: spread(all.sinceSend()), FailLatency: spread(&all.failLatency),
		AllLatency: allLatency(&all.latency, all.operations()),
		FirstToken: percentiles(&all.firstToken), Retries: all.retriesPerOperation(),
		Error: Number(max(all.latency.RelativeError(), all.failLatency.RelativeError(), all.firstToken.RelativeError())),
	}
}
