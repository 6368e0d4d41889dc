package live

import (
	"bytes"
	"net/http"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// stream tells an answer as server-sent events: one for each token, one with the reason
// of its end, and the last. The header leaves with the first.
func (v *visit) stream(a *answer, t *telling) {
	var told int64
	var begun bool
	var stalls *model.Fault
	var b bytes.Buffer
	for {
		p, ok := v.next(v.r.Context(), a, stalls)
		switch {
		case !ok && !begun:
			v.refuseLate()
			return
		case p.end == declined:
			v.declineLate(&p.says)
			return
		case !ok:
			v.answer.End = v.leftOrClosed()
			return
		case p.end == given:
			v.answer.End = policies.Cancelled
			return
		}
		b.Reset()
		if !begun && (p.tokens > 0 || p.end != unended || p.fault != nil) {
			begun = true
			v.answer.Status = http.StatusOK
			v.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			v.w.Header().Set("Cache-Control", "no-cache")
			v.w.WriteHeader(http.StatusOK)
			t.id = v.speaks.name(p.number)
			v.speaks.opens(&b, t)
		}
		if stalls != nil && p.end == unended && told == p.tokens {
			v.speaks.alive(&b)
		}
		reach := p.tokens
		if p.end != unended {
			reach = model.Delivered(p.tokens, p.sees)
		}
		if told == 0 && reach > 0 {
			v.seen = v.books.now()
		}
		for ; told < reach; told++ {
			if b.Len() > mostOfBatch {
				v.answer.Tokens = told
				switch {
				case !v.tell(&b):
					v.answer.End = policies.Cancelled
					return
				case v.over():
					v.answer.End = v.leftOrClosed()
					return
				}
				b.Reset()
			}
			v.speaks.token(&b, t, told)
		}
		v.answer.Tokens = told
		stalls = p.fault
		if begun && !v.tell(&b) {
			v.answer.End = policies.Cancelled
			return
		}
		if p.end != unended {
			v.lastEvents(a, p, t)
			v.endOf(a, p)
			return
		}
	}
}

// mostOfBatch bounds what is written at once where many tokens are due, in bytes.
const mostOfBatch = 64 << 10

// over says whether the server closes, or the client has left.
func (v *visit) over() bool {
	select {
	case <-v.closing:
		return true
	case <-v.r.Context().Done():
		return true
	default:
		return false
	}
}

// lastEvents writes those that the client of a stream sees of its end. They leave when the
// handler returns, so that who has read them finds the request in the books.
func (v *visit) lastEvents(a *answer, p progress, t *telling) {
	var b bytes.Buffer
	if p.sees.Finished {
		v.speaks.finish(&b, t, a.ended(p))
	}
	if p.fault != nil && p.fault.Ending == model.UsageClose {
		v.speaks.usage(&b, t, a.ended(p))
	}
	if p.sees.Done {
		v.speaks.done(&b)
	}
	if p.sees.Error {
		v.speaks.failure(&b, v.errorInStream(p.fault.InStream))
	}
	_, _ = v.w.Write(b.Bytes()) // it has just taken a token, or has a header to read yet
}

// whole tells an answer in one piece, when it is finished.
func (v *visit) whole(a *answer, t *telling) {
	for {
		p, ok := v.next(v.r.Context(), a, nil)
		switch {
		case !ok:
			v.refuseLate()
			return
		case p.end == declined:
			v.declineLate(&p.says)
			return
		case p.end == broken:
			v.breakOff()
			return
		case p.end == whole:
			t.id = v.speaks.name(p.number)
			if !v.write(http.StatusOK, v.speaks.whole(t, a.ended(p))) {
				v.answer.End = policies.Cancelled
				return
			}
			v.seen, v.answer.Tokens = v.books.now(), p.tokens
			v.answer.End, v.made = policies.Succeeded, v.receive(a)
			return
		case p.end == given:
			v.answer.End = policies.Cancelled
			return
		}
	}
}

// breakOff ends an answer in one piece in the middle: a 200 whose body is shorter than it
// says, after which net/http closes the connection.
func (v *visit) breakOff() {
	v.answer.End, v.answer.Status = policies.Incomplete, http.StatusOK
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Length", "1000")
	v.w.WriteHeader(http.StatusOK)
	v.tell(bytes.NewBufferString(`{"id":`))
}

// endOf ends a stream whose last events are told.
func (v *visit) endOf(a *answer, p progress) {
	v.answer.End, _ = policies.StrictCompleteness.Judge(p.sees)
	if v.answer.End == policies.Succeeded {
		v.made = v.receive(a)
	}
	switch {
	case p.sees.Broken:
		reset(v.w)
	case p.sees.Done && !p.sees.Finished: // and the connection stays open
		_ = v.out.Flush()
		select {
		case <-v.r.Context().Done():
		case <-v.closing:
		}
	}
}

// leftOrClosed is how an answer ends that nobody is told the rest of.
func (v *visit) leftOrClosed() policies.AttemptEnd {
	if v.r.Context().Err() == nil {
		return policies.Incomplete
	}
	return policies.Cancelled
}

// waitForReader gives a client the time there is to read what is written next.
func (v *visit) waitForReader() {
	_ = v.out.SetWriteDeadline(v.books.clock.Now().Add(toWrite)) // not every writer has one
}

// tell writes events and says whether they went out.
func (v *visit) tell(b *bytes.Buffer) bool {
	v.waitForReader()
	if _, err := v.w.Write(b.Bytes()); err != nil {
		return false
	}
	return v.out.Flush() == nil
}

// reset ends the connection where it is, as a network error does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, is := conn.(interface{ SetLinger(seconds int) error }); is {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// errorInStream is an error of a type, as an event has it.
func (v *visit) errorInStream(kind string) any {
	flavour := v.flavour
	if flavour == model.MistralFlavour {
		flavour = model.OpenAIFlavour // clients know an error in a stream by its key, which Mistral's bodies have not
	}
	body := flavour.ErrorBody(http.StatusInternalServerError, "The provider failed while it was answering.")
	body.Type = kind
	return errorShape(flavour, &body, v.id)
}

// ended is an answer at its end.
func (a *answer) ended(p progress) ended { return ended{tokens: p.tokens, cut: p.tokens < a.length} }
