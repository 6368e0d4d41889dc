package model

import (
	"context"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// watcher notes how many events are pending whenever a run looks at its context.
type watcher struct {
	context.Context
	w    *World
	most int
}

func (c *watcher) Err() error {
	c.most = max(c.most, c.w.events.Len())
	return nil
}

// EN-D4: a time-out that is armed and not needed leaves nothing behind, so what is pending
// hangs on who is in flight, here 1,000 at a time, and not on how long the time-outs are.
func TestTimersDoNotPileUp(t *testing.T) {
	second, token := time.Second, 10*time.Millisecond
	pending := func(d time.Duration) int {
		var c Config
		c.SetDefaults()
		c.Stop.After = 100 * time.Second
		c.Provider.Service = ServiceConfig{FirstToken: DurationDist{Constant: &second}, PerToken: DurationDist{Constant: &token}}
		var g Group
		g.SetDefaults()
		g.Request.Stream, g.Request.OutputTokens = true, TokenDist{Constant: new(int64(2))}
		g.Arrive.Rate = &RateSteps{Steady: policies.Rate{N: 1000, Per: time.Second}}
		g.Timeouts = policies.Timeouts{FirstEvent: d, Idle: d, Attempt: 2 * d, Operation: 3 * d}
		c.Clients = []Group{g}
		w, err := NewWorld(&c)
		if err != nil {
			t.Fatal(err)
		}
		look := &watcher{Context: context.Background(), w: w}
		tally := NewTally(&c)
		if err := w.Run(look, 1, tally, nil); err != nil {
			t.Fatal(err)
		}
		if s := Summarise(tally); s.Operations.Succeeded < 98_000 {
			t.Fatalf("%+v", s.Operations)
		}
		return look.most
	}
	short, long := pending(2*time.Second), pending(10*time.Hour)
	if long > short+short/4 || long > 5_000 {
		t.Errorf("at most %d events are pending with time-outs of seconds, %d with ten hours", short, long)
	}
	t.Logf("%d with seconds, %d with hours", short, long)
}
