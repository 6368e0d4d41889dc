package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// attempt is one HTTP request of a client.
type attempt struct {
	*client
	errand
	flight *flight
	down   time.Duration // its way back
}

// report is how an attempt ended.
type report struct {
	answer    policies.Answer
	axis      model.Axis
	opened    bool          // a first token of a stream has come
	firstSeen time.Duration // then, when it reached the client
	made      model.Making
}

// send makes the request and reads the answer. The scenario's network delay, which
// sockets of this machine do not have, is waited out on either side.
func (a attempt) send(ctx context.Context, w *wire) {
	if !a.books.pause(ctx, a.flight.up) {
		return
	}
	request, err := a.request(ctx, w)
	if err != nil {
		w.trouble.note(ctx, err)
		a.ends(ctx, report{answer: policies.Answer{End: policies.Errored}})
		return
	}
	if !w.admit(ctx) {
		return
	}
	response, err := w.transport.RoundTrip(request)
	if full := noFiles(err); full != nil {
		w.stuck(w.exhausted(full)) // it says nothing of the server
		a.books.forget(a.errand)
		return
	}
	if err != nil {
		w.trouble.note(ctx, err)
		a.ends(ctx, report{answer: policies.Answer{End: policies.Errored}})
		return
	}
	defer response.Body.Close()
	defer context.AfterFunc(ctx, func() { response.Body.Close() })() // of a 101 net/http lets go, whose body nothing else would end
	a.ends(ctx, a.read(ctx, w, response))
	stop := a.books.clock.AfterFunc(mostOfLinger, func() { response.Body.Close() })
	defer stop.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostOfRest)) // so that the connection can be used again
}

// mostOfLinger is how long a connection is waited for that stays open though its answer
// is over.
const mostOfLinger = time.Second

// ends tells the client of the attempt's end, after the way back.
func (a attempt) ends(ctx context.Context, r report) {
	if a.books.pause(ctx, a.down) && a.tell(news{attempt: a.errand.attempt, end: &r}) {
		return
	}
	a.books.forget(a.errand)
}

// tell tells the client, if it still listens, and says whether it did.
func (a attempt) tell(n news) bool {
	select {
	case a.news <- n:
		return true
	case <-a.flight.ignored:
		return false
	}
}

// event tells the client of an event, after the way back, if its loop wants to know.
func (a attempt) event(content bool) {
	if content {
		a.flight.token(a.books.now(), a.down)
	}
	if !a.Loop.Listens() {
		return
	}
	n := news{attempt: a.errand.attempt, event: policies.Input{Kind: policies.Event, Content: content}}
	if a.down == 0 {
		a.tell(n)
		return
	}
	select {
	case a.flight.onWay <- struct{}{}:
	case <-a.flight.ignored:
		return
	}
	a.books.clock.AfterFunc(a.down, func() {
		a.tell(n)
		<-a.flight.onWay
	})
}

// read reads an answer, up to where the client knows its end.
func (a attempt) read(ctx context.Context, w *wire, response *http.Response) (r report) {
	r.answer.Status = int16(response.StatusCode)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode != http.StatusOK:
		a.refused(response, &r)
	case kind == "text/event-stream":
		a.stream(ctx, w, response.Body, &r)
	default:
		r.answer.End = inOnePiece(w, response.Body, &r)
	}
	if r.answer.End == policies.Succeeded {
		q := a.Draws.RequestOfRow(a.key, a.errand.attempt, a.traced())
		r.made = a.provider.Making(&q, r.answer.Tokens, 0)
	}
	return r
}

// mostOfPrompt bounds what is really sent of a prompt, in tokens. Its length is drawn, as
// in virtual time, so our own server does not look at it.
const mostOfPrompt = 64 << 10

// request asks for what the scenario says: a prompt of 4 characters a token.
func (a attempt) request(ctx context.Context, w *wire) (*http.Request, error) {
	prompt, err := json.Marshal(strings.Repeat("tide", int(min(a.Draws.InputTokens(a.key, a.traced()), mostOfPrompt))))
	if err != nil {
		return nil, err
	}
	method, path, shape := w.tongue.asks(&question{model: w.model, prompt: prompt, most: a.Request.MaxTokens, stream: a.Request.Stream})
	var body io.Reader = struct{ io.Reader }{http.NoBody} // which net/http sends as none, and does not send again by itself
	if shape != nil {
		text, err := json.Marshal(shape)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, body)
	if err != nil {
		return nil, err
	}
	r.GetBody = nil // with which net/http would send it again by itself
	if shape != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set(drawHeader, a.errand.String())
	w.tongue.sign(r.Header, w.key(a.Name))
	if id := a.Draws.IdempotencyKey(a.key, a.errand.attempt); id != 0 {
		// In small letters, by which net/http does not know it: it would send the request
		// again by itself where a connection breaks.
		r.Header["idempotency-key"] = []string{strconv.FormatUint(id^w.salt, 16)}
	}
	return r, nil
}

// refused reads why there is no answer: as our own server says in a header, or as any does
// in its status and its words.
func (a attempt) refused(response *http.Response, r *report) {
	r.answer.End = policies.Errored
	h := response.Header
	text, _ := io.ReadAll(io.LimitReader(response.Body, mostOfRest)) // what came of it, where it was cut
	body := string(text)
	r.answer.Hint = policies.ParseAnswerHint(a.Reads, policies.HintTextOf(h.Get, body), a.books.clock.Now())
	axis, kind, rejected := model.ReadRefusal(response.StatusCode, h.Get, body)
	if by := h.Get(axisHeader); by != "" {
		axis, rejected = axisOf(by)
		kind = kindOf(h.Get(kindHeader))
	}
	if rejected {
		r.answer.End, r.answer.Refusal, r.axis = policies.Rejected, kind, axis
	}
}

// stream reads an answer event by event, up to where the API says that it is done, or its end.
func (a attempt) stream(ctx context.Context, w *wire, body io.Reader, r *report) {
	from := newEvents(body)
	from.quiet = func() { a.event(false) }
	a.event(false) // the header
	var seen policies.StreamEnd
	var told int64 // tokens, by the server's own count
	for !seen.Done && !seen.Error && !seen.Broken {
		data, err := from.next()
		if err != nil {
			seen.Broken = !errors.Is(err, io.EOF)
			if errors.Is(err, errLongEvent) {
				w.trouble.note(ctx, err)
			}
			break
		}
		told = max(told, believed(a.part(w.tongue, data, r, &seen)))
	}
	if r.answer.End, r.answer.Truncated = a.Loop.Stream().Completeness.Judge(seen); r.answer.End == policies.Succeeded && told > 0 {
		r.answer.Tokens = told
	}
}

// part reads one event of a stream, and returns how many tokens the answer has, where it
// says so.
func (a attempt) part(t tongue, data []byte, r *report, seen *policies.StreamEnd) (tokens int64) {
	h, ok := t.hears(data)
	switch {
	case !ok:
		seen.Broken = true
		return 0
	case h == heard{}:
		a.event(false) // it is there, if nothing else
	}
	for range h.pieces {
		r.answer.Tokens++
		if !r.opened {
			r.opened, r.firstSeen = true, a.books.now()+a.down
		}
		a.event(true)
	}
	seen.Finished = seen.Finished || h.finished
	seen.Done, seen.Error = h.done, h.failed
	return h.tokens
}

// inOnePiece reads an answer that is no stream.
func inOnePiece(w *wire, body io.Reader, r *report) policies.AttemptEnd {
	from := &rationed{Reader: io.LimitReader(&skimmed{Reader: body}, mostOfAnswer), room: &w.room, small: smallBody}
	defer func() { w.room.Add(-from.taken) }()
	data, err := io.ReadAll(from)
	if errors.Is(err, errNoRoom) {
		w.stuck(errLongAnswers)
	}
	if err != nil {
		return policies.Incomplete
	}
	tokens, finished := w.tongue.whole(data)
	if !finished {
		return policies.Incomplete
	}
	r.answer.Tokens = believed(tokens)
	return policies.Succeeded
}

var errLongAnswers = fmt.Errorf("answers of more than %d bytes beside their texts are being read, which is all a fleet keeps; write stream: true under request, or use fewer clients", mostOfBodies)

// What is kept at most of an answer in one piece, which without an end would else end the run, and what is read
// of what nobody looks at.
const (
	mostOfAnswer = 16 << 20
	mostOfRest   = 64 << 10
)
