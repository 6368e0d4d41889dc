package experiment

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// pretended plays in virtual time what sockets would: each way of the network takes so much longer,
// and the timers of the runs after the loopback's are as late as told, and then never.
func pretended(slower model.DurationDist, late ...Lateness) player {
	played := -1
	return func(ctx context.Context, c *model.Config, seed uint64) (*model.Tally, Lateness, error) {
		slow := *c
		slow.Clients = slices.Clone(c.Clients)
		for i := range slow.Clients {
			way := &slow.Clients[i].Network.OneWay
			*way = model.DurationDist{Sum: []model.DurationDist{slower, *way}}
		}
		world, err := model.NewWorld(&slow)
		if err != nil {
			return nil, Lateness{}, err
		}
		tally := model.NewTally(&slow)
		was := Lateness{}
		if played >= 0 && played < len(late) {
			was = late[played]
		}
		played++
		return tally, was, world.Run(ctx, seed, tally, nil)
	}
}

func constant(d time.Duration) model.DurationDist { return model.DurationDist{Constant: &d} }

func uniform(from, to time.Duration) model.DurationDist {
	return model.DurationDist{Uniform: &[2]time.Duration{from, to}}
}

const oneAnswer = `
provider: {service: {first_token: 100ms}}
clients: [{count: 1, network: {one_way: 5ms}, policy: none}]
`

// A run counts where 9 of 10 timers were late by no more than the loopback's unit, here 1 ms, and none by more than
// 50 ms; any other is played again.
func TestCrossCheckPlaysUnfairRunsAgain(t *testing.T) {
	const unit = time.Millisecond
	p90 := Lateness{P90: unit + 1}
	for _, row := range []struct {
		says         string
		late         []Lateness
		counts, over int // 0 count: unfair
	}{
		{"as late as may be", []Lateness{{P90: unit, Worst: latest}}, 3, 0},
		{"one timer of ten is later in the first", []Lateness{p90}, 3, 1},
		{"the worst is later in the second", []Lateness{{}, {Worst: latest + 1}}, 3, 1},
		{"seven of nine are later", slices.Repeat([]Lateness{p90}, 7), 2, 7},
		{"all are", slices.Repeat([]Lateness{p90}, 9), 0, 9},
	} {
		c := CrossCheck{Scenario: inline(t, oneAnswer), Seeds: 1, Runs: 3, Scale: 1, plays: pretended(constant(0), row.late...)}
		out, err := c.Run(t.Context())
		switch {
		case row.counts == 0:
			if out != nil || !IsUnfair(err) {
				t.Errorf("%s: %+v %v", row.says, out, err)
			}
		case err != nil:
			t.Errorf("%s: %v", row.says, err)
		case len(out.Lateness) != row.counts || len(out.Late) != row.over:
			t.Errorf("%s: %d count, %d do not; want %d, %d", row.says, len(out.Lateness), len(out.Late), row.counts, row.over)
		}
	}
}

// Two ways of 0 to 100 ms each are 100 ms in the median and 200 - 100 x sqrt(0.2) = 155 ms in 9 of 10, so an
// exchange may be off by 1 + 2 x 55 = 111 ms; of 0 to 10 ms it is 12.
func TestCrossCheckRefusesABusyLoopback(t *testing.T) {
	for _, row := range []struct {
		says string
		most time.Duration
		busy bool
	}{
		{"12 ms are fit", 10 * time.Millisecond, false},
		{"111 ms are not", 100 * time.Millisecond, true},
	} {
		_, err := measureLoopback(t.Context(), pretended(uniform(0, row.most)))
		if IsUnfair(err) != row.busy || !row.busy && err != nil {
			t.Errorf("%s: %v", row.says, err)
		}
	}
}

// A loopback of 2 ms an exchange is taken off the 5 ms each way, so that an answer takes 5 + 100 + 5 ms in both worlds.
func TestCrossCheckTakesTheLoopbackOffTheNetwork(t *testing.T) {
	c := CrossCheck{Scenario: inline(t, oneAnswer), Seeds: 1, Runs: 3, Scale: 1, plays: pretended(constant(time.Millisecond))}
	out, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out.Loopback.Delay != 2*time.Millisecond || out.Taken != time.Millisecond {
		t.Errorf("a loopback of %v, of which %v is taken", out.Loopback.Delay, out.Taken)
	}
	for _, f := range out.Figures {
		if f.Seconds && (math.Abs(float64(f.Virtual)-0.11) > 1e-9 && f.Name != "wall_s" || f.Real != f.Virtual) && f.Virtual > 0 {
			t.Errorf("%s: %v in virtual time, %v over sockets", f.Name, f.Virtual, f.Real)
		}
	}
}

// What a time, and a send, may be off: three exchanges of 1 ms and a mean of 1, and twice a jitter of 0.5, are 7 ms;
// a send also by a timer of 50.
func TestWhatASendMayBeOff(t *testing.T) {
	for _, row := range []struct {
		says      string
		slot      time.Duration
		scale     float64
		within    int
		allowance float64
	}{
		{"57 ms are within two slots of 50", 50 * time.Millisecond, 1, 2, 0.007},
		{"and within one of 57", 57 * time.Millisecond, 1, 1, 0.007},
		{"a slot at the least", time.Second, 1, 1, 0.007},
		{"six of 10 ms, and 70 ms of a scenario that is played at a tenth", 10 * time.Millisecond, 0.1, 6, 0.07},
	} {
		run := observed{Summary: &model.Summary{}}
		run.Retries.Max = 2
		s := &scenarios.Scenario{}
		s.Slot = row.slot
		out := &CrossChecked{Scale: row.scale, Loopback: Loopback{Mean: time.Millisecond, Jitter: time.Millisecond / 2}}
		out.allow([]observed{run}, s)
		if out.Chain != 3 || out.Within != row.within || math.Abs(out.Allowance-row.allowance) > 1e-12 {
			t.Errorf("%s: %d exchanges, %d slots, %v s", row.says, out.Chain, out.Within, out.Allowance)
		}
	}
}

// Exchanges in a row: those of one operation, or the rounds that all attempts take through the places.
func TestChain(t *testing.T) {
	for _, row := range []struct {
		says                                        string
		retries, attempts, gate, seats, queue, want int64
		waited                                      model.Number
	}{
		{"an operation's own three", 2, 7, 0, 2, 0, 3, 0},
		{"seven through a gate of two", 2, 7, 2, 0, 0, 4, 0.1},
		{"a gate at which nobody waited", 2, 7, 2, 0, 0, 3, 0},
		{"nine through two seats with a queue", 2, 9, 0, 2, 1, 5, 0},
		{"the longer of both", 2, 9, 1, 2, 1, 9, 0.1},
	} {
		s := &model.Summary{}
		s.Retries.Max, s.Attempts.Total = row.retries, row.attempts
		s.Gate.MaxInFlight, s.Gate.Waited.Max = row.gate, row.waited
		s.Provider.MaxInFlight, s.Provider.MaxQueue = row.seats, row.queue
		if got := chainOf(&observed{Summary: s}); got != float64(row.want) {
			t.Errorf("%s: %v, want %d", row.says, got, row.want)
		}
	}
}

func TestLeastOf(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		says string
		d    model.DurationDist
		want time.Duration
	}{
		{"nothing", model.DurationDist{}, 0},
		{"a constant", constant(3 * ms), 3 * ms},
		{"uniform", uniform(2*ms, 9*ms), 2 * ms},
		{"the first of values", model.DurationDist{Values: []time.Duration{4 * ms, 5 * ms}}, 4 * ms},
		{"the least of each part", model.DurationDist{Sum: []model.DurationDist{constant(3 * ms), uniform(2*ms, 9*ms), {}}}, 5 * ms},
	} {
		if got := leastOf(row.d); got != row.want {
			t.Errorf("%s: %v, want %v", row.says, got, row.want)
		}
	}
}

// A machine that is late by up to 8 ms, and whose time-outs are late by a share of it.
func TestShaken(t *testing.T) {
	const ms = time.Millisecond
	network := constant(5 * ms)
	for _, row := range []struct {
		says    string
		share   float64
		timer   time.Duration
		network model.DurationDist
	}{
		{"time-outs in time, answers late", 0, 0, model.DurationDist{Sum: []model.DurationDist{uniform(0, 8*ms), network}}},
		{"time-outs half as late", 0.5, 4 * ms, model.DurationDist{Sum: []model.DurationDist{uniform(0, 8*ms), network}}},
		{"time-outs late, answers in time", 1, 8 * ms, network},
	} {
		c := inline(t, `
clients:
  - {name: closed, count: 2, arrive: {over: 1s}, network: {one_way: 5ms}, timeouts: {first_event: 1s, idle: 2s, operation: 4s}, cancel: {after: 1s}, policy: none}
  - {name: open, arrive: {rate: 1/s, for: 10s}, network: {one_way: 5ms}, policy: none}
`).Config
		second := constant(time.Second)
		got := shaken(&c, 8*ms, row.share)
		closed, open := &got.Clients[0], &got.Clients[1]
		for _, part := range []struct {
			says      string
			got, want any
		}{
			{"starts", closed.Arrive.Over, time.Second + 8*ms},
			{"the second group's rate begins half as late", open.Arrive.At, 4 * ms},
			{"answers", closed.Network.OneWay, row.network},
			{"answers of the second", open.Network.OneWay, row.network},
			{"a first event", closed.Timeouts.FirstEvent, time.Second + row.timer},
			{"silence", closed.Timeouts.Idle, 2*time.Second + row.timer},
			{"no time-out stays none", closed.Timeouts.Attempt, time.Duration(0)},
			{"an operation", closed.Timeouts.Operation, 4*time.Second + row.timer},
			{"a cancel", closed.Cancel.After, model.DurationDist{Sum: []model.DurationDist{constant(row.timer), second}}},
		} {
			if !reflect.DeepEqual(part.got, part.want) {
				t.Errorf("%s: %s: %+v, want %+v", row.says, part.says, part.got, part.want)
			}
		}
	}
}

// Six runs in virtual time send at once, or all but one of four do; two over sockets send nine slots later. Both are
// farther from all eight than any other, as one choice of 28 is.
func TestSlotsAreJudgedByTheirDistance(t *testing.T) {
	run := func(counts ...slotCount) observed {
		return observed{Summary: &model.Summary{}, slots: counts, sent: 4}
	}
	atOnce, allButOne, later := run(slotCount{0, 4}), run(slotCount{0, 3}, slotCount{1, 1}), run(slotCount{9, 4})
	virtual := []observed{atOnce, atOnce, atOnce, allButOne, allButOne, allButOne}
	for _, row := range []struct {
		says string
		real []observed
		p    float64
	}{
		{"nine slots later", []observed{later, later}, 1. / 28},
		{"as most do", []observed{atOnce, atOnce}, 1},
	} {
		out := &CrossChecked{Within: 0}
		out.slots(virtual, row.real)
		if f := out.Figures[0]; f.Name != slotsFigure || f.Certain || math.Abs(f.P-row.p) > 1e-12 {
			t.Errorf("%s: %+v, want p = %v", row.says, f, row.p)
		}
	}
}

// Figures of groups are looked at where there are several, and statuses that came about.
func TestFigureNames(t *testing.T) {
	run := observed{Summary: &model.Summary{}}
	run.Attempts.ByStatus = map[string]int64{"429": 1}
	for _, row := range []struct {
		says   string
		groups []string
		want   []string // beside those of all
	}{
		{"one group", []string{"a"}, []string{"attempts.by_status.429"}},
		{"two", []string{"a", "b.c"}, []string{
			"attempts.by_status.429",
			"groups.a.operations.succeeded", "groups.a.operations.failed", "groups.a.operations.in_flight",
			"groups.a.attempts.total", "groups.a.attempts.rejected", "groups.a.tokens.delivered", "groups.a.latency_s.mean", "groups.a.latency_s.p50",
			`groups["b.c"].operations.succeeded`, `groups["b.c"].operations.failed`, `groups["b.c"].operations.in_flight`,
			`groups["b.c"].attempts.total`, `groups["b.c"].attempts.rejected`, `groups["b.c"].tokens.delivered`, `groups["b.c"].latency_s.mean`, `groups["b.c"].latency_s.p50`,
		}},
	} {
		c := &model.Config{}
		for _, name := range row.groups {
			c.Clients = append(c.Clients, model.Group{Name: name})
		}
		if got := figureNames(c, []observed{run})[len(checkedFigures):]; !slices.Equal(got, row.want) {
			t.Errorf("%s: %q", row.says, got)
		}
	}
}

// A crowd is late by 40 ms an exchange, so 20 are looked at too; what is as late as one of them agrees with that one, and no
// other lateness is taken for an excuse.
func TestCrowdExplainsItsOwnLatenessAlone(t *testing.T) {
	const yaml = `
provider: {service: {first_token: {uniform: [100ms, 101ms]}}}
clients: [{count: 1, network: {one_way: 5ms}, policy: none}]
`
	for _, row := range []struct {
		says       string
		late       time.Duration
		verdict    CrossVerdict
		from, upTo model.Number // where the median of the crowd lies: 110.5 ms and the lateness; 0: no crowd
	}{
		{"20 ms", 20 * time.Millisecond, AgreesInCrowd, 0.125, 0.136},
		{"40 ms", 40 * time.Millisecond, AgreesInCrowd, 0.145, 0.156},
		{"400 ms", 400 * time.Millisecond, Differs, 0, 0},
	} {
		s, played := inline(t, yaml), inline(t, yaml)
		played.Seed += 7
		played.Config = *crowded(&played.Config, row.late)
		c := CrossCheck{Scenario: s, Seeds: LeastVirtual, Scale: 1, Jobs: 2}
		virtual, err := c.virtually(t.Context(), s, LeastVirtual)
		if err != nil {
			t.Fatal(err)
		}
		real, err := c.virtually(t.Context(), played, 5)
		if err != nil {
			t.Fatal(err)
		}
		out := &CrossChecked{Scale: 1, Level: CrossLevel, Within: 1, Lateness: make([]Lateness, 5), Loopback: Loopback{Crowded: 40 * time.Millisecond}}
		if err := c.compare(t.Context(), out, s, virtual, real); err != nil {
			t.Fatal(err)
		}
		for _, f := range out.Figures {
			if f.Name != "latency_s.p50" {
				continue
			}
			if f.Verdict != row.verdict || (f.Crowd != nil) != (row.from > 0) || f.Crowd != nil && (f.Crowd.Virtual < row.from || f.Crowd.Virtual > row.upTo) {
				t.Errorf("%s: %s %+v", row.says, f.Verdict, f.Crowd)
			}
		}
	}
}

// With the context over nothing is played again: what differs and would be looked at again is not judged, the rest is.
func TestCrossCheckJudgesWithoutFurtherRuns(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	const (
		certain = "provider: {service: {first_token: 100ms}}\nclients: [{count: 2, policy: none}]\n"
		random  = "provider: {service: {first_token: {uniform: [100ms, 101ms]}}}\nclients: [{count: 2, policy: none}]\n"
	)
	virtual := map[string][]observed{} // by what it is told
	for _, row := range []struct {
		says, told, lie string
		ctx             context.Context
		crowd           time.Duration
		figure          string
		verdict         CrossVerdict
		partial         bool
	}{
		{"a count differs, and could be on an edge", certain, "clients.0.count=3", over, 0, "attempts.total", Unjudged, true},
		{"a count differs, and is on none", certain, "clients.0.count=3", t.Context(), 0, "attempts.total", Differs, false},
		{"nothing differs", certain, "clients.0.count=2", over, 0, "attempts.total", Agrees, false},
		{"a random time differs, and a crowd could have done it", random, "provider.service.first_token=120ms", over, time.Millisecond, "latency_s.p50", Unjudged, true},
		{"a random time differs, and a crowd has not done it", random, "provider.service.first_token=120ms", t.Context(), time.Millisecond, "latency_s.p50", Differs, false},
		{"a random time differs, and there is no crowd", random, "provider.service.first_token=120ms", over, 0, "latency_s.p50", Differs, false},
	} {
		s, played := inline(t, row.told), inline(t, row.told, row.lie)
		c := CrossCheck{Scenario: s, Seeds: LeastVirtual, Scale: 1, Jobs: 2}
		if virtual[row.told] == nil {
			all, err := c.virtually(t.Context(), s, LeastVirtual)
			if err != nil {
				t.Fatal(err)
			}
			virtual[row.told] = all
		}
		real, err := c.virtually(t.Context(), played, 3)
		if err != nil {
			t.Fatal(err)
		}
		out := &CrossChecked{Scale: 1, Level: CrossLevel, Within: 1, Lateness: make([]Lateness, 3), Loopback: Loopback{Crowded: row.crowd}}
		if err := c.compare(row.ctx, out, s, virtual[row.told], real); err != nil {
			t.Fatal(err)
		}
		for _, f := range out.Figures {
			if f.Name == row.figure && f.Verdict != row.verdict {
				t.Errorf("%s: %s %s", row.says, f.Verdict, f.Why)
			}
		}
		if out.Partial != row.partial || (out.Short != "") != row.partial {
			t.Errorf("%s: partial: %t, short: %q", row.says, out.Partial, out.Short)
		}
	}
}
