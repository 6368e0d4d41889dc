package experiment

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
)

// A cross-check finds a lie that one side alone is told: each at least 9 times of 10, at the
// default number of runs. LIES says how often each is told; by default only the shortest
// is, once.
func TestCrossCheckFindsLies(t *testing.T) {
	times, all := 1, false
	if n := os.Getenv("LIES"); n != "" {
		var err error
		if times, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
		all = true
	}
	for _, row := range []struct {
		says, scenario, lie string
		scale               float64
		always              bool
	}{
		{"a service that is 10 % longer", "gate-20", "provider.service={first_token: 10.67ms, per_token: 10.67ms}", 1, true},
		{"four seats and not three", "herd-100", "provider.seats=4", 1, false},
		{"equal jitter and not full", "herd-100", "policy=equal-jitter", 1, false},
		{"a hint that is ignored", "herd-20", "policies.patient.hint=ignore", 1, false},
		{"a sliding log and not a bucket", "two-axes", "provider.limits.1.algorithm=sliding-log", 0.01, false},
		{"any byte and not content alone", "stall", "clients.0.timeouts.idle_reset=any-byte", 0.01, false},
	} {
		if !all && !row.always {
			continue
		}
		t.Run(row.says, func(t *testing.T) {
			found, fair := 0, 0
			for time := 0; time < 3*times && fair < times; time++ {
				s, lie := scenario(t, row.scenario), scenario(t, row.scenario, row.lie)
				s.Seed += uint64(time) << 32
				lie.Seed = s.Seed
				checked, err := CrossCheck{Scenario: s, Lie: lie, Seeds: LeastVirtual, Scale: row.scale, Jobs: 2}.Run(t.Context())
				switch {
				case IsUnfair(err):
					t.Log(err) // told again, when the machine has less to do
					continue
				case errors.As(err, new(UnplayableError)):
					t.Skip(err)
				case err != nil:
					t.Fatal(err)
				case !checked.Agrees():
					found++
				}
				fair++
				t.Logf("found %d of %d; %d real runs, %d played again", found, fair, len(checked.Lateness), len(checked.Late))
			}
			if fair == 0 {
				t.Skip("the machine was too busy for every one")
			}
			if found*10 < fair*9 {
				t.Errorf("found %d times of %d", found, fair)
			}
		})
	}
}

// Ctrl-C keeps what was finished, marked partial, and too few runs for the level.
func TestCrossCheckInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	over := errors.New("enough")
	c := CrossCheck{Scenario: scenario(t, "triage-first"), Seeds: LeastVirtual, Scale: 1, Jobs: 2, Progress: func(part string, done, _ int) {
		if part == "runs over sockets" && done == 2 {
			stop(over)
		}
	}}
	checked, err := c.Run(ctx)
	if IsUnfair(err) {
		t.Skip(err)
	}
	if !errors.Is(err, over) || checked == nil || !checked.Partial || len(checked.Lateness) != 2 || checked.Short == "" {
		t.Errorf("%v %+v", err, checked)
	}
}

// And it says nothing where both are told the truth: a count, a time, and a herd.
func TestCrossCheckAgrees(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector slows sockets down")
	}
	for _, row := range []struct {
		says, scenario string
		runs           int
	}{
		{"one refusal that is fatal", "triage-first", 3},
		{"seven rounds at a gate", "gate-20", 3},
	} {
		checked, err := CrossCheck{Scenario: scenario(t, row.scenario), Seeds: LeastVirtual, Runs: row.runs, Scale: 1, Jobs: 2}.Run(t.Context())
		if IsUnfair(err) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !checked.Agrees() || checked.Short != "" {
			t.Errorf("%s: %s %+v", row.says, checked.Short, checked.Figures)
		}
	}
}
