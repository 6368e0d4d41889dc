package experiment

import (
	"fmt"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// RL-D4: four workers share a key for 60 requests a minute, in a bucket of one. One of them
// stops half way. By hand, in 300 s before that and 300 s after it.
func TestALimitInEachWorker(t *testing.T) {
	const begins, stops, ends = 4 * time.Second, 304 * time.Second, 604 * time.Second
	for _, test := range []struct {
		says                  string
		gate                  string
		sent, accepted        [2]int64 // before and after the worker stops
		rejected, wastedShare model.Number
	}{
		{
			"each worker holds itself to the whole limit: four times the limit is offered, then three times; one in four is accepted, then one in three",
			"whole",
			[2]int64{1200, 900},
			[2]int64{300, 300},
			1500, 0,
		},
		{
			"each holds itself to a quarter: nothing is refused, and when one stops its quarter is nobody's",
			"quarter",
			[2]int64{300, 225},
			[2]int64{300, 225},
			0, 0.25,
		},
		{
			"one limiter for all: nothing is refused and nothing is wasted",
			"shared",
			[2]int64{300, 300},
			[2]int64{300, 300},
			0, 0,
		},
	} {
		t.Run(test.gate, func(t *testing.T) {
			s := load(t, "local-limits", "clients.0.gate="+test.gate, "clients.1.gate="+test.gate)
			r, lines := recorded(t, s)
			checkBooks(t, test.gate, r.Summary)
			var sent [2]int64
			for _, line := range lines {
				switch {
				case begins <= line.Sent && line.Sent < stops:
					sent[0]++
				case stops <= line.Sent && line.Sent < ends:
					sent[1]++
				}
			}
			took := [2]int64{accepted(r.Tally, begins, stops), accepted(r.Tally, stops, ends)}
			if sent != test.sent || took != test.accepted {
				t.Errorf("%s: sent %v and accepted %v, want %v and %v", test.says, sent, took, test.sent, test.accepted)
			}
			if n := model.Number(r.Summary.Attempts.Rejected); n != test.rejected {
				t.Errorf("%s: %v rejections, want %v", test.says, n, test.rejected)
			}
			if wasted := 1 - model.Number(took[1])/300; wasted != test.wastedShare {
				t.Errorf("%s: %v of the limit is wasted, want %v", test.says, wasted, test.wastedShare)
			}
		})
	}
}

// Clients are spread over the workers of their group evenly, and each worker's gate knows
// its own clients only.
func TestWorkersShareOutTheClients(t *testing.T) {
	for _, test := range []struct {
		says, group string
		wall        float64
	}{
		{"12 clients at 3 workers are 4 each, one a second: the last begins after 3 s", "{count: 12, workers: 3, gate: {requests: 60/min, scope: worker}}", 3},
		{"10 clients at 3 workers: the first has 4", "{count: 10, workers: 3, gate: {requests: 60/min, scope: worker}}", 3},
		{"more workers than clients: each has its own", "{count: 3, workers: 5, gate: {requests: 60/min, scope: worker}}", 0},
		{"one worker has them all", "{count: 4, workers: 1, gate: {requests: 60/min, scope: worker}}", 3},
		{"6 arrivals at once at 2 workers, two inside at a time of a second each", "{arrive: {rate: 6/s, for: 1ms}, workers: 2, gate: {requests: 60/min, scope: worker}}", 0},
		{"a trace's clients are spread as clients are: 40 rows, 4 clients, 2 workers", "{arrive: {trace: example.csv, columns: {time: seconds}, speed: 1000000, over_clients: 4}, workers: 2, gate: {requests: 60/min, scope: worker}}", 19},
		{"and each client may have a gate: 10 rows each", "{arrive: {trace: example.csv, columns: {time: seconds}, speed: 1000000, over_clients: 4}, gate: {requests: 60/min, scope: client}}", 9},
	} {
		r := run(t, inline(t, "clients: ["+test.group+"]\n"), 1)
		between(t, test.says+": wall", r.Summary.Wall, test.wall, test.wall+0.001)
	}
}

// EN-D6: users come 16 a second, and 120 s are measured when all are there. However many
// users, the measured time is as long; what comes before is in the series only.
func TestAWarmUpAsLongAsTheUsersTakeToCome(t *testing.T) {
	for users := 1; users <= 1024; users *= 2 {
		warm := (users + 15) / 16
		s := inline(t, fmt.Sprintf(`
warm_up: %[1]ds
stop: {when: horizon, after: %[2]ds}
slot: 1s
provider: {service: {first_token: 500ms}}
clients:
  - {name: users, count: %[3]d, arrive: {over: %[1]ds}, repeat: {operations: unlimited, gap: 500ms}}
`, warm, warm+120, users))
		r, lines := recorded(t, s)
		if end := r.Tally.End(); end != time.Duration(warm+120)*time.Second {
			t.Errorf("%d users: the run takes %v, want %d s", users, end, warm+120)
		}
		if users == 1 && warm+120 != 121 || users == 1024 && warm+120 != 184 {
			t.Errorf("%d users take %d s", users, warm+120)
		}
		of := func(what string) string { return fmt.Sprintf("%d users: %s", users, what) }
		// Each user is served every second, for half of it.
		between(t, of("measured seconds"), model.Number(r.Summary.Operations.Succeeded)/r.Summary.Provider.Goodput, 120-1e-6, 120+1e-6)
		between(t, of("operations measured"), model.Number(r.Summary.Operations.Total), float64(120*users)-float64(users), float64(120*users))
		between(t, of("served at once"), r.Summary.Provider.MeanInFlight, float64(users)/2*0.99, float64(users)/2*1.01)
		var series int64
		for i := range r.Tally.Slots() {
			series += r.Tally.Slot(i).First
		}
		if int(series) != len(lines) || int64(len(lines)) <= r.Summary.Operations.Total {
			t.Errorf("%d users: %d of %d operations are in the series, %d of them counted; want all, and fewer counted", users, series, len(lines), r.Summary.Operations.Total)
		}
	}
}
