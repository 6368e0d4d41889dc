package live

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// What a client of the server sees of each fault, and when. Tokens come every 9.7 ms.
func TestServerMisbehaves(t *testing.T) {
	const per = 9700 * time.Microsecond
	fault := func(f model.Fault) func(*model.ProviderConfig) {
		f.First = policies.Unlimited
		return func(c *model.ProviderConfig) { c.Faults = []model.Fault{f} }
	}
	rows := []struct {
		says    string
		change  func(*model.ProviderConfig)
		body    string
		status  int // 0: none came
		read    string
		ends    string // how the reading ends: "" in good order
		at      time.Duration
		waiting time.Duration // how long the client has patience
	}{
		{"a hang: nothing, not even a header", fault(model.Fault{Hang: true}), hello, 0, "", "deadline", time.Second, time.Second},
		{"a reset after 3 tokens is a network error, and takes the third with it", fault(model.Fault{Cut: model.CutReset, AfterTokens: 3}), hello, 200, "tide", "EOF", 3 * per, time.Minute},
		{"a close after 2 tokens looks like an end", fault(model.Fault{Cut: model.CutClose, AfterTokens: 2}), hello, 200, "tide", "", 2 * per, time.Minute},
		{"an error event inside a 200, before any token", fault(model.Fault{InStream: "overloaded_error"}), hello, 200, `"type":"overloaded_error"`, "", 0, time.Minute},
		{"a cut of an answer in one piece", fault(model.Fault{Cut: model.CutClose, AfterTokens: 2}), strings.Replace(hello, "true", "false", 1), 200, `{"id":`, "EOF", 2 * per, time.Minute},
		{"a stall after 1 token, kept alive", fault(model.Fault{Stall: true, AfterTokens: 1, KeepAlive: 300 * time.Millisecond}), hello, 200, ": keep-alive\n\n: keep-alive\n\n: keep-alive\n\n", "deadline", time.Second, time.Second},
		{"an outage", func(c *model.ProviderConfig) {
			c.Weather = []model.Weather{{For: time.Hour, Outage: 503}}
		}, hello, 503, "Overloaded", "", 0, time.Minute},
		{"a freeze: heard at the thaw", func(c *model.ProviderConfig) {
			c.Weather = []model.Weather{{For: time.Second, Freeze: true}}
		}, hello, 200, "[DONE]", "", time.Second + 13*per, time.Minute},
	}
	for _, row := range rows {
		t.Run(row.says, func(t *testing.T) {
			c := chapterConfig(1, "none")
			c.Provider.Abandoned.FreesSeatAfter = 0
			row.change(&c.Provider)
			bubble(t, func(t *testing.T) {
				s := open(t, c)
				defer s.close()
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), row.waiting)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://stampede"+path, strings.NewReader(row.body))
				if err != nil {
					t.Fatal(err)
				}
				status, read := 0, ""
				response, err := s.transport.RoundTrip(r)
				if err == nil {
					var body []byte
					status = response.StatusCode
					body, err = io.ReadAll(response.Body)
					read = string(body)
					response.Body.Close()
				}
				took := time.Since(start)
				if status != row.status || !strings.Contains(read, row.read) || took != row.at {
					t.Errorf("status %d after %v: %q; want %d after %v with %q", status, took, read, row.status, row.at, row.read)
				}
				if (err == nil) != (row.ends == "") || err != nil && !strings.Contains(err.Error(), row.ends) {
					t.Errorf("it ends with %v, want %q", err, row.ends)
				}
				synctest.Wait()
				s.server.mu.Lock()
				defer s.server.mu.Unlock()
				if n := s.server.provider.Serving(); n != 0 || len(s.server.free) != len(s.server.answers) {
					t.Errorf("%d seats are taken, %d of %d tickets free", n, len(s.server.free), len(s.server.answers))
				}
			})
		})
	}
}

// Who waited in vain is told so; a key's answer is told again under the same id.
func TestServerDropsAndReplays(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	c.Provider.Queue = model.QueueConfig{Places: 5, Order: model.FIFO, WaitLimit: model.WaitLimit(50 * time.Millisecond)}
	c.Provider.Idempotency.Mode = model.IdempotencyReplay
	bubble(t, func(t *testing.T) {
		s := open(t, c)
		defer s.close()
		ask := func(key string) (int, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://stampede"+path, strings.NewReader(hello))
			if err != nil {
				t.Error(err)
				return 0, ""
			}
			r.Header.Set("Idempotency-Key", key)
			response, err := s.transport.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return 0, ""
			}
			return response.StatusCode, s.body(response)
		}
		done := make(chan string)
		go func() {
			_, body := ask("a")
			done <- body
		}()
		synctest.Wait()
		start := time.Now()
		if status, body := ask("b"); status != 429 || !strings.Contains(body, "queue") || time.Since(start) != 50*time.Millisecond {
			t.Errorf("after %v: status %d, %s; want 429 by the queue after 50ms", time.Since(start), status, body)
		}
		if status, _ := ask("a"); status != 409 {
			t.Errorf("a key in the making: status %d, want 409", status)
		}
		first := <-done
		start = time.Now()
		if status, again := ask("a"); status != 200 || again != first || time.Since(start) != 0 {
			t.Errorf("the same key: status %d after %v\n%s\nwant the same again at once\n%s", status, time.Since(start), again, first)
		}
	})
}
