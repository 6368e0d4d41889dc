package policies

// AttemptEnd says how one attempt ended. Every attempt has exactly one end.
type AttemptEnd uint8

// The ends of an attempt. Only limits, seats and the queue reject; every other
// unwelcome answer is errored, whatever its status.
const (
	InFlight   AttemptEnd = iota // not ended yet
	Succeeded                    // a whole answer arrived
	Rejected                     // refused by a limit, the seats or the queue
	Errored                      // refused or broken for another reason
	TimedOut                     // the client stopped waiting
	Incomplete                   // the answer stopped before it was finished
	Cancelled                    // the user took the call back
	AttemptEnds
)

var attemptEndNames = [AttemptEnds]string{"in_flight", "succeeded", "rejected", "errored", "timed_out", "incomplete", "cancelled"}

// String is the end's name in summary.json.
func (e AttemptEnd) String() string { return attemptEndNames[e] }

// Answer is what the client knows of an attempt that ended.
type Answer struct {
	End       AttemptEnd
	Refusal   RefusalKind // of a rejected attempt, as its body tells
	Status    int16       // HTTP status; 0 when no header arrived
	Timeout   Timeout     // of one that timed out: which
	Truncated bool        // of a success: the client took it for whole, and it was not
	Tokens    int64       // of a stream: how many have come
	Hint      Hint
}

// RefusalKind says what waiting can do for a rejected request.
type RefusalKind uint8

// The kinds.
const (
	NotRefused     RefusalKind = iota
	Temporary                  // it is admitted after a wait
	QuotaExhausted             // a quota is used up: tomorrow, or for money
	BeyondLimit                // it is larger than the limit: no wait will ever do
	RefusalKinds
)

var refusalKindNames = [RefusalKinds]string{"", "temporary", "quota", "impossible"}

// String is the kind's name in summary.json.
func (k RefusalKind) String() string { return refusalKindNames[k] }

// EndReason says why an operation is over.
type EndReason uint8

// The reasons an operation ends. Those from AttemptsExhausted on are failures.
const (
	NotEnded EndReason = iota
	Success
	UserCancelled
	AttemptsExhausted // the last attempt allowed failed
	Deadline          // the operation's time was up
	OperationTimedOut // a time-out of the client ended it
	Fatal             // an answer that no retry can mend
	Unfinished        // the answer was incomplete and may not be asked for again
	Impossible        // no wait could ever admit it
	Quota             // a quota is used up until tomorrow or so
	Budget            // the retry budget was empty
	Breaker           // the circuit breaker was open
	Throttled         // the server asked for a longer wait than the policy allows, or the client's own throttle refused
	GateRefused       // the gate refused or its wait limit passed
	EndReasons
)

var endReasonNames = [EndReasons]string{
	"in_flight", "succeeded", "cancelled",
	"attempts_exhausted", "deadline", "timed_out", "fatal", "incomplete", "impossible", "quota", "budget", "breaker", "throttled", "gate",
}

// String is the reason's name in summary.json.
func (r EndReason) String() string { return endReasonNames[r] }

// Failed says whether the reason is one of the failures.
func (r EndReason) Failed() bool { return r >= AttemptsExhausted }
