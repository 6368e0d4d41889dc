package live

import (
	"context"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/policies"
)

// timeline is a clock and its zero. It turns the clock's time into the one that
// decisions are told: nanoseconds since the start.
type timeline struct {
	clock clock.Clock
	start time.Time
}

func newTimeline(c clock.Clock) timeline { return timeline{clock: c, start: c.Now()} }

func (l timeline) now() time.Duration { return l.clock.Since(l.start) }

// until returns a timer for an instant.
func (l timeline) until(at time.Duration) *clock.Timer {
	return l.clock.Timer(l.clock.Until(l.start.Add(at)))
}

// pause waits for a time; it says whether that passed before the context was done.
func (l timeline) pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	timer := l.clock.Timer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// alarm is the one timer of a machine that says when to ask it again. It is guarded
// by the machine's mutex; ring takes that mutex, calls rang and polls.
type alarm struct {
	timeline
	ring  func()
	timer *clock.Timer
	at    time.Duration
}

func newAlarm(l timeline, ring func()) alarm {
	return alarm{timeline: l, ring: ring, at: policies.Never}
}

// set makes the alarm ring at an instant and no other; policies.Never silences it.
func (a *alarm) set(at time.Duration) {
	if at == a.at {
		return
	}
	a.at = at
	if a.timer != nil {
		a.timer.Stop()
	}
	if at == policies.Never {
		return
	}
	a.timer = a.clock.AfterFunc(a.clock.Until(a.start.Add(at)), a.ring) // a new one: a clock that watches how late timers are knows when each is due
}

// rang notes that the timer has fired. One that fires too often does no harm.
func (a *alarm) rang() { a.at = policies.Never }
