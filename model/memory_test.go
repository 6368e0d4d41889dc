package model_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// look is a context that looks around when a run looks at it, and ends it after so many times.
type look struct {
	context.Context
	looks, after int
	around       func()
}

func (l *look) Err() error {
	if l.looks++; l.looks == l.after {
		l.around()
		return errLong
	}
	return nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A million clients with every time-out armed fit in 250 bytes each, all told: their
// states, their attempts, the queue of events and its timers. Of those that are all served
// at once the provider has a row of 64 bytes and an end of 24 besides.
func TestAMillionClientsFit(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("a million clients take some seconds")
	}
	const clients = 1_000_000
	for _, row := range []struct {
		says, provider string
		looks          int // of 4,096 events each, after which all are where they should be
		most           float64
	}{
		{"all are on their way to the provider or back, or wait to try again", "{seats: 300, service: {first_token: 2s}}", 2*clients/4096 + 1, 250},
		{"all are being served", "{service: {first_token: 30m}}", 2*clients/4096 + 1, 340},
	} {
		t.Run(row.says, func(t *testing.T) {
			s, err := scenarios.Decode("million.yaml", fmt.Appendf(nil, `
name: million
stop: {after: 1h}
slot: 1s
provider: %s
clients:
  - {count: %d, network: {one_way: {sum: [1ms, {exponential: {mean: 5ms}}]}}, timeouts: {first_event: 40m, idle: 45m, attempt: 50m, operation: 59m}, policy: full-jitter}
`, row.provider, clients))
			if err != nil {
				t.Fatal(err)
			}
			before := heap()
			w, err := model.NewWorld(&s.Config)
			if err != nil {
				t.Fatal(err)
			}
			var each float64
			l := &look{Context: context.Background(), after: row.looks, around: func() { each = float64(heap()-before) / clients }}
			tally := model.NewTally(&s.Config)
			_ = w.Run(l, 1, tally, nil) // cut short
			runtime.KeepAlive(w)
			sum := model.Summarise(tally)
			if sum.Operations.InFlight < clients*999/1000 {
				t.Fatalf("%+v", sum.Operations)
			}
			t.Logf("%.0f bytes a client; %+v", each, sum.Attempts)
			if each > row.most {
				t.Errorf("%.0f bytes a client, want at most %v", each, row.most)
			}
		})
	}
}
