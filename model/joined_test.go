package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// One client, 1 ms from the provider, whose key is the operation's. The provider makes the
// first of 10 tokens in 20 ms and the others in 5 ms each, so the answer of the attempt
// sent at 0 has its tokens at 21, 26, ... 66 ms, and at the client 1 ms later.
func TestWhoJoinsIsToldAtOnceWhatIsThere(t *testing.T) {
	stall := func(after int64) []Fault { return []Fault{{First: 1, Stall: true, AfterTokens: after}} }
	tests := []struct {
		says     string
		faults   []Fault
		timeouts policies.Timeouts
		retry    policies.StreamRetry
		hedge    *policies.Hedge
		want     []string
	}{
		{
			"a hedge that joins an answer that has begun sees a token 1 ms later; nothing else happens at the provider between 21 and 66 ms",
			nil,
			policies.Timeouts{Idle: 300 * ms},
			"", &policies.Hedge{After: policies.HedgeAfter{Wait: 30 * ms}, AtMost: 1},
			[]string{"sent 0s, seen 22ms, ended 67ms: succeeded, 10 tokens", "sent 30ms, seen 32ms, ended 67ms: cancelled, 0 tokens"},
		},
		{
			"an answer has stalled at 26 ms; who joins it at 338 ms is told so too, and does not wait for the rest: 300 ms later it gives up, with two tokens",
			stall(2),
			policies.Timeouts{Idle: 300 * ms},
			policies.AlwaysRetry, nil,
			[]string{"sent 0s, seen 22ms, ended 327ms: timed_out, 2 tokens", "sent 337ms, seen 339ms, ended 639ms: timed_out, 2 tokens", "sent 649ms, seen 651ms, ended 951ms: timed_out, 2 tokens"},
		},
		{
			"one that stalls before its first token has a header to tell of, at 2 ms, and at 314 ms to who joins",
			stall(0),
			policies.Timeouts{Idle: 300 * ms, IdleReset: policies.ResetByAnyByte},
			"", nil,
			[]string{"sent 0s, seen never, ended 302ms: timed_out, 0 tokens", "sent 312ms, seen never, ended 614ms: timed_out, 0 tokens", "sent 624ms, seen never, ended 926ms: timed_out, 0 tokens"},
		},
		{
			"who joins before the stall has seen tokens, so that nothing is tried again",
			stall(2),
			policies.Timeouts{FirstEvent: 10 * ms, Idle: 300 * ms},
			"", nil,
			[]string{"sent 0s, seen never, ended 10ms: timed_out, 0 tokens", "sent 20ms, seen 22ms, ended 327ms: timed_out, 2 tokens"},
		},
		{
			"who joins at 35 ms is told at once of the three tokens made by then, and of five more, every 5 ms, by 58 ms; what is told again comes in one piece",
			nil,
			policies.Timeouts{Attempt: 24 * ms},
			policies.AlwaysRetry, nil,
			[]string{"sent 0s, seen 22ms, ended 24ms: timed_out, 1 tokens", "sent 34ms, seen 36ms, ended 58ms: timed_out, 8 tokens", "sent 68ms, seen never, ended 70ms: succeeded, 10 tokens"},
		},
		{
			"what has come by 26 ms of an answer that is joined is one token, the second is on its way",
			stall(2),
			policies.Timeouts{FirstEvent: 10 * ms, Operation: 26 * ms},
			"", nil,
			[]string{"sent 0s, seen never, ended 10ms: timed_out, 0 tokens", "sent 20ms, seen 22ms, ended 26ms: timed_out, 1 tokens"},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			policy := policies.Policy{}
			policy.SetDefaults()
			policy.Attempts, policy.Backoff = 3, policies.BackoffConfig{Constant: &policies.Constant{Delay: 10 * ms}}
			policy.Timeouts, policy.Stream.Retry, policy.Hedge = test.timeouts, test.retry, test.hedge
			c := config(policies.Unlimited, 20*ms, group("c", 1, func(g *Group) {
				g.Request.Stream, g.Request.OutputTokens = true, value[int64](10)
				g.Network.OneWay, g.Policy, g.Idempotency = value(ms), "p", KeyPerOperation
			}))
			c.Provider.Service.PerToken, c.Provider.Faults = value(5*ms), test.faults
			c.Provider.Idempotency.Mode = IdempotencyAttach
			c.Policies = policies.Registry{"p": policy}
			_, _, lines := play(t, c, 1)
			var got []string
			for _, l := range lines {
				seen := "never"
				if l.FirstSeen != policies.Never {
					seen = l.FirstSeen.String()
				}
				got = append(got, fmt.Sprintf("sent %v, seen %v, ended %v: %v, %d tokens", l.Sent, seen, l.Answered, l.Answer.End, l.Answer.Tokens))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

// Where the pace of answers may change, tokens are counted as they come: those made at 21
// and 26 ms, the second of which is the last before a stall.
func TestTheLastTokenBeforeAStallIsCounted(t *testing.T) {
	c := config(policies.Unlimited, 20*ms, group("c", 1, func(g *Group) {
		g.Request.Stream, g.Request.OutputTokens = true, value[int64](10)
		g.Network.OneWay, g.Timeouts.Idle = value(ms), 300*ms
	}))
	c.Provider.Service.PerToken = value(5 * ms)
	c.Provider.Faults = []Fault{{First: 1, Stall: true, AfterTokens: 2}}
	c.Provider.Weather = []Weather{{At: time.Hour, For: time.Hour, Freeze: true}}
	_, _, lines := play(t, c, 1)
	if l := lines[0]; l.Answered != 327*ms || l.Answer.Tokens != 2 {
		t.Errorf("the idle time-out fires at %v, when %d tokens have come; want 327ms and 2", l.Answered, l.Answer.Tokens)
	}
}
