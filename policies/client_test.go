package policies

import (
	"testing"
	"time"
)

func TestStep(t *testing.T) {
	bounded := Policy{}
	bounded.SetDefaults()
	bounded.Attempts = 3
	floor := bounded
	floor.Hint.Mode = FloorHint
	perAttempt := &GateConfig{Concurrency: 1, Permit: PerAttempt}
	perOperation := &GateConfig{Concurrency: 1, Permit: PerOperation}

	ok := Input{Kind: Answered, Answer: Answer{End: Succeeded, Status: 200}}
	full := Input{Kind: Answered, Answer: Answer{End: Rejected, Status: 429, Hint: Hint{Wait: time.Second, Kind: GivenHint}}}
	broken := Input{Kind: Answered, Answer: Answer{End: Errored, Status: 500, Hint: Hint{Wait: time.Second, Kind: GivenHint}}}
	refused := Input{Kind: Answered, Answer: Answer{End: Errored, Status: 401}}

	short := floor
	short.Hint.UpTo = 500 * ms
	quota := full
	quota.Answer.Refusal = QuotaExhausted
	tooLarge := full
	tooLarge.Answer.Refusal = BeyondLimit

	type move struct {
		in   Input
		want Action
	}
	send := func(at time.Duration) Action { return Action{Do: Send, At: at} }
	at := func(d time.Duration) Action { return Action{Do: WaitUntil, At: d} }
	end := func(why EndReason) Action { return Action{Do: End, Why: why} }
	leaving := func(a Action) Action { a.Leave = true; return a }
	// Each move is made 10 ms after the one before it.
	tests := []struct {
		says     string
		policy   Policy
		gate     *GateConfig
		moves    []move
		sent     int32
		timeouts Timeouts
	}{
		{"a call that succeeds at once", bounded, nil, []move{{Input{Kind: Start}, send(Never)}, {ok, end(Success)}}, 1, Timeouts{}},
		{
			"a rejection is followed by the backoff and another attempt", bounded, nil,
			[]move{{Input{Kind: Start}, send(Never)}, {full, at(210 * ms)}, {Input{Kind: WaitOver}, send(Never)}, {ok, end(Success)}},
			2,
			Timeouts{},
		},
		{
			"the third attempt of three is the last", bounded, nil,
			[]move{
				{Input{Kind: Start}, send(Never)},
				{full, at(210 * ms)},
				{Input{Kind: WaitOver}, send(Never)},
				{full, at(430 * ms)},
				{Input{Kind: WaitOver}, send(Never)},
				{full, end(AttemptsExhausted)},
			},
			3,
			Timeouts{},
		},
		{"a hint of one second is the floor of the wait", floor, nil, []move{{Input{Kind: Start}, send(Never)}, {full, Action{Do: WaitUntil, At: 1010 * ms, Alike: AlikeHint}}}, 1, Timeouts{}},
		{"the hint of an answer that is only retried is not weighed", floor, nil, []move{{Input{Kind: Start}, send(Never)}, {broken, at(210 * ms)}}, 1, Timeouts{}},
		{"a hint longer than it may wait ends the operation", short, nil, []move{{Input{Kind: Start}, send(Never)}, {full, end(Throttled)}}, 1, Timeouts{}},
		{"and if a quota is used up, it says so", short, nil, []move{{Input{Kind: Start}, send(Never)}, {quota, end(Quota)}}, 1, Timeouts{}},
		{"a request larger than the limit ends at once, whatever the policy", bounded, nil, []move{{Input{Kind: Start}, send(Never)}, {tooLarge, end(Impossible)}}, 1, Timeouts{}},
		{"a 401 is fatal", bounded, nil, []move{{Input{Kind: Start}, send(Never)}, {refused, end(Fatal)}}, 1, Timeouts{}},
		{
			"behind a gate the permit comes first, and is given back while backing off", bounded, perAttempt,
			[]move{
				{Input{Kind: Start}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{full, leaving(at(220 * ms))},
				{Input{Kind: WaitOver}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{ok, leaving(end(Success))},
			},
			2,
			Timeouts{},
		},
		{
			"a permit for the operation is kept while backing off", bounded, perOperation,
			[]move{
				{Input{Kind: Start}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{full, at(220 * ms)},
				{Input{Kind: WaitOver}, send(Never)},
				{refused, leaving(end(Fatal))},
			},
			2,
			Timeouts{},
		},
		{
			"an attempt's time-out abandons it, and the backoff follows", bounded, nil,
			[]move{
				{Input{Kind: Start}, send(10 * ms)},
				{Input{Kind: TimerDue}, Action{Do: WaitUntil, At: 210 * ms, Abandon: TimedOut, By: AttemptTimeout}},
				{Input{Kind: WaitOver}, send(30 * ms)},
				{ok, end(Success)},
			},
			2,
			Timeouts{Attempt: 10 * ms},
		},
		{
			"the operation's time-out ends it in flight", bounded, nil,
			[]move{{Input{Kind: Start}, send(10 * ms)}, {Input{Kind: TimerDue}, Action{Do: End, Why: OperationTimedOut, Abandon: TimedOut, By: OperationTimeout, Of: EveryAttempt}}},
			1,
			Timeouts{Operation: 10 * ms},
		},
		{
			"the operation's time-out ends it in line", bounded, perAttempt,
			[]move{{Input{Kind: Start}, Action{Do: Enter, At: 10 * ms}}, {Input{Kind: TimerDue}, Action{Do: End, Why: OperationTimedOut, Withdraw: true, By: OperationTimeout}}},
			0,
			Timeouts{Operation: 10 * ms},
		},
		{
			"no retry is waited for that could begin only at the deadline", bounded, nil,
			[]move{{Input{Kind: Start}, send(210 * ms)}, {full, end(OperationTimedOut)}},
			1,
			Timeouts{Operation: 210 * ms},
		},
		{
			"the last attempt that times out ends the operation", bounded, nil,
			[]move{
				{Input{Kind: Start}, send(10 * ms)},
				{Input{Kind: TimerDue}, Action{Do: WaitUntil, At: 210 * ms, Abandon: TimedOut, By: AttemptTimeout}},
				{Input{Kind: WaitOver}, send(30 * ms)},
				{Input{Kind: TimerDue}, Action{Do: WaitUntil, At: 430 * ms, Abandon: TimedOut, By: AttemptTimeout, Of: 1}},
				{Input{Kind: WaitOver}, send(50 * ms)},
				{Input{Kind: TimerDue}, Action{Do: End, Why: AttemptsExhausted, Abandon: TimedOut, By: AttemptTimeout, Of: 2}},
			},
			3,
			Timeouts{Attempt: 10 * ms},
		},
		{
			"taken back in line, it withdraws", bounded, perAttempt,
			[]move{{Input{Kind: Start}, Action{Do: Enter, At: Never}}, {Input{Kind: UserCancel}, Action{Do: End, Withdraw: true, Why: UserCancelled}}},
			0,
			Timeouts{},
		},
		{
			"taken back in flight, it leaves the gate and abandons the attempt", bounded, perAttempt,
			[]move{
				{Input{Kind: Start}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{Input{Kind: UserCancel}, Action{Do: End, Leave: true, Abandon: Cancelled, Of: EveryAttempt, Why: UserCancelled}},
			},
			1,
			Timeouts{},
		},
		{
			"taken back while backing off, there is nothing to leave", bounded, perAttempt,
			[]move{
				{Input{Kind: Start}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{full, leaving(at(220 * ms))},
				{Input{Kind: UserCancel}, end(UserCancelled)},
			},
			1,
			Timeouts{},
		},
		{
			"taken back while backing off with the operation's permit, it leaves the gate", bounded, perOperation,
			[]move{
				{Input{Kind: Start}, Action{Do: Enter, At: Never}},
				{Input{Kind: Granted}, send(Never)},
				{full, at(220 * ms)},
				{Input{Kind: UserCancel}, leaving(end(UserCancelled))},
			},
			1,
			Timeouts{},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			c := NewClient(ClientConfig{Layers: []Policy{test.policy}, Timeouts: test.timeouts, Gate: test.gate})
			var s State
			now := time.Duration(0)
			for i, m := range test.moves {
				if got := c.Step(now, &s, nil, &m.in); got != m.want {
					t.Fatalf("move %d: %+v, want %+v", i, got, m.want)
				}
				now += 10 * ms
			}
			if s.Attempts != test.sent {
				t.Errorf("%d attempts sent, want %d", s.Attempts, test.sent)
			}
			if s.Phase == Over {
				spent := time.Duration(0)
				for p := AtGate; p < Over; p++ {
					spent += s.Spent(p)
				}
				if whole := now - 10*ms - s.Started; spent != whole {
					t.Errorf("the phases add up to %v of %v", spent, whole)
				}
			}
		})
	}
}

func TestStepAtTheEndOfTime(t *testing.T) {
	p := Policy{}
	p.SetDefaults()
	p.Backoff = BackoffConfig{Constant: &Constant{Never}}
	var s State
	c := NewClient(ClientConfig{Layers: []Policy{p}})
	c.Step(time.Hour, &s, nil, &Input{Kind: Start})
	got := c.Step(time.Hour, &s, nil, &Input{Kind: Answered, Answer: Answer{End: Errored}})
	if got.At != Never {
		t.Errorf("a wait beyond the end of time is until %v, want Never", got.At)
	}
}

func TestDefaultPolicies(t *testing.T) {
	// The contract: base 200 ms, cap 20 s, first exponent 0, attempts unlimited, hint ignored.
	tests := []struct {
		name     string
		attempts Count
		first    [2]time.Duration // least and most of the first wait
		ninth    [2]time.Duration
	}{
		{"none", 1, [2]time.Duration{0, 0}, [2]time.Duration{0, 0}},
		{"naive", Unlimited, [2]time.Duration{200 * ms, 200 * ms}, [2]time.Duration{20 * time.Second, 20 * time.Second}},
		{"full-jitter", Unlimited, [2]time.Duration{0, 200*ms - 1}, [2]time.Duration{0, 20*time.Second - 1}},
		{"equal-jitter", Unlimited, [2]time.Duration{100 * ms, 200*ms - 1}, [2]time.Duration{10 * time.Second, 20*time.Second - 1}},
		{"decorrelated", Unlimited, [2]time.Duration{200 * ms, 600 * ms}, [2]time.Duration{200 * ms, 20 * time.Second}},
	}
	registry := Default()
	if len(registry) != len(tests) {
		t.Errorf("%d policies need no definition, want %d", len(registry), len(tests))
	}
	for _, test := range tests {
		p, known := registry[test.name]
		if !known {
			t.Errorf("there is no %s", test.name)
			continue
		}
		b := p.Backoff.New()
		span := func(n int, prev time.Duration) [2]time.Duration {
			return [2]time.Duration{b.Wait(Retry{N: n, Prev: prev, U: 0}), b.Wait(Retry{N: n, Prev: prev, U: 1 - 1.0/(1<<53)})}
		}
		if got := span(0, 0); got != test.first {
			t.Errorf("%s: the first wait is in %v, want %v", test.name, got, test.first)
		}
		if got := span(8, 20*time.Second); got != test.ninth {
			t.Errorf("%s: the ninth wait is in %v, want %v", test.name, got, test.ninth)
		}
		if p.Attempts != test.attempts || p.Hint.Mode != IgnoreHint || p.Triage.Table != StandardTriage {
			t.Errorf("%s: attempts %v, hint %v, triage %v", test.name, p.Attempts, p.Hint.Mode, p.Triage.Table)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	p := Default()["full-jitter"]
	c := NewClient(ClientConfig{Layers: []Policy{p}})
	full := Input{Kind: Answered, Answer: Answer{End: Rejected, Status: 429}, U: 0.5}
	b.ReportAllocs()
	var s State
	c.Step(0, &s, nil, &Input{Kind: Start})
	for b.Loop() {
		c.Step(0, &s, nil, &full)
		c.Step(0, &s, nil, &Input{Kind: WaitOver})
	}
}
