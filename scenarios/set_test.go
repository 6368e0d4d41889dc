package scenarios_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func TestSet(t *testing.T) {
	const text = `
name: base
provider: {seats: 3, queue: 5, hint: {retry_after: 1s}}
clients:
  - &a {name: a, count: 10, policy: own, network: {one_way: 3ms}}
  - {<<: *a, name: b.c, gate: three}
gates:
  three: {concurrency: 3}
policies:
  own: {attempts: 4, backoff: exponential, hint: floor}
  mine: {backoff: {exponential: {base: 1s}, jitter: full}}
expect:
  - success == 1
`
	type get = func(*scenarios.Scenario) any
	count := func(i int) get { return func(s *scenarios.Scenario) any { return s.Clients[i].Count } }
	backoff := func(policy string) get {
		return func(s *scenarios.Scenario) any {
			b := s.Policies[policy].Backoff
			return []any{b.None != nil, b.Constant != nil, b.Linear != nil, b.Exponential != nil, b.Jitter}
		}
	}
	rows := []struct {
		sentence string
		set      []string
		get      get
		want     any
	}{
		{"a key of the file takes the new value", []string{"provider.seats=7"}, func(s *scenarios.Scenario) any { return s.Provider.Seats }, policies.Count(7)},
		{"the last of two wins", []string{"provider.seats=7", "provider.seats=8"}, func(s *scenarios.Scenario) any { return s.Provider.Seats }, policies.Count(8)},
		{"a key the file has not is added, with what leads to it", []string{"provider.service.first_token=2ms"}, func(s *scenarios.Scenario) any { return *s.Provider.Service.FirstToken.Constant }, 2 * time.Millisecond},
		{"the value is YAML", []string{"provider={seats: 2, faults: [{status: 500}]}"}, func(s *scenarios.Scenario) any { return s.Provider.Faults[0].Status }, 500},
		{"list items go by number", []string{"clients.1.count=3"}, count(1), 3},
		{"or by name", []string{"clients.a.count=3"}, count(0), 3},
		{"or by a quoted name", []string{`clients["b.c"].count=3`}, count(1), 3},
		{"an anchor's other uses keep what they had", []string{"clients.0.count=3"}, count(1), 10},
		{"policy alone means every group's", []string{"policy=naive"}, func(s *scenarios.Scenario) any { return s.Clients[0].Policy + " " + s.Clients[1].Policy }, "naive naive"},
		{"one alternative takes the place of another", []string{"policies.mine.backoff.constant=1s"}, backoff("mine"), []any{false, true, false, false, policies.FullJitter}},
		{"one alternative takes the place of a bare word", []string{"policies.own.backoff.constant=1s"}, backoff("own"), []any{false, true, false, false, policies.NoJitter}},
		{"a bare word keeps its meaning beside a new key", []string{"policies.own.backoff.jitter=equal"}, backoff("own"), []any{false, false, false, true, policies.EqualJitter}},
		{"a short form keeps its meaning beside a new key", []string{"provider.queue.places=9"}, func(s *scenarios.Scenario) any { return s.Provider.Queue.Places }, policies.Count(9)},
		{"a distribution takes the place of a plain value", []string{"clients.0.network.one_way.uniform=[1ms, 2ms]"}, func(s *scenarios.Scenario) any { return s.Clients[0].Network.OneWay.Constant == nil }, true},
		{"a policy that needs no definition keeps the rest of it", []string{"policies.full-jitter.attempts=3"}, backoff("full-jitter"), []any{false, false, false, true, policies.FullJitter}},
		{"none stays none", []string{"policies.none.hint=floor", "policies.none.attempts=2"}, backoff("none"), []any{true, false, false, false, policies.NoJitter}},
		{"a new policy begins with the defaults", []string{"policies.new.attempts=3"}, backoff("new"), []any{false, false, false, true, policies.NoJitter}},
		{"a gate in place takes the place of a name", []string{"clients.1.gate.concurrency=9"}, func(s *scenarios.Scenario) any {
			return s.Clients[1].Gate.Name + s.Clients[1].Gate.Concurrency.String()
		}, "9"},
		{"an expectation may be replaced", []string{"expect.0=attempts < 9"}, func(s *scenarios.Scenario) any { return s.Expect[0].Figure }, "attempts"},
		{"an = inside a quoted name is part of it", []string{`policies["a=b"].attempts=3`}, func(s *scenarios.Scenario) any { return s.Policies["a=b"].Attempts }, policies.Count(3)},
	}
	for _, row := range rows {
		s, err := scenarios.Decode("base.yaml", []byte(text), row.set...)
		if err != nil {
			t.Errorf("%s: %v", row.sentence, err)
			continue
		}
		if got := row.get(s); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.sentence, got, row.want)
		}
	}
}

// Keys at every depth, each a little misspelled.
func TestAMisspelledKeyIsCaughtInSet(t *testing.T) {
	rows := []struct{ set, want string }{
		{"slott=1s", "slott: unknown key; did you mean slot?"},
		{"provider.seat=3", "provider.seat: unknown key; did you mean seats?"},
		{"provider.service.frst_token=1s", "provider.service.frst_token: unknown key; did you mean first_token?"},
		{"provider.hint.retry-after=1s", "provider.hint.retry-after: unknown key; did you mean retry_after?"},
		{"clients.0.request.max_token=3", "clients.0.request.max_token: unknown key; did you mean max_tokens?"},
		{"clients.herd.netwrok.one_way=1s", "clients.0.netwrok: unknown key; did you mean network?"},
		{"clients.0.network.one_way.sum.1.exponential.meen=1s", "clients.0.network.one_way.sum.1.exponential.meen: unknown key; did you mean mean?"},
		{"clients.0.gate.concurency=3", "clients.0.gate.concurency: unknown key; did you mean concurrency?"},
		{"policies.naive.backof.jitter=full", "policies.naive.backof: unknown key; did you mean backoff?"},
		{"policies.naive.backoff.exponential.bass=1s", "policies.naive.backoff.exponential.bass: unknown key; did you mean base?"},
	}
	for _, row := range rows {
		_, err := scenarios.Load("herd-100", row.set)
		if err == nil || !strings.Contains(err.Error(), "--set: "+row.want) {
			t.Errorf("%s: got %v, want %s", row.set, err, row.want)
		}
	}
}
