package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

// Run plays a scenario once over sockets: its provider as a server, its clients as
// real clients, joined by the network, whose listener it closes. The tally is closed
// when it returns, and no goroutine is left. It ends early with the context's error.
func Run(ctx context.Context, c *model.Config, seed uint64, clk clock.Clock, n Network) (*model.Tally, error) {
	return run(ctx, c, seed, clk, n, OpenAIWire)
}

// run is Run with clients that speak an API.
func run(ctx context.Context, c *model.Config, seed uint64, clk clock.Clock, n Network, speak Wire) (*model.Tally, error) {
	defer n.Listener.Close()
	books := NewBooks(c, clk)
	server, err := NewServer(c, seed, books)
	if err != nil {
		return nil, err
	}
	fleet, err := NewFleet(c, seed, books)
	if err != nil {
		return nil, err
	}
	fleet.Wire = speak
	stop := serve(server.HTTP(), n.Listener)
	transport := n.transport()

	cut, err := fleet.Play(ctx, transport, "http://stampede")
	end := min(books.now(), c.Stop.After)
	if c.Stop.When == model.Horizon && err == nil {
		end = c.Stop.After
	}
	tally := books.close(end, server.Busy(end))

	cut()
	transport.CloseIdleConnections()
	failed := stop() // before the server's Close, which would wait for who does not read
	server.Close()
	if err == nil {
		err = failed
	}
	return tally, err
}

// serve lets a server serve; stop ends that, and returns when the last connection is
// closed.
func serve(web *http.Server, l net.Listener) (stop func() error) {
	var open sync.WaitGroup
	web.ConnState = func(_ net.Conn, now http.ConnState) {
		switch now {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Done()
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	return func() error {
		failed := web.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failed = err
		}
		open.Wait()
		return failed
	}
}
