package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// How long those who are being served may go on when the server is told to stop: so long to
// be served, and then so long to read that they are not.
const (
	toFinish = 2 * time.Second
	toHear   = 500 * time.Millisecond
)

// Serve lets anybody be served at a listener, which it closes, until the context is done.
// Then who is being served has 2 s to be served to the end, and no goroutine is left when
// it returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	d := &door{Listener: l, clock: s.books.clock, most: mostConnections}
	web := s.HTTP()
	web.ConnState = d.state
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(d) }()
	var failed error
	select {
	case failed = <-ended:
	case <-ctx.Done():
		s.drain(web, toFinish)
		s.bar()
		s.drain(web, toHear)
		_ = web.Close()
		failed = <-ended
	}
	s.Close()
	if errors.Is(failed, http.ErrServerClosed) {
		return nil
	}
	return failed
}

// drain lets nobody in, and waits so long for those who are in.
func (s *Server) drain(web *http.Server, most time.Duration) {
	ctx, cancel := s.books.clock.WithTimeout(context.Background(), most)
	defer cancel()
	_ = web.Shutdown(ctx) // who is still there is dealt with next
}
