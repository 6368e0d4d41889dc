package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// RS-D3 at the provider: capacity 100/s, a queue without bound, abandoned work done all
// the same, 80/s offered, clients that leave after 1 s and come again at once, capacity at
// a fifth for 10 s. With 3 retries the goodput stays 0 long after, while 320 come a
// second; with none it comes back, and so it does where the queue drops who is late, or
// serves the last first.
func TestTheOutageOutlivesItsCause(t *testing.T) {
	tests := []struct {
		says     string
		retries  int
		change   func(*ProviderConfig)
		goodput  [2]int64 // between 5 and 10 s, and 100 and 190 s, per second: at least
		atMost   int64    // the latter
		attempts int64    // of the latter, per second
	}{
		{"3 retries", 3, func(*ProviderConfig) {}, [2]int64{80, 0}, 0, 320},
		{"none", 0, func(*ProviderConfig) {}, [2]int64{80, 80}, 80, 80},
		{"3 retries, and a wait limit of 1s", 3, func(c *ProviderConfig) { c.Queue.WaitLimit = WaitLimit(time.Second - 10*ms) }, [2]int64{80, 80}, 80, 80},
		{"3 retries, last in first out", 3, func(c *ProviderConfig) { c.Queue.Order = LIFO }, [2]int64{80, 80}, 80, 80},
		{"3 retries, and abandoned work is stopped", 3, func(c *ProviderConfig) { c.Abandoned.FreesSeatAfter = 0 }, [2]int64{80, 80}, 80, 320},
	}
	for _, test := range tests {
		fifth := Whole / 5
		p := providerOf(func(c *ProviderConfig) {
			c.Seats, c.Queue.Places = 1, policies.Unlimited
			c.Weather = []Weather{{At: 10 * time.Second, For: 10 * time.Second, Pace: &fifth}}
			test.change(c)
		})
		good, sent := openLoop(p, test.retries, 12500*time.Microsecond, 200*time.Second)
		per := func(series []int64, from, to int) (n int64) {
			for _, x := range series[from:to] {
				n += x
			}
			return n / int64(to-from)
		}
		before, after, attempts := per(good, 5, 10), per(good, 100, 190), per(sent, 100, 190)
		if before < test.goodput[0] || after < test.goodput[1] || after > test.atMost || attempts > test.attempts || test.retries == 3 && test.atMost == 0 && attempts < test.attempts {
			t.Errorf("%s: goodput %d/s before and %d/s after, at %d attempts/s; want %+v", test.says, before, after, attempts, test)
		}
	}
}

// openLoop offers a request each gap, whose client leaves after a second, or is dropped,
// and offers it again at once, so often; it counts by second what was answered in time,
// and what was offered.
func openLoop(p *Provider, retries int, gap, until time.Duration) (good, sent []int64) {
	type try struct {
		at   time.Duration // when its client leaves
		id   policies.Ticket
		left int
		over bool
	}
	good, sent = make([]int64, until/time.Second+10), make([]int64, until/time.Second+10)
	var (
		tries []*try // in order: all leave after a second
		of    []*try // by ticket
		free  []policies.Ticket
		again []*try
		buf   []Effect
		wake  = policies.Never
		q     = job(10 * ms)
	)
	poll := func(now time.Duration) {
		buf, wake = p.Poll(now, buf[:0])
		for _, e := range buf {
			if !e.Kind.Last() {
				continue
			}
			who := of[e.Ticket]
			if e.Kind == Finish && !who.over {
				good[e.At/time.Second]++
			}
			if e.Kind == Dropped && !who.over {
				again = append(again, who)
			}
			who.over = true
			free = append(free, e.Ticket)
		}
	}
	offer := func(now time.Duration, left int) {
		if len(free) == 0 {
			free = append(free, policies.Ticket(len(of)))
			of = append(of, nil)
		}
		who := &try{at: now + time.Second, id: free[len(free)-1], left: left}
		free = free[:len(free)-1]
		of[who.id] = who
		tries = append(tries, who)
		sent[now/time.Second]++
		p.Offer(now, who.id, q)
		poll(now)
	}
	for next := time.Duration(0); next < until; {
		now := min(next, wake)
		if len(tries) > 0 {
			now = min(now, tries[0].at)
		}
		poll(now)
		for len(tries) > 0 && tries[0].at <= now {
			who := tries[0]
			tries = tries[1:]
			if !who.over {
				who.over = true
				p.Leave(now, who.id)
				poll(now)
				again = append(again, who)
			}
		}
		for _, who := range again {
			if who.left > 0 {
				offer(now, who.left-1)
			}
		}
		again = again[:0]
		if next <= now {
			offer(now, retries)
			next += gap
		}
	}
	return good, sent
}
