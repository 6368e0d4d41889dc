package live

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.books.served && s.tellsOfItself(w, r) {
		return
	}
	v := s.welcome(w, r)
	if !s.enter(v) {
		v.refuse(http.StatusServiceUnavailable, "the server is closing")
		return
	}
	defer s.handlers.Done()
	defer s.depart(v)
	v.route()
}

// welcome finds out in what dialect a request is answered.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{Server: s, w: w, r: r, out: http.NewResponseController(w), flavour: s.flavour, speaks: chatDialect{}}
	if path := r.URL.Path; path == messagesPath || strings.HasPrefix(path, messagesPath+"/") {
		v.flavour, v.speaks = model.AnthropicFlavour, messagesDialect{}
	}
	return v
}

// enter counts a request in, unless the server is closed, and numbers it.
func (s *Server) enter(v *visit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if name := v.flavour.RequestID(); name != "" {
		v.id = "req_" + strconv.FormatUint(s.asked, 10)
		v.w.Header().Set(name, v.id)
	}
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	v.guest = s.guests.know(v.r.Header)
	if s.books.served {
		s.books.note(func(now time.Duration, t *model.Tally) {
			v.came = now
			t.Came(now, v.guest.row, v.guest.tries > 0)
		})
	}
	return true
}

// depart counts a request out.
func (s *Server) depart(v *visit) {
	if !s.books.served {
		return
	}
	if v.answer.End == policies.InFlight {
		v.answer.End = policies.Incomplete // its handler was torn away
	}
	s.books.note(func(now time.Duration, t *model.Tally) {
		t.Went(now, v.guest.row, v.came, v.answer, v.axis, v.seen, v.made)
	})
}

// Where each dialect is spoken.
const (
	chatPath     = "/v1/chat/completions"
	messagesPath = "/v1/messages"
	chapterPath  = "/v1/chat"
)

// route finds who reads a request.
func (v *visit) route() {
	method, read := http.MethodPost, v.readChat
	switch path := v.r.URL.Path; {
	case path == chatPath, isChatOfOthers(path):
	case path == messagesPath:
		read = v.readMessages
	case path == chapterPath, path == hangPath, path == keyPath:
		method, read = http.MethodGet, v.readChapter
	default:
		v.refuse(http.StatusNotFound, "there is nothing at this path; POST to "+chatPath+" or "+messagesPath+", or GET "+chapterPath)
		return
	}
	if v.r.Method != method {
		v.w.Header().Set("Allow", method)
		v.refuse(http.StatusMethodNotAllowed, "this path takes "+method+" alone")
		return
	}
	if a, ok := read(); ok {
		v.serve(&a)
	}
}

// isChatOfOthers says whether a path is where those have chat completions who speak OpenAI's API
// elsewhere: DeepSeek, Groq (and Azure without deployments), Gemini, Azure. Their own clients know no other.
func isChatOfOthers(path string) bool {
	switch path {
	case "/chat/completions", "/openai/v1/chat/completions", "/v1beta/openai/chat/completions":
		return true
	}
	rest, is := strings.CutPrefix(path, "/openai/deployments/")
	_, rest, _ = strings.Cut(rest, "/")
	return is && rest == "chat/completions"
}
