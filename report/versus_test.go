package report

import (
	"testing"

	"github.com/stampede-sim/stampede/model"
)

// told is a run of which all is known that Versus looks at.
func told(policy string, total, succeeded, inFlight int64, wall model.Number, attempts, busiestRetry int64) Run {
	return Run{policy, &model.Summary{
		Wall:       wall,
		Operations: model.Operations{Total: total, Succeeded: succeeded, InFlight: inFlight, Failed: total - succeeded - inFlight},
		Attempts:   model.Attempts{Total: attempts, Succeeded: succeeded, Rejected: attempts - succeeded},
		Herd:       model.Herd{Slot: 0.05, BusiestRetry: busiestRetry},
	}, nil}
}

func TestVersus(t *testing.T) {
	null := model.Undefined()
	naive := told("naive", 100, 100, 0, 225.6, 876, 97)
	broken := told("naive", 100, 100, 0, 225.6, 876, 97)
	broken.Summary.Attempts.Rejected, broken.Summary.Attempts.Errored = 0, 776
	for _, c := range []struct {
		says         string
		run, against Run
		want         string
	}{
		{
			"the herd is tamed", told("full-jitter", 100, 100, 0, 2.4, 355, 35), naive,
			"Under naive the same 100 operations took 3 min 45.6 s and 876 attempts, because those refused together came back together (97 retries in one 50 ms slot); full-jitter tames it: 2.4 s and 355 attempts, at most 35 retries in one 50 ms slot.",
		},
		{
			"what failed together was not refused", told("full-jitter", 100, 100, 0, 2.4, 355, 35), broken,
			"Under naive the same 100 operations took 3 min 45.6 s and 876 attempts, because those who failed together came back together (97 retries in one 50 ms slot); full-jitter tames it: 2.4 s and 355 attempts, at most 35 retries in one 50 ms slot.",
		},
		{
			"better, but not for want of a herd", told("b", 100, 100, 0, 20, 300, 3), told("a", 100, 100, 0, 30, 310, 3),
			"Under a the same 100 operations took 30 s and 310 attempts; b does better: 20 s and 300 attempts.",
		},
		{
			"better with as great a herd: the herd explains nothing", told("b", 100, 100, 0, 20, 300, 90), naive,
			"Under naive the same 100 operations took 3 min 45.6 s and 876 attempts; b does better: 20 s and 300 attempts.",
		},
		{
			"worse", naive, told("full-jitter", 100, 100, 0, 2.4, 355, 35),
			"Under full-jitter the same 100 operations took 2.4 s and 355 attempts; naive does worse: 3 min 45.6 s and 876 attempts.",
		},
		{
			"equal", naive, naive,
			"Under naive the same 100 operations took 3 min 45.6 s and 876 attempts; naive makes no difference: 3 min 45.6 s and 876 attempts.",
		},
		{
			"equal within 5 %", told("b", 20, 20, 0, 1.02, 51, 9), told("a", 20, 20, 0, 1, 50, 9),
			"Under a the same 20 operations took 1 s and 50 attempts; b makes no difference: 1.02 s and 51 attempts.",
		},
		{
			"sooner done at a price", told("b", 20, 20, 0, 1, 90, 9), told("a", 20, 20, 0, 2, 50, 9),
			"Under a the same 20 operations took 2 s and 50 attempts; b is faster but asks more often: 1 s and 90 attempts.",
		},
		{
			"later done, but polite", told("b", 20, 20, 0, 2, 50, 9), told("a", 20, 20, 0, 1, 90, 9),
			"Under a the same 20 operations took 1 s and 90 attempts; b is slower but asks less often: 2 s and 50 attempts.",
		},
		{
			"one operation, none succeeds: sooner is better", told("triage-first", 1, 0, 0, 0.004, 1, 0), told("retry-everything", 1, 0, 0, 6.325, 6, 1),
			"Under retry-everything none of the same 1 operation succeeded in 6.33 s and 6 attempts; triage-first does better: none of 1 operation succeeded in 4 ms and 1 attempt.",
		},
		{
			"more succeed, though it takes longer", told("b", 20, 20, 0, 9, 90, 3), told("a", 20, 4, 0, 1, 20, 0),
			"Under a 4 of the same 20 operations succeeded in 1 s and 20 attempts; b does better: all of 20 operations succeeded in 9 s and 90 attempts.",
		},
		{
			"the horizon came before the end of one", told("b", 20, 20, 0, 9, 90, 3), told("a", 20, 0, 20, null, 20, 0),
			"Under a none of the same 20 operations succeeded in 20 attempts, 20 still in flight; b does better: all of 20 operations succeeded in 9 s and 90 attempts.",
		},
		{
			"the horizon came before the end of both", told("b", 20, 3, 17, null, 20, 3), told("a", 20, 3, 17, null, 60, 0),
			"Under a 3 of the same 20 operations succeeded in 60 attempts, 17 still in flight; b does better: 3 of 20 operations succeeded in 20 attempts, 17 still in flight.",
		},
		{
			"nothing started", told("b", 0, 0, 0, null, 0, 0), told("a", 0, 0, 0, null, 0, 0),
			"No operation started, under a or under b: there is nothing to compare.",
		},
		{
			"nothing started under one", told("b", 20, 20, 0, 1, 20, 0), told("a", 0, 0, 0, null, 0, 0),
			"Under a no operation started; b does better: all of 20 operations succeeded in 1 s and 20 attempts.",
		},
		{
			"several policies, and a name that would steer the terminal", told("", 2, 2, 0, 1, 2, 0), told("\x1b[2J\u202egone", 2, 2, 0, 1, 2, 0),
			`Under \x1b[2J\u202egone the same 2 operations took 1 s and 2 attempts; the scenario's own mix makes no difference: 1 s and 2 attempts.`,
		},
	} {
		if got := Versus(c.run, c.against); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.says, got, c.want)
		}
	}
}
