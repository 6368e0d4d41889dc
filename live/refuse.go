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
)

// mostOfBody bounds a request's body.
const mostOfBody = 1 << 20

// readChat reads and checks a request's body; where it is wrong, it answers.
func (s *Server) readChat(w http.ResponseWriter, r *http.Request) (*chatRequest, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostOfBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		s.refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", mostOfBody))
		return nil, false
	case err != nil:
		s.refuse(w, http.StatusBadRequest, "the body ended early")
		return nil, false
	}
	// The answer may take longer than a body may. Not every ResponseWriter has a deadline to lift.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	var q chatRequest
	if err := json.Unmarshal(body, &q); err != nil {
		s.refuse(w, http.StatusBadRequest, "the body is no JSON of a chat completion: "+err.Error())
		return nil, false
	}
	if wrong := q.check(); wrong != "" {
		s.refuse(w, http.StatusBadRequest, wrong)
		return nil, false
	}
	return &q, true
}

// decline says the provider's no.
func (s *Server) decline(w http.ResponseWriter, says *said) {
	if d := &says.decision; d.Verdict == model.Reject {
		w.Header().Set(axisHeader, d.Axis.String())
		w.Header().Set(kindHeader, d.Kind.String())
	}
	s.fail(w, says.body)
}

// declineLate says the provider's no to one who has waited for it.
func (s *Server) declineLate(w http.ResponseWriter, says *said) {
	for _, h := range says.headers {
		w.Header().Set(h.Name, h.Value)
	}
	s.decline(w, says)
}

// refuseLate answers a request whose answer was never begun, if anybody still listens.
func (s *Server) refuseLate(w http.ResponseWriter, r *http.Request) {
	if r.Context().Err() == nil {
		s.refuse(w, http.StatusServiceUnavailable, "the server is closing")
	}
}

// refuse answers with a status and a sentence of our own.
func (s *Server) refuse(w http.ResponseWriter, status int, message string) {
	s.fail(w, s.flavour.ErrorBody(status, message))
}

// fail answers without a result.
func (s *Server) fail(w http.ResponseWriter, body model.ErrorBody) {
	writeJSON(w, body.Status, errorShape(s.flavour, &body, w.Header().Get(s.flavour.RequestID())))
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
