package live

import (
	"bufio"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

// looking looks at each request, and refuses it.
type looking struct {
	refusing
	look func(*http.Request)
}

func (l looking) RoundTrip(r *http.Request) (*http.Response, error) {
	l.look(r)
	return l.refusing.RoundTrip(r)
}

// Nothing in a request lets net/http send it again by itself, where a connection breaks: that is for
// the policy to say.
func TestRequestsAreSentOnce(t *testing.T) {
	for _, speak := range Wires() {
		c := chapterConfig(1, "none")
		c.Clients[0].Idempotency = model.KeyPerOperation
		bubble(t, func(t *testing.T) {
			fleet, err := NewFleet(c, 1, NewClientsBooks(c, clock.New()))
			if err != nil {
				t.Fatal(err)
			}
			fleet.Wire = speak
			asked := 0
			look := func(r *http.Request) {
				asked++
				if r.GetBody != nil || r.Body == nil || r.Body == http.NoBody || r.Header.Get("Idempotency-Key") != "" {
					t.Errorf("%s: GetBody is there: %v; Body %v, header %v", speak, r.GetBody != nil, r.Body, r.Header)
				}
			}
			if err := fleet.Run(t.Context(), looking{look: look}, "http://stampede"); err != nil || asked != 1 {
				t.Errorf("%s: asked %d times, %v", speak, asked, err)
			}
		})
	}
}

// What follows an answer that net/http leaves to its caller ends with the attempt, whatever the server does.
func TestAnswersWithoutAnEndEndWithTheAttempt(t *testing.T) {
	for _, row := range []struct{ says, answer string }{
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"},
		{"an error whose body does not end", "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 9\r\n\r\n"},
	} {
		c := decode(t, "name: on\nclients: [{policy: p}]\npolicies: {p: {attempts: 1, timeouts: {attempt: 1s}}}\n")
		var took time.Duration
		var s *model.Summary
		bubble(t, func(t *testing.T) {
			release := make(chan struct{})
			time.AfterFunc(time.Hour, func() { close(release) })
			start := time.Now()
			n := Pipes()
			go func() { // a server that keeps its connection
				conn, err := n.Listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					fmt.Fprint(conn, row.answer)
				}
				<-release
			}()
			books := NewBooks(c, clock.New())
			fleet, err := NewFleet(c, 1, books)
			if err != nil {
				t.Fatal(err)
			}
			transport := n.transport()
			if err := fleet.Run(t.Context(), transport, "http://stampede"); err != nil {
				t.Error(err)
			}
			took = time.Since(start)
			s = model.Summarise(books.close(books.now(), 0))
			transport.CloseIdleConnections()
			<-release
		})
		if took != time.Second || s.Attempts.TimedOut != 1 {
			t.Errorf("%s: it took %v, want the time-out's second: %+v", row.says, took, s.Attempts)
		}
	}
}
