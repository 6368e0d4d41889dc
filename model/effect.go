package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// EffectKind is something that happens to a request after its arrival.
type EffectKind uint8

// The effects, in the order they can happen to a request. Those from Finish on are its
// end: each request that Offer lets Serve, Wait, Join, Hang or, where it is then
// Decided to be one of these, comes Later, has exactly one.
const (
	Decided     EffectKind = iota // of one that came Later: see [Provider.Decision]; its end if that refuses, fails or replays
	Served                        // it left the queue for a seat
	FirstToken                    // of a stream
	NextToken                     // between the first and the last, of a stream that asked for each token
	Stalled                       // no further token comes; the seat stays taken
	Finish                        // the last token
	Cut                           // the connection ended before that
	StreamError                   // an error event ended the stream before that
	Stopped                       // its client had left, and the provider gave it up
	Dropped                       // it waited in the queue as long as one may: see [Provider.Decision]
)

// Last says whether this is a request's end, after which its ticket is free.
func (k EffectKind) Last() bool { return k >= Finish }

// Effect is something that came due.
type Effect struct {
	At       time.Duration
	Tokens   int64         // of Stalled and every end: how many were made; of Finish, the answer's length
	Busy     time.Duration // of every end: how long it had a seat; all together are the provider's, but for what has not ended
	Work     time.Duration // of the end of a Copy: how long the answer had a seat
	Ticket   policies.Ticket
	decision int32 // of Decided and Dropped
	Kind     EffectKind
	Gone     bool // the client has left; nobody hears of it
	Copy     bool // of one that joined another's answer, whose tokens they are
}

// Verdict is what the provider makes of a request.
type Verdict uint8

// The verdicts.
const (
	Serve  Verdict = iota // it has a seat
	Wait                  // it waits in the queue; Poll says when it is served
	Reject                // limits, the seats or the queue refuse it
	Fail                  // a fault, the weather or a conflict of keys answers it
	Hang                  // a fault swallows it: nothing ever comes, until its client leaves
	Replay                // it has its key's answer at once: no seat, no charge, no bill
	Join                  // it shares its key's answer, which is being made; Poll tells at once what of it is there, and then the rest
	Later                 // the provider is frozen; Poll says at the thaw what is Decided
)

// over says whether a request that is decided on so has no more to do with the provider.
func (v Verdict) over() bool { return v == Reject || v == Fail || v == Replay }

// Decision is the provider's answer to Offer, with all that headers and bodies need.
type Decision struct {
	Verdict Verdict
	Status  int16                // of Reject and Fail
	Axis    Axis                 // of Reject
	Kind    policies.RefusalKind // of Reject
	Limiter int                  // of Reject by limits: its place under limits, -1 the slope; else NoLimiter
	Cost    int64                // of Reject by limits: what the request would have been charged there
	Wait    time.Duration        // of Reject: the true wait after which it would be admitted if nobody else came and the weather stayed; 0 where that is not known, and for want of a place where no exact hint would tell it
	Hint    policies.Hint        // what it is told
	Answer  uint64               // of Serve, Wait, Replay and Join: the answer's number, from 1, the same for all who get it
	Tokens  int64                // of Replay: how many were made
	Length  int64                // of Replay and Join: the answer's, were it not cut
	Work    time.Duration        // of Replay: how long the answer had a seat
}

// NoLimiter stands for the seats and the queue.
const NoLimiter = -2
