package policies

import "time"

// Client is the attempt loop of one kind of client: a stack of retry loops, the layers,
// around the sending of attempts. It is immutable and safe for concurrent use; what
// changes is each operation's [State], and its [Side] where the client has one.
type Client struct {
	loops    []loop // outermost first
	timeouts Timeouts
	stream   StreamRule
	hedge    *Hedge // nil without
	gated    bool
	permit   PermitHold
	never    bool // a stream whose 200 has come is not asked for again
	always   bool // nor does it matter what of a stream has come
	buffers  bool // nothing is shown of a stream before it is whole
	quiet    bool // nothing of an attempt but its end matters
	bounded  bool // the operation, or a layer, has a limit of time
	patient  bool // an attempt may take as long as it likes
}

// ClientConfig is what a client is made of.
type ClientConfig struct {
	Layers   []Policy // outermost first, at least one
	Timeouts Timeouts // what it leaves out is the innermost policy's
	Stream   StreamRule
	Streams  bool        // its requests ask for streams
	Gate     *GateConfig // nil where nothing holds the client back
}

// NewClient makes the loop of a client.
func NewClient(config ClientConfig) *Client {
	inner := config.Layers[len(config.Layers)-1]
	c := &Client{
		timeouts: config.Timeouts.Or(inner.Timeouts), hedge: inner.Hedge,
		stream: config.Stream.Or(inner.Stream).Or(DefaultStreamRule()),
	}
	c.never, c.always = c.stream.Retry == NeverRetry, c.stream.Retry == AlwaysRetry || !config.Streams
	c.buffers = c.stream.Retry == AlwaysRetry && c.stream.Partial == DiscardPartial && config.Streams
	c.quiet = c.timeouts.FirstEvent == 0 && c.timeouts.Idle == 0
	c.bounded = c.timeouts.Operation > 0
	for _, p := range config.Layers {
		l := loop{p.Attempts, p.Deadline, p.Triage, p.Backoff.New(), p.Hint, -1, p.Hint.Mode != IgnoreHint && p.Hint.Mode != ""}
		if longest := p.Backoff.longest(); longest > 0 {
			l.longest = longest
		}
		c.loops = append(c.loops, l)
		c.bounded = c.bounded || p.Deadline > 0
	}
	c.patient = c.quiet && !c.bounded && c.timeouts.Attempt == 0 && c.hedge == nil
	if config.Gate != nil {
		c.gated, c.permit = true, config.Gate.Permit
	}
	return c
}

// Timeouts are the client's own, with those that its policy brings.
func (c *Client) Timeouts() Timeouts { return c.timeouts }

// Stream is the client's rule for streams, with what its policy brings.
func (c *Client) Stream() StreamRule { return c.stream }

// Buffers says whether nothing is shown of a stream before it is whole.
func (c *Client) Buffers() bool { return c.buffers }

// Keeps says whether the part that came of an answer that failed is kept, at the end of
// its operation.
func (c *Client) Keeps(a *Answer) bool {
	return a.Tokens > 0 && c.stream.Partial == KeepPartial
}

// mayRetry says whether the rule for streams lets a failed attempt be tried again, after what those
// beside it have shown.
func (c *Client) mayRetry(s *State, a *Answer) bool {
	return c.always || !s.shown && a.Tokens == 0 && !(c.never && a.Status/100 == 2)
}

// Listens says whether the loop wants to be told of events of an answer before its end.
func (c *Client) Listens() bool { return !c.quiet }

// Bounded says whether the operation, or a layer of it, has a limit of time.
func (c *Client) Bounded() bool { return c.bounded }

// Layers is how many retry loops there are around an attempt, at least 1.
func (c *Client) Layers() int { return len(c.loops) }

// Hedges is how many hedges may be in flight beside an attempt.
func (c *Client) Hedges() int {
	if c.hedge == nil {
		return 0
	}
	return c.hedge.AtMost
}

// HasSide says whether [Client.Step] needs an operation's Side.
func (c *Client) HasSide() bool { return len(c.loops) > 1 || c.hedge != nil }

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
	since    time.Duration // start of the present phase; while sending, of the newest attempt in flight
	gate     time.Duration // spent at the gate, in phases that are over
	backoff  time.Duration // spent backing off
	prev     time.Duration // the last backoff, of a client without a Side
	heard    time.Duration // of the newest attempt in flight: its last event, or its send; Never: they come often enough
	Attempts int32         // sent so far
	Phase    Phase
	Layer    uint8 // of a retry: the layer that makes it
	holds    bool  // a permit
	opened   bool  // of the newest attempt in flight: its first event has come
	hedges   uint8 // sent beside the policy's attempt in flight
	flights  uint8 // in flight besides the newest, in the Side
	shown    bool  // what is not asked for again has come of one that ended beside another
}

// Side is what an operation has beside its State where its client has several layers, or
// hedges. The driver keeps it as long as the State, and the zero values are ready.
type Side struct {
	Loops   []LoopState // one for each layer, outermost first
	Flights []Flight    // one for each hedge there may be
	Took    *Took       // of all operations of the group; nil without hedges
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
	Event                       // something of an answer came that is not its end
	Answered                    // the attempt ended: Answer, and U where it did not succeed
	WaitOver                    // the time of the last WaitUntil has come
	TimerDue                    // the time of the last Send, Enter or Stay has come, and nothing else
	UserCancel                  // the caller no longer wants the answer
)

// Input is something that happened to an operation.
type Input struct {
	Kind    InputKind
	Content bool          // of Event: a token, not only bytes that keep the connection alive
	Attempt int32         // of Event and Answered, where there are hedges: which
	Flow    time.Duration // of Event: so often more of the same follows until the next Event; 0: not known
	Answer  Answer        // of Answered; of TimerDue and UserCancel, the most tokens that an attempt in flight has brought
	U       float64       // one uniform draw in [0, 1) for the backoff
}

// Do is what the driver of a loop must do next.
type Do uint8

// What a driver can be told to do.
const (
	Enter     Do = iota // ask the gate for a permit
	Send                // send attempt number State.Attempts-1 (from 0)
	Stay                // go on as before
	WaitUntil           // give WaitOver at time At
	End                 // the operation is over, for the reason in Why
)

// EveryAttempt is what Action.Of says where all that are in flight are meant.
const EveryAttempt = -1

// Action is what the driver must do: Leave, Withdraw and Abandon first, then Do.
type Action struct {
	Do       Do
	Leave    bool       // give the gate's permit back
	Withdraw bool       // leave the gate's line
	Abandon  AttemptEnd // stop listening to attempts in flight, which end so; InFlight: to none
	By       Timeout    // of Abandon and Withdraw: the time-out that fired
	Hedge    bool       // of Send: beside one in flight
	Alike    Alike      // of WaitUntil: whether all who fail like this wait just as long
	Why      EndReason
	Of       int32         // of Abandon: the attempt, or EveryAttempt that is still in flight
	At       time.Duration // of WaitUntil; of Send, Enter and Stay: give TimerDue then, if nothing happened before; Never: do not
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
func (a *Action) Left(in *Input) AttemptEnd {
	if in.Answer.End != InFlight {
		return in.Answer.End
	}
	return a.Abandon
}

// Abandoned is the answer of an attempt that the action abandons, of which so many tokens
// have come. Where another attempt succeeded, that one's were shown.
func (a *Action) Abandoned(tokens int64) Answer {
	if a.Why == Success {
		tokens = 0
	}
	return Answer{End: a.Abandon, Timeout: a.By, Tokens: tokens}
}

// Step takes one thing that happened and answers what to do. It is the only attempt loop
// there is: virtual time and real sockets both drive it. The side is nil where the client
// needs none.
func (c *Client) Step(now time.Duration, s *State, side *Side, in *Input) (a Action) {
	switch in.Kind {
	case Start:
		s.Started, s.since = now, now
		if side != nil {
			side.begin(0, now)
		}
		c.enter(now, s, side, &a)
	case Granted:
		s.holds = true
		c.send(now, s, side, &a)
	case WaitOver:
		c.enter(now, s, side, &a)
	case Refused:
		c.end(now, s, GateRefused, &a)
	case UserCancel:
		drop(s, Cancelled, NoTimeout, &a)
		c.end(now, s, UserCancelled, &a)
	case Event:
		c.hear(now, s, side, in)
		c.stay(s, side, &a)
	case TimerDue:
		c.timedOut(now, s, side, in, &a)
	case Answered:
		switch {
		case c.hedge != nil:
			c.landed(now, s, side, in, &a)
		case in.Answer.End == Succeeded:
			c.end(now, s, Success, &a)
		default:
			c.failed(now, s, side, in, &a)
		}
	}
	return a
}

// enter goes on to the next attempt, by way of the gate where a permit is wanted.
func (c *Client) enter(now time.Duration, s *State, side *Side, a *Action) {
	if !c.gated || s.holds {
		c.send(now, s, side, a)
		return
	}
	s.change(now, AtGate)
	a.Do = Enter
	a.At, _ = c.limit(s, side, len(c.loops)-1)
}

func (c *Client) send(now time.Duration, s *State, side *Side, a *Action) {
	s.change(now, Sending)
	s.Attempts++
	s.heard, s.opened, s.hedges, s.flights, s.shown = now, false, 0, 0, false
	if side != nil {
		side.inner().hedge, side.inner().flies = c.hedgeDue(now, side), s.Attempt()
	}
	a.Do, a.At = Send, Never
	if !c.patient {
		a.At = c.wake(s, side)
	}
}

func (c *Client) stay(s *State, side *Side, a *Action) { a.Do, a.At = Stay, c.wake(s, side) }

func (c *Client) end(now time.Duration, s *State, why EndReason, a *Action) {
	s.change(now, Over)
	a.Do, a.Why, a.At, a.Leave = End, why, 0, s.holds
	s.holds = false
}

// change closes the present phase and starts the next.
func (s *State) change(now time.Duration, next Phase) {
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

// Since is when the present phase began; while sending, when the newest attempt in flight did.
func (s *State) Since() time.Duration { return s.since }

// Begun says whether the operation has started.
func (s *State) Begun() bool { return s.Phase != Idle }

// Ended says when the operation ended, and whether it has.
func (s *State) Ended() (time.Duration, bool) { return s.since, s.Phase == Over }
