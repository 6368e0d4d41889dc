package report

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

func policyWith(change func(*policies.Policy)) policies.Policy {
	var p policies.Policy
	p.SetDefaults()
	change(&p)
	return p
}

func spreadOf(text string) (s policies.Spread) {
	if err := s.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return s
}

func TestDescribe(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	backoff := func(b policies.BackoffConfig) policies.Policy {
		return policyWith(func(p *policies.Policy) { p.Backoff = b })
	}
	exponential := func(base, limit time.Duration, factor float64, attempts policies.Count, jitter policies.Jitter) policies.Policy {
		return policyWith(func(p *policies.Policy) {
			p.Attempts = attempts
			p.Backoff = policies.BackoffConfig{Exponential: &policies.Exponential{Base: base, Cap: limit, Factor: factor}, Jitter: jitter}
		})
	}
	hint := func(r policies.HintRule) policies.Policy {
		return policyWith(func(p *policies.Policy) { p.Hint = r })
	}
	naive := "waits 200 ms, 400 ms, 800 ms … up to 20 s, tries as often as need be, "
	for _, c := range []struct {
		says string
		p    policies.Policy
		want string
	}{
		{"what a policy is by default", policyWith(func(*policies.Policy) {}), naive + "ignores the provider's hint"},
		{"full jitter", policies.Default()["full-jitter"], "waits a random time between 0 and 200 ms, then 400 ms, 800 ms … up to 20 s, tries as often as need be, ignores the provider's hint"},
		{"equal jitter", policies.Default()["equal-jitter"], "waits a random time between half and all of 200 ms, then 400 ms, 800 ms … up to 20 s, tries as often as need be, ignores the provider's hint"},
		{"decorrelated", policies.Default()["decorrelated"], "waits a random time between 200 ms and three times its last wait (at first 600 ms), 20 s at most, tries as often as need be, ignores the provider's hint"},
		{"no retry", policies.Default()["none"], "never tries again"},
		{"no backoff", backoff(policies.BackoffConfig{None: &policies.NoBackoff{}}), "tries again at once, tries as often as need be, ignores the provider's hint"},
		{"a backoff of nothing", backoff(policies.BackoffConfig{Constant: &policies.Constant{}}), "tries again at once, tries as often as need be, ignores the provider's hint"},
		{"constant", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}}), "waits 1 s each time, tries as often as need be, ignores the provider's hint"},
		{"constant with jitter", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}, Jitter: policies.FullJitter}), "waits a random time between 0 and 1 s each time, tries as often as need be, ignores the provider's hint"},
		{"linear", backoff(policies.BackoffConfig{Linear: &policies.Linear{Base: 200 * ms, Cap: 20 * s}}), "waits 200 ms, 400 ms, 600 ms … up to 20 s, tries as often as need be, ignores the provider's hint"},
		{"code of its own", backoff(policies.BackoffConfig{Custom: policies.NoBackoff{}}), "waits as long as code of its own says, tries as often as need be, ignores the provider's hint"},
		{"the cap at the second retry", exponential(10*s, 20*s, 2, policies.Unlimited, policies.NoJitter), "waits 10 s, then 20 s each time, tries as often as need be, ignores the provider's hint"},
		{"waits that shrink", exponential(800*ms, 20*s, 0.5, policies.Unlimited, policies.NoJitter), "waits 800 ms, 400 ms, 200 ms … down to 0 s, tries as often as need be, ignores the provider's hint"},
		{"few attempts: every wait", exponential(200*ms, 20*s, 2, 4, policies.NoJitter), "waits 200 ms, 400 ms, 800 ms, tries 4 times at most, ignores the provider's hint"},
		{"one retry", exponential(200*ms, 20*s, 2, 2, policies.NoJitter), "waits 200 ms, tries 2 times at most, ignores the provider's hint"},
		{"bounded attempts never reach the cap", exponential(200*ms, 20*s, 2, 6, policies.NoJitter), "waits 200 ms, 400 ms, 800 ms … up to 3.2 s, tries 6 times at most, ignores the provider's hint"},
		{"a floor", hint(policies.HintRule{Mode: policies.FloorHint, UpTo: policies.Never}), naive + "waits no less than the provider's hint asks"},
		{"obedience, to a limit", hint(policies.HintRule{Mode: policies.ObeyHint, UpTo: 30 * s, Beyond: policies.FailBeyond}), naive + "waits exactly as long as the provider's hint asks where there is one, gives up at one of more than 30 s"},
		{"a long hint is ignored", hint(policies.HintRule{Mode: policies.FloorHint, UpTo: 30 * s, Beyond: policies.IgnoreBeyond}), naive + "waits no less than the provider's hint asks, ignores one of more than 30 s"},
		{"the SDKs' jitter", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}, Jitter: "-25%"}), "waits a random time between 75 % and all of 1 s each time, tries as often as need be, ignores the provider's hint"},
		{"jitter to either side", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}, Jitter: "25%"}), "waits a random time between 75 % and 125 % of 1 s each time, tries as often as need be, ignores the provider's hint"},
		{"added jitter", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}, Jitter: policies.AddedJitter}), "waits a random time between once and twice 1 s each time, tries as often as need be, ignores the provider's hint"},
		{"a jitter that is a time, and bounds", backoff(policies.BackoffConfig{Constant: &policies.Constant{Delay: s}, Jitter: "1s", Least: 100 * ms, Most: 60 * s}), "waits 1 s each time, and a random time of up to 1 s more, waits 100 ms at least, waits 1 min at most, tries as often as need be, ignores the provider's hint"},
		{"steps", policyWith(func(p *policies.Policy) {
			p.Attempts, p.Backoff = 4, policies.BackoffConfig{Steps: &policies.Steps{Waits: []time.Duration{800 * ms, 2400 * ms, 5600 * ms}}}
		}), "waits 800 ms, 2.4 s, 5.6 s, tries 4 times at most, ignores the provider's hint"},
		{"multiplied", backoff(policies.BackoffConfig{Multiplied: &policies.Multiplied{Base: s, Factor: 2, Cap: 20 * s}}), "waits a random time between 2 and 4 times its last wait (at first 1 s), 20 s at most, tries as often as need be, ignores the provider's hint"},
		{"a base after a throttle", backoff(policies.BackoffConfig{Exponential: &policies.Exponential{Base: 50 * ms, Factor: 2, Cap: 20 * s, Throttled: s}, Jitter: policies.FullJitter}), "waits a random time between 0 and 50 ms, then 100 ms, 200 ms … up to 20 s, begins with 1 s after a 429, tries as often as need be, ignores the provider's hint"},
		{
			"every rule for hints", hint(policies.HintRule{Mode: policies.ObeyHint, UpTo: 60*s - 1, Beyond: policies.IgnoreBeyond, Spread: spreadOf("10%"), Zero: policies.BackoffZero, Past: policies.BackoffZero, Malformed: policies.ImmediateMalformed, Absent: policies.FailAbsent, Reads: []policies.HintForm{policies.SecondsForm, policies.DateForm}, ShouldRetry: policies.ObeyRetry}),
			naive + "waits exactly as long as the provider's hint asks where there is one, adds a random part of up to 10 % to it, ignores one of 1 min or more, takes one of 0, or a date that is past, for none, tries again at once after one that cannot be read, gives up at a 4xx without one, reads it as seconds or date alone, does what an x-should-retry says",
		},
		{"a long hint is cut", hint(policies.HintRule{Mode: policies.FloorHint, UpTo: 30 * s, Beyond: policies.ClampBeyond}), naive + "waits no less than the provider's hint asks, takes one of more than 30 s for 30 s"},
	} {
		if got := Describe(c.p); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.says, got, c.want)
		}
	}
}

func TestSetUp(t *testing.T) {
	const herd = "100 clients start at once. The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms, and refuses the rest. "
	for _, c := range []struct {
		says   string
		change func(*model.Config)
		want   string
	}{
		{"one policy", func(*model.Config) {}, herd + "naive waits 200 ms, 400 ms, 800 ms … up to 20 s. It tries as often as need be and ignores the provider's hint of 1 s."},
		{"nothing is said of a hint that is not given", func(c *model.Config) { c.Provider.Hint.RetryAfter = model.RetryAfter{} }, herd + "naive waits 200 ms, 400 ms, 800 ms … up to 20 s. It tries as often as need be."},
		{"a queue, and a gate", func(c *model.Config) {
			c.Provider.Queue.Places = 1000
			c.Clients[0].Gate = &model.GroupGate{GateConfig: policies.GateConfig{Concurrency: 20, Requests: &policies.Rate{N: 4500, Per: time.Minute}, Burst: time.Second, Scope: policies.ClientScope}}
		}, "100 clients start at once. The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms; 1,000 can wait in its queue, and it refuses the rest. A gate before each client of herd lets at most 20 at a time and 4,500 requests/min through. naive waits 200 ms, 400 ms, 800 ms … up to 20 s. It tries as often as need be and ignores the provider's hint of 1 s."},
		{"faults, and a policy that retries them", func(c *model.Config) {
			c.Clients[0].Count, c.Clients[0].Policy = 1, "stubborn"
			c.Provider.Faults = []model.Fault{{First: 2, Status: 401}}
			c.Policies = policies.Registry{"stubborn": policyWith(func(p *policies.Policy) { p.Attempts, p.Triage.Table = 4, policies.EverythingTriage })}
		}, "1 client starts. The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms, and refuses the rest. It answers the first 2 attempts of every operation with a 401. stubborn waits 200 ms, 400 ms, 800 ms. It tries 4 times at most, ignores the provider's hint of 1 s and retries whatever failed."},
		{"weather, time-outs, a queue and keys", func(c *model.Config) {
			c.Clients[0].Timeouts = policies.Timeouts{Attempt: 300 * time.Second, Operation: 600 * time.Second}
			c.Clients[0].Idempotency = model.KeyPerOperation
			c.Provider.Queue = model.QueueConfig{Places: 1000, Order: model.LIFO, WaitLimit: model.WaitLimit(500 * time.Second)}
			c.Provider.Idempotency = model.IdempotencyConfig{Mode: model.IdempotencyReplay, Expires: time.Hour, Conflict: 409}
			c.Provider.Weather = []model.Weather{{At: 500 * time.Second, For: time.Second, Outage: 503}}
		}, "100 clients start at once, with an idempotency key for each operation, and give up an attempt after 5 min and an operation after 10 min. The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms; 1,000 can wait in its queue (last in, first out, for 8 min 20 s at most), and it refuses the rest. It gives the answer again to an idempotency key that it knows, and refuses one whose answer is being made with a 409. Weather: outage 503 from 8 min 20 s to 8 min 21 s. naive waits 200 ms, 400 ms, 800 ms … up to 20 s. It tries as often as need be and ignores the provider's hint of 1 s."},
		{"two groups, one of arrivals, and what their policies have in common", func(c *model.Config) {
			open := c.Clients[0]
			open.Name, open.Policy = "open", "none"
			open.Arrive.Rate, open.Arrive.For = &model.RateSteps{Steady: policies.Rate{N: 20, Per: time.Second}}, 5*time.Second
			c.Clients = append(c.Clients, open)
		}, "herd: 100 clients start at once; open: operations arrive at 20/s for 5 s. The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms, and refuses the rest. naive waits 200 ms, 400 ms, 800 ms … up to 20 s, tries as often as need be and ignores the provider's hint of 1 s; none never tries again."},
	} {
		config := herdConfig("naive")
		c.change(config)
		in := PageInput{Arms: []PageArm{runConfig(t, config, 1)}}
		if got := setUp(&in, in.arms()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.says, got, c.want)
		}
	}
	in := seatsPage(t)
	const want = "100 clients start at once. seats=3: The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms, and refuses the rest. A gate before all clients of herd lets at most 20 at a time through. full-jitter waits a random time between 0 and 200 ms, then 400 ms, 800 ms … up to 20 s; naive 200 ms, 400 ms, 800 ms … up to 20 s. Both try as often as need be and ignore the provider's hint of 1 s."
	if got := setUp(&in, in.arms()); got != want {
		t.Errorf("arms that differ:\n got %s\nwant %s", got, want)
	}
}
