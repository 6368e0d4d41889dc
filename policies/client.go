package policies

import "time"

// Client is the attempt loop of one kind of client: when to send, when to wait,
// when to stop. It is immutable and safe for concurrent use; what changes is each
// operation's [State].
type Client struct {
	attempts Count
	triage   Triage
	backoff  Backoff
	longest  time.Duration // a backoff that is alike for all; -1: none
	hint     HintRule
	timeouts Timeouts
	gated    bool
	permit   PermitHold
}

// NewClient makes the loop for a policy; gate is nil where nothing holds the
// client back.
func NewClient(p Policy, t Timeouts, gate *GateConfig) *Client {
	c := &Client{attempts: p.Attempts, triage: p.Triage, backoff: p.Backoff.New(), hint: p.Hint, timeouts: t, longest: -1}
	if longest := p.Backoff.longest(); longest > 0 {
		c.longest = longest
	}
	if gate != nil {
		c.gated, c.permit = true, gate.Permit
	}
	return c
}

// Phase is what an operation is doing. Its time is spent in exactly one phase at a time.
type Phase uint8

// The phases.
const (
	Idle Phase = iota // not started
	AtGate
	Sending
	BackingOff
	Over
)

// State is one operation's place in its loop. The zero value is ready for Start.
type State struct {
	Started  time.Duration
	since    time.Duration // start of the present phase
	gate     time.Duration // spent at the gate, in phases that are over
	backoff  time.Duration // spent backing off
	prev     time.Duration // the last backoff
	Attempts int32         // sent so far
	Phase    Phase
	holds    bool // a permit
}

// Attempt is the number of the attempt sent last, from 0; -1 before the first.
func (s *State) Attempt() int32 { return s.Attempts - 1 }

// InputKind says what happened.
type InputKind uint8

// What can happen to an operation.
const (
	Start      InputKind = iota // the caller wants an answer
	Granted                     // the gate gave a permit
	Refused                     // the gate refused to let it in
	Answered                    // the attempt ended: Answer, and U where it did not succeed
	WaitOver                    // the time of the last WaitUntil has come
	TimerDue                    // the time of the last Send or Enter has come, and nothing else
	UserCancel                  // the caller no longer wants the answer
)

// Input is something that happened to an operation.
type Input struct {
	Kind   InputKind
	Answer Answer
	U      float64 // one uniform draw in [0, 1) for the backoff
}

// Do is what the driver of a loop must do next.
type Do uint8

// What a driver can be told to do.
const (
	Enter     Do = iota // ask the gate for a permit
	Send                // send attempt number State.Attempts-1 (from 0)
	WaitUntil           // give WaitOver at time At
	End                 // the operation is over, for the reason in Why
)

// Action is what the driver must do: Leave, Withdraw and Abandon first, then Do.
type Action struct {
	Do       Do
	Leave    bool       // give the gate's permit back
	Withdraw bool       // leave the gate's line
	Abandon  AttemptEnd // stop listening to the attempt in flight, which ends so; InFlight: there is none to abandon
	Why      EndReason
	Alike    Alike         // of WaitUntil: whether all who fail like this wait just as long
	At       time.Duration // of WaitUntil; of Send and Enter: give TimerDue then, if nothing happened before; Never: do not
}

// Alike says that a wait has no draw in it, so that those who fail together come back
// together.
type Alike uint8

// Whether and why a wait is alike.
const (
	NotAlike     Alike = iota
	AlikeBackoff       // the backoff has come to its longest
	AlikeHint          // it is the server's hint as it is
)

// Left is how the attempt ended whose permit the action gives back, or whose place in the
// gate's line it leaves; in is what led to the action.
func (a *Action) Left(in Input) AttemptEnd {
	return max(in.Answer.End, a.Abandon) // one of them has not happened
}

// Step takes one thing that happened and answers what to do. It is the only
// attempt loop there is: virtual time and real sockets both drive it.
func (c *Client) Step(now time.Duration, s *State, in Input) Action {
	switch in.Kind {
	case Start:
		s.Started, s.since = now, now
		if c.gated {
			s.Phase = AtGate
			return Action{Do: Enter, At: c.deadline(s)}
		}
		return c.send(now, s)
	case Granted:
		s.holds = true
		return c.send(now, s)
	case WaitOver:
		if c.gated && !s.holds {
			s.enter(now, AtGate)
			return Action{Do: Enter, At: c.deadline(s)}
		}
		return c.send(now, s)
	case Refused:
		return c.end(now, s, GateRefused, Action{})
	case UserCancel:
		return c.end(now, s, UserCancelled, c.drop(s, Cancelled))
	case TimerDue:
		if now >= c.deadline(s) {
			return c.end(now, s, OperationTimedOut, c.drop(s, TimedOut))
		}
		in.Answer = Answer{End: TimedOut}
		return c.failed(now, s, in, Action{Abandon: TimedOut})
	}
	if in.Answer.End == Succeeded {
		return c.end(now, s, Success, Action{})
	}
	return c.failed(now, s, in, Action{})
}

// deadline is when the operation's time is up.
func (c *Client) deadline(s *State) time.Duration {
	if c.timeouts.Operation == 0 {
		return Never
	}
	return Later(s.Started, c.timeouts.Operation)
}

// drop lets go of what the operation holds or waits for.
func (c *Client) drop(s *State, end AttemptEnd) Action {
	switch s.Phase {
	case AtGate:
		return Action{Withdraw: true}
	case Sending:
		return Action{Abandon: end}
	}
	return Action{}
}

// failed decides what follows a failed attempt.
func (c *Client) failed(now time.Duration, s *State, in Input, a Action) Action {
	verdict := c.judge(in.Answer)
	if verdict == GiveUp {
		return c.end(now, s, gaveUp(in.Answer.Refusal), a)
	}
	if Count(s.Attempts) >= c.attempts {
		return c.end(now, s, AttemptsExhausted, a)
	}
	wait := c.backoff.Wait(Retry{N: int(s.Attempts) - 1, Prev: s.prev, Outcome: in.Answer, U: in.U})
	s.prev = wait
	alike := NotAlike
	if wait == c.longest {
		alike = AlikeBackoff
	}
	if verdict == AsTold {
		var heed Heed
		switch wait, heed = c.hint.Wait(wait, in.Answer.Hint, in.U); heed {
		case NoWait:
			return c.end(now, s, tooLong(in.Answer.Refusal), a)
		case ToldWait:
			alike = NotAlike
			if c.hint.Spread.None() && wait > 0 {
				alike = AlikeHint
			}
		}
	}
	a.Do, a.At, a.Alike = WaitUntil, Later(now, wait), alike
	if c.timeouts.Operation > 0 && a.At >= c.deadline(s) {
		return c.end(now, s, OperationTimedOut, a) // no retry could begin in time
	}
	s.enter(now, BackingOff)
	if s.holds && c.permit == PerAttempt {
		s.holds = false
		a.Leave = true
	}
	return a
}

// judge says what to do about a failed attempt: the server's x-should-retry where the
// client looks at that, else its triage.
func (c *Client) judge(a Answer) Verdict {
	verdict := c.triage.Judge(a)
	if c.hint.ShouldRetry == ObeyRetry {
		switch {
		case a.Hint.Retry == NoRetry:
			return GiveUp
		case a.Hint.Retry == DoRetry && verdict == GiveUp:
			return AsTold
		}
	}
	return verdict
}

// gaveUp is why an operation ends that is not tried again.
func gaveUp(refusal RefusalKind) EndReason {
	switch refusal {
	case BeyondLimit:
		return Impossible
	case QuotaExhausted:
		return Quota
	}
	return Fatal
}

// tooLong is why an operation ends whose hint is beyond what it may wait.
func tooLong(refusal RefusalKind) EndReason {
	if refusal == QuotaExhausted {
		return Quota
	}
	return Throttled
}

func (c *Client) send(now time.Duration, s *State) Action {
	s.enter(now, Sending)
	s.Attempts++
	at := c.deadline(s)
	if c.timeouts.Attempt > 0 {
		at = min(at, Later(now, c.timeouts.Attempt))
	}
	return Action{Do: Send, At: at}
}

func (c *Client) end(now time.Duration, s *State, why EndReason, a Action) Action {
	s.enter(now, Over)
	a.Do, a.Why, a.At, a.Leave = End, why, 0, s.holds
	s.holds = false
	return a
}

// enter closes the present phase and starts the next.
func (s *State) enter(now time.Duration, next Phase) {
	switch s.Phase {
	case AtGate:
		s.gate += now - s.since
	case BackingOff:
		s.backoff += now - s.since
	}
	s.Phase, s.since = next, now
}

// Later is now + wait, or Never where that is beyond time's end.
func Later(now, wait time.Duration) time.Duration {
	if wait > Never-now {
		return Never
	}
	return now + wait
}

// Spent is the time that the operation was in a phase, from AtGate to BackingOff. Once
// it is over, they add up to its whole time.
func (s *State) Spent(p Phase) time.Duration {
	switch p {
	case AtGate:
		return s.gate
	case BackingOff:
		return s.backoff
	}
	return s.since - s.Started - s.gate - s.backoff
}

// Begun says whether the operation has started.
func (s *State) Begun() bool { return s.Phase != Idle }

// Ended says when the operation ended, and whether it has.
func (s *State) Ended() (time.Duration, bool) { return s.since, s.Phase == Over }
