package report

import (
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

const ms = time.Millisecond

// handMade is a tally that tests fill step by step.
type handMade struct {
	*model.Tally
	policy string
}

func newHandMade(policy string, groups ...string) handMade {
	if len(groups) == 0 {
		groups = []string{"herd"}
	}
	c := &model.Config{}
	c.SetDefaults()
	c.Provider.Seats, c.Stop.When = 3, model.Horizon // its levels are not brought down
	for _, g := range groups {
		c.Clients = append(c.Clients, model.Group{Name: g})
	}
	return handMade{model.NewTally(c), policy}
}

func (h handMade) start(n int) {
	for range n {
		h.Started(0)
	}
}

// send sends n attempts at once.
func (h handMade) send(now time.Duration, n int, retry bool) {
	for range n {
		h.Sent(now, 0, retry)
	}
}

// refuse refuses n attempts for want of seats.
func (h handMade) refuse(now time.Duration, n int) {
	for range n {
		h.Refused(now)
		h.AttemptEnded(0, &policies.Answer{End: policies.Rejected, Status: 429}, model.Seats)
	}
}

// serve ends n operations, each with its answer, after so many attempts.
func (h handMade) serve(now time.Duration, n, attempts int) {
	for range n {
		h.Admitted(now)
		h.Generated(0, model.Making{Output: 13}, true)
		h.AttemptEnded(0, &policies.Answer{End: policies.Succeeded, Status: 200}, 0)
		h.OperationEnded(now, 0, &policies.State{Attempts: int32(attempts)}, policies.Success, now, model.Making{Output: 13}, false)
	}
}

// fail ends n operations, each with an attempt that errs.
func (h handMade) fail(now time.Duration, n, attempts int, status int16, why policies.EndReason) {
	for range n {
		h.AttemptEnded(0, &policies.Answer{End: policies.Errored, Status: status}, 0)
		h.OperationEnded(now, 0, &policies.State{Attempts: int32(attempts)}, why, 0, model.Making{}, false)
	}
}

func (h handMade) close(now, busy time.Duration) Run {
	h.Close(now, busy, 0)
	s := model.Summarise(h.Tally)
	s.Says = Says(s)
	s.Says = "What the run came to, in the model's own sentence."
	return Run{h.policy, s, h.Tally}
}

// waves is a herd of 100 that comes back in waves, of which 6 get through.
func waves(policy string) Run {
	h := newHandMade(policy)
	h.start(100)
	h.send(0, 100, false)
	h.Level(0, 3, 0)
	now, left, wait := time.Duration(0), 100, 200*ms
	for n := 1; ; n++ {
		through := min(6, left)
		h.refuse(now+10*ms, left-through)
		h.serve(now+40*ms, through, n)
		if left -= through; left == 0 {
			return h.close(now+40*ms, 200*ms)
		}
		now += wait
		wait = min(2*wait, 20*time.Second)
		h.send(now, left, true)
	}
}

// spread is a herd of 100 that spreads its retries over two seconds.
func spread(policy string) Run {
	h := newHandMade(policy)
	h.start(100)
	h.send(0, 100, false)
	h.Level(0, 3, 0)
	h.refuse(10*ms, 96)
	h.serve(40*ms, 4, 1)
	for i := range 32 {
		now := time.Duration(i+1) * 60 * ms
		n := max(3, 35-i)
		h.send(now, n, true)
		h.refuse(now+10*ms, n-3)
		h.serve(now+30*ms, 3, min(i+2, 5))
	}
	return h.close(1960*ms, 1500*ms)
}

func onlyOne(policy string) Run {
	h := newHandMade(policy)
	h.start(1)
	h.send(0, 1, false)
	h.Level(0, 1, 0)
	h.serve(791*ms, 1, 1)
	return h.close(791*ms, 791*ms)
}

func nothing(policy string) Run { return newHandMade(policy).close(0, 0) }

// allRefused is a herd of 20 without retries, before a provider that is always full.
func allRefused(policy string) Run {
	h := newHandMade(policy)
	h.start(20)
	h.send(0, 20, false)
	h.refuse(ms, 20)
	for range 20 {
		h.OperationEnded(2*ms, 0, &policies.State{Attempts: 1}, policies.AttemptsExhausted, 0, model.Making{}, false)
	}
	return h.close(2*ms, 0)
}

// cutShort is a run whose horizon comes before any answer.
func cutShort(policy string) Run {
	h := newHandMade(policy)
	h.start(2)
	h.send(10*time.Second, 2, false)
	h.Level(10*time.Second, 2, 0)
	return h.close(10100*ms, 200*ms)
}

// mixed has some of everything that can be told of operations and attempts.
func mixed(policy string) Run {
	h := newHandMade(policy)
	h.start(12)
	h.send(0, 12, false)
	h.serve(100*ms, 4, 1)
	h.refuse(110*ms, 2)
	h.fail(120*ms, 3, 1, 401, policies.Fatal)
	h.AttemptEnded(0, &policies.Answer{End: policies.TimedOut}, 0)
	h.AttemptEnded(0, &policies.Answer{End: policies.Cancelled}, 0)
	h.OperationEnded(130*ms, 0, &policies.State{Attempts: 1}, policies.UserCancelled, 0, model.Making{}, false)
	h.Level(300*ms, 1, 2)
	h.send(time.Hour, 3, true)
	h.fail(time.Hour+ms, 1, 2, 503, policies.AttemptsExhausted)
	return h.close(time.Hour+ms, time.Second)
}
