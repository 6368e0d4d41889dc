package live

import (
	"encoding/json"
	"net/http"
)

// telling is what every event of an answer repeats.
type telling struct {
	id, model string
	created   int64
	prompt    int64
}

// stream tells an answer as server-sent events: one for each token, one with the
// finish reason, and [DONE]. The header leaves with the first.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer, t *telling) {
	out := http.NewResponseController(w)
	var told int64
	for {
		tokens, done, ok := s.next(r.Context(), a)
		if !ok {
			if told == 0 {
				s.refuseLate(w, r)
			}
			return
		}
		if told == 0 {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
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
		if done {
			w.Header().Set(http.TrailerPrefix+busyHeader, a.seatTime())
			reason := a.reason()
			if t.event(w, chatChoice{Delta: &chatText{}, FinishReason: &reason}) == nil {
				_, _ = w.Write([]byte("data: [DONE]\n\n"))
			}
		}
		if out.Flush() != nil || done {
			return
		}
	}
}

// whole tells an answer in one piece, when it is finished.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, a *answer, t *telling) {
	for {
		tokens, done, ok := s.next(r.Context(), a)
		if !ok {
			s.refuseLate(w, r)
			return
		}
		if done {
			w.Header().Set(busyHeader, a.seatTime())
			reason := a.reason()
			writeJSON(w, http.StatusOK, chatAnswer{
				ID: t.id, Object: "chat.completion", Created: t.created, Model: t.model,
				Choices: []chatChoice{{Message: &chatText{Role: "assistant", Content: text(tokens)}, FinishReason: &reason}},
				Usage:   &chatUsage{Prompt: t.prompt, Completion: tokens, Total: t.prompt + tokens},
			})
			return
		}
	}
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
func (a *answer) reason() string {
	if a.tokens < a.length {
		return "length"
	}
	return "stop"
}
