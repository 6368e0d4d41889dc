package live

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// telling is what every event of an answer repeats.
type telling struct {
	id, model string
	created   int64
	prompt    int64
}

// of names the answer.
func (t *telling) of(p progress) { t.id = "chatcmpl-" + strconv.FormatUint(p.number, 10) }

// stream tells an answer as server-sent events: one for each token, one with the
// finish reason, and [DONE]. The header leaves with the first.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer, t *telling) {
	out := http.NewResponseController(w)
	var told int64
	var begun bool
	var stalls *model.Fault
	for {
		p, ok := s.next(r.Context(), a, stalls)
		switch {
		case !ok && !begun:
			s.refuseLate(w, r)
			return
		case p.end == declined:
			s.declineLate(w, &p.says)
			return
		case !ok || p.end == given:
			return
		}
		t.of(p)
		if !begun && (p.tokens > 0 || p.end != unended || p.fault != nil) {
			begun = true
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			w.WriteHeader(http.StatusOK)
		}
		if stalls != nil && p.end == unended && told == p.tokens {
			_, _ = w.Write([]byte(": keep-alive\n\n"))
		}
		tokens := p.tokens
		if p.end == broken && p.fault.Cut == model.CutReset {
			tokens = model.Delivered(tokens, policies.StreamEnd{Broken: true})
		}
		for ; told < tokens; told++ {
			delta := chatText{Content: tokenText(told)}
			if told == 0 {
				delta.Role = "assistant"
			}
			if t.event(w, chatChoice{Delta: &delta}) != nil {
				return
			}
		}
		stalls = p.fault
		switch {
		case p.end == whole:
			reason := a.reason(p)
			if t.event(w, chatChoice{Delta: &chatText{}, FinishReason: &reason}) == nil {
				_, _ = w.Write([]byte("data: [DONE]\n\n"))
			}
		case p.end == broken && p.fault.InStream != "":
			_ = s.errorEvent(w, p.fault.InStream)
		}
		if begun && out.Flush() != nil || p.end != unended {
			if p.end == broken && p.fault.Cut == model.CutReset {
				reset(w)
			}
			return
		}
	}
}

// whole tells an answer in one piece, when it is finished.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, a *answer, t *telling) {
	for {
		p, ok := s.next(r.Context(), a, nil)
		switch {
		case !ok:
			s.refuseLate(w, r)
			return
		case p.end == declined:
			s.declineLate(w, &p.says)
			return
		case p.end == broken:
			reset(w) // there is nothing to close in good order
			return
		case p.end == whole:
			t.of(p)
			reason := a.reason(p)
			writeJSON(w, http.StatusOK, chatAnswer{
				ID: t.id, Object: "chat.completion", Created: t.created, Model: t.model,
				Choices: []chatChoice{{Message: &chatText{Role: "assistant", Content: text(p.tokens)}, FinishReason: &reason}},
				Usage:   &chatUsage{Prompt: t.prompt, Completion: p.tokens, Total: t.prompt + p.tokens},
			})
			return
		case p.end == given:
			return
		}
	}
}

// reset ends the connection where it is, as a network error does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// errorEvent writes an error of a type into a stream.
func (s *Server) errorEvent(w http.ResponseWriter, kind string) error {
	body := s.flavour.ErrorBody(http.StatusInternalServerError, "The provider failed while it was answering.")
	body.Type = kind
	data, err := json.Marshal(errorShape(s.flavour, &body, w.Header().Get(s.flavour.RequestID())))
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte("data: "), data...), "\n\n"...))
	return err
}

// event writes one server-sent event.
func (t *telling) event(w http.ResponseWriter, c chatChoice) error {
	data, err := json.Marshal(chatAnswer{ID: t.id, Object: "chat.completion.chunk", Created: t.created, Model: t.model, Choices: []chatChoice{c}})
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte("data: "), data...), "\n\n"...))
	return err
}

// reason is why a whole answer ended.
func (a *answer) reason(p progress) string {
	if p.tokens < a.length {
		return "length"
	}
	return "stop"
}
