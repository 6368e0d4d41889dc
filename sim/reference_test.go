package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reference is a queue one can see through: a slice, searched for the least.
type reference struct {
	now     time.Duration
	seq     uint64
	pending []Event
	dead    map[uint64]bool // by K
}

func (r *reference) at(t time.Duration, kind Kind, slot uint32) Event {
	r.seq++
	e := Event{t, uint64(kind)<<58 | r.seq<<24 | uint64(slot)}
	r.pending = append(r.pending, e)
	return e
}

func (r *reference) next(limit time.Duration) (Event, bool) {
	best := -1
	for i, e := range r.pending {
		if !r.dead[e.K] && e.T < limit && (best < 0 || e.before(r.pending[best])) {
			best = i
		}
	}
	if best < 0 {
		return Event{}, false
	}
	e := r.pending[best]
	r.pending = slices.Delete(r.pending, best, best+1)
	r.now = e.T
	return e, true
}

func (r *reference) living() (n int) {
	for _, e := range r.pending {
		if !r.dead[e.K] {
			n++
		}
	}
	return n
}

// program drives a queue and the reference alike. draw(n) is any number below n.
type program struct {
	draw  func(n int) int
	lanes []time.Duration
	kinds int
	kill  bool // cancels
	stops bool // limits nearer than the end
}

var someDelays = []time.Duration{0, 1, 2, 3, 60, 64, 65, 4096, 5000, 1 << 20, time.Second, time.Second + 1, 20 * time.Second, 1 << 45, 1 << 62}

func (p program) run(q *Queue, ref *reference, steps int) error {
	for _, d := range p.lanes {
		q.Lane(0, d)
	}
	push := func() error {
		kind, slot := Kind(p.draw(p.kinds)), uint32(p.draw(MaxSlots))
		d := someDelays[p.draw(len(someDelays))]
		switch p.draw(4) {
		case 0:
			d = time.Duration(p.draw(200))
		case 1:
			d = time.Duration(p.draw(1 << 30))
		}
		t := ref.now + d
		if t < 0 {
			t = never
		}
		want := ref.at(t, kind, slot)
		got := uint64(0)
		if p.draw(3) == 0 {
			got = q.At(t, kind, slot)
		} else {
			got = q.After(d, kind, slot)
		}
		if got != want.Seq() {
			return fmt.Errorf("pushing at %d: sequence %d, want %d (%v)", t, got, want.Seq(), q.Err())
		}
		return nil
	}
	for step := range steps {
		switch op := p.draw(10); {
		case op < 3:
			if err := push(); err != nil {
				return err
			}
		case op == 3:
			for range p.draw(60) {
				if err := push(); err != nil {
					return err
				}
			}
		case op == 4 && p.kill:
			for range p.draw(40) {
				if len(ref.pending) == 0 {
					break
				}
				e := ref.pending[p.draw(len(ref.pending))]
				if !ref.dead[e.K] {
					ref.dead[e.K] = true
					q.Cancel()
				}
			}
		default:
			limit := never
			if p.stops && p.draw(2) == 0 {
				limit = ref.now + someDelays[p.draw(len(someDelays)-1)]
			}
			for range 1 + p.draw(12) {
				want, ok := ref.next(limit)
				got, gotOK := q.Next(limit)
				if got != want || gotOK != ok {
					return fmt.Errorf("step %d: next before %d: %+v %v, want %+v %v (%v)", step, limit, got, gotOK, want, ok, q.Err())
				}
				if q.Now() != ref.now {
					return fmt.Errorf("step %d: now is %d, want %d", step, q.Now(), ref.now)
				}
			}
		}
		if got, want := q.Len()-q.Dead(), ref.living(); got != want {
			return fmt.Errorf("step %d: %d living events, want %d", step, got, want)
		}
	}
	for {
		want, ok := ref.next(never)
		got, gotOK := q.Next(never)
		if got != want || gotOK != ok {
			return fmt.Errorf("at the end: %+v %v, want %+v %v", got, gotOK, want, ok)
		}
		if !ok {
			return nil
		}
	}
}

var configurations = []struct {
	name string
	program
}{
	{"without lanes the wheel takes all", program{kinds: 64}},
	{"one kind: only the sequence breaks ties", program{kinds: 1}},
	{"lanes for some delays", program{kinds: 3, lanes: someDelays[:8]}},
	{"more lanes than there may be", program{kinds: 64, lanes: append(slices.Clone(someDelays), 7, 8, 9, 10)}},
	{"limits stop before what is next", program{kinds: 4, stops: true, lanes: someDelays[2:5]}},
	{"cancelled events are skipped and swept", program{kinds: 4, kill: true, lanes: someDelays[2:5]}},
	{"cancels and limits without lanes", program{kinds: 64, kill: true, stops: true}},
	{"cancels, limits and lanes", program{kinds: 5, kill: true, stops: true, lanes: someDelays}},
}

func (p program) check(q *Queue, ref *reference, steps int) error {
	ref.dead = map[uint64]bool{}
	q.alive = func(e Event) bool { return !ref.dead[e.K] }
	return p.run(q, ref, steps)
}

func TestQueueAgreesWithReference(t *testing.T) {
	for _, c := range configurations {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := c.program
				p.draw = func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
				if err := p.check(NewQueue(nil, nil), new(reference), 12); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// Longer programs than rapid can shrink, on queues used before.
func TestQueueAgreesWithReferenceAtLength(t *testing.T) {
	for _, c := range configurations {
		t.Run(c.name, func(t *testing.T) {
			q := NewQueue(nil, nil)
			for seed := range uint64(40) {
				p := c.program
				p.draw = rand.New(rand.NewPCG(seed, 1)).IntN
				q.Reset()
				if err := p.check(q, new(reference), 150); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}
