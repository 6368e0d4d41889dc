package policies

import (
	"testing"
	"time"
)

// Which waits are the same for all who fail together.
func TestAlikeWaits(t *testing.T) {
	base := func(change func(*Policy)) Policy {
		var p Policy
		p.SetDefaults()
		change(&p)
		return p
	}
	told := Answer{End: Rejected, Status: 429, Hint: Hint{Kind: GivenHint, Wait: time.Minute}}
	plain := Answer{End: Errored, Status: 500}
	for _, row := range []struct {
		says   string
		policy Policy
		answer Answer
		tries  int // until the wait that is looked at
		u      float64
		want   Alike
	}{
		{"an exponential backoff on its way", base(func(*Policy) {}), plain, 1, 0, NotAlike},
		{"at its cap", base(func(*Policy) {}), plain, 8, 0, AlikeBackoff},
		{"with jitter at its cap", base(func(p *Policy) { p.Backoff.Jitter = FullJitter }), plain, 8, 0.5, NotAlike},
		{"with the jitter of an SDK", base(func(p *Policy) { p.Backoff.Jitter = "-25%" }), plain, 8, 0.5, NotAlike},
		{"with a most that cuts it", base(func(p *Policy) { p.Backoff.Jitter, p.Backoff.Most = "1s", 20*time.Second }), plain, 8, 0.5, AlikeBackoff},
		{"a constant", base(func(p *Policy) { p.Backoff = BackoffConfig{Constant: &Constant{time.Second}} }), plain, 1, 0, AlikeBackoff},
		{"a constant with jitter", base(func(p *Policy) { p.Backoff = BackoffConfig{Constant: &Constant{time.Second}, Jitter: "25%"} }), plain, 1, 0, NotAlike},
		{"the last step", base(func(p *Policy) { p.Backoff = BackoffConfig{Steps: &Steps{[]time.Duration{1, 2}}} }), plain, 3, 0, AlikeBackoff},
		{"decorrelated, clamped after the draw", base(func(p *Policy) { p.Backoff = decorrelated(ClampAfter) }), plain, 20, 0.9, AlikeBackoff},
		{"decorrelated, clamped before", base(func(p *Policy) { p.Backoff = decorrelated(ClampBefore) }), plain, 20, 0.9, NotAlike},
		{"no backoff is no cap", base(func(p *Policy) { p.Backoff = BackoffConfig{None: &NoBackoff{}} }), plain, 3, 0, NotAlike},
		{"a hint that is obeyed", base(func(p *Policy) { p.Hint.Mode = ObeyHint }), told, 1, 0, AlikeHint},
		{"a hint that lifts a wait", base(func(p *Policy) { p.Hint.Mode = FloorHint }), told, 8, 0, AlikeHint},
		{"a hint that is spread", base(func(p *Policy) { p.Hint.Mode, p.Hint.Spread = ObeyHint, spreadOf(t, "10%") }), told, 8, 0, NotAlike},
		{"a hint that is ignored", base(func(*Policy) {}), told, 1, 0, NotAlike},
	} {
		client := NewClient(ClientConfig{Layers: []Policy{row.policy}})
		var s State
		var last Action
		client.Step(0, &s, nil, &Input{Kind: Start})
		for range row.tries {
			last = client.Step(last.At, &s, nil, &Input{Kind: Answered, Answer: row.answer, U: row.u})
			client.Step(last.At, &s, nil, &Input{Kind: WaitOver})
		}
		if last.Alike != row.want {
			t.Errorf("%s: %d, want %d", row.says, last.Alike, row.want)
		}
	}
}

// A server's x-should-retry beats the triage of those who look at it.
func TestShouldRetry(t *testing.T) {
	for _, row := range []struct {
		says   string
		heed   HeedRetry
		status int16
		retry  ShouldRetry
		want   EndReason // NotEnded: it is tried again
	}{
		{"a 400 that may be tried again", ObeyRetry, 400, DoRetry, NotEnded},
		{"a 429 that may not", ObeyRetry, 429, NoRetry, Fatal},
		{"a 400 of which nothing is said", ObeyRetry, 400, NotSaid, Fatal},
		{"who ignores it, a 400", IgnoreRetry, 400, DoRetry, Fatal},
		{"who ignores it, a 429", IgnoreRetry, 429, NoRetry, NotEnded},
	} {
		var p Policy
		p.SetDefaults()
		p.Hint.ShouldRetry = row.heed
		client := NewClient(ClientConfig{Layers: []Policy{p}})
		var s State
		client.Step(0, &s, nil, &Input{Kind: Start})
		a := client.Step(0, &s, nil, &Input{Kind: Answered, Answer: Answer{End: Errored, Status: row.status, Hint: Hint{Retry: row.retry}}})
		if a.Why != row.want {
			t.Errorf("%s: %v, want %v", row.says, a.Why, row.want)
		}
	}
}
