package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func faultsOf(list ...Fault) func(*ProviderConfig) {
	return func(c *ProviderConfig) {
		c.Seats = 1
		for _, f := range list {
			if f.First == 0 {
				f.First = policies.Unlimited
			}
			c.Faults = append(c.Faults, f)
		}
	}
}

func lucky(q *Request, luck ...float64) *Request {
	return with(q, func(q *Request) { q.Luck = luck })
}

func TestFaults(t *testing.T) {
	half := Whole / 2
	runServing(t, []servingCase{
		{
			"a hang takes no seat and is remembered until its client leaves",
			faultsOf(Fault{Hang: true, First: 1}),
			[]call{{0, 1, tokens(1), "hang"}, {0, 2, with(tokens(1), func(q *Request) { q.Attempt = 1 }), "serve"}, {time.Second, 1, nil, ""}, {time.Second, 1, nil, ""}},
			[]string{"100ms first token 2", "100ms finish 2: 1 tokens, 100ms", "1s stopped unheard 1: 0 tokens, 0s"},
		},
		{
			"a cut after 2 of 5 tokens frees the seat with the second",
			faultsOf(Fault{Cut: CutReset, AfterTokens: 2}),
			[]call{{0, 1, tokens(5), "serve"}},
			[]string{"100ms first token 1", "200ms cut 1: 2 tokens, 200ms"},
		},
		{
			"an answer no longer than that ends well",
			faultsOf(Fault{Cut: CutClose, AfterTokens: 2}),
			[]call{{0, 1, tokens(2), "serve"}},
			[]string{"100ms first token 1", "200ms finish 1: 2 tokens, 200ms"},
		},
		{
			"after 0 tokens is when the service begins",
			faultsOf(Fault{InStream: "overloaded_error"}),
			[]call{{50 * ms, 1, tokens(5), "serve"}},
			[]string{"50ms error 1: 0 tokens, 0s"},
		},
		{
			"an error in a stream happens to streams alone",
			faultsOf(Fault{InStream: "overloaded_error", AfterTokens: 1}),
			[]call{{0, 1, tokens(5), "serve"}, {100 * ms, 2, with(tokens(5), func(q *Request) { q.Stream = false }), "serve"}},
			[]string{"100ms first token 1", "100ms error 1: 1 tokens, 100ms", "600ms finish 2: 5 tokens, 500ms"},
		},
		{
			"a stall holds the seat for ever where nobody is given up",
			faultsOf(Fault{Stall: true, AfterTokens: 1}),
			[]call{{0, 1, tokens(5), "serve"}, {500 * ms, 1, nil, ""}, {900 * ms, 2, tokens(5), "reject by seats"}},
			[]string{"100ms first token 1", "100ms stalled 1: 1 tokens"},
		},
		{
			"a stall ends so long after its client has left",
			func(c *ProviderConfig) {
				faultsOf(Fault{Stall: true, AfterTokens: 1})(c)
				c.Abandoned.FreesSeatAfter = Patience(50 * ms)
			},
			[]call{{0, 1, tokens(5), "serve"}, {500 * ms, 1, nil, ""}, {510 * ms, 2, tokens(5), "reject by seats, in 40ms"}, {550 * ms, 3, tokens(1), "serve"}},
			[]string{"100ms first token 1", "100ms stalled 1: 1 tokens", "550ms stopped unheard 1: 1 tokens, 550ms", "650ms first token 3", "650ms finish 3: 1 tokens, 100ms"},
		},
		{
			"the first that matches wins, each by its own number of the request; a status asks no seat",
			faultsOf(Fault{Probability: half, Status: 500}, Fault{Keys: []string{"revoked"}, Status: 401}, Fault{Probability: half, Status: 529}),
			[]call{
				{0, 1, lucky(tokens(1), 0.499, 0, 0), "fail 500"},
				{0, 2, lucky(tokens(1), 0.5, 0, 0.4), "fail 401"},
				{0, 3, with(lucky(tokens(1), 0.5, 0, 0.4), func(q *Request) { q.Key = 7 }), "fail 529"},
				{0, 4, with(lucky(tokens(1), 0.5, 0, 0.5), func(q *Request) { q.Key = 7 }), "serve"},
			},
			[]string{"100ms first token 4", "100ms finish 4: 1 tokens, 100ms"},
		},
	})
}

// A group's key is known to the provider by its number, and of those who meet a fault by
// probability so many fail.
func TestFaultsByNameAndChance(t *testing.T) {
	c := Config{}
	c.SetDefaults()
	c.Provider.Faults = []Fault{
		{First: policies.Unlimited, Keys: []string{"b", "a"}, Status: 401},
		{First: policies.Unlimited, Probability: Whole / 4, Status: 500},
	}
	for _, key := range []string{"a", "", "b"} {
		g := Group{}
		g.SetDefaults()
		g.Name, g.Key = "of "+key, key
		c.Clients = append(c.Clients, g)
	}
	crowd, err := c.Crowd()
	if err != nil {
		t.Fatal(err)
	}
	p := NewProvider(c.Provider)
	failed := 0
	const n = 10_000
	for i := range crowd.Cohorts {
		co := &crowd.Cohorts[i]
		for client := range n {
			q := co.Draws.Request(OperationKey(ClientKey(1, co.Name, client), 0), 0)
			d := p.Offer(time.Duration(client), 0, &q)
			switch {
			case (co.Key != "") != (d.Status == 401):
				t.Fatalf("a request of key %q: %s", co.Key, decision(&d))
			case d.Status == 500:
				failed++
			}
		}
		p.Reset()
	}
	if failed < n/4-250 || failed > n/4+250 { // 5.8 standard deviations
		t.Errorf("%d of %d failed by a chance of 25%%", failed, n)
	}
}
