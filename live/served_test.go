package live

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// openServed is a server for anybody, on pipes, as the verb `serve` runs it.
func openServed(t *testing.T, c *model.Config, steer bool) *shop {
	t.Helper()
	books := NewServedBooks(c, clock.New())
	server, err := NewServer(c, 1, books)
	if err != nil {
		t.Fatal(err)
	}
	server.Name, server.Steer = "served", steer
	n := Pipes()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, n.Listener) }()
	s := &shop{t: t, server: server, books: books, transport: n.transport(), dial: n.Dial}
	s.close = func() {
		s.transport.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return s
}

// request asks with headers, and does not wait for the end.
func (s *shop) request(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://stampede"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return response
}

// tell asks and reads to the end.
func (s *shop) tell(method, path, body string, headers ...string) (status int, text string, h http.Header) {
	s.t.Helper()
	r := s.request(method, path, body, headers...)
	return r.StatusCode, s.body(r), r.Header
}

const ask = `{"model": "m", "messages": [{"role": "user", "content": "hello"}]}`

// With stream_options.include_usage every chunk has "usage":null, and one more with no
// choices comes before [DONE]: openai-node's chat completions, in section 1.2.
func TestIncludeUsage(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		const events = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"A"},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[{"index":0,"delta":{"content":" tide"},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"m","choices":[],"usage":{"prompt_tokens":2,"completion_tokens":2,"total_tokens":4}}

data: [DONE]

`
		_, with, _ := s.tell("POST", path, strings.Replace(ask, "{", `{"stream": true, "max_tokens": 2, "stream_options": {"include_usage": true},`, 1))
		if with != events {
			t.Errorf("with usage:\n%s\nwant\n%s", with, events)
		}
		_, without, _ := s.tell("POST", path, strings.Replace(ask, "{", `{"stream": true, "max_tokens": 2,`, 1))
		if strings.Contains(without, "usage") || strings.Count(without, "data: ") != 4 {
			t.Errorf("without:\n%s", without)
		}
	})
}

// Who a request is charged to, and as what it counts.
func TestWhoComes(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service, c.Provider.Seats = model.ServiceConfig{}, policies.Unlimited
	c.Clients[0].Key, c.Clients[0].Tenant = "main", "acme"
	c.Provider.Limits = []model.LimitConfig{
		{Axis: model.LimitRequests, Limit: 2, Per: time.Hour, Scope: model.LimitScope{Kind: model.ScopeKey}},
		{Axis: model.LimitTokens, Limit: 50, Per: time.Hour, Scope: model.LimitScope{Kind: model.ScopePool, Pool: "mini"}, Charge: model.ChargeConfig{Input: model.InputChars4}},
	}
	c.Provider.Faults = []model.Fault{{Keys: []string{"revoked"}, Status: 401, First: policies.Unlimited}, {Keys: []string{"flaky"}, Status: 503, First: 1}}
	const ask = `{"model": "m", "max_tokens": 40, "messages": [{"role": "user", "content": "sixteen letters."}]}`
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		for _, row := range []struct {
			says    string
			headers []string
			body    string
			want    []int
		}{
			{"a key has a limit of its own", []string{"Authorization", "Bearer a"}, ask, []int{200, 200, 429}},
			{"and so has another, in Anthropic's header", []string{"X-Api-Key", "b"}, ask, []int{200, 200, 429}},
			{"and one in Azure's", []string{"Api-Key", "c"}, ask, []int{200, 200, 429}},
			{"bearer and x-api-key are one key", []string{"X-Api-Key", "a"}, ask, []int{429}},
			{"a key that the scenario gives a group", []string{"Authorization", "bearer main"}, ask, []int{200, 200, 429}},
			{"who brings none is drawn as the group, and shares its key", nil, ask, []int{429}},
			{"a key that a fault names", []string{"Authorization", "Bearer revoked"}, ask, []int{401, 401, 401}},
			{"an SDK says which attempt it is", []string{"Authorization", "Bearer flaky", "X-Stainless-Retry-Count", "1"}, ask, []int{200}},
			{"an idempotency key counts them", []string{"Authorization", "Bearer flaky", "Idempotency-Key", "1"}, ask, []int{503, 200}},
			{"who says neither makes a first attempt each time", []string{"Authorization", "Bearer flaky"}, ask, []int{503, 503}},
			{"a model whose name is a pool's is limited as that: 4 + 40 of 50 tokens", []string{"X-Api-Key", "d"}, strings.Replace(ask, `"m"`, `"mini"`, 1), []int{200, 429}},
		} {
			for i, want := range row.want {
				if status, body, _ := s.tell("POST", path, row.body, row.headers...); status != want {
					t.Errorf("%s: request %d: status %d, want %d: %s", row.says, i, status, want, body)
				}
			}
		}
		groups := s.server.Summary().Groups
		for _, row := range []struct {
			key  string
			want int64
		}{
			{"main", 3},
			{"no-key", 1},
			{"revoked", 3},
			{"flaky", 5},
			{"key-ca978112", 4}, // printf a | sha256sum
			{"key-3e23e816", 3}, // b
		} {
			if got := groups[row.key].Attempts.Total; got != row.want {
				t.Errorf("%s: %d requests, want %d", row.key, got, row.want)
			}
		}
	})
}

// A stranger's key is a tenant of its own, unless it says whose it is.
func TestWhoseKeyItIs(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service, c.Provider.Seats = model.ServiceConfig{}, policies.Unlimited
	c.Clients[0].Key, c.Clients[0].Tenant = "main", "acme"
	c.Provider.Limits = []model.LimitConfig{{Axis: model.LimitRequests, Limit: 1, Per: time.Hour, Scope: model.LimitScope{Kind: model.ScopeTenant}}}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		for _, row := range []struct {
			says    string
			headers []string
			want    int
		}{
			{"a key is a tenant", []string{"X-Api-Key", "a"}, 200},
			{"which has a limit", []string{"X-Api-Key", "a"}, 429},
			{"another key is another", []string{"X-Api-Key", "b"}, 200},
			{"but not of an organisation that", []string{"X-Api-Key", "c", "OpenAI-Organization", "org"}, 200},
			{"has another key", []string{"X-Api-Key", "d", "OpenAI-Organization", "org"}, 429},
			{"another organisation has a limit of its own", []string{"X-Api-Key", "c", "OpenAI-Organization", "other"}, 200},
			{"the scenario's key is its tenant's", []string{"X-Api-Key", "main"}, 200},
			{"which may be said", []string{"X-Api-Key", "e", "OpenAI-Organization", "acme"}, 429},
		} {
			if status, body, _ := s.tell("POST", path, ask, row.headers...); status != row.want {
				t.Errorf("%s: status %d, want %d: %s", row.says, status, row.want, body)
			}
		}
	})
}

// However many keys come, a bounded number is remembered.
func TestManyKeys(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var last [2]guest
	for i := range 3 * mostKeys {
		last[0], last[1] = last[1], server.guests.know(http.Header{"X-Api-Key": {strings.Repeat("k", 1+i%7) + time.Duration(i).String()}})
	}
	if n := len(server.guests.numbers); n != mostKeys {
		t.Errorf("%d keys have a number, want %d", n, mostKeys)
	}
	if last[0].key != last[1].key || last[0].row != last[1].row {
		t.Errorf("the last two are %+v and %+v, want one for all that are too many", last[0], last[1])
	}
	if n := len(server.Summary().Groups); n != mostRows+1 {
		t.Errorf("%d groups, want %d and the others", n, mostRows)
	}
	for i := range mostTries + 10 {
		server.guests.know(http.Header{"Idempotency-Key": {time.Duration(i).String()}})
	}
	if n := len(server.guests.tries); n != mostTries {
		t.Errorf("%d idempotency keys are counted, want %d", n, mostTries)
	}
}

// Experiment E14 as the server books it: with a key one answer is made, billed and
// received; without, two are made and billed, and none received.
func TestIdempotencyIsBooked(t *testing.T) {
	c := load(t, "idempotency")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		visit := func(patience time.Duration, headers ...string) (id, replayed string) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, "GET", "http://stampede/v1/chat", nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			response, err := s.transport.RoundTrip(r)
			if err != nil {
				return "", ""
			}
			defer response.Body.Close()
			if _, err := io.ReadAll(response.Body); err != nil {
				return "", ""
			}
			return "read", response.Header.Get("Idempotent-Replayed")
		}
		for range 2 {
			if id, _ := visit(300*time.Millisecond, "X-Api-Key", "keyless"); id != "" {
				t.Error("an answer of 780 ms came within 300")
			}
		}
		visit(300*time.Millisecond, "X-Api-Key", "keyed", "Idempotency-Key", "k")
		pass(600 * time.Millisecond)
		if id, replayed := visit(300*time.Millisecond, "X-Api-Key", "keyed", "Idempotency-Key", "k"); id == "" || replayed != "true" {
			t.Errorf("the second attempt with the key: %q, replayed %q", id, replayed)
		}
		visit(300*time.Millisecond, "X-Api-Key", "keyed", "Idempotency-Key", "k") // has it twice
		pass(time.Second)
		synctest.Wait()
		sum := s.server.Summary()
		keyed, keyless := sum.Groups["key-"+fingerprint("keyed")], sum.Groups["key-"+fingerprint("keyless")]
		if keyed.Answers != 1 || keyed.Tokens.Billed != 13 || keyed.Tokens.Useful != 13 {
			t.Errorf("with a key: %d answers, %+v", keyed.Answers, keyed.Tokens)
		}
		if keyless.Answers != 2 || keyless.Tokens.Billed != 26 || keyless.Tokens.Useful != 0 || keyless.Attempts.Cancelled != 2 {
			t.Errorf("without: %d answers, %+v, %+v", keyless.Answers, keyless.Tokens, keyless.Attempts)
		}
	})
}

// Whoever gets an answer by its key is told the first one's end, whatever length it would have
// drawn itself: of 30 strangers about a third draw at most 20 of 5 to 50 tokens.
func TestRepeatsEndAlike(t *testing.T) {
	for _, row := range []struct {
		says    string
		mode    model.IdempotencyMode
		between time.Duration
		weather []model.Weather
	}{
		{"replayed", model.IdempotencyReplay, 10 * time.Second, nil},
		{"replayed at a thaw", model.IdempotencyReplay, 10 * time.Second, []model.Weather{{At: 5 * time.Second, For: 10 * time.Second, Freeze: true}}},
		{"attached", model.IdempotencyAttach, time.Millisecond, nil},
		{"attached at a thaw", model.IdempotencyAttach, time.Millisecond, []model.Weather{{For: time.Second, Freeze: true}}},
	} {
		c := chapterConfig(1, "none")
		c.Provider.Seats, c.Provider.Idempotency.Mode, c.Provider.Weather = policies.Unlimited, row.mode, row.weather
		c.Clients[0].Request.OutputTokens = model.TokenDist{Uniform: &[2]int64{5, 50}}
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			const keys = 30
			var ends [2][keys]chatAnswer
			var asking sync.WaitGroup
			for i := range ends {
				for k := range keys {
					asking.Go(func() {
						_, body, _ := s.tell("POST", path, strings.Replace(ask, "{", `{"max_tokens": 20,`, 1), "Idempotency-Key", strconv.Itoa(k))
						if err := json.Unmarshal([]byte(body), &ends[i][k]); err != nil {
							t.Error(err)
						}
					})
				}
				pass(row.between)
			}
			asking.Wait()
			stops := 0
			for k := range keys {
				first, again := &ends[0][k], &ends[1][k]
				if !reflect.DeepEqual(first.Choices, again.Choices) || len(first.Choices) == 0 {
					t.Errorf("%s: key %d: %+v and then %+v", row.says, k, first, again)
				} else if *first.Choices[0].FinishReason == "stop" {
					stops++
				}
			}
			if stops == 0 || stops == keys {
				t.Errorf("%s: %d of %d stop by themselves, want some", row.says, stops, keys)
			}
		})
	}
}

func TestSteering(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	stream := strings.Replace(ask, "{", `{"stream": true,`, 1)
	for _, row := range []struct {
		says, fault, body string
		steer             bool
		status            int
		read              string
	}{
		{"without --steer the header is ignored, and that is said", "status=500", ask, false, 200, "A tide"},
		{"even one that is wrong", "nonsense", ask, false, 200, "A tide"},
		{"a status", "status=529", ask, true, 529, "Overloaded"},
		{"a status that says when to come again", "status=429 retry_after=5s", ask, true, 429, "rate_limit"},

		{"an error in the stream", "in_stream=overloaded_error after_tokens=1", stream, true, 200, `"type":"overloaded_error"`},
		{"a close after two tokens", "cut=close after_tokens=2", stream, true, 200, `" tide"`},
		{"a stream that ends without [DONE]", "ending=finish-close", stream, true, 200, `"finish_reason":"stop"`},
		{"one that ends with the usage alone", "ending=usage-close", stream, true, 200, `"completion_tokens":13`},
		{"a fault of streams alone", "in_stream=x", ask, true, 400, "ask for one"},
		{"no fault", "nonsense", ask, true, 400, `\"nonsense\" is no part of a fault`},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, row.steer)
			defer s.close()
			status, body, h := s.tell("POST", path, row.body, steerHeader, row.fault)
			if vain, said := h.Get(steerHeader) != "", len(s.server.Summary().Warnings) > 0; vain == row.steer || said == row.steer {
				t.Errorf("%s: in vain is %v, and a warning %v", row.says, vain, said)
			}
			if again := h.Get("Retry-After"); (again == "5") != strings.Contains(row.fault, "retry_after") {
				t.Errorf("%s: come again after %q", row.says, again)
			}
			if status != row.status || !strings.Contains(body, row.read) {
				t.Errorf("%s: status %d, want %d and %s in\n%s", row.says, status, row.status, row.read, body)
			}
		})
	}
}

// Each ending of a stream whose tokens have all come, as a client reads it.
func TestEndingsOnTheWire(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	stream := strings.Replace(ask, "{", `{"stream": true, "max_tokens": 5,`, 1)
	for _, row := range []struct {
		ending         string
		tokens         int
		finished, done bool
		usage          bool
		ends           string // how the reading ends: "" in good order
	}{
		{"finish-close", 5, true, false, false, ""},
		{"done-open", 5, false, true, false, "deadline"},
		{"close", 5, false, false, false, ""},
		{"usage-close", 5, false, false, true, ""},
		{"reset", 4, false, false, false, "EOF"},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, true)
			defer s.close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, "POST", "http://stampede"+path, strings.NewReader(stream))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(steerHeader, "ending="+row.ending)
			response, err := s.transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			text := string(body)
			if n := strings.Count(text, `"content"`); n != row.tokens || strings.Contains(text, `"finish_reason":"length"`) != row.finished ||
				strings.Contains(text, "[DONE]") != row.done || strings.Contains(text, "usage") != row.usage {
				t.Errorf("%s: %d tokens, want %d:\n%s", row.ending, n, row.tokens, text)
			}
			if (err == nil) != (row.ends == "") || err != nil && !strings.Contains(err.Error(), row.ends) {
				t.Errorf("%s: it ends with %v, want %q", row.ending, err, row.ends)
			}
		})
	}
}

// The summary and the metrics agree with what happened, in the contract's names.
func TestServerTellsOfItself(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		first := s.request("POST", path, hello)
		for range 2 {
			if status, _, _ := s.tell("POST", path, hello); status != 429 {
				t.Errorf("a full house: status %d", status)
			}
		}
		s.body(first)
		s.tell("POST", path, "{")
		status, text, h := s.tell("GET", summaryPath, "")
		var sum struct {
			Scenario string
			Attempts struct {
				Total, Succeeded, Rejected, Errored int64
				ByStatus                            map[string]int64 `json:"by_status"`
			}
			Provider struct {
				Answers int64 `json:"answers_generated"`
			}
			Tokens struct{ Billed, Useful, Wasted int64 }
			Groups map[string]any
		}
		if err := json.Unmarshal([]byte(text), &sum); err != nil || status != 200 || h.Get("Content-Type") != "application/json" {
			t.Fatalf("status %d, %v: %s", status, err, text)
		}
		if a := sum.Attempts; sum.Scenario != "served" || a.Total != 4 || a.Succeeded != 1 || a.Rejected != 2 || a.Errored != 1 || a.ByStatus["429"] != 2 || a.ByStatus["400"] != 1 {
			t.Errorf("attempts %+v", a)
		}
		if sum.Provider.Answers != 1 || sum.Tokens.Billed != 13 || sum.Tokens.Wasted != 0 || len(sum.Groups) != 1 {
			t.Errorf("%+v", sum)
		}
		_, text, h = s.tell("GET", metricsPath, "")
		for _, line := range []string{
			`stampede_requests_total{end="succeeded"} 1`, `stampede_requests_total{end="rejected"} 2`, `stampede_responses_total{status="429"} 2`,
			`stampede_rejections_total{axis="seats"} 2`, `stampede_answers_generated_total 1`, `stampede_output_tokens_total 13`, `stampede_key_requests_total{key="no-key"} 4`,
		} {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("metrics lack %s:\n%s", line, text)
			}
		}
		if h.Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
			t.Errorf("content type %s", h.Get("Content-Type"))
		}
		for _, path := range []string{summaryPath, metricsPath} {
			if status, _, h := s.tell("POST", path, ""); status != 405 || h.Get("Allow") != "GET, HEAD" {
				t.Errorf("POST %s: status %d, allow %s", path, status, h.Get("Allow"))
			}
		}
	})
}

func TestMetricsEscapeLabels(t *testing.T) {
	m := exposition{name: "x"}
	m.value(1, "key", "a\\b\"c\nd")
	if want := `x{key="a\\b\"c\nd"} 1` + "\n"; m.String() != want {
		t.Errorf("%s want %s", m.String(), want)
	}
}

// Who waits in vain for a seat is told when to come again, as who is refused at once.
func TestWhoWaitedInVainIsToldWhenToComeAgain(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	c.Provider.Queue = model.QueueConfig{Places: 1, Order: model.FIFO, WaitLimit: model.WaitLimit(50 * time.Millisecond)}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		first := s.request("POST", path, hello) // for 126 ms
		for _, body := range []string{hello, ask} {
			start := time.Now()
			status, _, h := s.tell("POST", path, body)
			if took := time.Since(start); status != 429 || h.Get("Retry-After") != "1" || h.Get(axisHeader) != "queue" || took != 50*time.Millisecond {
				t.Errorf("%s: status %d after %v: %v; want 429 after 50ms, and to come again in 1 s", body, status, took, h)
			}
		}
		s.body(first)
	})
}

// A freeze is no queue: who is served at the thaw has not stood in one.
func TestFreezeIsNoQueue(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	c.Provider.Queue = model.QueueConfig{Places: 1, Order: model.FIFO, WaitLimit: model.WaitLimit(policies.Never)}
	c.Provider.Weather = []model.Weather{{For: time.Second, Freeze: true}}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() { s.tell("POST", path, hello) })
		}
		asking.Wait()
		// 13 tokens of 9.7 ms: the second waits 126.1 ms from the thaw on, the first not at all.
		if w := s.server.Summary().Provider.QueueWait; w.Max != model.Number(0.1261) || w.Mean != model.Number(0.1261/2) {
			t.Errorf("they waited %+v, want 0 and 126.1 ms", w)
		}
	})
}

// A server that closes does not tell the rest of an answer that is due at once.
func TestServerClosesInTheMiddle(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	c.Clients[0].Request.OutputTokens = constant(int64(100_000))
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		r := s.request("POST", path, hello) // its header has come, and with it the first tokens
		s.server.bar()
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if n := strings.Count(string(text), "data: "); n == 0 || n > 10_000 {
			t.Errorf("%d of 100,000 tokens came after the server closed", n)
		}
		s.close()
		if a := s.server.Summary().Attempts; a.Incomplete != 1 {
			t.Errorf("attempts %+v, want one that is incomplete", a)
		}
	})
}

// Told to stop, it lets the short answer end, cuts the long one, and is gone within 5 s.
func TestServerStops(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		short, long := s.request("GET", "/v1/chat?delay=100", ""), s.request("GET", "/v1/chat?delay=1000", "")
		silent, err := s.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		ends := make(chan [2]bool, 1)
		go func() {
			one, err := io.ReadAll(short.Body)
			two, _ := io.ReadAll(long.Body)
			ends <- [2]bool{err == nil && bytes.HasSuffix(one, []byte("[DONE]\n\n")), bytes.HasSuffix(two, []byte("[DONE]\n\n"))}
		}()
		start := time.Now()
		s.close()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("it took %v to stop", took)
		}
		if got := <-ends; got != [2]bool{true, false} {
			t.Errorf("the short and the long answer ended whole: %v; want the short alone", got)
		}
		if _, err := s.dial(t.Context()); err == nil {
			t.Error("it still lets people in")
		}
		sum := s.server.Summary()
		if a := sum.Attempts; a.Total != 2 || a.Succeeded != 1 || a.Incomplete != 1 {
			t.Errorf("attempts %+v", a)
		}
	})
}

// A listener that fails ends it, with the reason.
func TestServerLosesItsListener(t *testing.T) {
	c := chapterConfig(1, "none")
	server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	n := Pipes()
	n.Listener.Close()
	if err := server.Serve(context.Background(), n.Listener); err == nil || !strings.Contains(err.Error(), net.ErrClosed.Error()) {
		t.Errorf("it ends with %v", err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(hello)))
	if w.Code != 503 {
		t.Errorf("status %d after the end, want 503", w.Code)
	}
}

// Our own clients against a server that keeps its own books, as two programs would be: both
// count the same, and the server knows their group.
func TestOwnClientsAgainstAServer(t *testing.T) {
	c := load(t, "herd-20", "clients.0.network.one_way={sum: [0.3ms, {uniform: [0ms, 0.1ms]}]}")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		books := NewBooks(c, clock.New())
		fleet, err := NewFleet(c, 1, books)
		if err != nil {
			t.Fatal(err)
		}
		if err := fleet.Run(t.Context(), s.transport, "http://stampede"); err != nil {
			t.Fatal(err)
		}
		theirs, ours := model.Summarise(books.close(books.now(), 0)), s.server.Summary()
		a, b := theirs.Attempts, ours.Groups["herd"].Attempts
		if b.Total != a.Total || b.Rejected != a.Rejected || b.RejectedBy != a.RejectedBy || b.Succeeded != 20 || len(ours.Groups) != 1 {
			t.Errorf("the clients count %+v, the server %+v of %d groups", a, b, len(ours.Groups))
		}
		if want := virtually(t, c, 1).Attempts; a.Total != want.Total || want.Rejected == 0 {
			t.Errorf("virtual time has %d attempts, the clients %d", want.Total, a.Total)
		}
	})
}
