package model

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/sim"
)

// config is a scenario in Go: seats, an answer's time, and groups.
func config(seats policies.Count, answer time.Duration, groups ...Group) *Config {
	c := &Config{}
	c.SetDefaults()
	c.Provider.Seats = seats
	c.Provider.Service.FirstToken = value(answer)
	c.Clients = groups
	return c
}

func group(name string, count int, change func(*Group)) Group {
	g := Group{}
	g.SetDefaults()
	g.Name, g.Count = name, count
	if change != nil {
		change(&g)
	}
	return g
}

func play(t testing.TB, c *Config, seed uint64) (*Summary, *Tally, []TraceLine) {
	t.Helper()
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	tally, trace := NewTally(c), &Trace{Client: AllClients}
	if err := w.Run(context.Background(), seed, tally, trace); err != nil {
		t.Fatal(err)
	}
	return Summarise(tally), tally, trace.Lines
}

// EN-D1: a release and 50 arrivals at the same instant. What frees a place comes
// first, whatever the order in which things were scheduled.
func TestAReleaseComesBeforeArrivalsOfItsInstant(t *testing.T) {
	early := group("early", 1, nil)
	late := group("late", 50, func(g *Group) { g.Arrive.At = time.Second })
	for _, groups := range [][]Group{{early, late}, {late, early}} {
		s, _, lines := play(t, config(1, time.Second, groups...), 1)
		if s.Operations.Succeeded != 2 || s.Attempts.RejectedBy.Seats != 49 {
			t.Errorf("%d succeed and %d are refused, want 2 and 49", s.Operations.Succeeded, s.Attempts.RejectedBy.Seats)
		}
		if lines[1].Answer.End != policies.Succeeded {
			t.Errorf("the seat went to another than the first of the 50")
		}
	}
}

func TestEventsOfTheHerd(t *testing.T) {
	// facts/engines.md counts one event a client at the start and three an attempt.
	g := group("herd", 1000, func(g *Group) { g.Policy = "full-jitter"; g.Network.OneWay = value(500 * time.Microsecond) })
	s, _, _ := play(t, config(30, 60*ms, g), 1)
	if want := s.Operations.Total + 3*s.Attempts.Total; s.Engine.Events != want {
		t.Errorf("%d events for %d operations and %d attempts, want %d", s.Engine.Events, s.Operations.Total, s.Attempts.Total, want)
	}
}

func TestStop(t *testing.T) {
	slow := group("slow", 3, nil)
	tests := []struct {
		says      string
		stop      Stop
		end       time.Duration
		succeeded int64
		inFlight  int64
	}{
		{"with everybody done the run is over", Stop{AllDone, time.Hour}, time.Second, 3, 0},
		{"it may go on to the horizon", Stop{Horizon, time.Minute}, time.Minute, 3, 0},
		{"what is due at the horizon no longer happens", Stop{AllDone, time.Second}, time.Second, 0, 3},
		{"a nanosecond later it does", Stop{AllDone, time.Second + 1}, time.Second, 3, 0},
		{"a horizon of 0 runs nothing", Stop{AllDone, 0}, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := config(policies.Unlimited, time.Second, slow)
			c.Stop = test.stop
			s, tally, _ := play(t, c, 1)
			if tally.End() != test.end || s.Operations.Succeeded != test.succeeded || s.Operations.InFlight != test.inFlight {
				t.Errorf("ends at %v with %d succeeded and %d in flight, want %v, %d and %d",
					tally.End(), s.Operations.Succeeded, s.Operations.InFlight, test.end, test.succeeded, test.inFlight)
			}
			if s.Wall.Defined() != (test.succeeded == 3) {
				t.Errorf("the wall is %v, though %d of 3 ended", s.Wall, test.succeeded)
			}
		})
	}
}

func TestGateInTheWorld(t *testing.T) {
	second := value(time.Second)
	gate := func(scope policies.GateScope, permit policies.PermitHold, name string) func(*Group) {
		return func(g *Group) {
			g.Gate = &GroupGate{Name: name, GateConfig: policies.GateConfig{Concurrency: 2, Scope: scope, Permit: permit}}
			if name != "" {
				g.Gate.GateConfig = policies.GateConfig{}
			}
			g.Network.OneWay = value(time.Duration(0))
		}
	}
	tests := []struct {
		says   string
		groups []Group
		held   int64
		wall   time.Duration
	}{
		{"a group of six behind a gate of two goes through in three rounds", []Group{group("a", 6, gate(policies.GroupScope, policies.PerAttempt, ""))}, 2, 3 * time.Second},
		{"two groups have a gate each", []Group{group("a", 4, gate(policies.GroupScope, policies.PerAttempt, "")), group("b", 4, gate(policies.GroupScope, policies.PerAttempt, ""))}, 4, 2 * time.Second},
		{"a gate of each client's own holds no one back", []Group{group("a", 6, gate(policies.ClientScope, policies.PerAttempt, ""))}, 6, time.Second},
		{"a fleet shares the gate it names", []Group{group("a", 4, gate("", "", "shared")), group("b", 4, gate("", "", "shared"))}, 2, 4 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := config(policies.Unlimited, 0, test.groups...)
			c.Provider.Service.FirstToken = second
			c.Gates = map[string]policies.GateConfig{"shared": {Concurrency: 2, Scope: policies.FleetScope, Permit: policies.PerAttempt}}
			s, _, _ := play(t, c, 1)
			if s.Gate.MaxInFlight != test.held || s.Wall != seconds(test.wall) {
				t.Errorf("%d permits held at once and a wall of %v s, want %d and %v", s.Gate.MaxInFlight, s.Wall, test.held, test.wall)
			}
		})
	}
}

func TestWhatAPermitIsHeldFor(t *testing.T) {
	// Client a fails at once and waits 10 s before its answer of 1 s; b wants the gate's only permit.
	tests := []struct {
		permit policies.PermitHold
		says   string
		want   time.Duration // b's first answer, a failure too
	}{
		{policies.PerAttempt, "b gets in while a backs off", time.Nanosecond},
		{policies.PerOperation, "b waits for the backoff and the answer", 11 * time.Second},
	}
	for _, test := range tests {
		behind := func(at time.Duration) func(*Group) {
			return func(g *Group) { g.Gate, g.Policy, g.Arrive.At = &GroupGate{Name: "one"}, "patient", at }
		}
		c := config(policies.Unlimited, time.Second, group("a", 1, behind(0)), group("b", 1, behind(1)))
		c.Provider.Faults = []Fault{{First: 1, Status: 500}}
		c.Gates = map[string]policies.GateConfig{"one": {Concurrency: 1, Scope: policies.FleetScope, Permit: test.permit}}
		patient := policies.Policy{}
		patient.SetDefaults()
		patient.Backoff = policies.BackoffConfig{Constant: &policies.Constant{Delay: 10 * time.Second}}
		c.Policies = policies.Registry{"patient": patient}
		_, _, lines := play(t, c, 1)
		first := slices.IndexFunc(lines, func(l TraceLine) bool { return l.Group == "b" })
		if got := lines[first].Answered; got != test.want {
			t.Errorf("permit per %s: %s, but its first answer comes at %v, want %v", test.permit, test.says, got, test.want)
		}
	}
}

func TestOpenArrivals(t *testing.T) {
	rate := func(text string) policies.Rate {
		var r policies.Rate
		if err := r.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	steps := func(of map[time.Duration]string) *RateSteps {
		out := &RateSteps{Steps: map[time.Duration]policies.Rate{}}
		for at, text := range of {
			out.Steps[at] = rate(text)
		}
		return out
	}
	const s = time.Second
	tests := []struct {
		says   string
		arrive Arrive
		want   []time.Duration
	}{
		{"two a second for two seconds, the end not included", Arrive{Rate: &RateSteps{Steady: rate("2/s")}, For: 2 * s}, []time.Duration{0, s / 2, s, 3 * s / 2}},
		{"one every two seconds, from 5 s on", Arrive{At: 5 * s, Rate: &RateSteps{Steady: rate("0.5/s")}, For: 5 * s}, []time.Duration{5 * s, 7 * s, 9 * s}},
		{"a third of a second is rounded up", Arrive{Rate: &RateSteps{Steady: rate("3/s")}, For: s}, []time.Duration{0, 333_333_334, 666_666_667}},
		{"each step begins with an arrival", Arrive{Rate: steps(map[time.Duration]string{0: "1/s", 2 * s: "2/s", 3 * s: "1/s"}), For: 5 * s}, []time.Duration{0, s, 2 * s, 5 * s / 2, 3 * s, 4 * s}},
		{"a step of nothing is quiet", Arrive{Rate: steps(map[time.Duration]string{0: "0/s", 2 * s: "1/s", 4 * s: "0/s"}), For: time.Hour}, []time.Duration{2 * s, 3 * s}},
		{"no rate at all", Arrive{Rate: &RateSteps{Steady: rate("0/s")}}, nil},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := config(policies.Unlimited, 10*time.Second, group("open", 1, func(g *Group) { g.Arrive = test.arrive }))
			sum, _, lines := play(t, c, 1)
			var got []time.Duration
			for _, line := range lines {
				got = append(got, line.Sent)
			}
			if !slices.Equal(got, test.want) || sum.Operations.Succeeded != int64(len(test.want)) {
				t.Errorf("arrivals at %v (%d succeed), want %v", got, sum.Operations.Succeeded, test.want)
			}
		})
	}
}

func TestOpenArrivalsUseSlotsAgain(t *testing.T) {
	var r policies.Rate
	if err := r.UnmarshalText([]byte("1000/s")); err != nil {
		t.Fatal(err)
	}
	c := config(policies.Unlimited, 20*ms, group("open", 1, func(g *Group) { g.Arrive = Arrive{Rate: &RateSteps{Steady: r}, For: time.Minute} }))
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	tally := NewTally(c)
	if err := w.Run(context.Background(), 1, tally, nil); err != nil {
		t.Fatal(err)
	}
	if s := Summarise(tally); s.Operations.Succeeded != 60_000 || len(w.ops) > 21 {
		t.Errorf("%d operations succeed in %d slots, want 60,000 in at most 21: 20 are in flight at once", s.Operations.Succeeded, len(w.ops))
	}
}

// EN-D3: a policy that never waits, before a provider that never frees a seat, ends
// with an error that names the instant.
func TestARunawayIsToldApart(t *testing.T) {
	c := config(1, time.Hour, group("mad", 2, func(g *Group) { g.Policy = "mad" }))
	mad := policies.Policy{}
	mad.SetDefaults()
	mad.Backoff = policies.BackoffConfig{None: &policies.NoBackoff{}}
	c.Policies = policies.Registry{"mad": mad}
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Run(context.Background(), 1, NewTally(c), nil)
	var runaway *sim.Runaway
	if !errors.As(err, &runaway) || runaway.At != 0 {
		t.Errorf("the run ends with %v, want a runaway at 0s", err)
	}
}

// EN-D3: a policy that answers with a wait below 0 is a bug that says whose it is.
type backwards struct{}

func (backwards) Wait(policies.Retry) time.Duration { return -1 }

func TestAWaitBelow0IsAnError(t *testing.T) {
	c := config(1, time.Hour, group("odd", 2, func(g *Group) { g.Policy = "odd" }))
	odd := policies.Policy{}
	odd.SetDefaults()
	odd.Backoff.Custom = backwards{}
	c.Policies = policies.Registry{"odd": odd}
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Clients[0].Arrive.At = time.Second
	if err = w.Run(context.Background(), 1, NewTally(c), nil); err == nil {
		t.Error("time went backwards and nobody said so")
	}
}

// Memory is made once: more events cost no more allocations.
func TestNoAllocationPerEvent(t *testing.T) {
	allocations := func(clients int) float64 {
		c := config(3, 60*ms, group("herd", clients, func(g *Group) { g.Policy = "full-jitter"; g.Network.OneWay = value(500 * time.Microsecond) }))
		c.Slot = time.Minute // the series of slots grow with the run
		w, err := NewWorld(c)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(5, func() {
			if err := w.Run(context.Background(), 1, NewTally(c), nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(20), allocations(400)
	if many > few+40 { // samples and counts double a few times
		t.Errorf("%v allocations for 20 clients, %v for 400, which have about 50 times the events", few, many)
	}
}

func TestSameTraceWhateverRanBefore(t *testing.T) {
	c := config(3, 27*ms, group("herd", 100, func(g *Group) {
		g.Policy = "decorrelated"
		g.Network.OneWay = DurationDist{Exponential: &Mean[time.Duration]{Mean: 5 * ms}}
	}))
	w, err := NewWorld(c)
	if err != nil {
		t.Fatal(err)
	}
	trace := func(seed uint64) []TraceLine {
		tr := &Trace{Client: AllClients}
		if err := w.Run(context.Background(), seed, NewTally(c), tr); err != nil {
			t.Fatal(err)
		}
		return tr.Lines
	}
	first := trace(1)
	trace(2)
	if again := trace(1); !slices.Equal(first, again) {
		t.Error("the second run of a world with seed 1 differs from its first")
	}
}

// A million clients must fit: a row of an operation, one of an attempt, and an event.
func TestRowsAreCompact(t *testing.T) {
	if size := unsafe.Sizeof(operation{}); size > 96 {
		t.Errorf("the row of an operation has %d bytes, want at most 96", size)
	}
	if size := unsafe.Sizeof(attempt{}); size > 80 {
		t.Errorf("the row of an attempt has %d bytes, want at most 80", size)
	}
}

// The seats of a trace are the provider's: never more at once than there are, and as
// long taken as it says.
func TestATraceKnowsWhoHadASeat(t *testing.T) {
	for _, places := range []policies.Count{0, 40} {
		c := config(3, 27*ms, group("herd", 100, func(g *Group) {
			g.Policy = "full-jitter"
			g.Network.OneWay = DurationDist{Exponential: &Mean[time.Duration]{Mean: 5 * ms}}
		}))
		c.Provider.Queue.Places = places
		_, tally, lines := play(t, c, 1)
		type change struct {
			at time.Duration
			by int
		}
		var changes []change
		taken := time.Duration(0)
		for _, l := range lines {
			if l.Served == policies.Never {
				continue
			}
			if l.Served < l.Arrived || l.Answered < l.Left {
				t.Fatalf("%d places: %+v", places, l)
			}
			taken += l.Left - l.Served
			changes = append(changes, change{l.Served, 1}, change{l.Left, -1})
		}
		slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
		now, most := 0, 0
		for _, ch := range changes {
			now += ch.by
			most = max(most, now)
		}
		if most != 3 || now != 0 || taken != tally.busy {
			t.Errorf("%d places: at most %d seats, %d at the end, taken for %v, the provider says %v", places, most, now, taken, tally.busy)
		}
	}
}
