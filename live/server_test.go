package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

const hello = `{"model": "m", "messages": [{"role": "user", "content": "hello"}], "stream": true}`

// shop is a server on pipes and a client of nobody's making.
type shop struct {
	t         *testing.T
	server    *Server
	books     *Books
	transport *http.Transport
	dial      func(context.Context) (net.Conn, error)
	close     func()
}

func open(t *testing.T, c *model.Config) *shop {
	t.Helper()
	books := NewBooks(c, clock.New())
	server, err := NewServer(c, 1, books)
	if err != nil {
		t.Fatal(err)
	}
	n := Pipes()
	stop := serve(server.HTTP(), n.Listener)
	s := &shop{t: t, server: server, books: books, transport: n.transport(), dial: n.Dial}
	s.close = func() {
		s.transport.CloseIdleConnections()
		server.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	return s
}

func (s *shop) ask(ctx context.Context, method, path, body string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://stampede"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := s.transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return response
}

func (s *shop) body(r *http.Response) string {
	s.t.Helper()
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

const path = "/v1/chat/completions"

// Each token's event comes at its time: first + k * per_token after the request.
func TestServerStreams(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service.FirstToken = constant(64 * time.Millisecond)
	c.Provider.Service.PerToken = constant(60600 * time.Microsecond)
	bubble(t, func(t *testing.T) {
		s := open(t, c)
		defer s.close()
		start := time.Now()
		r := s.ask(t.Context(), http.MethodPost, path, hello)
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
			t.Errorf("status %d, header %v", r.StatusCode, r.Header)
		}
		defer r.Body.Close()
		from := newEvents(r.Body)
		var said strings.Builder
		for k := 0; ; k++ {
			data, err := from.next()
			if err != nil {
				t.Fatal(err)
			}
			if string(data) == "[DONE]" {
				if k != 14 {
					t.Errorf("%d events before [DONE], want 13 tokens and the finish", k)
				}
				break
			}
			var e chatAnswer
			if err := json.Unmarshal(data, &e); err != nil {
				t.Fatal(err)
			}
			reason := e.Choices[0].FinishReason
			if (reason != nil) != (k == 13) || k == 13 && *reason != "stop" {
				t.Errorf("event %d: finish_reason in %s", k, data)
			}
			want := 64*time.Millisecond + time.Duration(min(k, 12))*60600*time.Microsecond
			if at := time.Since(start); at != want {
				t.Errorf("event %d came at %v, want %v", k, at, want)
			}
			said.WriteString(e.Choices[0].Delta.Content)
		}
		if said.String() != "A tide gauge is a device that measures sea level over time ." {
			t.Errorf("it said %q", said.String())
		}
	})
}

func TestServerAnswersWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := open(t, chapterConfig(1, "none"))
		defer s.close()
		for _, row := range []struct {
			says, limit, text, reason string
			tokens                    int64
		}{
			{"the whole answer", "", "A tide gauge is a device that measures sea level over time .", "stop", 13},
			{"one that is cut", `, "max_tokens": 5`, "A tide gauge is a", "length", 5},
			{"one whose limit is its length", `, "max_tokens": 13`, "A tide gauge is a device that measures sea level over time .", "stop", 13},
			{"the newer name wins", `, "max_tokens": 5, "max_completion_tokens": 2`, "A tide", "length", 2},
		} {
			r := s.ask(t.Context(), http.MethodPost, path, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]`+row.limit+`}`)
			var a chatAnswer
			if err := json.Unmarshal([]byte(s.body(r)), &a); err != nil {
				t.Fatal(err)
			}
			if a.Choices[0].Message.Content != row.text || *a.Choices[0].FinishReason != row.reason || a.Usage.Completion != row.tokens {
				t.Errorf("%s: %+v %+v, want %q, %s, %d tokens", row.says, a.Choices[0].Message, a.Usage, row.text, row.reason, row.tokens)
			}
		}
	})
}

func TestServerAnswersWithNothing(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Clients[0].Request.OutputTokens = constant(int64(0))
	for _, row := range []struct{ says, body, want string }{
		{"in one piece its content is empty", `{"messages": [{}]}`, `{"id":"chatcmpl-1","object":"chat.completion","created":946684800,"model":"","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}` + "\n"},
		{"a stream has its end alone", `{"stream": true, "messages": [{}]}`, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":946684800,"model":"","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"},
	} {
		bubble(t, func(t *testing.T) {
			s := open(t, c)
			defer s.close()
			if got := s.body(s.ask(t.Context(), http.MethodPost, path, row.body)); got != row.want {
				t.Errorf("%s:\n%s\nwant\n%s", row.says, got, row.want)
			}
		})
	}
}

func TestServerRefuses(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	c.Provider.Hint.RetryAfter.Wait = 1250 * time.Millisecond
	c.Provider.Hint.Format = []model.HintFormat{model.SecondsFormat, model.MillisFormat}
	bubble(t, func(t *testing.T) {
		s := open(t, c)
		defer s.close()
		for _, row := range []struct {
			says, method, path, body string
			status                   int
		}{
			{"another path", http.MethodPost, "/v1/models", hello, 404},
			{"another method", http.MethodGet, path, "", 405},
			{"no JSON", http.MethodPost, path, "{", 400},
			{"something after the JSON", http.MethodPost, path, hello + "}", 400},
			{"a wrong type", http.MethodPost, path, `{"messages": 5}`, 400},
			{"no messages", http.MethodPost, path, `{}`, 400},
			{"no tokens", http.MethodPost, path, `{"messages": [{"role": "user", "content": "a"}], "max_tokens": 0}`, 400},
			{"nothing at all", http.MethodPost, path, "", 400},
			{"a body without end", http.MethodPost, path, strings.Repeat(" ", 2<<20), 413},
		} {
			r := s.ask(t.Context(), row.method, row.path, row.body)
			var e chatError
			if err := json.Unmarshal([]byte(s.body(r)), &e); err != nil || e.Error.Message == "" || e.Error.Type != "invalid_request_error" {
				t.Errorf("%s: %v, error %+v", row.says, err, e)
			}
			if r.StatusCode != row.status || r.Header.Get(axisHeader) != "" || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: status %d, want %d; header %v", row.says, r.StatusCode, row.status, r.Header)
			}
		}
		first := s.ask(t.Context(), http.MethodPost, path, hello)
		r := s.ask(t.Context(), http.MethodPost, path, hello)
		body := s.body(r)
		if r.StatusCode != 429 || r.Header.Get(axisHeader) != "seats" || r.Header.Get("Retry-After") != "2" || r.Header.Get("Retry-After-Ms") != "1250" {
			t.Errorf("a full house: status %d, header %v", r.StatusCode, r.Header)
		}
		if !strings.Contains(body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("a full house says %s", body)
		}
		s.body(first)
	})
}

// A client that leaves does not take the answer back: its seat is busy to the end,
// and then serves another.
func TestServerWhenTheClientLeaves(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Seats = 1
	bubble(t, func(t *testing.T) {
		s := open(t, c)
		defer s.close()
		ctx, cancel := context.WithCancel(t.Context())
		r := s.ask(ctx, http.MethodPost, path, hello)
		pass(20 * time.Millisecond)
		cancel()
		r.Body.Close()
		s.server.handlers.Wait()
		if n := s.server.provider.Serving(); n != 1 {
			t.Errorf("%d are served after the client left, want its seat to stay busy", n)
		}
		pass(96 * time.Millisecond) // 9.7 ms + 20 ms + 96 ms: just before the end
		again := s.ask(t.Context(), http.MethodPost, path, hello)
		s.body(again)
		pass(time.Millisecond)
		synctest.Wait()
		if e := s.server.effects; len(e) != 1 || e[0].Kind != model.Finish || !e[0].Gone {
			t.Errorf("the answer ended with %+v, want it finished for one who is gone", e)
		}
		last := s.ask(t.Context(), http.MethodPost, path, hello)
		s.body(last)
		if again.StatusCode != 429 || last.StatusCode != 200 {
			t.Errorf("just before the end of the answer %d, just after %d; want 429, 200", again.StatusCode, last.StatusCode)
		}
		if made, free := len(s.server.answers), len(s.server.free); made != 2 || free != 2 {
			t.Errorf("%d of %d tickets are free, want both that were needed at once", free, made)
		}
		now := s.books.now()
		sum := model.Summarise(s.books.close(now, s.server.Busy(now)))
		if sum.Provider.AnswersGenerated != 2 || sum.Tokens.Billed != 26 {
			t.Errorf("%d answers were made and %d tokens billed, want 2 and 26", sum.Provider.AnswersGenerated, sum.Tokens.Billed)
		}
	})
}

// Close ends what waits, with a word where nothing was said yet.
func TestServerCloses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := open(t, chapterConfig(1, "none"))
		status := make(chan int)
		go func() {
			r := s.ask(t.Context(), http.MethodPost, path, hello)
			s.body(r)
			status <- r.StatusCode
		}()
		synctest.Wait()
		s.server.Close()
		if got := <-status; got != 503 {
			t.Errorf("a request before its first token: status %d, want 503", got)
		}
		r := s.ask(t.Context(), http.MethodPost, path, hello)
		s.body(r)
		if r.StatusCode != 503 {
			t.Errorf("a request after Close: status %d, want 503", r.StatusCode)
		}
		s.close()
	})
}

// A stranger is drawn under a name of its own; who names its draws gets those of
// virtual time, in whatever order it comes.
func TestServerDraws(t *testing.T) {
	c := chapterConfig(4, "none")
	c.Provider.Service.FirstToken = model.DurationDist{Exponential: &model.Mean[time.Duration]{Mean: time.Second}}
	s, err := NewServer(c, 7, NewBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	draws := model.NewDraws(&c.Clients[0], &c.Provider)
	named := errand{group: "herd", client: 3, attempt: 2}
	want := draws.Request(model.OperationKey(model.ClientKey(7, "herd", 3), 0), 2)
	draw := func(errand string) model.Request {
		g := s.guests.know(http.Header{drawHeader: {errand}})
		return s.draw(&g, &asked{})
	}
	one, q, two := draw(""), draw(named.String()), draw("group=herd&client=-1&operation=0&attempt=0")
	if !reflect.DeepEqual(q, want) {
		t.Errorf("%s draws %+v, want %+v", named, q, want)
	}
	if one.FirstToken == two.FirstToken {
		t.Errorf("two strangers have one draw, %v", one.FirstToken)
	}
}

func TestErrand(t *testing.T) {
	for _, e := range []errand{{}, {"herd", 1, 2, 3, false}, {"a&b=c/\n潮", 1 << 30, 0, 1<<31 - 1, true}} {
		if got, ok := parseErrand(e.String()); !ok || got != e {
			t.Errorf("%q reads as %+v, %v; want %+v", e.String(), got, ok, e)
		}
	}
	for _, s := range []string{"", "herd", "group=a", "group=a&client=x&operation=0&attempt=0", "group=a&client=0&operation=0&attempt=2147483648", "%"} {
		if e, ok := parseErrand(s); ok {
			t.Errorf("%q reads as %+v", s, e)
		}
	}
}

func FuzzServerBody(f *testing.F) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	for _, s := range []string{hello, "{", "", "null", `{"messages":[{}],"max_tokens":1e3}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := NewServer(c, 1, NewBooks(c, clock.New()))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, path := range []string{path, messagesPath} {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
			if w.Code != 200 && w.Code != 400 && w.Code != 413 {
				t.Errorf("%s: %q: status %d", path, body, w.Code)
			}
		}
	})
}

// Events are flushed when they are told, so a plain writer sees them one by one.
func ExampleServer() {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{} // at once
	server, err := NewServer(c, 1, NewBooks(c, clock.New()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	w := httptest.NewRecorder()
	body := `{"model": "m", "messages": [{"role": "user", "content": "What is a tide gauge?"}], "stream": true, "max_tokens": 3}`
	server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	for line := range strings.SplitSeq(w.Body.String(), "\n\n") {
		_, choices, _ := strings.Cut(line, `"choices":`)
		fmt.Println(choices)
	}
	// Output:
	// [{"index":0,"delta":{"role":"assistant","content":"A"},"finish_reason":null}]}
	// [{"index":0,"delta":{"content":" tide"},"finish_reason":null}]}
	// [{"index":0,"delta":{"content":" gauge"},"finish_reason":null}]}
	// [{"index":0,"delta":{},"finish_reason":"length"}]}
}
