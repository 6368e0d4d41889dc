package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// none is no slot.
const none = ^uint32(0)

// attempt is the row of one HTTP request, from its sending until neither its client nor
// the provider has anything more to do with it. A million must fit, so its answer is kept
// in parts; see [attempt.tell].
type attempt struct {
	key       sim.Key       // of the operation
	op        uint32        // none once it is over for its client
	older     uint32        // the one that was sent before it and is in flight too; none without
	number    int32         // within its operation
	ticket    uint32        // at the provider
	tokens    int32         // that have come, where each is told of, or all there are: the first, and those of a stall
	line      int32         // of the trace; -1 where untraced
	seated    time.Duration // when it got its seat; before that, when it joined the queue; policies.Never where it has none
	firstSeen time.Duration
	made      int64         // tokens, by the provider
	spent     time.Duration // of one that had a seat, how long; of one that was refused or failed, the hint
	coming    uint32        // tokens and stalls on their way
	group     uint16
	status    int16
	end       policies.AttemptEnd
	refusal   policies.RefusalKind
	hint      heardHint
	axis      Axis
	stage     stage
	is        marks
}

// bits are what is true of an attempt.
type marks uint8

const (
	cold      marks = 1 << iota // its operation began in the warm-up
	leaving                     // the word that its client has gone is on its way
	truncated                   // its client took it for whole, and it was not
	reset                       // a network error took its last token
)

// heardHint is what an answer says of another attempt, but for the wait: the hint's kind
// in two bits, and x-should-retry above.
type heardHint uint8

// refused notes how an attempt ends that made no answer.
func (a *attempt) refused(end policies.AttemptEnd, d *Decision, hint policies.Hint) {
	a.end, a.refusal, a.status = end, d.Kind, d.Status
	a.hint, a.spent = heardHint(hint.Kind)|heardHint(hint.Retry)<<2, hint.Wait
}

// tell writes what its client is told at its end.
func (a *attempt) tell(x *policies.Answer, streams bool) {
	x.End, x.Refusal, x.Status, x.Truncated = a.end, a.refusal, a.status, a.is&truncated != 0
	switch {
	case a.hint != 0:
		x.Hint = policies.Hint{Kind: policies.HintKind(a.hint & 3), Retry: policies.ShouldRetry(a.hint >> 2), Wait: a.spent}
	case a.is&reset != 0:
		x.Tokens = Delivered(a.made, policies.StreamEnd{Broken: true})
	case streams || a.end == policies.Succeeded:
		x.Tokens = a.made
	}
}

// stage is where an attempt is.
type stage uint8

const (
	goingUp    stage = iota
	atProvider       // the provider will tell of its end
	comingDown       // its answer is on its way
	finished         // nobody will tell of it any more
)

// booksOf is the tally's number for an attempt.
func (w *World) booksOf(a *attempt) int {
	if a.is&cold != 0 {
		return len(w.groups)
	}
	return int(a.group)
}
