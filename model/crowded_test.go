package model

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func TestARunHasRoomForSoMuch(t *testing.T) {
	hour := time.Hour
	flood := func(g Group) *Config {
		var c Config
		c.SetDefaults()
		c.Provider.Service.FirstToken.Constant = &hour
		c.Clients = []Group{{Name: "few", Count: 10, Policy: "none"}, g}
		for i := range c.Clients {
			if c.Clients[i].Repeat.Operations == 0 {
				c.Clients[i].Repeat.SetDefaults()
			}
		}
		return &c
	}
	rate := &RateSteps{Steady: policies.Rate{N: 1000, Per: time.Second}}
	impatient := policies.Timeouts{Attempt: time.Millisecond}
	for _, test := range []struct {
		says     string
		config   *Config
		attempts bool
		full     bool
	}{
		{"arrivals that are never served", flood(Group{Name: "chat", Policy: "none", Arrive: Arrive{Rate: rate}}), false, true},
		{"a few of them", flood(Group{Name: "chat", Policy: "none", Arrive: Arrive{Rate: rate, For: time.Second}}), false, false},
		{"a client that does not wait for its answers", flood(Group{Name: "chat", Count: 1, Policy: "none", Repeat: Repeat{Loop: OpenLoop, Operations: 100_000, Gap: DurationDist{Constant: new(time.Duration)}}}), false, true},
		{"attempts that nobody waits for and the provider still serves", flood(Group{Name: "chat", Count: 100, Policy: "naive", Timeouts: impatient, Repeat: Repeat{Loop: ClosedLoop, Operations: 100_000}}), true, true},
	} {
		w, err := NewWorld(test.config)
		if err != nil {
			t.Fatal(err)
		}
		w.room = 2000
		err = w.Run(context.Background(), 1, NewTally(test.config), nil)
		var crowded *CrowdedError
		if errors.As(err, &crowded) != test.full {
			t.Errorf("%s: %v", test.says, err)
			continue
		}
		if test.full && (crowded.Group != "chat" || crowded.Attempts != test.attempts || crowded.At <= 0 && test.attempts) {
			t.Errorf("%s: %+v", test.says, crowded)
		}
		if rows := max(cap(w.ops), cap(w.attempts)); rows > 20_000 {
			t.Errorf("%s: %d rows were made", test.says, rows)
		}
		// The next run is none the wiser.
		small := *test.config
		small.Stop.After = time.Millisecond
		w.config, w.room = small, 200_000
		if err := w.Run(context.Background(), 1, NewTally(&small), nil); err != nil {
			t.Errorf("%s: the run after it: %v", test.says, err)
		}
	}
	if room := roomFor(1 << 24); room != 1<<24 {
		t.Errorf("a closed group of as many clients as there can be has %d rows", room)
	}
}
