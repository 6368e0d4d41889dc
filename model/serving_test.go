package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// job is a request of so much work, all of it before the first token.
func job(takes time.Duration) *Request {
	return &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: takes}
}

// tokens is a stream of so many tokens, each of 100 ms.
func tokens(n int64) *Request {
	return &Request{Ask: Ask{Output: n, MaxTokens: policies.Unlimited}, FirstToken: 100 * ms, PerToken: 100 * ms, Stream: true}
}

func with(q *Request, change func(*Request)) *Request {
	other := *q
	change(&other)
	return &other
}

func ranking(q *Request, priority uint8) *Request {
	return with(q, func(q *Request) { q.Priority = priority })
}

func keyed64(q *Request, key uint64) *Request {
	return with(q, func(q *Request) { q.Idempotency = key })
}

// call is an Offer, or where there is no request a Leave.
type call struct {
	at   time.Duration
	id   policies.Ticket
	q    *Request
	want string // of an Offer
}

// decision writes a decision as a person would: "reject by queue, in 300ms".
func decision(d *Decision) string {
	out := [...]string{"serve", "wait", "reject", "fail", "hang", "replay", "join", "later"}[d.Verdict]
	switch d.Verdict {
	case Reject:
		out += " by " + d.Axis.String()
		if d.Wait > 0 {
			out += fmt.Sprintf(", in %v", d.Wait)
		}
	case Fail:
		out += fmt.Sprintf(" %d", d.Status)
	case Replay:
		out += fmt.Sprintf(" %d of answer %d", d.Tokens, d.Answer)
	}
	return out
}

// tell writes an effect: "1.5s finish 2: 13 tokens, 1.5s".
func tell(p *Provider, e *Effect) string {
	out := told([]Effect{*e})[0]
	if e.Copy {
		out += " too"
	}
	switch {
	case e.Kind == Decided || e.Kind == Dropped:
		out += ": " + decision(p.Decision(e))
	case e.Kind.Last():
		out += fmt.Sprintf(": %d tokens, %v", e.Tokens, e.Busy)
	case e.Kind == Stalled:
		out += fmt.Sprintf(": %d tokens", e.Tokens)
	}
	return out
}

// perform makes the calls. Asked at every wake, as the engine asks, the provider tells of
// everything at its instant.
func perform(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Provider, calls []call,
) (verdicts, log []string) {
	t.Helper()
	var buf []Effect
	wake, busy := policies.Never, time.Duration(0)
	poll := func(now time.Duration) {
		buf, wake = p.Poll(now, buf[:0])
		if wake <= now {
			t.Fatalf("asked at %v, it wants to be asked again at %v", now, wake)
		}
		for i := range buf {
			if buf[i].At != now {
				t.Fatalf("asked at %v, it tells of %v", now, tell(p, &buf[i]))
			}
			log = append(log, tell(p, &buf[i]))
			busy += buf[i].Busy
		}
	}
	for _, c := range calls {
		for wake <= c.at {
			poll(wake)
		}
		if c.q == nil {
			p.Leave(c.at, c.id)
		} else {
			d := p.Offer(c.at, c.id, c.q)
			verdicts = append(verdicts, decision(&d))
		}
		poll(c.at)
	}
	now := time.Duration(0)
	for wake != policies.Never {
		now = wake
		poll(now)
	}
	unfinished := time.Duration(0)
	for i := range p.answers {
		if a := &p.answers[i]; a.state == serving || a.state == stalled {
			unfinished += now - a.seated
		}
	}
	if now > 0 && busy+unfinished != p.Busy(now) {
		t.Fatalf("the ends had seats for %v and the unfinished for %v, but seats were busy for %v", busy, unfinished, p.Busy(now))
	}
	return verdicts, log
}

// lately is perform where nobody asks until all is over.
func lately(p *Provider, calls []call) (verdicts, log []string) {
	for _, c := range calls {
		if c.q == nil {
			p.Leave(c.at, c.id)
			continue
		}
		d := p.Offer(c.at, c.id, c.q)
		verdicts = append(verdicts, decision(&d))
	}
	effects, wake := p.Poll(1000*time.Hour, nil)
	for i := range effects {
		log = append(log, tell(p, &effects[i]))
	}
	if wake != policies.Never {
		log = append(log, fmt.Sprintf("something at %v", wake))
	}
	return verdicts, log
}

// serving is a case: what is called, and what comes of it.
type servingCase struct {
	says   string
	config func(*ProviderConfig)
	calls  []call
	want   []string
}

func runServing(t *testing.T, cases []servingCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.says, func(t *testing.T) {
			p := providerOf(c.config)
			for _, again := range []bool{false, true} {
				p.Reset()
				verdicts, log := perform(t, p, c.calls)
				i := 0
				for _, call := range c.calls {
					if call.q == nil {
						continue
					}
					if verdicts[i] != call.want {
						t.Fatalf("%d at %v: %s, want %s", call.id, call.at, verdicts[i], call.want)
					}
					i++
				}
				if !slices.Equal(log, c.want) {
					t.Fatalf("again %t: it told\n%q, want\n%q", again, log, c.want)
				}
			}
			_, late := lately(providerOf(c.config), c.calls)
			if !slices.Equal(late, c.want) {
				t.Fatalf("asked late, it told\n%q, want\n%q", late, c.want)
			}
		})
	}
}
