package sim

import (
	"fmt"
	"testing"
	"time"
)

// The retry herd: n clients wake at 0; the server takes 3 in a hundred at once,
// for 60 ms, and rejects the others; these come again after full jitter.
const (
	herdOneWay  = 500 * time.Microsecond
	herdService = 60 * time.Millisecond
	herdBase    = 200 * time.Millisecond
	herdMaxWait = 20 * time.Second
)

const (
	herdFinish Kind = iota
	herdArrive
	herdReject
	herdDone
	herdWake
)

type herd struct {
	q      *Queue
	tries  []uint8
	busy   int
	seats  int
	events int64
	served int
}

func newHerd(n int) *herd {
	h := &herd{q: NewQueue(nil, nil), tries: make([]uint8, n), seats: max(3, 3*n/100)}
	h.q.Lane(herdArrive, herdOneWay)
	h.q.Lane(herdReject, herdOneWay)
	h.q.Lane(herdDone, herdOneWay)
	h.q.Lane(herdFinish, herdService)
	return h
}

// run plays one replication and returns its number of events.
func (h *herd) run(seed uint64) {
	q := h.q
	q.Reset()
	clear(h.tries)
	h.busy = 0
	rng := seed * golden
	for i := range h.tries {
		q.After(0, herdWake, uint32(i))
	}
	for {
		e, ok := q.Next(never)
		if !ok {
			return
		}
		h.events++
		switch slot := e.Slot(); e.Kind() {
		case herdWake:
			q.After(herdOneWay, herdArrive, slot)
		case herdArrive:
			if h.busy < h.seats {
				h.busy++
				q.After(herdService, herdFinish, slot)
			} else {
				q.After(herdOneWay, herdReject, slot)
			}
		case herdReject:
			d := herdMaxWait
			if h.tries[slot] < 7 {
				d = min(d, herdBase<<h.tries[slot])
			}
			h.tries[slot]++
			rng += golden
			q.After(time.Duration(Key(mix(rng)).Uniform()*float64(d)), herdWake, slot)
		case herdFinish:
			h.busy--
			q.After(herdOneWay, herdDone, slot)
		case herdDone:
			h.served++
		}
	}
}

func BenchmarkHerd(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			h := newHerd(n)
			seed := uint64(1)
			for b.Loop() {
				h.run(seed)
				seed++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(h.events), "ns/event")
		})
	}
}

// One event out and one in, while 1,000 are pending.
func BenchmarkHold(b *testing.B) {
	for _, c := range []struct {
		name  string
		delay func(i uint64) time.Duration
	}{
		{"lane", func(uint64) time.Duration { return time.Second }},
		{"wheel", func(i uint64) time.Duration { return time.Duration(mix(i) >> 34) }},
		{"instant", func(uint64) time.Duration { return 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			q := NewQueue(nil, nil)
			q.Lane(0, time.Second)
			for i := range uint64(1000) {
				q.After(c.delay(i), 0, 0)
			}
			i := uint64(0)
			for b.Loop() {
				q.Next(never)
				q.After(c.delay(i), 0, 0)
				if i++; i%1_000_000 == 0 {
					q.ran = 0 // or standing still would be an error
				}
			}
			if q.Err() != nil {
				b.Fatal(q.Err())
			}
		})
	}
}

// One timer armed and cancelled, sweeps included, while 1,000 live.
func BenchmarkCancel(b *testing.B) {
	b.ReportAllocs()
	armed := make([]uint64, 1000)
	q := NewQueue(nil, func(e Event) bool { return armed[e.Slot()] == e.Seq() })
	for i := range armed {
		armed[i] = q.After(time.Hour, 0, uint32(i))
	}
	i := 0
	for b.Loop() {
		q.Cancel()
		armed[i] = q.After(time.Hour+time.Duration(i), 0, uint32(i))
		i = (i + 1) % len(armed)
	}
}
