package experiment

import (
	"slices"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		says string
		yaml string
		want []string
	}{
		{
			"a burst below what a request costs, and so every request above it",
			"provider: {limits: [{axis: tokens, limit: 40000, per: 1m, burst: 667}]}\nclients: [{count: 10, request: {input_tokens: 800, output_tokens: 0}}]\n",
			[]string{"provider.limits.0.burst: 10 attempts cost more than the 667 it can ever hold, so no wait would do (a request costs 800 on average)"},
		},
		{
			"one request above a limit that holds the others",
			"provider: {limits: [{axis: requests, limit: 9, per: 1s}, {axis: tokens, limit: 30000, per: 1m}]}\n" +
				"clients: [{name: a, request: {input_tokens: 30601, output_tokens: 0}}, {name: b, request: {input_tokens: 100, output_tokens: 0}}]\n",
			[]string{"provider.limits.1.limit: 1 attempt costs more than the 30000 it can ever hold, so no wait would do (a request costs 15350.5 on average)"},
		},
		{
			"a slice below what a request costs, where requests are counted when they are done: none is refused, all overshoot",
			"provider: {limits: [{axis: tokens, limit: 6000, per: 1m, slices: 1s, algorithm: fixed-window, check: after}]}\n" +
				"clients: [{request: {input_tokens: 300, output_tokens: 0}}]\n",
			[]string{"provider.limits.0.slices: it holds 100, less than the 300 that a request costs on average"},
		},
		{
			"a pool that nobody is in, beside one that somebody is in",
			"provider: {limits: [{axis: requests, limit: 9, per: 1s, scope: pool batch}, {axis: requests, limit: 9, per: 1s, scope: pool chat}]}\nclients: [{pool: chat}]\n",
			[]string{"provider.limits.0.scope: no group is in the pool batch, so this limits nobody; write pool: batch in a group, or another scope"},
		},
		{
			"a leaky bucket takes any request while it is not above its limit",
			"provider: {limits: [{axis: tokens, limit: 40000, per: 1m, algorithm: leaky}]}\nclients: [{request: {input_tokens: 800, output_tokens: 0}}]\n",
			nil,
		},
		{
			"a hint that no policy looks at is the provider's business",
			"provider: {limits: [{axis: requests, limit: 1, per: 1s}], hint: {retry_after: exact}}\nclients: [{count: 2, policy: naive}]\n",
			nil,
		},
		{
			"a gate in place whose bucket is smaller than some requests",
			"clients: [{name: z, count: 3, request: {input_tokens: 80}, gate: {tokens: 100/s}}, {name: a, count: 2, request: {input_tokens: 900}, gate: {tokens: 100/s, oversize: when-full}}]\n",
			[]string{"clients.1.gate.burst: 2 operations were of more tokens than the 100 that its bucket holds; each went when the bucket was full and paid no more than that, so more tokens went through than the rate allows (oversize: when-full)"},
		},
		{
			"abandoned work goes on when the run is over: 3 are served for 10 s, and nobody waits longer than 1 s",
			"provider: {seats: 2, queue: {places: unlimited}, service: {first_token: 10s}}\nclients: [{count: 3, timeouts: {attempt: 1s}, policy: none}]\n",
			[]string{"stop.when: 3 requests were still with the provider when the last operation ended; what is made of such answers is billed only when they end, so it is in no tokens and no cost here; write stop.when: horizon"},
		},
		{
			"a gate does not hold hedges back: each of 3 is sent after 1 s beside an attempt that takes 2 s",
			"stop: {when: horizon, after: 1m}\ngates: {g: {concurrency: 1}}\npolicies: {p: {hedge: {after: 1s}}}\nprovider: {service: {first_token: 2s}}\nclients: [{count: 3, gate: g, policy: p}]\n",
			[]string{"gates.g: 3 hedges were sent on the permit of the operation, which the gate's concurrency and rate do not hold back"},
		},
		{
			"until the horizon all of it is billed",
			"stop: {when: horizon, after: 1m}\nprovider: {seats: 2, queue: {places: unlimited}, service: {first_token: 10s}}\nclients: [{count: 3, timeouts: {attempt: 1s}, policy: none}]\n",
			nil,
		},
	} {
		s := inline(t, test.yaml)
		if got := run(t, s, 1).Summary.Warnings; !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.says, got, test.want)
		}
	}
}

// What can never be admitted binds nothing: the charge and the bound are those of the rest.
func TestTheBoundLeavesImpossibleRequestsOut(t *testing.T) {
	s := inline(t, "provider: {limits: [{axis: tokens, limit: 30000, per: 1m}]}\n"+
		"clients: [{name: a, request: {input_tokens: 30601, output_tokens: 0}}, {name: b, request: {input_tokens: 100, output_tokens: 0}}]\n")
	got := run(t, s, 1).Summary
	if l := got.Provider.Limits[0]; l.Offered != 2 || l.MeanCharge != 100 || l.Bound != 5 {
		t.Errorf("%d offered at %v each, %v a second, want 2 at 100, 5 a second", l.Offered, l.MeanCharge, l.Bound)
	}
	const want = "1 of 2 can never be admitted: it is larger than the 30,000 tokens that the limit can hold"
	if !strings.Contains(got.Says, want) {
		t.Errorf("says %q, want in it %q", got.Says, want)
	}
}
