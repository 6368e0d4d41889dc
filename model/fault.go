package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Fault makes attempts fail whatever the load. A status answers before any limit is
// asked, and a hang takes no seat and never answers. The others happen to an answer
// that is being made, after so many of its tokens; an answer no longer than that ends
// well. After 0 tokens is when the service begins, with the header and nothing else.
type Fault struct {
	Keys        []string       `yaml:"keys"`                                                                // only requests of these keys; default all
	First       policies.Count `yaml:"first" min:"1"`                                                       // only the first so many attempts of each operation; default all
	Probability Share          `yaml:"probability"`                                                         // of those, so many; default 100%
	Status      int            `yaml:"status,one" min:"400" max:"599" noun:"an error status" example:"500"` // what it answers
	Hang        bool           `yaml:"hang,one"`                                                            // nothing comes, not even a header
	Stall       bool           `yaml:"stall,one"`                                                           // no further token comes, and no end; the seat stays taken until the client has left and abandoned.frees_seat_after has passed
	Cut         CutKind        `yaml:"cut,one"`                                                             // the connection ends, and with it the work
	InStream    string         `yaml:"in_stream,one"`                                                       // an error event of this type ends a stream inside its 200; other requests are spared
	Ending      StreamEnding   `yaml:"ending,one"`                                                          // how a stream ends whose tokens have all come; other requests are spared
	AfterTokens int64          `yaml:"after_tokens" min:"0" max:"1000000000000"`                            // of stall, cut and in_stream; default 0
	KeepAlive   time.Duration  `yaml:"keep_alive" above:"0"`                                                // of a stalled stream: so often comes a comment that is no token; default never
	RetryAfter  time.Duration  `yaml:"-"`                                                                   // of a steered status: the server says when to come again
}

// SetDefaults fills what a scenario leaves out.
func (f *Fault) SetDefaults() { *f = Fault{First: policies.Unlimited, Probability: Whole} }

// Check finds settings that could have no effect.
func (f Fault) Check() []policies.Problem {
	var found []policies.Problem
	problem := func(wrong bool, key, format string, args ...any) {
		if wrong {
			found = append(found, policies.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
		}
	}
	problem(f.Status == 0 && !f.Hang && !f.inAnswer() && f.Ending == "", "", "says nothing that fails; write what it answers, such as status: 401")
	problem(f.Probability == 0, "probability", "0 never happens; write a share such as 1%%, or remove the fault")
	problem(f.Probability > Whole, "probability", "%v is more than always; write at most 100%%", f.Probability)
	problem(f.Keys != nil && len(f.Keys) == 0, "keys", "is an empty list, so it never happens; write keys: [revoked], or remove it")
	problem(f.AfterTokens > 0 && f.Ending != "", "after_tokens", "has no effect on an ending, which comes after all tokens; remove it, or write cut: close")
	problem(f.AfterTokens > 0 && !f.inAnswer() && f.Ending == "", "after_tokens", "has no effect where no answer begins; write stall, cut or in_stream, or remove it")
	problem(f.KeepAlive > 0 && !f.Stall, "keep_alive", "has no effect without a stall; write stall: true, or remove it")
	return found
}

// inAnswer says whether the fault happens to an answer that is being made.
func (f *Fault) inAnswer() bool { return f.Stall || f.Cut != "" || f.InStream != "" }

// byChance says whether the fault has a probability; 0, which no scenario can say, is
// none.
func (f *Fault) byChance() bool { return f.Probability > 0 && f.Probability < Whole }

// Always says whether the fault takes every attempt there is, so that none behind it is
// ever reached.
func (f *Fault) Always() bool {
	return f.First == policies.Unlimited && !f.byChance() && f.Keys == nil && !f.ofStreams()
}

// ofStreams says whether the fault spares requests that ask for no stream.
func (f *Fault) ofStreams() bool { return f.InStream != "" || f.Ending != "" }

// CutKind is how a connection ends.
type CutKind string

// The ways a connection ends.
const (
	CutReset CutKind = "reset" // a network error
	CutClose CutKind = "close" // in good order, as though all were said
)

// Words lists the ways a scenario may name.
func (CutKind) Words() []string { return words(CutReset, CutClose) }

// StreamEnding is how a stream ends whose tokens have all come. In good order it is a
// finish_reason, [DONE], and the connection is closed.
type StreamEnding string

// The other endings.
const (
	FinishClose StreamEnding = "finish-close" // a finish_reason, and no [DONE]
	DoneOpen    StreamEnding = "done-open"    // [DONE], no finish_reason, and the connection stays open
	CloseOnly   StreamEnding = "close"        // neither
	UsageClose  StreamEnding = "usage-close"  // neither, but the usage
	ResetEnd    StreamEnding = "reset"        // neither: a network error, which takes the last token with it
)

// Words lists the endings a scenario may name.
func (StreamEnding) Words() []string {
	return words(FinishClose, DoneOpen, CloseOnly, UsageClose, ResetEnd)
}

// noFault stands for none of the list.
const noFault = -1

// fault is one made ready to be matched.
type fault struct {
	*Fault
	keys     []uint32
	byChance bool
	chance   float64
}

// faultKeys are the keys that faults name, in order, whose places are their numbers:
// requests carry numbers alone.
func (c *ProviderConfig) faultKeys() []string {
	var names []string
	for _, f := range c.Faults {
		for _, k := range f.Keys {
			if !slices.Contains(names, k) {
				names = append(names, k)
			}
		}
	}
	return names
}

func (c *ProviderConfig) faults() []fault {
	names := c.faultKeys()
	out := make([]fault, len(c.Faults))
	for i := range c.Faults {
		f := &c.Faults[i]
		out[i] = fault{Fault: f, chance: float64(f.Probability) / float64(Whole), byChance: f.byChance()}
		for _, k := range f.Keys {
			out[i].keys = append(out[i].keys, uint32(slices.Index(names, k)))
		}
	}
	return out
}

// faulty returns the number of the first fault that a request meets, or noFault. One
// by probability happens where the request's own number for it is below.
func (p *Provider) faulty(q *Request) int {
	if q.Steer != nil {
		return steered
	}
	for i := range p.faults {
		f := &p.faults[i]
		switch {
		case policies.Count(q.Attempt) >= f.First:
		case !q.Stream && f.ofStreams():
		case f.keys != nil && !slices.Contains(f.keys, q.Key):
		case f.byChance && q.Luck[i] >= f.chance:
		default:
			return i
		}
	}
	return noFault
}

// fate is how an answer that meets the fault ends, of so many tokens.
func (f *Fault) fate(tokens int64) (EffectKind, int64) {
	switch {
	case !f.inAnswer() || tokens <= f.AfterTokens:
		return Finish, tokens
	case f.Stall:
		return Stalled, f.AfterTokens
	case f.Cut != "":
		return Cut, f.AfterTokens
	}
	return StreamError, f.AfterTokens
}

// Fault returns the fault that a request met that has come to be served; nil if it met
// none. It stands until its ticket is offered again.
func (p *Provider) Fault(id policies.Ticket) *Fault {
	if at := p.answers[id].fault; at != noFault {
		return p.fault(int(at), id)
	}
	return nil
}

// StreamEnd is what the client of a stream sees of its end: of Finish, Cut and
// StreamError.
func (p *Provider) StreamEnd(e *Effect) policies.StreamEnd {
	f := p.Fault(e.Ticket)
	switch {
	case e.Kind == StreamError:
		return policies.StreamEnd{Error: true}
	case e.Kind == Cut:
		return policies.StreamEnd{Broken: f.Cut == CutReset}
	case f == nil:
		return policies.StreamEnd{Finished: true, Done: true}
	}
	return f.Ending.end()
}

func (e StreamEnding) end() policies.StreamEnd {
	switch e {
	case FinishClose:
		return policies.StreamEnd{Finished: true}
	case DoneOpen:
		return policies.StreamEnd{Done: true}
	case CloseOnly, UsageClose:
		return policies.StreamEnd{}
	case ResetEnd:
		return policies.StreamEnd{Broken: true}
	}
	return policies.StreamEnd{Finished: true, Done: true}
}

// Delivered is how many of the tokens that were made reach the client of a stream that
// ends so: a reset overtakes the token it follows, which the client has not read yet.
// Source: the reference chapter's experiment E4, where 4 of 5 arrive.
func Delivered(tokens int64, end policies.StreamEnd) int64 {
	if end.Broken {
		return max(0, tokens-1)
	}
	return tokens
}
