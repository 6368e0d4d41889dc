package policies

import "time"

// Timeouts are how long a client waits. One that is left out never fires. An answer or an
// event that comes at the very instant is in time, and the summary says which time-out
// ended an attempt. After the first three the policy decides what follows.
type Timeouts struct {
	FirstEvent time.Duration `yaml:"first_event" above:"0"` // from sending an attempt to the first event of its stream, or to an answer in one piece
	Idle       time.Duration `yaml:"idle" above:"0"`        // from one event to the next; from the send to the first, where first_event is not given
	IdleReset  IdleReset     `yaml:"idle_reset"`            // default content
	Attempt    time.Duration `yaml:"attempt" above:"0"`     // from sending an attempt to its whole answer; then it is abandoned
	Operation  time.Duration `yaml:"operation" above:"0"`   // from the intended start to the end of the last attempt; no retry is waited for that could not begin before it
}

// IdleReset says what the idle time-out is counted from.
type IdleReset string

// What it can be counted from.
const (
	ResetByContent IdleReset = "content"  // tokens alone: comments that keep a connection alive are silence
	ResetByAnyByte IdleReset = "any-byte" // whatever comes: who only keeps the connection alive is waited for
)

// Words lists what a scenario may name.
func (IdleReset) Words() []string { return []string{string(ResetByContent), string(ResetByAnyByte)} }

// Check finds time-outs that can never fire.
func (t Timeouts) Check() []Problem {
	var found []Problem
	outer, of := t.Operation, "operation"
	for _, inner := range []struct {
		key  string
		wait time.Duration
	}{{"attempt", t.Attempt}, {"first_event", t.FirstEvent}, {"idle", t.Idle}} {
		if outer > 0 && inner.wait >= outer {
			found = append(found, Problem{inner.key, "never fires before the " + of + "'s; write less than " + FormatDuration(outer) + ", or remove it"})
		}
		if inner.key == "attempt" && t.Attempt > 0 && (outer == 0 || t.Attempt < outer) {
			outer, of = t.Attempt, "attempt"
		}
	}
	if t.IdleReset != "" && t.Idle == 0 {
		found = append(found, Problem{"idle_reset", "has no effect without idle; write idle: 15s, or remove it"})
	}
	return found
}

// Or returns the time-outs with those of another where it has none.
func (t Timeouts) Or(o Timeouts) Timeouts {
	if t.FirstEvent == 0 {
		t.FirstEvent = o.FirstEvent
	}
	if t.Idle == 0 {
		t.Idle, t.IdleReset = o.Idle, o.IdleReset
	}
	if t.Attempt == 0 {
		t.Attempt = o.Attempt
	}
	if t.Operation == 0 {
		t.Operation = o.Operation
	}
	return t
}

// Timeout says which time-out ended an attempt.
type Timeout uint8

// The time-outs.
const (
	NoTimeout Timeout = iota
	FirstEventTimeout
	IdleTimeout
	AttemptTimeout
	OperationTimeout
	DeadlineTimeout // of a layer
	TimeoutKinds
)

var timeoutNames = [TimeoutKinds]string{"", "first_event", "idle", "attempt", "operation", "deadline"}

// String is the time-out's name in summary.json.
func (t Timeout) String() string { return timeoutNames[t] }
