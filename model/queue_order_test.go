package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func oneSeat(change func(*QueueConfig)) func(*ProviderConfig) {
	return func(c *ProviderConfig) {
		c.Seats, c.Queue.Places = 1, 10
		change(&c.Queue)
	}
}

func lot(u float64) *Request { return with(job(100*ms), func(q *Request) { q.Lot = u }) }

func TestQueueOrders(t *testing.T) {
	short := job(100 * ms)
	runServing(t, []servingCase{
		{
			"fifo: in the order of arrival",
			oneSeat(func(*QueueConfig) {}),
			[]call{{0, 1, short, "serve"}, {1 * ms, 2, short, "wait"}, {2 * ms, 3, short, "wait"}},
			[]string{"100ms finish 1: 1 tokens, 100ms", "100ms served 2", "200ms finish 2: 1 tokens, 100ms", "200ms served 3", "300ms finish 3: 1 tokens, 100ms"},
		},
		{
			"lifo: the last to come first",
			oneSeat(func(q *QueueConfig) { q.Order = LIFO }),
			[]call{{0, 1, short, "serve"}, {1 * ms, 2, short, "wait"}, {2 * ms, 3, short, "wait"}},
			[]string{"100ms finish 1: 1 tokens, 100ms", "100ms served 3", "200ms finish 3: 1 tokens, 100ms", "200ms served 2", "300ms finish 2: 1 tokens, 100ms"},
		},
		{
			"random: the least lot first, and of equal lots the first to come",
			oneSeat(func(q *QueueConfig) { q.Order = RandomOrder }),
			[]call{{0, 1, short, "serve"}, {1 * ms, 2, lot(0.9), "wait"}, {2 * ms, 3, lot(0.1), "wait"}, {3 * ms, 4, lot(0.5), "wait"}, {4 * ms, 5, lot(0.5), "wait"}},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 3", "200ms finish 3: 1 tokens, 100ms", "200ms served 4",
				"300ms finish 4: 1 tokens, 100ms", "300ms served 5", "400ms finish 5: 1 tokens, 100ms", "400ms served 2", "500ms finish 2: 1 tokens, 100ms",
			},
		},
		{
			"priority: the least number first, equal ones as they came, and nobody is put off his seat",
			oneSeat(func(q *QueueConfig) { q.Order = PriorityOrder }),
			[]call{{0, 1, ranking(short, 9), "serve"}, {1 * ms, 2, ranking(short, 5), "wait"}, {2 * ms, 3, short, "wait"}, {3 * ms, 4, ranking(short, 5), "wait"}},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 3", "200ms finish 3: 1 tokens, 100ms", "200ms served 2",
				"300ms finish 2: 1 tokens, 100ms", "300ms served 4", "400ms finish 4: 1 tokens, 100ms",
			},
		},
		{
			"aging: who has waited 150ms goes before a priority 0 that came later",
			oneSeat(func(q *QueueConfig) { q.Order, q.Aging = PriorityOrder, 150*ms }),
			[]call{{0, 1, short, "serve"}, {50 * ms, 2, ranking(short, 9), "wait"}, {60 * ms, 3, short, "wait"}, {90 * ms, 4, short, "wait"}},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 3", "200ms finish 3: 1 tokens, 100ms", "200ms served 2",
				"300ms finish 2: 1 tokens, 100ms", "300ms served 4", "400ms finish 4: 1 tokens, 100ms",
			},
		},
		{
			"reserve: the last seat is kept for priority 0, though others wait and have aged",
			func(c *ProviderConfig) {
				c.Seats = 2
				c.Queue = QueueConfig{Places: 10, Order: PriorityOrder, Reserve: 1, Aging: 10 * ms, WaitLimit: c.Queue.WaitLimit}
			},
			[]call{{0, 1, ranking(short, 1), "serve"}, {1 * ms, 2, ranking(short, 1), "wait"}, {50 * ms, 3, short, "serve"}, {60 * ms, 4, short, "wait"}},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 4", "150ms finish 3: 1 tokens, 100ms",
				"200ms finish 4: 1 tokens, 100ms", "200ms served 2", "300ms finish 2: 1 tokens, 100ms",
			},
		},
		{
			"wait limit: at exactly that long one is dropped; one whose seat frees at that instant is served",
			oneSeat(func(q *QueueConfig) { q.WaitLimit = WaitLimit(90 * ms) }),
			[]call{{0, 1, short, "serve"}, {5 * ms, 2, short, "wait"}, {10 * ms, 3, short, "wait"}, {20 * ms, 4, short, "wait"}},
			[]string{
				"95ms dropped 2: reject by queue", "100ms finish 1: 1 tokens, 100ms", "100ms served 3",
				"110ms dropped 4: reject by queue", "200ms finish 3: 1 tokens, 100ms",
			},
		},
		{
			"refuse late: who could not start within 150ms is refused at once, with the time after which he could",
			oneSeat(func(q *QueueConfig) { q.WaitLimit, q.RefuseLate = WaitLimit(150*ms), true }),
			[]call{
				{0, 1, short, "serve"},
				{0, 2, short, "wait"},
				{49 * ms, 3, short, "reject by queue, in 1ms"},
				{50 * ms, 3, short, "wait"},
				{50 * ms, 4, short, "reject by queue, in 100ms"},
			},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 2", "200ms finish 2: 1 tokens, 100ms", "200ms served 3",
				"300ms finish 3: 1 tokens, 100ms",
			},
		},
		{
			"refuse late under lifo looks at the seats alone",
			oneSeat(func(q *QueueConfig) { q.Order, q.WaitLimit, q.RefuseLate = LIFO, WaitLimit(60*ms), true }),
			[]call{{0, 1, short, "serve"}, {39 * ms, 2, short, "reject by queue, in 1ms"}, {40 * ms, 3, short, "wait"}, {41 * ms, 4, short, "wait"}},
			[]string{"100ms finish 1: 1 tokens, 100ms", "100ms served 4", "100ms dropped 3: reject by queue", "200ms finish 4: 1 tokens, 100ms"},
		},
	})
}

// GT-D5: 8 seats, 10 s a service, a backlog of 1,000 at priority 1, and a priority 0
// every 30 s. Without preemption it waits for the longest residual service at most; with a
// seat in reserve it does not wait; in arrival order it waits behind the backlog.
func TestUrgentRequestsBehindABacklog(t *testing.T) {
	tests := []struct {
		says  string
		queue QueueConfig
		worst time.Duration
	}{
		{"fifo", QueueConfig{Order: FIFO}, 1220*time.Second - 1},            // the first comes 1 ns after 30 s
		{"priority", QueueConfig{Order: PriorityOrder}, 10*time.Second - 1}, // and 1 ns after all seats were taken
		{"priority with a seat in reserve", QueueConfig{Order: PriorityOrder, Reserve: 1}, 0},
	}
	for _, test := range tests {
		p := providerOf(func(c *ProviderConfig) {
			c.Seats = 8
			limit := c.Queue.WaitLimit
			c.Queue = test.queue
			c.Queue.Places, c.Queue.WaitLimit = policies.Unlimited, limit
		})
		q := job(10 * time.Second)
		urgent := map[policies.Ticket]time.Duration{}
		worst, served := time.Duration(0), 0
		note := func(effects []Effect) {
			for _, e := range effects {
				if since, is := urgent[e.Ticket]; is && e.Kind == Served {
					worst = max(worst, e.At-since)
				}
				if e.Kind == Finish {
					served++
				}
			}
		}
		for id := range policies.Ticket(1000) {
			p.Offer(0, id, ranking(q, 1))
		}
		var buf []Effect
		n := policies.Ticket(0)
		for now := 30*time.Second + 1; now < 1200*time.Second; now += 30 * time.Second {
			buf, _ = p.Poll(now, buf[:0])
			note(buf)
			urgent[1000+n] = now
			p.Offer(now, 1000+n, q)
			n++
		}
		buf, _ = p.Poll(10_000*time.Second, buf[:0])
		note(buf)
		if served != 1000+int(n) {
			t.Errorf("%s: %d served, want %d", test.says, served, 1000+n)
		}
		if worst != test.worst {
			t.Errorf("%s: the worst wait of an urgent request is %v, want %v", test.says, worst, test.worst)
		}
	}
}

// With 100 at 1 a second and a queue that always has one of priority 0, one of priority 9
// starves without aging, and with it is served when it has aged.
func TestAgingEndsStarvation(t *testing.T) {
	for _, test := range []struct {
		aging time.Duration
		want  time.Duration
	}{{0, 101 * time.Second}, {30 * time.Second, 31 * time.Second}} {
		p := providerOf(oneSeat(func(q *QueueConfig) { q.Order, q.Aging, q.Places = PriorityOrder, test.aging, policies.Unlimited }))
		calls := []call{{0, 0, job(time.Second), "serve"}, {1, 1, ranking(job(time.Second), 9), "wait"}}
		for i := range policies.Ticket(100) {
			calls = append(calls, call{time.Duration(i)*time.Second + 2, i + 2, job(time.Second), "wait"})
		}
		_, log := perform(t, p, calls)
		if want := fmt.Sprintf("%v served 1", test.want); !slices.Contains(log, want) {
			t.Errorf("aging %v: no %q", test.aging, want)
		}
	}
}
