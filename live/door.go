package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"
)

// mostConnections bounds the connections that are open at once. One that is idle takes
// about 20 kB; who comes when all are taken is told so, and not kept waiting.
const mostConnections = 16_384

// door is a listener that lets in so many at once. (netutil.LimitListener makes the next
// one wait, unheard, until somebody leaves.)
type door struct {
	net.Listener
	clock clock.Clock
	most  int64
	open  atomic.Int64
}

// Accept lets the next one in.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if d.open.Add(1) <= d.most {
			return &caller{Conn: c, door: d}, nil
		}
		d.open.Add(-1)
		_ = c.SetWriteDeadline(d.clock.Now().Add(time.Second))
		const body = "too many connections are open\n"
		_, _ = fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		_ = c.Close()
	}
}

// caller is a connection that a door let in.
type caller struct {
	net.Conn
	door *door
	gone sync.Once
	some bool // it has said something
	slow bool // it was waited for in vain

	broken atomic.Bool // net/http broke off what it read ahead, by a deadline of long ago
}

// Read reads, and notes whether it took too long.
func (c *caller) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.some = c.some || n > 0
	c.slow = errors.Is(err, os.ErrDeadlineExceeded) && !c.broken.Load()
	return n, err
}

// SetReadDeadline notes whether it is one of long ago, which is no time-out of the caller's.
func (c *caller) SetReadDeadline(t time.Time) error {
	c.broken.Store(!t.IsZero() && t.Before(c.door.clock.Now().Add(-time.Hour)))
	return c.Conn.SetReadDeadline(t)
}

// Close makes room for the next one.
func (c *caller) Close() error {
	c.gone.Do(func() { c.door.open.Add(-1) })
	return c.Conn.Close()
}

// SetLinger does what it does to a TCP connection.
func (c *caller) SetLinger(seconds int) error {
	if tcp, is := c.Conn.(*net.TCPConn); is {
		return tcp.SetLinger(seconds)
	}
	return nil
}

// state tells who began a request's header and did not end it in time why the connection
// closes; net/http, which then calls the connection active before it closes it, does not.
func (d *door) state(conn net.Conn, now http.ConnState) {
	c, is := conn.(*caller)
	if !is || now != http.StateActive || !c.slow || !c.some {
		return
	}
	_ = c.SetWriteDeadline(d.clock.Now().Add(time.Second))
	_, _ = io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\nthe header did not come within "+toReadHeader.String()+"\n")
	if half, is := c.Conn.(interface{ CloseWrite() error }); is {
		_ = half.CloseWrite() // net/http has a 400 to say
	}
}
