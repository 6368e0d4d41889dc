package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostOfBody bounds a request's body.
const mostOfBody = 1 << 20

// readChat reads and checks a request's body; where it is wrong, it answers.
func readChat(w http.ResponseWriter, r *http.Request) (*chatRequest, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostOfBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", mostOfBody))
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the body ended early")
		return nil, false
	}
	// The answer may take longer than a body may. Not every ResponseWriter has a deadline to lift.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	var q chatRequest
	if err := json.Unmarshal(body, &q); err != nil {
		refuse(w, http.StatusBadRequest, "the body is no JSON of a chat completion: "+err.Error())
		return nil, false
	}
	if wrong := q.check(); wrong != "" {
		refuse(w, http.StatusBadRequest, wrong)
		return nil, false
	}
	return &q, true
}

// decline says the provider's no.
func (s *Server) decline(w http.ResponseWriter, d model.Decision) {
	h := w.Header()
	if d.Hint.Kind == policies.GivenHint {
		for _, f := range s.formats {
			switch f {
			case model.SecondsFormat:
				h.Set("Retry-After", units(d.Hint.Wait, time.Second))
			case model.MillisFormat:
				h.Set("Retry-After-Ms", units(d.Hint.Wait, time.Millisecond))
			}
		}
	}
	message := http.StatusText(int(d.Status))
	if d.Verdict == model.Reject {
		h.Set(axisHeader, d.Axis.String())
		h.Set(kindHeader, d.Kind.String())
		message = fmt.Sprintf("Rate limit reached: no room on %s.", d.Axis)
	}
	refuse(w, int(d.Status), message)
}

// units writes a wait in whole units, rounded up.
func units(wait, unit time.Duration) string {
	n := wait / unit
	if wait%unit > 0 {
		n++
	}
	return strconv.FormatInt(int64(n), 10)
}

// refuseLate answers a request whose answer was never begun, if anybody still listens.
func refuseLate(w http.ResponseWriter, r *http.Request) {
	if r.Context().Err() == nil {
		refuse(w, http.StatusServiceUnavailable, "the server is closing")
	}
}

// refuse answers with an error in OpenAI's shape.
func refuse(w http.ResponseWriter, status int, message string) {
	var e chatError
	e.Error.Message = message
	code := ""
	switch {
	case status == http.StatusTooManyRequests:
		e.Error.Type, code = "requests", "rate_limit_exceeded"
	case status == http.StatusUnauthorized:
		e.Error.Type, code = "invalid_request_error", "invalid_api_key"
	case status < 500:
		e.Error.Type = "invalid_request_error"
	default:
		e.Error.Type = "server_error"
	}
	if code != "" {
		e.Error.Code = &code
	}
	writeJSON(w, status, e)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own shapes have nothing that JSON lacks
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who is gone needs no answer
}
