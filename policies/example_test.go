package policies_test

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// A client that is refused twice, then served: the same calls that virtual time and
// real sockets make.
func Example() {
	client := policies.NewClient(policies.ClientConfig{Layers: []policies.Policy{policies.Default()["naive"]}})
	var state policies.State

	now := time.Duration(0)
	action := client.Step(now, &state, nil, &policies.Input{Kind: policies.Start})
	for _, answer := range []policies.Answer{
		{End: policies.Rejected, Status: 429},
		{End: policies.Rejected, Status: 429},
		{End: policies.Succeeded, Status: 200},
	} {
		now += 10 * time.Millisecond // the round trip
		action = client.Step(now, &state, nil, &policies.Input{Kind: policies.Answered, Answer: answer})
		if action.Do == policies.WaitUntil {
			fmt.Printf("%v: %d, wait until %v\n", now, answer.Status, action.At)
			now = action.At
			client.Step(now, &state, nil, &policies.Input{Kind: policies.WaitOver})
		}
	}
	fmt.Printf("%v: %v after %d attempts\n", now, action.Why, state.Attempts)
	// Output:
	// 10ms: 429, wait until 210ms
	// 220ms: 429, wait until 620ms
	// 630ms: succeeded after 3 attempts
}

// spreadLate is a policy of one's own: the third retry and later ones are spread over
// a whole minute.
type spreadLate struct{ early policies.Backoff }

func (s spreadLate) Wait(r policies.Retry) time.Duration {
	if r.N < 2 {
		return s.early.Wait(r)
	}
	return time.Duration(r.U * float64(time.Minute))
}

func ExampleBackoff() {
	policy := policies.Default()["full-jitter"]
	policy.Backoff.Custom = spreadLate{early: policy.Backoff.New()}
	backoff := policy.Backoff.New()
	for n := range 4 {
		fmt.Printf("retry %d: at most %v\n", n+1, backoff.Wait(policies.Retry{N: n, U: 0.999999999999}).Round(time.Millisecond))
	}
	// Output:
	// retry 1: at most 200ms
	// retry 2: at most 400ms
	// retry 3: at most 1m0s
	// retry 4: at most 1m0s
}
