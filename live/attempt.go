package live

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
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

// carry runs one request in a goroutine of its own; cancel ends it.
func (w *wire) carry(request func(context.Context)) (cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(w.whole)
	w.carrying.Go(func() { request(ctx) })
	return cancel
}

// attempt is one HTTP request of a client.
type attempt struct {
	*client
	errand
}

// report is how an attempt ended.
type report struct {
	answer    policies.Answer
	axis      model.Axis
	opened    bool          // a first event of a stream has come
	firstSeen time.Duration // then, when it reached the client
	made      model.Making
}

// send makes the request and reads the answer. The scenario's network delay, which
// sockets of this machine do not have, is waited out on either side.
func (a attempt) send(ctx context.Context, w *wire) (r report) {
	if !a.books.pause(ctx, a.Draws.Up(a.key, a.errand.attempt)) {
		return report{answer: policies.Answer{End: policies.Cancelled}}
	}
	down := a.Draws.Down(a.key, a.errand.attempt)
	defer func() { a.books.pause(ctx, down) }()
	request, err := a.request(ctx, w.url)
	if err != nil {
		return report{answer: policies.Answer{End: policies.Errored}}
	}
	response, err := w.transport.RoundTrip(request)
	if err != nil {
		return report{answer: policies.Answer{End: policies.Errored}}
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostOfRest)) // so that the connection can be used again
		response.Body.Close()
	}()
	r.answer.Status = int16(response.StatusCode)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode != http.StatusOK:
		a.refused(response, &r)
	case kind == "text/event-stream":
		r.answer.End = a.stream(response.Body, &r, down)
	default:
		r.answer.End = a.whole(response.Body, &r)
	}
	if r.answer.End == policies.Succeeded {
		q := a.Draws.Request(a.key, a.errand.attempt)
		r.made = a.provider.Making(&q, r.made.Output, seatTime(response))
	}
	return r
}

// seatTime is what our own server says of an answer that has been read to its end; 0 if
// nobody says.
func seatTime(response *http.Response) time.Duration {
	text := response.Header.Get(busyHeader)
	if text == "" {
		text = response.Trailer.Get(busyHeader)
	}
	ns, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ns < 0 {
		return 0
	}
	return time.Duration(ns)
}

// mostOfPrompt bounds what is really sent of a prompt, in tokens. Its length is drawn, as
// in virtual time, so our own server does not look at it.
const mostOfPrompt = 64 << 10

// request asks for what the scenario says: a prompt of 4 characters a token.
func (a attempt) request(ctx context.Context, url string) (*http.Request, error) {
	prompt, err := json.Marshal(strings.Repeat("tide", int(min(a.Draws.InputTokens(a.key), mostOfPrompt))))
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
	r.answer.Hint = policies.ParseAnswerHint(a.Reads, policies.HintText{
		RetryAfter: h.Get("Retry-After"), RetryAfterMS: h.Get("Retry-After-Ms"), ShouldRetry: h.Get("X-Should-Retry"), Body: string(body),
	}, a.books.clock.Now())
}

// stream reads an answer event by event. One that ends without a finish reason did
// not finish, however politely it ended.
func (a attempt) stream(body io.Reader, r *report, down time.Duration) policies.AttemptEnd {
	from := newEvents(body)
	finished := false
	for {
		data, err := from.next()
		if err != nil && finished {
			return policies.Succeeded
		}
		if err != nil {
			return policies.Incomplete
		}
		if !r.opened {
			r.opened, r.firstSeen = true, a.books.now()+down
		}
		if string(data) == "[DONE]" {
			continue // to the end, which is near
		}
		var part struct {
			chatAnswer
			Error json.RawMessage `json:"error"`
		}
		switch {
		case json.Unmarshal(data, &part) != nil:
			return policies.Incomplete
		case part.Error != nil:
			return policies.Errored // though its status is 200
		}
		for _, c := range part.Choices {
			if c.Delta != nil && c.Delta.Content != "" {
				r.made.Output++
			}
			finished = finished || c.FinishReason != nil
		}
	}
}

// whole reads an answer that comes in one piece.
func (a attempt) whole(body io.Reader, r *report) policies.AttemptEnd {
	var answer chatAnswer
	if err := json.NewDecoder(io.LimitReader(body, mostOfAnswer)).Decode(&answer); err != nil {
		return policies.Incomplete
	}
	if answer.Usage != nil {
		r.made.Output = answer.Usage.Completion
	}
	for _, c := range answer.Choices {
		if c.FinishReason != nil {
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
