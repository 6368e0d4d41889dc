package experiment

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

func traced(t *testing.T, s *scenarios.Scenario, seed uint64) []model.TraceLine {
	t.Helper()
	trace := &model.Trace{Client: model.AllClients}
	if _, err := Run(context.Background(), s, seed, trace); err != nil {
		t.Fatal(err)
	}
	return trace.Lines
}

// bystanders is a group that starts after everybody else is done.
const bystanders = `
name: with-bystanders
stop: {after: 2h}
provider: {seats: 3, service: {first_token: 2.1ms, per_token: 2.1ms}}
clients:
%s
`

func TestABystanderChangesNobody(t *testing.T) {
	herd := `
  - name: herd
    count: 100
    request: {output_tokens: 13}
    network: {one_way: {sum: [0.3ms, {exponential: {mean: 5ms}}]}}
    policy: full-jitter`
	late := func(name string) string {
		return "\n  - {name: " + name + ", count: 50, arrive: {at: 1h, over: 1m}, policy: naive}"
	}
	var want []model.TraceLine
	for _, clients := range []string{herd, late("aaa") + herd, herd + late("zzz"), late("zzz") + herd} {
		s, err := scenarios.Decode("test.yaml", fmt.Appendf(nil, bystanders, clients))
		if err != nil {
			t.Fatal(err)
		}
		var got []model.TraceLine
		for _, line := range traced(t, s, 3) {
			if line.Group == "herd" {
				got = append(got, line)
			}
		}
		if want == nil {
			want = got
		}
		if len(want) < 200 || !slices.Equal(want, got) {
			t.Errorf("the herd's %d attempts change with %s", len(want), clients)
		}
	}
}

func TestOrderOfGroupsInTheFileChangesNothing(t *testing.T) {
	group := func(name string) string {
		return "\n  - {name: " + name + ", count: 30, request: {output_tokens: 5}, network: {one_way: {exponential: {mean: 2ms}}}, policy: equal-jitter}"
	}
	read := func(clients string) *scenarios.Scenario {
		s, err := scenarios.Decode("test.yaml", fmt.Appendf(nil, bystanders, clients))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := read(group("one")+group("two")+group("three")), read(group("three")+group("one")+group("two"))
	if !slices.Equal(traced(t, a, 1), traced(t, b, 1)) {
		t.Error("the trace hangs on the order in which the file lists the groups")
	}
}

// Common random numbers: the policy may change neither who comes when nor how long
// the network takes.
func TestAPolicyLeavesTheWorkloadAlone(t *testing.T) {
	type way struct{ sent, up time.Duration }
	first := func(policy string) map[int]way {
		ways := map[int]way{}
		for _, line := range traced(t, load(t, "herd-100", "policy="+policy, "clients.0.arrive.over=5s"), 9) {
			if line.Attempt == 0 {
				ways[line.Client] = way{line.Sent, line.Arrived - line.Sent}
			}
		}
		return ways
	}
	ups := func(policy string) map[[2]int]time.Duration {
		out := map[[2]int]time.Duration{}
		for _, line := range traced(t, load(t, "herd-100", "policy="+policy), 9) {
			out[[2]int{line.Client, line.Attempt}] = line.Arrived - line.Sent
		}
		return out
	}
	want, wantUps := first("naive"), ups("naive")
	for _, policy := range []string{"none", "full-jitter", "equal-jitter", "decorrelated"} {
		got := first(policy)
		if len(got) != 100 {
			t.Errorf("%s: %d first attempts, want 100", policy, len(got))
		}
		for client, w := range got {
			if w != want[client] {
				t.Errorf("%s: client %d starts at %v and is %v on its way, under naive %v and %v", policy, client, w.sent, w.up, want[client].sent, want[client].up)
			}
		}
		for attempt, up := range ups(policy) {
			if under, shared := wantUps[attempt]; shared && under != up {
				t.Errorf("%s: attempt %v is %v on its way, under naive %v", policy, attempt, up, under)
			}
		}
	}
}
