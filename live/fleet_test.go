package live

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// against lets a fleet live against a server that is not ours.
func against(t *testing.T, c *model.Config, handler http.Handler) (s *model.Summary) {
	t.Helper()
	bubble(t, func(t *testing.T) { s = over(t, Pipes(), c, handler) })
	return s
}

// over is the same over a network.
func over(t *testing.T, n Network, c *model.Config, handler http.Handler) *model.Summary {
	t.Helper()
	books := NewBooks(c, clock.New())
	fleet, err := NewFleet(c, 1, books)
	if err != nil {
		t.Fatal(err)
	}
	stop := serve(&http.Server{Handler: handler}, n.Listener)
	transport := n.transport()
	if err := fleet.Run(t.Context(), transport, "http://stampede/"); err != nil {
		t.Fatal(err)
	}
	s := model.Summarise(books.close(books.now(), 0))
	transport.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
	return s
}

const (
	part     = `data: {"choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}` + "\n\n"
	finish   = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done     = "data: [DONE]\n\n"
	inPieces = `{"choices":[{"index":0,"message":{"content":"A"},"finish_reason":"stop"}],"usage":{"completion_tokens":1}}`
)

// sse answers with a stream, event by event; then it closes it in order, or resets.
func sse(reset bool, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
		}
		if reset {
			panic(http.ErrAbortHandler)
		}
	}
}

func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// What the client makes of every ending.
func TestEndings(t *testing.T) {
	for _, row := range []struct {
		says   string
		of     http.HandlerFunc
		end    policies.AttemptEnd
		status int
		tokens int64
	}{
		{"a whole stream", sse(false, part, part, finish, done), policies.Succeeded, 200, 2},
		{"one without [DONE], which has finished all the same", sse(false, part, finish), policies.Succeeded, 200, 1},
		{"one that is reset after it has finished", sse(true, part, finish), policies.Succeeded, 200, 1},
		{"one that ends in order without a finish reason", sse(false, part, part), policies.Incomplete, 200, 0},
		{"one that is reset", sse(true, part, part), policies.Incomplete, 200, 0},
		{"one that says it is done, which is enough", sse(false, part, done), policies.Succeeded, 200, 1},
		{"one whose finish is cut before its blank line", sse(false, part, finish[:len(finish)-1]), policies.Incomplete, 200, 0},
		{"one that is no JSON", sse(false, part, "data: oops\n\n", finish), policies.Incomplete, 200, 0},
		{"a stream of nothing", sse(false), policies.Incomplete, 200, 0},
		{"an answer in one piece", says(200, "application/json", inPieces), policies.Succeeded, 200, 1},
		{"one that says it has fewer tokens than none, which is not believed", says(200, "application/json", strings.Replace(inPieces, `tokens":1`, `tokens":-5`, 1)), policies.Succeeded, 200, 0},
		{"a stream that says it has nine quintillion, which is not believed", sse(false, part, strings.Replace(finish, "}]}", `}],"usage":{"completion_tokens":9000000000000000000}}`, 1), done), policies.Succeeded, 200, 1},
		{"one that is cut", says(200, "application/json", inPieces[:40]), policies.Incomplete, 200, 0},
		{"one that did not finish", says(200, "application/json", `{"choices":[{"finish_reason":null}]}`), policies.Incomplete, 200, 0},
		{"a redirect is not followed", says(307, "text/html", "go away"), policies.Errored, 307, 0},
		{"a refusal that does not say by which limit", says(429, "application/json", "{}"), policies.Rejected, 429, 0},
		{"an overload", says(529, "application/json", "{}"), policies.Errored, 529, 0},
		{"no answer at all", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, policies.Errored, 0, 0},
	} {
		s := against(t, chapterConfig(1, "none"), row.of)
		ends := map[policies.AttemptEnd]int64{
			policies.Succeeded: s.Attempts.Succeeded, policies.Errored: s.Attempts.Errored,
			policies.Incomplete: s.Attempts.Incomplete, policies.Rejected: s.Attempts.Rejected,
		}
		statuses := map[string]int64{}
		if row.status > 0 {
			statuses[fmt.Sprint(row.status)] = 1
		}
		if s.Attempts.Total != 1 || ends[row.end] != 1 || fmt.Sprint(s.Attempts.ByStatus) != fmt.Sprint(statuses) || s.Tokens.Useful != row.tokens {
			t.Errorf("%s: %+v %+v, want 1 %v with status %d and %d tokens", row.says, s.Attempts, s.Tokens, row.end, row.status, row.tokens)
		}
	}
}

// Each attempt asks for the same thing under a name of its own, and comes back when
// it was told to: here by a date, counted from the clock's now.
func TestRequests(t *testing.T) {
	c := chapterConfig(1, "told")
	c.Clients[0].Network = model.NetworkConfig{}
	told := policies.Default()["naive"]
	told.Hint.Mode = policies.ObeyHint
	c.Policies = policies.Registry{"told": told}
	var names, bodies []string
	var times []time.Duration
	var start time.Time
	s := against(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(names) == 0 {
			start = time.Now()
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != path {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		names, bodies, times = append(names, r.Header.Get(drawHeader)), append(bodies, string(body)), append(times, time.Since(start))
		switch len(names) {
		case 1:
			w.Header().Set("Retry-After", start.Add(3*time.Second).UTC().Format(http.TimeFormat))
		case 2:
			w.Header().Set("Retry-After", "2")
			w.Header().Set("Retry-After-Ms", "1250")
		case 3:
			sse(false, part, finish, done)(w, r)
			return
		}
		w.Header().Set(axisHeader, "tokens")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	if fmt.Sprint(times) != "[0s 3s 4.25s]" {
		t.Errorf("attempts at %v, want at 0s, 3s, 4.25s", times)
	}
	for i, name := range names {
		if want := fmt.Sprintf("attempt=%d&client=0&group=herd&operation=0", i); name != want {
			t.Errorf("attempt %d is named %s, want %s", i, name, want)
		}
		if bodies[i] != bodies[0] {
			t.Errorf("attempt %d asks for %s, the first for %s", i, bodies[i], bodies[0])
		}
	}
	if want := `{"model":"stampede","messages":[{"role":"user","content":"` + "tidetidetidetidetidetidetidetidetidetidetidetidetidetidetidetidetidetidetidetide" + `"}],"stream":true,"max_tokens":200}`; bodies[0] != want {
		t.Errorf("it asks for %s, want %s", bodies[0], want)
	}
	if s.Attempts.RejectedBy.Tokens != 2 || s.Operations.Succeeded != 1 {
		t.Errorf("%+v", s.Attempts)
	}
}

// A server that floods a stream with comments is not read faster than its client takes them: of
// 20,000 at one instant 4,096 are on their way back at once, which takes 10 ms.
func TestFloodsWaitForTheClient(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Clients[0].Timeouts.Idle = time.Minute
	c.Clients[0].Network.OneWay = constant(10 * time.Millisecond)
	var took time.Duration
	against(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		sse(false, part, strings.Repeat(": x\n", 20_000))(w, r)
		took = time.Since(start)
		sse(false, finish, done)(w, r)
	}))
	if took < 40*time.Millisecond || took > time.Second {
		t.Errorf("20,000 comments were taken in %v, want five ways back or a little more", took)
	}
}

// Idempotency keys are those of virtual time, but for the salt of the run.
func TestIdempotencyKeysAreSalted(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Clients[0].Idempotency = model.KeyPerOperation
	key := func(salt uint64) (n uint64) {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ = strconv.ParseUint(r.Header.Get("Idempotency-Key"), 16, 64)
			sse(false, part, finish, done)(w, r)
		}))
		defer web.Close()
		fleet, err := NewFleet(c, 1, NewClientsBooks(c, clock.New()))
		if err != nil {
			t.Fatal(err)
		}
		fleet.Salt = salt
		transport := Outgoing()
		defer transport.CloseIdleConnections()
		if err := fleet.Run(t.Context(), transport, web.URL); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if plain, again, salted := key(0), key(0), key(7); plain == 0 || plain != again || salted != plain^7 {
		t.Errorf("keys %x and %x, and %x with a salt of 7", plain, again, salted)
	}
}

// An operation's time runs from when it was meant to start, however late its
// goroutine comes to it.
func TestLateStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := load(t, "triage-first")
		books := NewBooks(c, clock.New())
		fleet, err := NewFleet(c, 1, books)
		if err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Millisecond)
		if err := fleet.Run(t.Context(), refusing{}, "http://stampede"); err != nil {
			t.Fatal(err)
		}
		s := model.Summarise(books.close(books.now(), 0))
		if s.FailLatency.Max != 0.0056 {
			t.Errorf("5 ms late and 0.6 ms on the way: took %v s", s.FailLatency.Max)
		}
	})
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{}}, nil
}

// Operations that come faster than they end, for ever, end the run with a sentence, before
// they take all the memory there is.
func TestFleetIsBounded(t *testing.T) {
	c := decode(t, "name: flood\nprovider: {faults: [{hang: true}]}\nclients: [{arrive: {rate: 100/s}}]\n")
	bubble(t, func(t *testing.T) {
		fleet, err := NewFleet(c, 1, NewClientsBooks(c, clock.New()))
		if err != nil {
			t.Fatal(err)
		}
		fleet.most = 50
		start := time.Now()
		var crowded *CrowdedError
		if err := fleet.Run(t.Context(), hanging{}, "http://stampede"); !errors.As(err, &crowded) || crowded.Most != 50 || time.Since(start) != 500*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
