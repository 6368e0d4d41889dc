package experiment

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func scenario(t *testing.T, name string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name, set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A scenario at a tenth of its times is over in a tenth of the time, with the same counts.
func TestScaledIsTheSameButFasterScenario(t *testing.T) {
	halves := []string{"provider.hint.retry_after=1500ms", "provider.hint.round=500ms"}
	for _, row := range []struct {
		name string
		set  []string
	}{{"gate-20", nil}, {"herd-20", nil}, {"herd-20", halves}, {"hang", nil}, {"stall", nil}, {"endings", nil}, {"retry-everything", nil}, {"two-axes", nil}, {"cancel", nil}, {"idempotency", nil}} {
		name := row.name
		s := scenario(t, name, row.set...)
		scaled, err := Scaled(s, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, scenario(t, name, row.set...)) {
			t.Errorf("%s: scaling changed the scenario itself", name)
		}
		whole, err := Run(t.Context(), s, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		part, err := Run(t.Context(), scaled, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(whole.Summary.Operations, part.Summary.Operations) || !reflect.DeepEqual(whole.Summary.Attempts, part.Summary.Attempts) {
			t.Errorf("%s: %+v %+v, at a tenth %+v %+v", name, whole.Summary.Operations, whole.Summary.Attempts, part.Summary.Operations, part.Summary.Attempts)
		}
		if a, b := whole.Summary.Wall, part.Summary.Wall*10; a.Defined() && (b < a*0.9999 || b > a*1.0001) {
			t.Errorf("%s: a wall of %v, at a tenth ten times %v", name, a, part.Summary.Wall)
		}
	}
}

// A hint of 1.5 s is 2 s as whole seconds, though it is rounded up to half of one before; and 3 s where it is
// rounded up to these. Nobody who was refused comes back earlier.
func TestScaledHintsRoundAsBefore(t *testing.T) {
	for _, row := range []struct {
		says, hint string
		wait       time.Duration // of the scenario
	}{
		{"to seconds", "{retry_after: 1500ms}", 2 * time.Second},
		{"to halves and seconds", "{retry_after: 1500ms, round: 500ms}", 2 * time.Second},
		{"to three seconds", "{retry_after: 1500ms, round: 3s}", 3 * time.Second},
		{"to halves, and not to seconds", "{retry_after: 1300ms, round: 500ms, format: [float]}", 1500 * time.Millisecond},
	} {
		s := inline(t, "provider: {seats: 1, service: {first_token: 5s}, hint: "+row.hint+"}\nclients: [{count: 2, policy: waits}]\n"+
			"policies: {waits: {attempts: 2, backoff: {constant: 1ms}, hint: floor}}\n")
		for _, by := range []float64{1, 0.1} {
			scaled, err := Scaled(s, by)
			if err != nil {
				t.Fatal(err)
			}
			_, lines := recorded(t, scaled)
			sent := time.Duration(0)
			for _, l := range lines {
				sent = max(sent, l.Sent)
			}
			if want := time.Duration(float64(row.wait) * by); sent != want {
				t.Errorf("%s, at %v: sent again after %v, want %v", row.says, by, sent, want)
			}
		}
	}
}

// What is no plain duration.
func TestScaledReachesEverything(t *testing.T) {
	s := scenario(t, "herd-20", "provider.hint.retry_after=2s", "provider.queue={places: 3, wait_limit: 4s}", "provider.abandoned.frees_seat_after=6s",
		"policies.patient.hint={mode: floor, spread: 750ms}", "policies.patient.backoff.jitter=1s",
		"clients.0.timeouts={first_event: 10s}", "provider.limits=[{axis: requests, limit: 60, per: 1m}]")
	half, err := Scaled(s, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	p := half.Policies["patient"]
	for _, row := range []struct {
		says      string
		got, want any
	}{
		{"a hint", half.Provider.Hint.RetryAfter.Wait, time.Second},
		{"a wait limit", half.Provider.Queue.WaitLimit, model.WaitLimit(2 * time.Second)},
		{"a seat that is freed later", half.Provider.Abandoned.FreesSeatAfter, model.Patience(3 * time.Second)},
		{"a spread in seconds", p.Hint.Spread.String(), "375ms"},
		{"a jitter in seconds", p.Backoff.Jitter, policies.Jitter("500ms")},
		{"a time-out", half.Clients[0].Timeouts.FirstEvent, 5 * time.Second},
		{"a limit's period", half.Provider.Limits[0].Per, 30 * time.Second},
		{"a limit's number stays", half.Provider.Limits[0].Limit, int64(60)},
		{"a slot", half.Slot, 25 * time.Millisecond},
		{"seconds of a hint become decimals", half.Provider.Hint.Format, []model.HintFormat{model.FloatFormat}},
		{"rounded up to what was a second", half.Provider.Hint.Round, 500 * time.Millisecond},
		{"a network", *half.Clients[0].Network.OneWay.Constant, 150 * time.Microsecond},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Errorf("%s: %v, want %v", row.says, row.got, row.want)
		}
	}
	for _, row := range []struct{ says, set, want string }{
		{"a date", "provider.hint.format=[date]", "a date has whole seconds"},
		{"1.5 s rounded up to seconds: 1.2 s become 2, and would be 3 as a multiple of both", "provider.hint={retry_after: 1200ms, round: 1500ms}", "round twice"},
		{"seconds that a client reads as whole ones alone", "policy=go-retryablehttp@0.7.8", "reads a Retry-After of whole seconds alone"},
	} {
		if _, err := Scaled(scenario(t, "herd-20", row.set), 0.5); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.says, err)
		}
	}
}

// The distance of a run is by hand the greatest difference of the cumulative shares.
func TestDistances(t *testing.T) {
	run := func(counts ...int64) observed {
		s := observed{Summary: &model.Summary{}}
		for slot, n := range counts {
			if n > 0 {
				s.slots, s.sent = append(s.slots, slotCount{slot, n}), s.sent+n
			}
		}
		return s
	}
	alike := []observed{run(2, 0, 0, 0, 2), run(2, 0, 0, 0, 2)}
	for _, row := range []struct {
		says   string
		real   observed
		within int
		want   float64
	}{
		{"the same", run(2, 0, 0, 0, 2), 0, 0},
		{"one of four sends a slot late, which is allowed", run(2, 0, 0, 0, 1, 1), 1, 0},
		{"the same, and not allowed", run(2, 0, 0, 0, 1, 1), 0, 0.25},
		{"one two slots late where one is allowed", run(1, 0, 1, 0, 2), 1, 0.25},
		{"one two slots early where one is allowed", run(2, 0, 1, 0, 1), 1, 0.25},
		{"all at once", run(4), 1, 0.5},
	} {
		_, real := distances(alike, []observed{row.real}, row.within)
		if real[0] != row.want {
			t.Errorf("%s: %v, want %v", row.says, real[0], row.want)
		}
	}
}

// Virtual time against itself: other seeds in place of sockets are never found to differ,
// and the 5 % that chance has are not exceeded.
func TestCrossCheckOfVirtualTimeWithItself(t *testing.T) {
	s := scenario(t, "herd-100")
	c := CrossCheck{Scenario: s, Seeds: 1200, Scale: 1, Jobs: 2}
	all, err := c.virtually(t.Context(), s, 1200)
	if err != nil {
		t.Fatal(err)
	}
	const groups, runs = 6, 10
	few, tests := 0, 0
	for g := range groups {
		out := &CrossChecked{Scale: 1, Level: CrossLevel, Within: 1, Lateness: make([]Lateness, runs)}
		if err := c.compare(t.Context(), out, s, all[:1000], all[1000+g*runs:][:runs]); err != nil {
			t.Fatal(err)
		}
		if out.Short != "" || !out.Agrees() {
			t.Errorf("group %d: %s %+v", g, out.Short, out.Figures)
		}
		for _, f := range out.Figures {
			if !f.Certain {
				tests++
				if f.P < 0.05 {
					few++
				}
			}
		}
	}
	// The figures of a run hang together, so the count spreads more than independent tests would.
	if tests < 5*groups || few > tests/8 {
		t.Errorf("%d of %d tests below 5 %%", few, tests)
	}
}

// Sockets on a machine that answers a crowd one by one are not virtual time as it is, but virtual
// time whose exchanges are as late as the crowd's; and no such lateness explains another service.
func TestCrossCheckInACrowd(t *testing.T) {
	s := scenario(t, "herd-100")
	c := CrossCheck{Scenario: s, Seeds: LeastVirtual, Scale: 1, Jobs: 2}
	virtual, err := c.virtually(t.Context(), s, LeastVirtual)
	if err != nil {
		t.Fatal(err)
	}
	const late, runs = 20 * time.Millisecond, 10
	for _, row := range []struct {
		says    string
		plays   func(*scenarios.Scenario)
		crowd   time.Duration
		verdict CrossVerdict // of the attempts
	}{
		{"exchanges are late, and a crowd is known to be", func(s *scenarios.Scenario) { s.Config = *crowded(&s.Config, late) }, late, AgreesInCrowd},
		{"exchanges are late, and no crowd is", func(s *scenarios.Scenario) { s.Config = *crowded(&s.Config, late) }, 0, Differs},
		{"a seat more is no lateness", func(s *scenarios.Scenario) { s.Provider.Seats++ }, late, Differs},
	} {
		played := scenario(t, "herd-100")
		played.Seed++
		row.plays(played)
		other := c
		other.Scenario = played
		real, err := other.virtually(t.Context(), played, runs)
		if err != nil {
			t.Fatal(err)
		}
		out := &CrossChecked{Scale: 1, Level: CrossLevel, Within: 1, Lateness: make([]Lateness, runs), Loopback: Loopback{Crowded: row.crowd}}
		if err := c.compare(t.Context(), out, s, virtual, real); err != nil {
			t.Fatal(err)
		}
		verdict := Agrees
		for _, f := range out.Figures {
			if f.Name == "attempts.total" || f.Name == "provider.max_in_flight" && f.Verdict == Differs {
				verdict = f.Verdict
			}
		}
		if verdict != row.verdict || out.Agrees() != (row.verdict != Differs) {
			t.Errorf("%s: %s %+v", row.says, verdict, out.Figures)
		}
	}
}

// twoPriorities are two groups alike, of which a goes first.
const twoPriorities = `
provider: {seats: 2, queue: {places: unlimited, order: priority}, service: {first_token: {exponential: {mean: 20ms}}}}
clients:
  - {name: a, count: 30, priority: 0, arrive: {over: 100ms}, network: {one_way: 0.3ms}, policy: none}
  - {name: b, count: 30, priority: 1, arrive: {over: 100ms}, network: {one_way: 0.3ms}, policy: none}
`

// Who is served first changes no figure of the whole: only the groups' latencies tell.
func TestCrossCheckSeesWhoIsServedFirst(t *testing.T) {
	const oneSeat = `
provider: {seats: 1, queue: {places: unlimited}, service: {first_token: 200ms}}
clients:
  - {name: a, count: 1, policy: none}
  - {name: b, count: 1, policy: none}
`
	const threeEach = `
provider: {seats: 1, queue: {places: unlimited, order: priority}, service: {first_token: 200ms}}
clients:
  - {name: a, count: 3, priority: 0, policy: none}
  - {name: b, count: 3, priority: 1, policy: none}
`
	for _, row := range []struct {
		says, told, lie string
		differ          []string
		edge            bool
	}{
		{"the one with priority is", twoPriorities, "clients.0.priority=0", nil, false},
		{"the other one is", twoPriorities, "clients.0.priority=2", []string{"groups.a.latency_s.mean", "groups.a.latency_s.p50", "groups.b.latency_s.mean", "groups.b.latency_s.p50"}, false},
		{"both come at one instant, and the other one is a little before", oneSeat, "clients.0.arrive.at=1us", nil, true},
		{"the other one with priority is, though all come at one instant", threeEach, "clients.0.priority=2", []string{"groups.a.latency_s.mean", "groups.a.latency_s.p50", "groups.b.latency_s.mean", "groups.b.latency_s.p50"}, true},
	} {
		s, played := inline(t, row.told), inline(t, row.told, row.lie)
		c := CrossCheck{Scenario: s, Seeds: LeastVirtual, Scale: 1, Jobs: 2}
		virtual, err := c.virtually(t.Context(), s, LeastVirtual)
		if err != nil {
			t.Fatal(err)
		}
		played.Seed++
		real, err := c.virtually(t.Context(), played, 5)
		if err != nil {
			t.Fatal(err)
		}
		out := &CrossChecked{Scale: 1, Level: CrossLevel, Within: 4, Allowance: 0.01, Lateness: make([]Lateness, 5)}
		if err := c.compare(t.Context(), out, s, virtual, real); err != nil {
			t.Fatal(err)
		}
		var differ []string
		edge := false
		for _, f := range out.Figures {
			if f.Verdict == Differs {
				differ = append(differ, f.Name)
			}
			edge = edge || f.Edge != nil
		}
		if !slices.Equal(differ, row.differ) || edge != row.edge {
			t.Errorf("%s: %v differ, on an edge: %t", row.says, differ, edge)
		}
	}
}

// The verdicts on figures that are certain.
func TestJudgeCertain(t *testing.T) {
	for _, row := range []struct {
		says      string
		name      string
		virtual   float64
		real      []float64
		allowance float64
		shaken    []float64
		want      CrossVerdict
	}{
		{"a count that is the same", "attempts.total", 6, []float64{6, 6, 6}, 0.1, nil, Agrees},
		{"a count that is once another", "attempts.total", 6, []float64{6, 7, 6}, 0.1, nil, Differs},
		{"a time within the allowance", "wall_s", 6, []float64{6.09, 5.96, 6}, 0.1, nil, Agrees},
		{"a time whose earliest run is late", "wall_s", 6, []float64{6.09, 6.06, 6.07}, 0.1, nil, Differs},
		{"a time whose earliest run is early", "wall_s", 6, []float64{6.01, 5.92, 6}, 0.1, nil, Differs},
		{"a time beyond it in one run of three, as a machine can make it", "wall_s", 6, []float64{6.05, 6.15, 6}, 0.1, nil, Agrees},
		{"a time beyond it in two", "wall_s", 6, []float64{6.04, 6.15, 6.2}, 0.1, nil, Differs},
		{"a time that never comes in two", "wall_s", 6, []float64{6.04, math.NaN(), math.NaN()}, 0.1, nil, Differs},
		{"a time beyond it in four of ten", "wall_s", 6, []float64{6, 6, 6, 6, 6, 6, 9, 9, 9, 9}, 0.1, nil, Differs},
		{"a time that never comes in one of four", "wall_s", 6, []float64{6, 6, 6, math.NaN()}, 0.1, nil, Differs},
		{"a count on an edge", "tokens.delivered", 10, []float64{9, 8, 10}, 0.1, []float64{8, 10}, Agrees},
		{"a count beyond the edge", "tokens.delivered", 10, []float64{7, 7, 10}, 0.1, []float64{8, 10}, Differs},
	} {
		f := newCheckedFigure(row.name, []float64{row.virtual, row.virtual}, row.real, row.allowance)
		f.judgeCertain(row.real, row.allowance/2)
		if f.Verdict == Differs && row.shaken != nil {
			f.onEdge(row.shaken, row.real)
		}
		if f.Verdict != row.want {
			t.Errorf("%s: %s %s", row.says, f.Verdict, f.Why)
		}
	}
}

// Holm by hand: 0.01 x 3, then 0.02 x 2, then 0.5.
func TestHolmOverFigures(t *testing.T) {
	all := []CheckedFigure{{P: 0.5}, {P: 0.01}, {P: 0, Certain: true, Verdict: Agrees}, {P: 0.02}}
	holmFigures(all, 0.035, true)
	var got []float64
	for _, f := range all {
		got = append(got, f.Adjusted)
	}
	if want := []float64{0.5, 0.03, 0, 0.04}; !slices.EqualFunc(got, want, func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }) {
		t.Errorf("adjusted %v, want %v", got, want)
	}
	if all[1].Verdict != Differs || all[3].Verdict != Agrees || all[0].Verdict != Agrees {
		t.Errorf("%+v", all)
	}
}
