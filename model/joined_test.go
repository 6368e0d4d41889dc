package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stampede-sim/stampede/policies"
)

// One client, 1 ms from the provider, whose key is the operation's. The provider makes the
// first of 10 tokens in 20 ms and the others in 5 ms each, so the answer of the attempt
// sent at 0 has its tokens at 21, 26, ... 66 ms, and at the client 1 ms later.
func TestWhoJoinsIsToldAtOnceWhatIsThere(t *testing.T) {
	tests := []struct {
		says     string
		timeouts policies.Timeouts
		hedge    *policies.Hedge
		want     []string
	}{
		{
			"a hedge that joins an answer that has begun sees a token 1 ms later; nothing else happens at the provider between 21 and 66 ms",
			policies.Timeouts{Idle: 300 * ms},
			&policies.Hedge{After: policies.HedgeAfter{Wait: 30 * ms}, AtMost: 1},
			[]string{"sent 0s, seen 22ms, ended 67ms: succeeded, 10 tokens", "sent 30ms, seen 32ms, ended 67ms: cancelled, 0 tokens"},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			policy := policies.Policy{}
			policy.SetDefaults()
			policy.Attempts, policy.Backoff = 2, policies.BackoffConfig{Constant: &policies.Constant{Delay: 10 * ms}}
			policy.Timeouts, policy.Hedge = test.timeouts, test.hedge
			c := config(policies.Unlimited, 20*ms, group("c", 1, func(g *Group) {
				g.Request.Stream, g.Request.OutputTokens = true, value[int64](10)
				g.Network.OneWay, g.Policy, g.Idempotency = value(ms), "p", KeyPerOperation
			}))
			c.Provider.Service.PerToken = value(5 * ms)
			c.Provider.Idempotency.Mode = IdempotencyAttach
			c.Policies = policies.Registry{"p": policy}
			_, _, lines := play(t, c, 1)
			var got []string
			for _, l := range lines {
				got = append(got, fmt.Sprintf("sent %v, seen %v, ended %v: %v, %d tokens", l.Sent, l.FirstSeen, l.Answered, l.Answer.End, l.Answer.Tokens))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}
