package model

import (
	"fmt"
	"strconv"
	"strings"
)

// LimitAxis is what a limit counts.
type LimitAxis string

// What a limit can count.
const (
	LimitRequests     LimitAxis = "requests"
	LimitTokens       LimitAxis = "tokens" // input and output together
	LimitInputTokens  LimitAxis = "input_tokens"
	LimitOutputTokens LimitAxis = "output_tokens"
	LimitConcurrency  LimitAxis = "concurrency" // requests whose answer has not ended
)

// Words lists the axes a scenario may name.
func (LimitAxis) Words() []string {
	return words(LimitRequests, LimitTokens, LimitInputTokens, LimitOutputTokens, LimitConcurrency)
}

// axis is the name under which rejections are reported.
func (a LimitAxis) axis() Axis {
	switch a {
	case LimitTokens:
		return Tokens
	case LimitInputTokens:
		return InputTokens
	case LimitOutputTokens:
		return OutputTokens
	case LimitConcurrency:
		return Concurrency
	}
	return Requests
}

// countsTokens says whether a request's charge hangs on its size.
func (a LimitAxis) countsTokens() bool {
	return a == LimitTokens || a == LimitInputTokens || a == LimitOutputTokens
}

// Algorithm is how a limiter counts; "" is a bucket.
type Algorithm string

// The algorithms.
const (
	BucketAlgorithm      Algorithm = "bucket"       // see bucket: OpenAI, Groq, Anthropic
	SlidingLogAlgorithm  Algorithm = "sliding-log"  // see slidingLog: Azure as measured
	FixedWindowAlgorithm Algorithm = "fixed-window" // see fixedWindow: Azure as documented, gateways, quotas of a day
	TwoWindowAlgorithm   Algorithm = "two-window"   // see twoWindow: gateways
	LeakyAlgorithm       Algorithm = "leaky"        // see bucket: Azure provisioned throughput
)

// Words lists the algorithms a scenario may name.
func (Algorithm) Words() []string {
	return words(BucketAlgorithm, SlidingLogAlgorithm, FixedWindowAlgorithm, TwoWindowAlgorithm, LeakyAlgorithm)
}

func (a Algorithm) isWindow() bool {
	return a == SlidingLogAlgorithm || a == FixedWindowAlgorithm || a == TwoWindowAlgorithm
}

func (a Algorithm) isAligned() bool { return a == FixedWindowAlgorithm || a == TwoWindowAlgorithm }

// BucketStart says what a bucket holds at first; "" is full.
type BucketStart string

// The starts.
const (
	StartFull  BucketStart = "full"  // all of it may be used at once
	StartEmpty BucketStart = "empty" // nothing is left yet
)

// Words lists the starts a scenario may name.
func (BucketStart) Words() []string { return words(StartFull, StartEmpty) }

// RejectedCharge says whether a refused request is charged; "" is free.
type RejectedCharge string

// What a refused request costs.
const (
	RejectedFree    RejectedCharge = "free"
	RejectedCharged RejectedCharge = "charged" // as much as if it had been admitted
)

// Words lists the choices a scenario may name.
func (RejectedCharge) Words() []string { return words(RejectedFree, RejectedCharged) }

// Settle says whether a charge is corrected when the real use is known; "" is
// never, but completion on a leaky bucket.
type Settle string

// When a charge is corrected.
const (
	SettleNever      Settle = "never"
	SettleCompletion Settle = "completion" // where it was taken from: a window that is over is left alone
)

// Words lists the choices a scenario may name.
func (Settle) Words() []string { return words(SettleNever, SettleCompletion) }

// CheckTime says when a request is counted; "" is before.
type CheckTime string

// When a request is counted.
const (
	CheckBefore CheckTime = "before" // when it is admitted
	CheckAfter  CheckTime = "after"  // when it is done: all are admitted while one unit is left, so a burst gets through
)

// Words lists the choices a scenario may name.
func (CheckTime) Words() []string { return words(CheckBefore, CheckAfter) }

// LimitKind says what it means to be refused; "" is temporary.
type LimitKind string

// The kinds of limit.
const (
	TemporaryLimit LimitKind = "temporary" // a little patience helps
	QuotaLimit     LimitKind = "quota"     // used up for the day or the month
)

// Words lists the kinds a scenario may name.
func (LimitKind) Words() []string { return words(TemporaryLimit, QuotaLimit) }

// InputCharge says what a prompt costs; "" is actual.
type InputCharge string

// What a prompt can cost.
const (
	InputActual   InputCharge = "actual"   // its tokens
	InputChars4   InputCharge = "chars/4"  // its characters, divided by 4 and rounded down
	InputUncached InputCharge = "uncached" // its tokens that are not cached
	InputAzure    InputCharge = "azure"    // the sum over its messages of characters / 4, rounded down, plus 1
	InputNone     InputCharge = "none"
)

// Words lists the charges a scenario may name.
func (InputCharge) Words() []string {
	return words(InputActual, InputChars4, InputUncached, InputAzure, InputNone)
}

// OutputCharge says what an answer costs; "" is max_tokens, or actual where a
// limit counts on completion.
type OutputCharge string

// What an answer can cost.
const (
	OutputActual      OutputCharge = "actual"       // the tokens it will hold, known in advance as only a simulator can
	OutputMaxTokens   OutputCharge = "max_tokens"   // what the request reserves
	OutputAsGenerated OutputCharge = "as-generated" // each token when it is made; admission asks for one that is left
	OutputNone        OutputCharge = "none"
)

// Words lists the charges a scenario may name.
func (OutputCharge) Words() []string {
	return words(OutputActual, OutputMaxTokens, OutputAsGenerated, OutputNone)
}

// Combine says how input and output make one charge; "" is sum.
type Combine string

// The ways to combine.
const (
	CombineSum Combine = "sum"
	CombineMax Combine = "max" // the greater of both, as OpenAI documents
)

// Words lists the ways a scenario may name.
func (Combine) Words() []string { return words(CombineSum, CombineMax) }

// Unset is what `output: max_tokens` charges a request that sets none: so many
// tokens, or what its answer will hold.
type Unset struct {
	Given  bool // false: actual
	Tokens int64
}

// UnmarshalText reads a whole number, or the word actual.
func (u *Unset) UnmarshalText(text []byte) error {
	if string(text) == "actual" {
		*u = Unset{}
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 0 || n > mostCharge || strconv.FormatInt(n, 10) != string(text) {
		return fmt.Errorf("%q is not what an answer costs; write a number of tokens such as 640, or actual", text)
	}
	*u = Unset{Given: true, Tokens: n}
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Unset) Schema() string {
	return fmt.Sprintf(`{"oneOf": [{"type": "integer", "minimum": 0, "maximum": %d}, {"enum": ["actual"]}]}`, int64(mostCharge))
}

// MarshalText writes it as a scenario does.
func (u Unset) MarshalText() ([]byte, error) {
	if !u.Given {
		return []byte("actual"), nil
	}
	return strconv.AppendInt(nil, u.Tokens, 10), nil
}

// ScopeKind says who shares a limit.
type ScopeKind uint8

// The scopes.
const (
	ScopeAll    ScopeKind = iota // everybody
	ScopeKey                     // those who use one key
	ScopeTenant                  // the keys of one tenant
	ScopePool                    // the groups of a named pool; others are not limited
)

// LimitScope is a limit's `scope`: key, tenant, pool NAME or all.
type LimitScope struct {
	Kind ScopeKind
	Pool string // of ScopePool
}

// UnmarshalText reads a scope.
func (s *LimitScope) UnmarshalText(text []byte) error {
	switch string(text) {
	case "all":
		*s = LimitScope{}
		return nil
	case "key":
		*s = LimitScope{Kind: ScopeKey}
		return nil
	case "tenant":
		*s = LimitScope{Kind: ScopeTenant}
		return nil
	}
	kind, name, _ := strings.Cut(string(text), " ")
	if name = strings.TrimSpace(name); kind == "pool" && name != "" {
		*s = LimitScope{Kind: ScopePool, Pool: name}
		return nil
	}
	return fmt.Errorf("%q is no scope; write key, tenant, pool NAME or all", text)
}

// Schema says in JSON Schema what UnmarshalText reads.
func (LimitScope) Schema() string {
	return `{"oneOf": [{"enum": ["key", "tenant", "all"]}, {"type": "string", "pattern": "^pool .*\\S"}]}`
}

// MarshalText writes the scope as a scenario does.
func (s LimitScope) MarshalText() ([]byte, error) {
	switch s.Kind {
	case ScopeKey:
		return []byte("key"), nil
	case ScopeTenant:
		return []byte("tenant"), nil
	case ScopePool:
		return []byte("pool " + s.Pool), nil
	}
	return []byte("all"), nil
}

func words[T ~string](of ...T) []string {
	out := make([]string, len(of))
	for i, w := range of {
		out[i] = string(w)
	}
	return out
}
