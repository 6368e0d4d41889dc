package live

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// read reads a stream of the chapter's as its naive client does: what it makes of it.
type read struct {
	chunks int
	text   string
	reason string // the last finish_reason
	done   bool
	ends   string        // "" in good order
	took   time.Duration // to the end
}

func readChapter(t *testing.T, s *shop, path string, headers ...string) (r read, status int) {
	t.Helper()
	start := time.Now()
	response := s.request(http.MethodGet, path, "", headers...)
	defer response.Body.Close()
	from := newEvents(response.Body)
	for {
		data, err := from.next()
		if err != nil {
			r.took = time.Since(start)
			if err != io.EOF {
				r.ends = err.Error()
			}
			return r, response.StatusCode
		}
		if string(data) == "[DONE]" {
			r.done = true
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta        struct{ Content string }
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			if c.Delta.Content != "" {
				r.chunks++
				r.text += c.Delta.Content
			}
			if c.FinishReason != "" {
				r.reason = c.FinishReason
			}
		}
	}
}

// The chapter's wire, word for word of facts/experiments.md. Pipes and a bubble take no
// time, so only the delays are left.
func TestChapterWire(t *testing.T) {
	const ms = time.Millisecond
	const all = "A tide gauge is a device that measures sea level over time ."
	c := chapterConfig(1, "none")
	for _, row := range []struct {
		says, path string
		want       read
	}{
		{"E1: 13 tokens, 60 ms before each", "/v1/chat?delay=60", read{13, all, "stop", true, "", 780 * ms}},
		{"without a delay, the scenario's service: 13 of 9.7 ms", "/v1/chat", read{13, all, "stop", true, "", 126100 * time.Microsecond}},
		{"no delay at all", "/v1/chat?delay=0", read{13, all, "stop", true, "", 0}},
		{"E4: max_tokens=5 ends normally, with length", "/v1/chat?max_tokens=5&delay=10", read{5, "A tide gauge is a", "length", true, "", 50 * ms}},
		{"E4: an orderly close after 5 ends normally, without a reason", "/v1/chat?cut=5&how=close&delay=10", read{5, "A tide gauge is a", "", false, "", 50 * ms}},
		{"E4: a reset after 5 is an error, and 4 have come", "/v1/chat?cut=5&delay=10", read{4, "A tide gauge is", "", false, "unexpected EOF", 50 * ms}},
		{"how=reset says the same", "/v1/chat?cut=5&how=reset&delay=10", read{4, "A tide gauge is", "", false, "unexpected EOF", 50 * ms}},
		{"more tokens than the scenario has", "/v1/chat?max_tokens=200&delay=10", read{13, all, "stop", true, "", 130 * ms}},
		{"a cut behind the end cuts nothing", "/v1/chat?max_tokens=3&cut=5&delay=10", read{3, "A tide gauge", "length", true, "", 30 * ms}},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			if got, status := readChapter(t, s, row.path); got != row.want || status != 200 {
				t.Errorf("%s: status %d, %+v, want %+v", row.says, status, got, row.want)
			}
		})
	}
}

func TestChapterRefuses(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		for range 3 { // as many as it has seats for
			defer s.request(http.MethodGet, "/v1/chat?delay=1000", "").Body.Close()
		}
		for _, row := range []struct {
			says, method, path string
			status             int
			hint, body         string
		}{
			{"a fourth gets 429 with retry-after: 1", "GET", "/v1/chat", 429, "1", "rate_limit_exceeded"},
			{"the key is refused, whoever is served", "GET", "/401", 401, "", "invalid_api_key"},
			{"max_tokens=0", "GET", "/v1/chat?max_tokens=0", 400, "", `max_tokens is \"0\"; write a whole number from 1`},
			{"delay=-1", "GET", "/v1/chat?delay=-1", 400, "", `delay is \"-1\"; write a whole number from 0`},
			{"delay=6e1", "GET", "/v1/chat?delay=6e1", 400, "", "delay is"},
			{"cut=x", "GET", "/v1/chat?cut=x", 400, "", "cut is"},
			{"how=gently", "GET", "/v1/chat?cut=5&how=gently", 400, "", `how is \"gently\"; write reset or close`},
			{"another method", "POST", "/v1/chat", 405, "", "GET alone"},
		} {
			status, body, h := s.tell(row.method, row.path, "")
			if status != row.status || h.Get("Retry-After") != row.hint || !strings.Contains(body, row.body) {
				t.Errorf("%s: status %d, retry-after %q, %s; want %d, %q, %s", row.says, status, h.Get("Retry-After"), body, row.status, row.hint, row.body)
			}
		}
	})
}

// /hang takes the socket and never writes; it takes no seat, and is over with its client.
func TestChapterHangs(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://stampede/hang", nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := s.transport.RoundTrip(r); err == nil || time.Since(start) != 300*time.Second {
			t.Errorf("after %v: %v, want nothing for 300 s", time.Since(start), err)
		}
		synctest.Wait()
		if sum := s.server.Summary(); sum.Attempts.Cancelled != 1 || sum.Provider.MaxInFlight != 0 || len(sum.Attempts.ByStatus) != 0 {
			t.Errorf("%+v", sum.Attempts)
		}
	})
}

// A steered stall, and with it a hang, frees what it holds when its client leaves.
func TestSteeredStallsLeaveWithTheirClients(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, true)
		defer s.close()
		r := s.request(http.MethodPost, path, hello, steerHeader, "stall after_tokens=2 keep_alive=100ms")
		pass(time.Second)
		r.Body.Close()
		synctest.Wait()
		if status, _, _ := s.tell(http.MethodPost, path, hello); status != 200 {
			t.Errorf("status %d after the stalled client left, want 200", status)
		}
		if model := s.server.Summary().Tokens; model.Billed != 15 {
			t.Errorf("%+v, want 2 and 13 billed", model)
		}
	})
}
