package live

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/stampede-sim/stampede/model"
)

// Where a server that keeps the books tells of itself. None of it is counted.
const (
	summaryPath = "/stampede/summary"
	metricsPath = "/metrics"
)

// tellsOfItself answers a request that is not for the provider; false if it is.
func (s *Server) tellsOfItself(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != summaryPath && r.URL.Path != metricsPath {
		return false
	}
	v := s.welcome(w, r)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		v.refuse(http.StatusMethodNotAllowed, "this path takes GET alone")
	case r.URL.Path == summaryPath:
		text, err := json.MarshalIndent(s.Summary(), "", "  ")
		if err != nil {
			panic(err) // our own shapes have nothing that JSON lacks
		}
		v.text("application/json", string(text)+"\n")
	default:
		v.text("text/plain; version=0.0.4; charset=utf-8", metrics(s.summary(false)))
	}
	return true
}

func (v *visit) text(kind, text string) {
	v.waitForReader()
	v.w.Header().Set("Content-Type", kind)
	v.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = io.WriteString(v.w, text) // who is gone needs no answer
}

// Summary is what has been served so far, of a server that keeps the books: each request
// is an operation of one attempt, and groups are API keys.
func (s *Server) Summary() *model.Summary { return s.summary(true) }

func (s *Server) summary(times bool) *model.Summary {
	s.mu.Lock()
	now := s.books.now()
	s.poll(now)
	tally := s.books.soFar(now, s.provider.Busy(now), times)
	s.mu.Unlock()
	sum := model.Summarise(tally)
	sum.Scenario, sum.Seed = s.Name, strconv.FormatUint(s.seed, 10)
	a := sum.Requests()
	sum.Says = fmt.Sprintf("%s: %d answered, %d rejected, %d errored, %d incomplete, %d left by their client; the provider made %s.",
		several(a.Total, "request"), a.Succeeded, a.Rejected, a.Errored, a.Incomplete, a.Cancelled, several(sum.Provider.AnswersGenerated, "whole answer"))
	if n := s.unsteered.Load(); n > 0 {
		sum.Warnings = append(sum.Warnings, fmt.Sprintf("%s asked for a fault in %s and got none; start the server with --steer", several(n, "request"), steerHeader))
	}
	return sum
}

func several(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
