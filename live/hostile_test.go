package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// guestOf connects, and reads what comes in the background until the connection ends.
func (s *shop) guest() (c net.Conn, said chan string) {
	s.t.Helper()
	c, err := s.dial(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	said = make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(c)
		said <- string(text)
	}()
	return c, said
}

// drip writes a byte a second until the connection ends, and returns how many went.
func drip(c net.Conn, text string) (n int) {
	for ; n < len(text); n++ {
		if _, err := c.Write([]byte(text[n : n+1])); err != nil {
			return n
		}
		pass(time.Second)
	}
	return n
}

// Who sends what no good client sends gets a clear status, in time, and who behaves is
// served meanwhile as if alone: to the nanosecond.
func TestHostileClients(t *testing.T) {
	const good = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
	for _, row := range []struct {
		says   string
		attack func(c net.Conn)
		status string
		within time.Duration
	}{
		{"a header that drips", func(c net.Conn) { drip(c, good) }, "408 Request Timeout", 11 * time.Second},
		{"a body that drips", func(c net.Conn) {
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n", good, 1000)
			drip(c, strings.Repeat(" ", 1000))
		}, "408 Request Timeout", 31 * time.Second},
		{"a body that stops", func(c net.Conn) { fmt.Fprintf(c, "%sContent-Length: 1000\r\n\r\n{", good) }, "408 Request Timeout", 31 * time.Second},
		{"100 MB, as announced", func(c net.Conn) {
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n", good, 100<<20)
			flood(c, 100<<20, t)
		}, "413 Request Entity Too Large", time.Second},
		{"100 MB, in chunks", func(c net.Conn) {
			fmt.Fprintf(c, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n", good, 100<<20)
			flood(c, 100<<20, t)
		}, "413 Request Entity Too Large", time.Second},
		{"a megabyte of header", func(c net.Conn) {
			fmt.Fprint(c, good)
			for range 1 << 14 {
				if _, err := fmt.Fprintf(c, "X-%s: y\r\n", strings.Repeat("x", 60)); err != nil {
					return
				}
			}
		}, "431 Request Header Fields Too Large", time.Second},
		{"no HTTP", func(c net.Conn) { fmt.Fprint(c, "\x16\x03\x01 hello\r\n\r\n") }, "400 Bad Request", time.Second},
		{"another method", func(c net.Conn) {
			fmt.Fprint(c, "BREW /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		}, "405 Method Not Allowed", time.Second},
		{"JSON of 100,000 brackets", func(c net.Conn) {
			body := strings.Repeat("[", 100_000)
			fmt.Fprintf(c, "%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", good, len(body), body)
		}, "400 Bad Request", time.Second},
		{"a body, announced and never sent, where none is taken", func(c net.Conn) { fmt.Fprint(c, "GET /hang HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n") }, "400 Bad Request", 31 * time.Second},
		{"two lengths", func(c net.Conn) { fmt.Fprintf(c, "%sContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", good) }, "400 Bad Request", time.Second},
		{"silence", func(net.Conn) {}, "", 11 * time.Second},
	} {
		t.Run(row.says, func(t *testing.T) {
			c := chapterConfig(1, "none")
			c.Provider.Service.PerToken = constant(3 * time.Second) // so that an answer takes 36 s
			bubble(t, func(t *testing.T) {
				s := openServed(t, c, false)
				defer s.close()
				start := time.Now()
				reader := s.request(http.MethodPost, path, hello)
				conn, said := s.guest()
				go row.attack(conn)
				got := <-said
				took := time.Since(start)
				conn.Close()
				if first, _, _ := strings.Cut(got, "\r\n"); row.status == "" && got != "" || row.status != "" && first != "HTTP/1.1 "+row.status {
					t.Errorf("it is told %q, want %s", first, row.status)
				}
				if took > row.within {
					t.Errorf("that took %v, want %v", took, row.within)
				}
				if text := s.body(reader); !strings.HasSuffix(text, "[DONE]\n\n") || time.Since(start) != 9700*time.Microsecond+36*time.Second {
					t.Errorf("the good client was served %d bytes by %v", len(text), time.Since(start))
				}
			})
		})
	}
}

// Who says that nothing more will come, and still listens, is not told a 200 of nothing: net/http takes
// it for one who has left. Over TCP, since a pipe has no half.
func TestHalfClosedClientIsNotAnswered(t *testing.T) {
	c := chapterConfig(1, "none")
	server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	n, err := Loopback()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, n.Listener) }()
	conn, err := n.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(conn); len(said) > 0 {
		t.Errorf("it is told %q", said)
	}
	conn.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A server keeps little of a request while it answers, and a number of tokens is never no limit.
func TestServerKeepsLittleOfARequest(t *testing.T) {
	c := preset(t, "openai/gpt-4o/tier-1")
	const message = `{"role": "user", "content": "hello"}`
	for _, row := range []struct {
		says, path, body string
		status           int
	}{
		{"a model's name of 257 bytes", path, `{"model": "` + strings.Repeat("m", 257) + `", "messages": [` + message + `]}`, 400},
		{"one of 256", path, `{"model": "` + strings.Repeat("m", 256) + `", "messages": [` + message + `]}`, 200},
		{"4,097 messages", path, `{"messages": [` + message + strings.Repeat(","+message, 4096) + `]}`, 400},
		{"the same of Anthropic's", messagesPath, `{"max_tokens": 1, "messages": [` + message + strings.Repeat(","+message, 4096) + `]}`, 400},
		{"a number for a list", path, `{"messages": 5}`, 400},
		{"the greatest number of tokens there is", path, `{"max_tokens": 9223372036854775807, "messages": [` + message + `]}`, 429},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			status, body, _ := s.tell(http.MethodPost, row.path, row.body)
			if status != row.status || strings.Contains(body, "Go ") {
				t.Errorf("%s: status %d, want %d: %.200s", row.says, status, row.status, body)
			}
		})
	}
}

// When as many answers are unfinished as the server keeps, the next is told so, until one ends.
func TestAnswersAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := openServed(t, chapterConfig(1, "none"), false)
		defer s.close()
		s.server.most = 2
		first, second := s.request(http.MethodPost, path, hello), s.request(http.MethodPost, path, hello)
		status, body, _ := s.tell(http.MethodPost, path, hello)
		if status != 503 || !strings.Contains(body, "2 answers are unfinished, which is all the server keeps") {
			t.Errorf("the third has status %d: %s", status, body)
		}
		s.body(first)
		s.body(second)
		if status, body, _ := s.tell(http.MethodPost, path, hello); status != 200 {
			t.Errorf("after the two it has status %d: %s", status, body)
		}
	})
}

// Of answers that may be told again by their keys the server keeps the latest.
func TestKeptAnswersAreBounded(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service, c.Provider.Seats = model.ServiceConfig{}, policies.Unlimited
	c.Provider.Idempotency.Mode = model.IdempotencyReplay
	server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	offer := func(key uint64) model.Verdict {
		q := model.Request{Ask: model.Ask{Output: 1, MaxTokens: policies.Unlimited}, Idempotency: key}
		_, says, _ := server.offer(&visit{Server: server}, &q)
		return says.decision.Verdict
	}
	server.guests.rowOf("no-key")
	for key := range uint64(mostKept + 2) {
		offer(key + 1)
	}
	for _, row := range []struct {
		key  uint64
		want model.Verdict
	}{{3, model.Replay}, {mostKept + 2, model.Replay}, {2, model.Serve}} {
		if got := offer(row.key); got != row.want {
			t.Errorf("key %d of %d: verdict %v, want %v", row.key, mostKept+2, got, row.want)
		}
	}
}

// What is remembered of answers that nobody has had whole is the latest of them.
func TestUntoldAnswersAreForgotten(t *testing.T) {
	g := newGuests(&model.Crowd{}, nil)
	for n := range uint64(mostKept + 1) {
		g.finished(n, model.Making{Output: 3})
	}
	for n, want := range map[uint64]int64{0: 0, 1: 3, mostKept: 3} {
		a := &answer{progress: progress{number: n}}
		a.q.Idempotency = 1
		if got := g.useful(a).Output; got != want {
			t.Errorf("answer %d of %d: %d tokens are useful, want %d", n, mostKept+1, got, want)
		}
	}
}

// flood writes what the other side cannot want, and checks that it stops listening soon.
func flood(c net.Conn, n int, t *testing.T) {
	chunk := make([]byte, 64<<10)
	for sent := 0; sent < n; sent += len(chunk) {
		if _, err := c.Write(chunk); err != nil {
			if sent > 2*mostOfBody {
				t.Errorf("%d bytes were read before it was refused", sent)
			}
			return
		}
	}
	t.Errorf("all of %d bytes were read", n)
}

// A client that asks for a long stream and does not read it is given up after 30 s.
func TestClientThatDoesNotRead(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		conn, err := s.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /v1/chat HTTP/1.1\r\nHost: x\r\n\r\n")
		pass(toWrite)
		synctest.Wait()
		if a := s.server.Summary().Attempts; a.InFlight != 1 {
			t.Errorf("before the time is up: %+v", a)
		}
		pass(time.Second)
		synctest.Wait()
		if a := s.server.Summary().Attempts; a.InFlight != 0 || a.Cancelled != 1 {
			t.Errorf("after it: %+v", a)
		}
	})
}

// Bodies that are read at once share a room of their own, which is free again when each is
// read.
func TestRoomForBodies(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		s.server.room.Store(mostOfBodies - 10)
		long := strings.Replace(hello, "hello", strings.Repeat("hello", smallBody/5), 1)
		if status, body, _ := s.tell(http.MethodPost, path, long); status != 503 || !strings.Contains(body, "long bodies") {
			t.Errorf("status %d, %s; want 503 while there is no room", status, body)
		}
		if status, _, _ := s.tell(http.MethodPost, path, hello); status != 200 {
			t.Errorf("status %d of a short body, which needs none", status)
		}
		if left := s.server.room.Load(); left != mostOfBodies-10 {
			t.Errorf("%d bytes are taken after it, want those from before", left)
		}
		s.server.room.Store(0)
		if status, _, _ := s.tell(http.MethodPost, path, long); status != 200 || s.server.room.Load() != 0 {
			t.Errorf("status %d, and %d bytes are taken", status, s.server.room.Load())
		}
	})
}

// Who comes when all connections are taken is told so at once; who leaves makes room.
func TestMostConnections(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := Pipes()
		d := &door{Listener: n.Listener, clock: clock.New(), most: 2}
		web := &http.Server{ReadHeaderTimeout: time.Minute}
		ended := make(chan error, 1)
		go func() { ended <- web.Serve(d) }()
		s := &shop{t: t, dial: n.Dial}
		one, _ := s.guest()
		two, _ := s.guest()
		three, said := s.guest()
		if got := <-said; !strings.HasPrefix(got, "HTTP/1.1 503 ") || !strings.Contains(got, "too many connections are open") {
			t.Errorf("the third is told %q", got)
		}
		one.Close()
		synctest.Wait()
		four, said := s.guest()
		fmt.Fprint(four, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if got := <-said; !strings.HasPrefix(got, "HTTP/1.1 404 ") {
			t.Errorf("who comes after the first has left is told %q", got)
		}
		for _, c := range []net.Conn{two, three, four} {
			c.Close()
		}
		web.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

// A listener on all addresses, and what the kernel says of one in use, are the verb's; that
// a reset is one for TCP is seen here, through the door.
func TestResetThroughTheDoor(t *testing.T) {
	c := chapterConfig(1, "none")
	server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	net, err := Loopback()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, net.Listener) }()
	conn, err := net.Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "GET /v1/chat?cut=3&delay=1 HTTP/1.1\r\nHost: x\r\n\r\n")
	text, err := io.ReadAll(bufio.NewReader(conn))
	if !errors.Is(err, syscall.ECONNRESET) || strings.Contains(string(text), "gauge") {
		t.Errorf("it ends with %v after %s", err, text)
	}
	conn.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An answer whose client has left takes the same little room however many messages its prompt has.
func TestUnfinishedAnswersAreSmall(t *testing.T) {
	const answers, most = 500, 2_000
	body := `{"messages": [` + strings.Repeat("{},", mostMessages-1) + `{}]}`
	for _, row := range []struct {
		says    string
		weather []model.Weather
	}{
		{"in the making", nil},
		{"held until the thaw", []model.Weather{{For: time.Hour, Freeze: true}}},
	} {
		c := chapterConfig(1, "none")
		c.Provider.Seats, c.Provider.Weather = policies.Unlimited, row.weather
		c.Provider.Service.FirstToken = constant(time.Hour)
		server, err := NewServer(c, 1, NewServedBooks(c, clock.New()))
		if err != nil {
			t.Fatal(err)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		ask := func() {
			defer func() { _ = recover() }() // what tears a connection away
			server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(left, http.MethodPost, path, strings.NewReader(body)))
		}
		ask()
		before := inUse()
		for range answers {
			ask()
		}
		if each := (inUse() - before) / answers; each > most {
			t.Errorf("%s: an answer takes %d bytes, want at most %d", row.says, each, most)
		}
		if n := len(server.answers) - len(server.free); n != answers+1 {
			t.Errorf("%s: %d answers are unfinished, want %d", row.says, n, answers+1)
		}
		server.Close()
	}
}
