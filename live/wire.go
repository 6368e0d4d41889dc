package live

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// wire is how requests travel, until it is cut.
type wire struct {
	transport http.RoundTripper
	base      string // up to /v1
	tongue    tongue
	model     string
	key       func(group string) string
	salt      uint64 // of idempotency keys
	cap       *Gate  // nil without
	waiters   tickets
	sent      *atomic.Int64     // requests
	held      *atomic.Int64     // those that the cap made wait
	late      *atomic.Int64     // of them, those that were sent in the end
	trouble   *trouble          // the first there was
	room      atomic.Int64      // that answers in one piece take
	stuck     func(error)       // ends the run, which cannot go on
	exhausted func(error) error // says what a machine needs that has no files left
	whole     context.Context   // until it is cut
	carrying  sync.WaitGroup
}

// carry runs one request in a goroutine of its own, whose context ends with it; cancel
// ends it before.
func (w *wire) carry(request func(context.Context)) (cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(w.whole)
	w.carrying.Go(func() {
		defer cancel()
		request(ctx)
	})
	return cancel
}

// admit waits until the cap lets one more request out; false where ctx is done before.
func (w *wire) admit(ctx context.Context) bool {
	waited := w.cap != nil && w.wait(ctx)
	if ctx.Err() != nil {
		return false
	}
	w.sent.Add(1)
	if waited {
		w.late.Add(1)
	}
	return true
}

// wait waits for the cap, or for the end of ctx, and says whether it had to.
func (w *wire) wait(ctx context.Context) bool {
	ticket := w.waiters.take()
	defer w.waiters.give(ticket)
	defer w.cap.Leave(ticket, policies.Succeeded)
	door, _ := w.cap.Enter(ticket, 0, 0)
	select {
	case <-door:
		return false
	default:
	}
	w.held.Add(1)
	select {
	case <-door:
	case <-ctx.Done():
	}
	return true
}

// noFiles is the error of a machine that has no file left for a connection, nil of any other.
func noFiles(err error) error {
	var lookup *net.DNSError // which keeps no more than the words
	for _, full := range []error{syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, full) || errors.As(err, &lookup) && strings.HasSuffix(lookup.Err, full.Error()) {
			return full
		}
	}
	return nil
}

// newCap is the gate of a rate that no second exceeds by more than the hundredth of it that
// may go at once.
func newCap(l timeline, rate policies.Rate) *Gate {
	return newGate(l, policies.NewPacedGate(policies.GateConfig{Requests: &rate, Burst: 10 * time.Millisecond}))
}

// trouble keeps the first error that kept a request from an answer, or from the rest of one.
type trouble struct{ first atomic.Pointer[error] }

func (t *trouble) note(ctx context.Context, err error) {
	if ctx.Err() == nil {
		t.first.CompareAndSwap(nil, &err)
	}
}

// said is what the error says, where that is of our own making: net/http quotes what a server
// sends, which may be the key that it was sent.
func (t *trouble) said() string {
	err := t.first.Load()
	if err == nil {
		return ""
	}
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(*err, errLongEvent):
		return errLongEvent.Error() + ", more than a fleet keeps, so it counts as broken"
	case errors.As(*err, &network):
		return network.Error()
	case errors.As(*err, &certificate):
		return certificate.Error()
	case errors.Is(*err, io.EOF):
		return "the server closed the connection"
	}
	return "the connection broke, or what came is no HTTP"
}
