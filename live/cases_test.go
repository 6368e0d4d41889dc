package live

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// RS-D1, the server's side: a hint in each form, as a client finds it. The wall of a bubble
// is 2000-01-01 00:00:00 UTC.
func TestHintFormsOnTheWire(t *testing.T) {
	for _, row := range []struct {
		says   string
		change func(*model.HintConfig)
		want   string
		body   string
	}{
		{"seconds are rounded up", func(h *model.HintConfig) { h.Format = []model.HintFormat{model.SecondsFormat} }, "Retry-After: 2", ""},
		{"with three decimals", func(h *model.HintConfig) { h.Format = []model.HintFormat{model.FloatFormat} }, "Retry-After: 1.250", ""},
		{"milliseconds", func(h *model.HintConfig) { h.Format = []model.HintFormat{model.MillisFormat} }, "Retry-After-Ms: 1250", ""},
		{"a date ahead", func(h *model.HintConfig) { h.Format = []model.HintFormat{model.DateFormat} }, "Retry-After: Sat, 01 Jan 2000 00:00:02 GMT", ""},
		{"a date of the past", func(h *model.HintConfig) { h.Malformed = "Fri, 31 Dec 1999 23:59:59 GMT" }, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", ""},
		{"0", func(h *model.HintConfig) { h.RetryAfter.Wait = 0 }, "Retry-After: 0", ""},
		{"a negative number", func(h *model.HintConfig) { h.Malformed = "-5" }, "Retry-After: -5", ""},
		{"no number", func(h *model.HintConfig) { h.Malformed = "NaN" }, "Retry-After: NaN", ""},
		{"in the text alone", func(h *model.HintConfig) { h.Format = []model.HintFormat{model.BodyFormat} }, "", "Please try again in 1.25s."},
		{"none", func(h *model.HintConfig) { *h = model.HintConfig{}; h.SetDefaults() }, "", ""},
	} {
		c := chapterConfig(1, "none")
		c.Provider.Seats, c.Provider.Hint.RetryAfter.Wait = 1, 1250*time.Millisecond
		row.change(&c.Provider.Hint)
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			defer s.request(http.MethodPost, path, hello).Body.Close()
			status, body, h := s.tell(http.MethodPost, path, hello)
			got := ""
			for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
				if v := h.Get(name); v != "" {
					got += name + ": " + v
				}
			}
			if status != 429 || got != row.want || strings.Contains(body, "try again") != (row.body != "") || !strings.Contains(body, row.body) {
				t.Errorf("%s: status %d, %q, %s; want %q and %q", row.says, status, got, body, row.want, row.body)
			}
		})
	}
}

// Load-dependent pace, token by token. One runs at full speed, and a token takes 10 ms
// then: A is alone until B comes at 20 ms, with two of its four tokens told; both are half as fast
// until A is done, at 60 ms; then B is alone again.
func TestPaceOnTheWire(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{FirstToken: constant(10 * time.Millisecond), PerToken: constant(10 * time.Millisecond), Pace: &model.PaceConfig{FullSpeedTo: 1, Sharing: model.ProcessorSharing}}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		start := time.Now()
		times := func(after time.Duration, said chan<- []int64) {
			pass(after)
			r := s.request(http.MethodGet, "/v1/chat?max_tokens=4", "")
			defer r.Body.Close()
			var at []int64 // ms
			for from := newEvents(r.Body); len(at) < 4; {
				if _, err := from.next(); err != nil {
					t.Error(err)
					break
				}
				at = append(at, time.Since(start).Milliseconds())
			}
			said <- at
		}
		a, b := make(chan []int64, 1), make(chan []int64, 1)
		go times(0, a)
		go times(20*time.Millisecond, b)
		if got := fmt.Sprint(<-a, <-b); got != "[10 20 40 60] [40 60 70 80]" {
			t.Errorf("tokens come at %s ms", got)
		}
	})
}

// TS-D5 on sockets: clients that leave in every state, served, queued, being refused, in a
// stall, at any instant, give everything back. A failure prints the seed.
func TestNothingLeaksWhenClientsLeave(t *testing.T) {
	for seed := range uint64(3) {
		c := chapterConfig(1, "none")
		c.Provider.Seats = 5
		c.Provider.Queue = model.QueueConfig{Places: 5, Order: model.FIFO, WaitLimit: model.WaitLimit(30 * time.Millisecond)}
		c.Provider.Abandoned.FreesSeatAfter = model.Patience(time.Duration(seed) * 3 * time.Millisecond)
		c.Provider.Limits = []model.LimitConfig{{Axis: model.LimitConcurrency, Limit: 8}}
		c.Provider.Faults = []model.Fault{{Stall: true, AfterTokens: 2, Probability: model.Whole / 5, First: policies.Unlimited}, {Hang: true, Probability: model.Whole / 20, First: policies.Unlimited}}
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			random := rand.New(rand.NewPCG(seed, 1))
			var all sync.WaitGroup
			for range 2000 {
				arrives, patience := time.Duration(random.Int64N(int64(10*time.Second))), time.Duration(random.Int64N(int64(150*time.Millisecond)))
				all.Go(func() {
					pass(arrives)
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://stampede/v1/chat", nil)
					if err != nil {
						t.Error(err)
						return
					}
					if response, err := s.transport.RoundTrip(r); err == nil {
						_, _ = io.Copy(io.Discard, response.Body)
						response.Body.Close()
					}
				})
			}
			all.Wait()
			pass(time.Second)
			synctest.Wait()
			sum := s.server.Summary()
			s.server.mu.Lock()
			defer s.server.mu.Unlock()
			if p := s.server.provider; p.Serving() != 0 || p.Queued() != 0 || len(s.server.free) != len(s.server.answers) {
				t.Errorf("seed %d: %d seats are taken, %d wait, %d of %d tickets are free", seed, p.Serving(), p.Queued(), len(s.server.free), len(s.server.answers))
			}
			a := sum.Attempts
			if a.InFlight != 0 || a.Succeeded == 0 || a.Rejected == 0 || a.Cancelled == 0 || sum.Provider.MaxInFlight > 5 || sum.Provider.MaxQueue > 5 {
				t.Errorf("seed %d: %+v, %+v", seed, a, sum.Provider)
			}
			if sum.Tokens.Billed < sum.Tokens.Useful || a.Total != a.Succeeded+a.Rejected+a.Errored+a.Incomplete+a.Cancelled {
				t.Errorf("seed %d: the books do not balance: %+v, %+v", seed, sum.Tokens, a)
			}
		})
	}
}
