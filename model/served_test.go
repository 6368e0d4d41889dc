package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// What a server books: each request is an operation of one attempt, and the sums hold.
func TestServedTally(t *testing.T) {
	c := &Config{}
	c.SetDefaults()
	c.Stop.After = time.Second
	c.Clients = []Group{{Name: "herd"}}
	tally := NewServedTally(c)
	a, b := tally.Visitor("a"), tally.Visitor("b")
	making := Making{Output: 13}
	tally.Came(0, a, false)
	tally.Level(0, 1, 0)
	tally.Generated(a, making, true)
	tally.Went(time.Second, a, 0, policies.Answer{End: policies.Succeeded, Status: 200, Tokens: 13}, 0, 100*time.Millisecond, making)
	for at, end := range []policies.AttemptEnd{policies.Rejected, policies.Errored, policies.Incomplete, policies.Cancelled} {
		now := 2*time.Second + time.Duration(at)
		tally.Came(now, b, end == policies.Rejected)
		tally.Went(now, b, now, policies.Answer{End: end, Status: 429}, Seats, 0, Making{})
	}
	tally.Came(3*time.Second, b, false)
	tally.Level(48*time.Hour, 2, 3)
	s := Summarise(tally.SoFar(48*time.Hour, time.Minute, true))
	o, n := s.Operations, s.Attempts
	if o.Total != 6 || o.Succeeded != 1 || o.Failed != 3 || o.Cancelled != 1 || o.InFlight != 1 || o.Failures.Incomplete != 1 || o.Failures.AttemptsExhausted != 2 {
		t.Errorf("operations %+v", o)
	}
	if n.Total != 6 || n.Succeeded != 1 || n.Rejected != 1 || n.RejectedBy.Seats != 1 || n.Errored != 1 || n.Incomplete != 1 || n.Cancelled != 1 || n.InFlight != 1 {
		t.Errorf("attempts %+v", n)
	}
	if s.Tokens.Billed != 13 || s.Tokens.Useful != 13 || s.Provider.AnswersGenerated != 1 || s.Groups["a"].Answers != 1 || s.Groups["b"].Answers != 0 {
		t.Errorf("tokens %+v, provider %+v", s.Tokens, s.Provider)
	}
	if _, there := s.Groups["herd"]; there || len(s.Groups) != 2 || len(s.Warnings) != 0 {
		t.Errorf("groups %v, warnings %v", s.Groups, s.Warnings)
	}
	if s.Latency.P50 != 1 || s.FirstToken.P50 != 0.1 || s.Provider.MaxQueue != 3 {
		t.Errorf("latency %v, first token %v, queue %d", s.Latency, s.FirstToken, s.Provider.MaxQueue)
	}
	if slots := tally.inFlight.Len() + tally.sent.Len(); slots > 50 {
		t.Errorf("%d slots are kept of two days, want those up to stop.after", slots)
	}
	if light := Summarise(tally.SoFar(48*time.Hour, 0, false)); light.Attempts.Total != 6 || light.Latency.P50.Defined() {
		t.Errorf("without times: %+v", light.Latency)
	}
	tally.Went(time.Hour, b, 3*time.Second, policies.Answer{End: policies.Succeeded}, 0, time.Hour, Making{})
	if s.Operations.InFlight != 1 {
		t.Error("a copy changes with what it was copied from")
	}
}

// A stranger's prompt is charged as the limit says, by the characters of the body.
func TestStrangersAreCharged(t *testing.T) {
	var g Group
	g.SetDefaults()
	g.Request.Cached = Whole / 2
	var p ProviderConfig
	p.SetDefaults()
	d := NewDraws(&g, &p)
	var prompt Prompt
	for _, chars := range []int64{59, 16, 673, 233} {
		prompt.Message(chars)
	}
	q := d.Stranger(OperationKey(ClientKey(1, "x", 0), 0), 0, 0, prompt)
	q.MaxTokens = 100
	for _, row := range []struct {
		says   string
		charge ChargeConfig
		want   int64
	}{
		{"a quarter of 981 characters", ChargeConfig{Input: InputChars4, Output: OutputNone}, 245},
		{"Azure's, message by message: 14+1 + 4+1 + 168+1 + 58+1", ChargeConfig{Input: InputAzure, Output: OutputNone}, 248},
		{"the actual ones are not known: a token begun counts", ChargeConfig{Input: InputActual, Output: OutputNone}, 246},
		{"half of them cached", ChargeConfig{Input: InputUncached, Output: OutputNone}, 123},
		{"and max_tokens", ChargeConfig{Input: InputChars4, Output: OutputMaxTokens}, 345},
		{"or the greater of the two", ChargeConfig{Input: InputChars4, Output: OutputMaxTokens, Combine: CombineMax}, 245},
	} {
		c := LimitConfig{Axis: LimitTokens, Limit: 1000, Per: time.Minute, Charge: row.charge}
		h := c.charge()
		if got := h.of(&q.Ask); got != row.want {
			t.Errorf("%s: %d, want %d", row.says, got, row.want)
		}
	}
}

// A server bounds what it remembers of keys: the oldest answers are forgotten first.
func TestKeepAtMost(t *testing.T) {
	var c ProviderConfig
	c.SetDefaults()
	c.Idempotency.Mode = IdempotencyReplay
	p := NewProvider(c)
	p.KeepAtMost(2)
	at := time.Duration(0)
	ask := func(key uint64) Verdict {
		at += time.Second
		d := p.Offer(at, 1, &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, Idempotency: key})
		p.Poll(at, nil)
		return d.Verdict
	}
	for key := uint64(1); key <= 3; key++ {
		ask(key)
	}
	if two, three, one := ask(2), ask(3), ask(1); two != Replay || three != Replay || one != Serve {
		t.Errorf("of three answers the last two are %v and %v, the first %v; want replay, replay, serve", two, three, one)
	}
}
