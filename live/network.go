package live

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Network is the way from the clients to the server.
type Network struct {
	Listener net.Listener
	Dial     func(context.Context) (net.Conn, error)
}

// Loopback is a TCP port of this machine that nobody else can reach.
func Loopback() (Network, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Network{}, err
	}
	dial := func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", l.Addr().String())
	}
	return Network{Listener: l, Dial: dial}, nil
}

// Pipes is a network inside the process, without buffers: it needs no time of its
// own, so a conversation in a testing/synctest bubble is exact to the nanosecond.
func Pipes() Network {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	return Network{Listener: p, Dial: p.dial}
}

// transport returns an HTTP client's half. It keeps every connection that falls
// idle, shorter than the server does, and leaves all waiting to the policies.
func (n Network) transport() *http.Transport {
	return &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return n.Dial(ctx) },
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1 << 20,
		IdleConnTimeout:     idle / 2,
	}
}

// Outgoing is the transport to any server. It keeps an idle connection for less time than
// common servers do (uvicorn and Node 5 s), and leaves all waiting to the policies.
func Outgoing() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // events shall come when they are sent
		MaxIdleConnsPerHost:    1 << 20,
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// IsLoopback says whether a URL's host is this machine, as far as its name tells: for these net/http
// asks no proxy.
func IsLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || host == "localhost"
}

type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// idle is how long the server keeps a connection that nobody uses.
const idle = 2 * time.Minute
