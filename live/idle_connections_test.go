//go:build unix

package live

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// idleConnections is how many the machine lets this process open twice, at most 10,000.
func idleConnections(t *testing.T) int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	n := 10_000
	if raced {
		n = 3_000 // two goroutines each
	}
	if most := int(min(limit.Cur, 1<<20))/2 - 100; most < n {
		t.Logf("this machine allows %d open files, so %d connections", limit.Cur, most)
		n = most
	}
	return n
}

// Ten thousand connections that say nothing take little memory, and a client among them is
// served. They are over with the server.
func TestIdleConnections(t *testing.T) {
	n := idleConnections(t)
	c := chapterConfig(1, "none")
	c.Provider.Seats = policies.Unlimited
	c.Provider.Service = model.ServiceConfig{}
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
	before := inUse()
	conns := make([]io.Closer, 0, n)
	for i := range n {
		conn, err := net.Dial(ctx)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		conns = append(conns, conn)
	}
	transport := net.transport()
	s := &shop{t: t, server: server, transport: transport}
	if status, body, _ := s.tell(http.MethodPost, path, hello); status != 200 || !strings.HasSuffix(body, "[DONE]\n\n") {
		t.Errorf("among %d idle connections: status %d, %s", n, status, body)
	}
	each := (inUse() - before) / int64(n)
	t.Logf("%d idle connections, %d bytes each", n, each)
	if !raced && each > perConnection {
		t.Errorf("an idle connection takes %d bytes, want at most %d", each, perConnection)
	}
	for _, c := range conns {
		c.Close()
	}
	transport.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// perConnection is what one may take: of the server, and of this test's own end of it.
const perConnection = 30_000

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
