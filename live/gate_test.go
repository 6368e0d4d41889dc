package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/policies"
)

// crowded is a gate whose inside the tests look at.
type crowded struct {
	*Gate
	inside  *policies.ConcurrencyGate
	permits int64
	holders atomic.Int64
	broken  atomic.Int64 // times that more held than may
}

func newCrowded(permits int64) *crowded {
	inside := policies.NewConcurrencyGate(permits)
	return &crowded{Gate: NewGate(clock.New(), inside), inside: inside, permits: permits}
}

// hold stands in line, does something with the permit, and gives it back.
func (c *crowded) hold(ctx context.Context, t policies.Ticket, do func()) error {
	if err := c.Wait(ctx, t, 0, 0); err != nil {
		return err
	}
	if c.holders.Add(1) > c.permits {
		c.broken.Add(1)
	}
	do()
	c.holders.Add(-1)
	c.Leave(t, policies.Succeeded)
	return nil
}

// idle says whether a permit is free while somebody waits.
func (c *crowded) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inside.Free() > 0 && c.inside.Waiting() > 0
}

func (c *crowded) checkEmpty(t *testing.T) {
	t.Helper()
	if n := c.broken.Load(); n > 0 {
		t.Errorf("%d times more than %d held a permit", n, c.permits)
	}
	if c.inside.Free() != c.permits || c.inside.Waiting() != 0 || len(c.doors) != 0 {
		t.Errorf("%d of %d permits are free, %d wait, %d doors are left", c.inside.Free(), c.permits, c.inside.Waiting(), len(c.doors))
	}
	c.Close()
}

// Holds and cancels end on whole milliseconds, so grants and cancels meet.
func TestGateManyGoroutines(t *testing.T) {
	const goroutines, rounds = 2000, 5
	bubble(t, func(t *testing.T) {
		g := newCrowded(37)
		var granted, cancelled atomic.Int64
		var all sync.WaitGroup
		for i := range goroutines {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			all.Go(func() {
				for range rounds {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(60))*time.Millisecond)
					err := g.hold(ctx, policies.Ticket(i), func() { pass(time.Duration(random.IntN(3)) * time.Millisecond) })
					cancel()
					if err == nil {
						granted.Add(1)
					} else {
						cancelled.Add(1)
					}
				}
			})
		}
		for range 100 {
			pass(time.Millisecond / 2)
			synctest.Wait()
			if g.idle() {
				t.Error("a permit is free and somebody waits")
			}
		}
		all.Wait()
		g.checkEmpty(t)
		if granted.Load() == 0 || cancelled.Load() == 0 {
			t.Errorf("%d were granted and %d cancelled: this tests nothing", granted.Load(), cancelled.Load())
		}
		t.Logf("%d granted, %d cancelled", granted.Load(), cancelled.Load())
	})
}

// The same on the wall's scheduler, where nothing waits for time.
func TestGateManyGoroutinesOnTheWall(t *testing.T) {
	const goroutines = 2000
	g := newCrowded(3)
	var granted, cancelled atomic.Int64
	var all sync.WaitGroup
	for i := range goroutines {
		random := rand.New(rand.NewPCG(2, uint64(i)))
		yields, holds, cancels := random.IntN(300), random.IntN(3), random.IntN(2) == 0
		ctx, cancel := context.WithCancel(context.Background())
		if cancels {
			all.Go(func() {
				for range yields {
					runtime.Gosched()
				}
				cancel()
			})
		}
		all.Go(func() {
			defer cancel()
			err := g.hold(ctx, policies.Ticket(i), func() {
				for range holds {
					runtime.Gosched()
				}
			})
			if err == nil {
				granted.Add(1)
			} else {
				cancelled.Add(1)
			}
		})
	}
	all.Wait()
	g.checkEmpty(t)
	t.Logf("%d granted, %d cancelled", granted.Load(), cancelled.Load())
}

func TestGateIsFirstInFirstOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newCrowded(1)
		var all sync.WaitGroup
		var order []policies.Ticket
		ctx, cancel := context.WithCancel(context.Background())
		for i := range policies.Ticket(6) {
			all.Go(func() {
				who := context.Background()
				if i == 2 || i == 4 {
					who = ctx
				}
				_ = g.hold(who, i, func() {
					order = append(order, i)
					pass(time.Second)
				})
			})
			synctest.Wait()
		}
		cancel()
		all.Wait()
		if got := fmt.Sprint(order); got != "[0 1 3 5]" {
			t.Errorf("0 to 5 came in order, 2 and 4 went away: served were %s", got)
		}
		g.checkEmpty(t)
	})
}

// GT-D3: the slot is free but nobody wakes; or the same holder takes it again.
func TestGateWakesTheWaiter(t *testing.T) {
	t.Run("a holder that comes back at once, and one waiter", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			const held = 50 * time.Millisecond
			g := newCrowded(1)
			ctx, cancel := context.WithCancel(context.Background())
			var all sync.WaitGroup
			all.Go(func() {
				for g.hold(ctx, 0, func() { pass(held) }) == nil {
				}
			})
			pass(10 * time.Millisecond)
			asked := time.Now()
			if err := g.Wait(context.Background(), 1, 0, 0); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(asked); waited != held-10*time.Millisecond {
				t.Errorf("the waiter waited %v, want the rest of one hold, %v", waited, held-10*time.Millisecond)
			}
			cancel()
			g.Leave(1, policies.Succeeded)
			all.Wait()
			g.checkEmpty(t)
		})
	})
	t.Run("one job of 20 s and twenty of 50 ms on two permits", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			g := newCrowded(2)
			start := time.Now()
			var small time.Duration
			var jobs, all sync.WaitGroup
			all.Go(func() { _ = g.hold(context.Background(), 0, func() { pass(20 * time.Second) }) })
			synctest.Wait()
			for i := range policies.Ticket(20) {
				jobs.Go(func() { _ = g.hold(context.Background(), i+1, func() { pass(50 * time.Millisecond) }) })
			}
			jobs.Wait()
			small = time.Since(start)
			all.Wait()
			if whole := time.Since(start); small != time.Second || whole != 20*time.Second {
				t.Errorf("the small jobs were done after %v, all after %v; want 1s and 20s", small, whole)
			}
			g.checkEmpty(t)
		})
	})
}

// A timed gate opens by its alarm, whatever the clock: here one that gives a permit
// each second.
func TestGateWakesByItsTimer(t *testing.T) {
	mock := clock.NewMock()
	g := NewGate(mock, &everySecond{})
	first, _ := g.Enter(1, 0, 0)
	second, _ := g.Enter(2, 0, 0)
	opened := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	if opened(first) {
		t.Error("the first is in before its second")
	}
	mock.Add(time.Second)
	<-first
	if opened(second) {
		t.Error("the second is in before its second")
	}
	mock.Add(time.Second)
	<-second
	g.Leave(1, policies.Succeeded)
	g.Leave(2, policies.Succeeded)
	g.Close()
}

type everySecond struct {
	line []policies.Ticket
	next time.Duration
}

func (e *everySecond) Enter(now time.Duration, t policies.Ticket, _ int64, _ uint8) bool {
	if len(e.line) == 0 {
		e.next = now + time.Second
	}
	e.line = append(e.line, t)
	return true
}

func (e *everySecond) Leave(time.Duration, policies.Ticket, policies.AttemptEnd) {}

func (e *everySecond) Poll(now time.Duration, buf []policies.Ticket) ([]policies.Ticket, time.Duration) {
	for len(e.line) > 0 && e.next <= now {
		buf = append(buf, e.line[0])
		e.line, e.next = e.line[1:], e.next+time.Second
	}
	if len(e.line) == 0 {
		return buf, policies.Never
	}
	return buf, e.next
}
