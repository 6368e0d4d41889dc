package sim

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// drain runs all events before limit.
func drain(q *Queue, limit time.Duration) (events []Event) {
	for {
		e, ok := q.Next(limit)
		if !ok {
			return events
		}
		events = append(events, e)
	}
}

func TestOrderOfEqualTimes(t *testing.T) {
	const release, arrive Kind = 1, 2
	second := func(q *Queue, k Kind, slot uint32) { q.At(time.Second, k, slot) }
	arrivals := func(q *Queue, from, n uint32) {
		for i := range n {
			second(q, arrive, from+i)
		}
	}
	for _, c := range []struct {
		name string
		push func(q *Queue)
	}{
		{"pushed first, the release runs first", func(q *Queue) { second(q, release, 99); arrivals(q, 0, 50) }},
		{"pushed last, the release runs first", func(q *Queue) { arrivals(q, 0, 50); second(q, release, 99) }},
		{"pushed in between, the release runs first", func(q *Queue) { arrivals(q, 0, 20); second(q, release, 99); arrivals(q, 20, 30) }},
		{"a release in a lane runs before arrivals in the wheel", func(q *Queue) {
			q.Lane(release, time.Second)
			arrivals(q, 0, 50)
			q.After(time.Second, release, 99)
		}},
		{"a release in the wheel runs before arrivals in a lane", func(q *Queue) {
			q.Lane(arrive, time.Second)
			for i := range uint32(50) {
				q.After(time.Second, arrive, i)
			}
			second(q, release, 99)
		}},
		{"a release in the lane of the arrivals overtakes them", func(q *Queue) {
			q.Lane(arrive, time.Second)
			q.Lane(release, time.Second)
			for i := range uint32(50) {
				q.After(time.Second, arrive, i)
			}
			q.After(time.Second, release, 99)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue(nil, nil)
			c.push(q)
			got := drain(q, never)
			if len(got) != 51 || got[0].Kind() != release || got[0].Slot() != 99 {
				t.Fatalf("%d events, first %+v; want 51, the release first", len(got), got[0])
			}
			for i, e := range got[1:] {
				if e.Kind() != arrive || e.Slot() != uint32(i) || e.T != time.Second {
					t.Fatalf("arrival %d is %+v, kind %d, slot %d", i, e, e.Kind(), e.Slot())
				}
			}
		})
	}
}

func TestBornAtNow(t *testing.T) {
	q := NewQueue(nil, nil)
	q.At(5, 3, 0)
	q.At(5, 4, 1)
	q.Next(never)
	q.After(0, 1, 2) // a lower kind than the one that ran
	q.At(5, 3, 3)
	q.After(0, 4, 4)
	var slots []uint32
	for _, e := range drain(q, never) {
		slots = append(slots, e.Slot())
	}
	if want := []uint32{2, 3, 1, 4}; len(slots) != 4 || [4]uint32(slots) != [4]uint32(want) {
		t.Fatalf("slots %v, want %v", slots, want)
	}
}

func TestNextStopsAtLimit(t *testing.T) {
	for _, lane := range []bool{false, true} {
		q := NewQueue(nil, nil)
		if lane {
			q.Lane(0, 10)
		}
		q.After(10, 0, 7)
		if e, ok := q.Next(10); ok {
			t.Fatalf("lane %v: limit 10 let %+v through", lane, e)
		}
		if q.Now() != 0 || q.Len() != 1 {
			t.Fatalf("lane %v: now %d, %d pending; want 0 and 1", lane, q.Now(), q.Len())
		}
		q.At(3, 0, 8) // the queue has looked at 10 and must still take this
		if e, ok := q.Next(11); !ok || e.T != 3 {
			t.Fatalf("lane %v: %+v %v, want the event at 3", lane, e, ok)
		}
		if e, ok := q.Next(11); !ok || e.T != 10 || e.Slot() != 7 || q.Now() != 10 {
			t.Fatalf("lane %v: %+v %v, want the event at 10", lane, e, ok)
		}
	}
}

func TestDeadEventsDoNotMoveTheClock(t *testing.T) {
	dead := map[uint64]bool{}
	q := NewQueue(nil, func(e Event) bool { return !dead[e.Seq()] })
	for range 40 {
		dead[q.At(1000, 0, 0)] = true
		dead[q.At(1001, 0, 0)] = true
	}
	q.At(5000, 1, 1)
	for range dead {
		q.dead++ // as Cancel, but unswept
	}
	if e, ok := q.Next(2000); ok || q.Now() != 0 {
		t.Fatalf("%+v %v at %d; all before 2000 are dead", e, ok, q.Now())
	}
	q.At(1, 2, 2)
	q.At(0, 3, 3)
	got := drain(q, never)
	if len(got) != 3 || got[0].T != 0 || got[1].T != 1 || got[2].T != 5000 || q.Dead() != 0 {
		t.Fatalf("got %v, %d dead", got, q.Dead())
	}
}

func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name            string
		living, cancels int
		want            int // pending after it
	}{
		{"fewer than 64 dead stay, whatever lives", 1, 63, 64},
		{"64 dead go when they outnumber the living", 1, 64, 1},
		{"as many dead as living stay", 100, 100, 200},
		{"one dead more than living and all go", 100, 101, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue(nil, func(e Event) bool { return e.Slot() == 1 })
			q.Lane(0, 70)
			for i := range c.living + c.cancels {
				slot := uint32(0)
				if i < c.living {
					slot = 1
				}
				q.After(time.Duration(i%3)*35, 0, slot) // now, the wheel, the lane
			}
			for range c.cancels {
				q.Cancel()
			}
			if q.Len() != c.want || q.Dead() != c.want-c.living {
				t.Errorf("%d pending, %d dead; want %d and %d", q.Len(), q.Dead(), c.want, c.want-c.living)
			}
			if n := len(drain(q, never)); n != c.living {
				t.Errorf("%d ran, want %d", n, c.living)
			}
		})
	}
	q := NewQueue(nil, nil)
	q.After(1, 0, 0)
	if q.Cancel(); q.Dead() != 0 || len(drain(q, never)) != 1 {
		t.Error("a queue in which all events matter has a dead one")
	}
}

func TestMistakes(t *testing.T) {
	names := []string{"provider", "client timer"}
	for _, c := range []struct {
		name string
		do   func(q *Queue) uint64
		want []string
	}{
		{
			"a time before now names the component and both times",
			func(q *Queue) uint64 { return q.At(time.Second, 1, 0) },
			[]string{"client timer", "1s", "2s", "before now"},
		},
		{
			"a negative delay is a time before now",
			func(q *Queue) uint64 { return q.After(-1, 0, 0) },
			[]string{"provider", "1.999999999s", "2s"},
		},
		{
			"a negative delay before the start of time too",
			func(q *Queue) uint64 { return q.After(-time.Hour, 0, 0) },
			[]string{"provider", "-59m58s", "2s"},
		},
		{
			"a kind without a name is called by its number",
			func(q *Queue) uint64 { return q.At(0, 9, 0) },
			[]string{"kind 9"},
		},
		{
			"kinds end at 63",
			func(q *Queue) uint64 { return q.After(1, 64, 0) },
			[]string{"kind 64", "63"},
		},
		{
			"slots end at 16,777,215",
			func(q *Queue) uint64 { return q.After(1, 1, MaxSlots) },
			[]string{"client timer", "16777216"},
		},
		{
			"the sequence ends at 34 bits",
			func(q *Queue) uint64 { q.seq = 1<<34 - 1; return q.After(1, 1, 0) },
			[]string{"client timer", "17179869183"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue(names, nil)
			q.At(2*time.Second, 0, 0)
			q.Next(never)
			q.At(3*time.Second, 0, 0)
			if seq := c.do(q); seq != 0 || q.Len() != 1 {
				t.Errorf("sequence %d, %d pending; want 0 and nothing scheduled", seq, q.Len())
			}
			err := q.Err()
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			if e, ok := q.Next(never); ok {
				t.Errorf("%+v ran after the error", e)
			}
			if q.After(1, 0, 0) != 0 || q.At(0, 0, 0) != 0 || q.Err() != err {
				t.Errorf("the first error did not stay: %v", q.Err())
			}
			q.Reset()
			if q.Err() != nil || q.Len() != 0 || q.Now() != 0 || q.After(1, 0, 0) != 1 {
				t.Errorf("Reset left something: %v", q.Err())
			}
		})
	}
}

func TestTimeBeyondTheEndNeverComes(t *testing.T) {
	q := NewQueue(nil, nil)
	q.Lane(0, never)
	q.At(10, 0, 0)
	q.Next(never)
	q.After(never, 0, 0)
	q.After(never-10, 0, 0)
	q.After(never-9, 0, 0)
	q.After(never-11, 1, 5)
	if e, ok := q.Next(never); !ok || e.T != never-1 || e.Slot() != 5 {
		t.Fatalf("%+v %v, want the event one nanosecond before the end", e, ok)
	}
	if e, ok := q.Next(never); ok || q.Err() != nil || q.Len() != 3 {
		t.Fatalf("%+v ran; %d pending, %v", e, q.Len(), q.Err())
	}
}

func TestRunaway(t *testing.T) {
	for _, c := range []struct {
		name    string
		waiting int
		want    int64
	}{
		{"an event that schedules itself at now trips after 1,000,000 and 1,000 for itself", 0, 1_001_001},
		{"each pending event allows 1,000 more", 9, 1_010_001},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue([]string{"client", "gate"}, nil)
			for i := range c.waiting {
				q.At(time.Hour+time.Duration(i), 0, 0)
			}
			q.At(time.Second, 1, 0)
			ran := int64(0)
			for {
				if _, ok := q.Next(never); !ok {
					break
				}
				ran++
				q.After(0, 1, 0)
			}
			var r *Runaway
			if !errors.As(q.Err(), &r) {
				t.Fatalf("error %v after %d events, want a *Runaway", q.Err(), ran)
			}
			if r.Component != "gate" || r.At != time.Second || r.Count != c.want || ran != c.want-1 {
				t.Errorf("%+v after %d events, want gate at 1s, %d", *r, ran, c.want)
			}
			for _, w := range []string{"gate", "at 1s", fmt.Sprint(c.want)} {
				if !strings.Contains(r.Error(), w) {
					t.Errorf("%q does not say %q", r, w)
				}
			}
		})
	}
}

func TestBusyInstantIsNoRunaway(t *testing.T) {
	q := NewQueue(nil, nil)
	const n = 1_000_000
	for i := range uint32(n) {
		q.After(0, 5, i)
	}
	again := 0
	for {
		e, ok := q.Next(never)
		if !ok {
			break
		}
		if e.Kind() == 5 {
			q.After(0, 4, e.Slot())
		} else {
			again++
		}
	}
	if q.Err() != nil || again != n {
		t.Fatalf("%d of %d came back: %v", again, n, q.Err())
	}
}

func TestMillionEventsAtOneInstant(t *testing.T) {
	for _, c := range []struct {
		name  string
		lanes bool
		at    time.Duration
	}{
		{"at the start", false, 0},
		{"in the wheel", false, 12345678901},
		{"in a lane, kinds mixed", true, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue(nil, nil)
			if c.lanes {
				q.Lane(0, c.at)
			}
			const n = 1_000_000
			for i := range uint32(n) {
				q.After(c.at, Kind(i*7%64), i)
			}
			last, ran := Event{}, 0
			for {
				e, ok := q.Next(never)
				if !ok {
					break
				}
				if e.T != c.at || !last.before(e) {
					t.Fatalf("%+v after %+v", e, last)
				}
				last = e
				ran++
			}
			if ran != n || q.Err() != nil {
				t.Fatalf("%d events, want %d (%v)", ran, n, q.Err())
			}
		})
	}
}

// EN-D4: requests with a long time-out that are done long before it.
func TestDeadTimersAreSwept(t *testing.T) {
	const (
		done, arrive, timeout = Kind(0), Kind(1), Kind(2)
		slots                 = 4096
	)
	hours := 2 * time.Hour
	if raceDetector {
		hours = 11 * time.Minute
	}
	for _, lane := range []bool{true, false} {
		armed := make([]uint64, slots)
		q := NewQueue(nil, func(e Event) bool { return e.Kind() != timeout || armed[e.Slot()] == e.Seq() })
		if lane {
			q.Lane(timeout, 600*time.Second)
			q.Lane(done, time.Second)
		}
		q.At(0, arrive, 0)
		most, finished := 0, 0
		memory := func() int { return len(q.pool.ev) + len(q.lanes.ring[0].a) + len(q.lanes.ring[1].a) }
		half := 0
		for {
			e, ok := q.Next(hours)
			if !ok {
				break
			}
			switch e.Kind() {
			case arrive:
				armed[e.Slot()] = q.After(600*time.Second, timeout, e.Slot())
				q.After(time.Second, done, e.Slot())
				q.After(time.Millisecond, arrive, (e.Slot()+1)%slots)
			case done:
				armed[e.Slot()] = 0
				q.Cancel()
				finished++
			case timeout:
				t.Fatalf("the time-out of a request that is done ran at %v", e.T)
			}
			most = max(most, q.Len())
			if e.T == hours/2 {
				half = memory()
			}
		}
		if q.Err() != nil || finished != int(hours/time.Millisecond)-1000 {
			t.Errorf("lane %v: %d requests done (%v)", lane, finished, q.Err())
		}
		if most >= 20_000 {
			t.Errorf("lane %v: %d events were pending", lane, most)
		}
		if half == 0 || memory() != half {
			t.Errorf("lane %v: room for %d events at half time, for %d at the end", lane, half, memory())
		}
	}
}

func TestTenYears(t *testing.T) {
	const year = 365 * 24 * time.Hour
	q := NewQueue(nil, nil)
	q.Lane(0, time.Hour)
	q.After(time.Hour, 0, 0)
	beats := 0
	for {
		if _, ok := q.Next(10 * year); !ok {
			break
		}
		beats++
		q.After(time.Hour, 0, 0)
	}
	if want := 10*365*24 - 1; beats != want || q.Now() != 10*year-time.Hour {
		t.Fatalf("%d beats until %v, want %d", beats, q.Now(), want)
	}
}

// EN-D3: arrivals every 0.2 s against 50 in 10 s lose none to rounding.
func TestIntegerTime(t *testing.T) {
	q := NewQueue(nil, nil)
	windows := NewSeries(10 * time.Second)
	q.At(0, 0, 0)
	for i := range 300 {
		e, ok := q.Next(time.Minute)
		if !ok || e.T != time.Duration(i)*200*time.Millisecond {
			t.Fatalf("arrival %d: %v %v", i, e.T, ok)
		}
		windows.Add(e.T, 1)
		q.After(200*time.Millisecond, 0, 0)
	}
	if e, ok := q.Next(time.Minute); ok {
		t.Fatalf("arrival 300 at %v, inside the minute", e.T)
	}
	for i := range 6 {
		if windows.At(i) != 50 {
			t.Errorf("window %d has %d arrivals, want 50", i, windows.At(i))
		}
	}
}

func TestNoAllocationPerEvent(t *testing.T) {
	h := newHerd(1000)
	seed := uint64(1)
	for range 20 {
		h.run(seed)
		seed++
	}
	if n := testing.AllocsPerRun(5, func() { h.run(1) }); n != 0 {
		t.Errorf("%v allocations in a run of a herd", n)
	}

	armed := make([]uint64, 256)
	q := NewQueue(nil, func(e Event) bool { return armed[e.Slot()] == e.Seq() })
	slot := uint32(0)
	cancelled := func() {
		for range 10_000 {
			if armed[slot] != 0 {
				q.Cancel()
			}
			armed[slot] = q.After(time.Duration(slot)*time.Microsecond+time.Second, 1, slot)
			slot = (slot + 1) % 256
			if slot%16 == 0 {
				if e, ok := q.Next(never); ok {
					armed[e.Slot()] = 0
				}
			}
		}
	}
	cancelled()
	if n := testing.AllocsPerRun(5, cancelled); n != 0 {
		t.Errorf("%v allocations in 10,000 cancelled timers", n)
	}
}

func TestHerdsAreTheSameTwice(t *testing.T) {
	a, b := newHerd(500), newHerd(500)
	b.run(7) // another run before must not show
	b.events, b.served = 0, 0
	a.run(1)
	b.run(1)
	if a.events != b.events || a.q.Now() != b.q.Now() || a.served != 500 || b.served != 500 {
		t.Fatalf("%d events until %v and %d until %v; served %d and %d", a.events, a.q.Now(), b.events, b.q.Now(), a.served, b.served)
	}
}
