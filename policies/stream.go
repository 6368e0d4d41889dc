package policies

// StreamRule says what a client makes of an answer that comes as a stream.
type StreamRule struct {
	Completeness Completeness `yaml:"completeness"` // default strict
	Partial      Partial      `yaml:"partial"`      // default discard
	Retry        StreamRetry  `yaml:"retry"`        // default before-first-token
}

// Completeness says which streams a client takes for a whole answer.
type Completeness string

// The two in use.
const (
	// StrictCompleteness wants a finish_reason or [DONE], and waits for nothing after
	// [DONE]. A stream that ends without either did not finish, however politely it was
	// closed. Source: the reference chapter's experiment E4.
	StrictCompleteness Completeness = "strict"
	// NaiveCompleteness takes every stream that ends without an error for whole, as the
	// OpenAI SDKs do; what it took for whole and was not is counted as truncated.
	NaiveCompleteness Completeness = "naive"
)

// Words lists what a scenario may name.
func (Completeness) Words() []string {
	return []string{string(StrictCompleteness), string(NaiveCompleteness)}
}

// Partial says what becomes of the text of a stream that broke, where it is not tried
// again, and of what was shown before it is.
type Partial string

// What can become of it.
const (
	// DiscardPartial throws it away. Where a stream may be tried again after its first
	// token nothing is shown before the answer is whole, so that no reader gets two
	// beginnings.
	DiscardPartial Partial = "discard"
	// KeepPartial keeps it, marked as incomplete; its tokens are useful. Where the stream is
	// tried again the reader gets both, and the tokens shown before are duplicated.
	KeepPartial Partial = "keep"
)

// Words lists what a scenario may name.
func (Partial) Words() []string { return []string{string(DiscardPartial), string(KeepPartial)} }

// StreamRetry says which streams that broke, or timed out, may be tried again; the
// policy decides whether they are.
type StreamRetry string

// Which may be.
const (
	NeverRetry       StreamRetry = "never"              // none whose 200 has come
	BeforeFirstToken StreamRetry = "before-first-token" // those of which no token has come
	AlwaysRetry      StreamRetry = "always"             // all: a new answer is made, and paid for, from its beginning
)

// Words lists what a scenario may name.
func (StreamRetry) Words() []string {
	return []string{string(NeverRetry), string(BeforeFirstToken), string(AlwaysRetry)}
}

// Or returns the rule with the settings of another where it has none.
func (r StreamRule) Or(o StreamRule) StreamRule {
	if r.Completeness == "" {
		r.Completeness = o.Completeness
	}
	if r.Partial == "" {
		r.Partial = o.Partial
	}
	if r.Retry == "" {
		r.Retry = o.Retry
	}
	return r
}

// DefaultStreamRule is the rule of a client that says nothing.
func DefaultStreamRule() StreamRule {
	return StreamRule{StrictCompleteness, DiscardPartial, BeforeFirstToken}
}

// StreamEnd is what a client has seen of a stream when nothing more will come, or when
// it has seen [DONE].
type StreamEnd struct {
	Finished bool // a finish_reason
	Done     bool // [DONE]
	Broken   bool // the connection ended in an error
	Error    bool // an error event
}

// Judge says how a stream ended, and whether it was taken for whole and was not.
func (c Completeness) Judge(s StreamEnd) (end AttemptEnd, truncated bool) {
	whole := s.Finished || s.Done
	switch {
	case s.Error:
		return Errored, false // though its status is 200
	case whole:
		return Succeeded, false
	case c == NaiveCompleteness && !s.Broken:
		return Succeeded, true
	}
	return Incomplete, false
}
