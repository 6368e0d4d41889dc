package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// wire is how requests travel, until it is cut.
type wire struct {
	transport http.RoundTripper
	url       string
	whole     context.Context // until it is cut
	carrying  sync.WaitGroup
}

// carry runs one request in a goroutine of its own, whose context ends with it; cancel
// ends it before.
func (w *wire) carry(request func(context.Context)) (cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(w.whole)
	w.carrying.Go(func() {
		defer cancel()
		request(ctx)
	})
	return cancel
}

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
	request, err := a.request(ctx, w.url)
	if err != nil {
		a.ends(ctx, report{answer: policies.Answer{End: policies.Errored}})
		return
	}
	response, err := w.transport.RoundTrip(request)
	if err != nil {
		a.ends(ctx, report{answer: policies.Answer{End: policies.Errored}})
		return
	}
	defer response.Body.Close()
	a.ends(ctx, a.read(ctx, response))
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
		a.flight.token(a.books.now() + a.down)
	}
	if !a.Loop.Listens() {
		return
	}
	n := news{attempt: a.errand.attempt, event: policies.Input{Kind: policies.Event, Content: content}}
	if a.down == 0 {
		a.tell(n)
		return
	}
	a.books.clock.AfterFunc(a.down, func() { a.tell(n) })
}

// read reads an answer, up to where the client knows its end.
func (a attempt) read(ctx context.Context, response *http.Response) (r report) {
	r.answer.Status = int16(response.StatusCode)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode != http.StatusOK:
		a.refused(response, &r)
	case kind == "text/event-stream":
		a.stream(response.Body, &r)
	default:
		r.answer.End = a.whole(response.Body, &r)
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
func (a attempt) request(ctx context.Context, url string) (*http.Request, error) {
	prompt, err := json.Marshal(strings.Repeat("tide", int(min(a.Draws.InputTokens(a.key, a.traced()), mostOfPrompt))))
	if err != nil {
		return nil, err
	}
	q := chatRequest{Model: "stampede", Messages: []chatMessage{{Role: "user", Content: prompt}}, Stream: a.Request.Stream}
	if limit := int64(a.Request.MaxTokens); a.Request.MaxTokens != policies.Unlimited {
		q.MaxTokens = &limit
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(drawHeader, a.errand.String())
	return r, nil
}

// refused reads why there is no answer.
func (a attempt) refused(response *http.Response, r *report) {
	r.answer.End = policies.Errored
	if axis, ok := axisOf(response.Header.Get(axisHeader)); ok {
		r.answer.End, r.axis = policies.Rejected, axis
		r.answer.Refusal = kindOf(response.Header.Get(kindHeader))
	}
	h := response.Header
	body, _ := io.ReadAll(io.LimitReader(response.Body, mostOfRest)) // what came of it, where it was cut
	r.answer.Hint = policies.ParseAnswerHint(a.Reads, policies.HintTextOf(h.Get, string(body)), a.books.clock.Now())
}

// stream reads an answer event by event, up to [DONE] or its end.
func (a attempt) stream(body io.Reader, r *report) {
	from := newEvents(body)
	from.quiet = func() { a.event(false) }
	a.event(false) // the header
	var seen policies.StreamEnd
	for !seen.Done && !seen.Error && !seen.Broken {
		data, err := from.next()
		if err != nil {
			seen.Broken = !errors.Is(err, io.EOF)
			break
		}
		a.part(data, r, &seen)
	}
	r.answer.End, r.answer.Truncated = a.Loop.Stream().Completeness.Judge(seen)
}

// part reads one event of a stream.
func (a attempt) part(data []byte, r *report, seen *policies.StreamEnd) {
	if string(data) == "[DONE]" {
		seen.Done = true
		return
	}
	var part struct {
		chatAnswer
		Error json.RawMessage `json:"error"`
	}
	switch {
	case json.Unmarshal(data, &part) != nil:
		seen.Broken = true
		return
	case part.Error != nil:
		seen.Error = true
		return
	}
	for _, c := range part.Choices {
		if c.Delta != nil && c.Delta.Content != "" {
			r.answer.Tokens++
			if !r.opened {
				r.opened, r.firstSeen = true, a.books.now()+a.down
			}
			a.event(true)
		}
		seen.Finished = seen.Finished || c.FinishReason != nil
	}
}

// whole reads an answer that comes in one piece.
func (a attempt) whole(body io.Reader, r *report) policies.AttemptEnd {
	var answer chatAnswer
	if err := json.NewDecoder(io.LimitReader(body, mostOfAnswer)).Decode(&answer); err != nil {
		return policies.Incomplete
	}
	for _, c := range answer.Choices {
		if c.FinishReason != nil {
			if answer.Usage != nil {
				r.answer.Tokens = answer.Usage.Completion
			}
			return policies.Succeeded
		}
	}
	return policies.Incomplete
}

// What is read at most of an answer in one piece, and of what nobody looks at.
const (
	mostOfAnswer = 64 << 20
	mostOfRest   = 64 << 10
)
