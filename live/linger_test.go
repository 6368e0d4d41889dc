package live

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
)

// lingering answers with a stream whose body does not end by itself where stays, and notes when it is closed.
type lingering struct {
	io.Reader
	stays  bool
	closed chan struct{}
	closes *[]time.Duration
	start  time.Time
}

func (l *lingering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: l, Header: http.Header{"Content-Type": {"text/event-stream"}}}, nil
}

func (l *lingering) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if err != nil && l.stays {
		<-l.closed
	}
	return n, err
}

func (l *lingering) Close() error {
	*l.closes = append(*l.closes, time.Since(l.start))
	if len(*l.closes) == 1 {
		close(l.closed)
	}
	return nil
}

// A connection that stays open though its answer is over is waited for a second, and one that ends is
// let go of at once, for good: by then it may be another request's.
func TestLinger(t *testing.T) {
	c := decode(t, "name: linger\nstop: {when: horizon, after: 3s}\nclients: [{request: {stream: true}, policy: none}]\n")
	for _, row := range []struct {
		says  string
		stays bool
		want  string
	}{
		{"one that stays open", true, "[1s 1s]"}, // by the timer, and as always
		{"one that ends", false, "[0s]"},
	} {
		var closes []time.Duration
		bubble(t, func(t *testing.T) {
			fleet, err := NewFleet(c, 1, NewClientsBooks(c, clock.New()))
			if err != nil {
				t.Fatal(err)
			}
			one := &lingering{Reader: strings.NewReader(part + finish + done), stays: row.stays, closed: make(chan struct{}), closes: &closes, start: time.Now()}
			if err := fleet.Run(t.Context(), one, "http://stampede"); err != nil {
				t.Error(err)
			}
		})
		if got := fmt.Sprint(closes); got != row.want {
			t.Errorf("%s: closed after %v, want after %v", row.says, got, row.want)
		}
	}
}

// A connection is given up by who asks before the server does, so that no request meets one that closes.
func TestClientsGiveConnectionsUpFirst(t *testing.T) {
	for _, row := range []struct {
		says      string
		transport *http.Transport
		less      time.Duration
	}{
		{"of our own server", Pipes().transport(), idle},
		{"of uvicorn and Node, 5 s", Outgoing(), 5 * time.Second},
	} {
		if got := row.transport.IdleConnTimeout; got <= 0 || got >= row.less {
			t.Errorf("%s: %v, want less than %v", row.says, got, row.less)
		}
	}
}
