package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/policies"
)

const ms = time.Millisecond

func value[T ~int64](v T) Dist[T] { return Dist[T]{Constant: &v} }

func providerOf(change func(*ProviderConfig)) *Provider {
	c := ProviderConfig{}
	c.SetDefaults()
	c.Hint.RetryAfter.Exact = true // so that waits are reckoned
	change(&c)
	return NewProvider(c)
}

// told writes effects as a person would: "100ms finish 3".
func told(effects []Effect) []string {
	var out []string
	for _, e := range effects {
		name := [...]string{
			Decided: "decided", Served: "served", FirstToken: "first token", NextToken: "next token", Stalled: "stalled",
			Finish: "finish", Cut: "cut", StreamError: "error", Stopped: "stopped", Dropped: "dropped",
		}[e.Kind]
		if e.Gone {
			name += " unheard"
		}
		out = append(out, fmt.Sprintf("%v %s %d", e.At, name, e.Ticket))
	}
	return out
}

func TestProvider(t *testing.T) {
	answer := &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: 100 * ms}
	stream := &Request{Ask: Ask{Output: 5, MaxTokens: policies.Unlimited}, Stream: true, FirstToken: 100 * ms, PerToken: 50 * ms}
	long := &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: time.Second}
	type call struct {
		at    time.Duration
		offer *Request // nil: Poll
		id    policies.Ticket
		want  Verdict
		axis  Axis
		due   []string
		wake  time.Duration
	}
	tests := []struct {
		says   string
		config func(*ProviderConfig)
		calls  []call
	}{
		{
			"two seats: the third is refused for want of one, and may come when one is free",
			func(c *ProviderConfig) { c.Seats = 2 },
			[]call{
				{at: 0, offer: answer, id: 1, want: Serve},
				{at: 10 * ms, offer: answer, id: 2, want: Serve},
				{at: 20 * ms, offer: answer, id: 3, want: Reject, axis: Seats},
				{at: 20 * ms, wake: 100 * ms},
				{at: 100 * ms, due: []string{"100ms finish 1"}, wake: 110 * ms},
				{at: 100 * ms, offer: answer, id: 3, want: Serve},
				{at: 110 * ms, due: []string{"110ms finish 2"}, wake: 200 * ms},
				{at: 200 * ms, due: []string{"200ms finish 3"}, wake: policies.Never},
			},
		},
		{
			"a seat that frees at the very instant of an arrival is free for it, though nobody polled",
			func(c *ProviderConfig) { c.Seats = 1 },
			[]call{
				{at: 0, offer: answer, id: 1, want: Serve},
				{at: 100 * ms, offer: answer, id: 2, want: Serve},
				{at: 100 * ms, due: []string{"100ms finish 1"}, wake: 200 * ms},
			},
		},
		{
			"a queue of one: first in, first out, and the next is refused by the queue",
			func(c *ProviderConfig) { c.Seats, c.Queue.Places = 1, 1 },
			[]call{
				{at: 0, offer: answer, id: 1, want: Serve},
				{at: 10 * ms, offer: answer, id: 2, want: Wait},
				{at: 20 * ms, offer: answer, id: 3, want: Reject, axis: Queue},
				{at: 100 * ms, due: []string{"100ms finish 1", "100ms served 2"}, wake: 200 * ms},
				{at: 110 * ms, offer: answer, id: 3, want: Wait},
				{at: 300 * ms, due: []string{"200ms finish 2", "200ms served 3", "300ms finish 3"}, wake: policies.Never},
			},
		},
		{
			"a late Poll keeps the true instants, and who waited was served in its turn",
			func(c *ProviderConfig) { c.Seats, c.Queue.Places = 1, 5 },
			[]call{
				{at: 0, offer: answer, id: 1, want: Serve},
				{at: 0, offer: answer, id: 2, want: Wait},
				{at: 0, offer: answer, id: 3, want: Wait},
				{at: 250 * ms, offer: answer, id: 4, want: Wait},
				{at: 260 * ms, due: []string{"100ms finish 1", "100ms served 2", "200ms finish 2", "200ms served 3"}, wake: 300 * ms},
			},
		},
		{
			"a stream has a first token and a last, 4 tokens later",
			func(*ProviderConfig) {},
			[]call{
				{at: 0, offer: stream, id: 7, want: Serve},
				{at: 0, wake: 100 * ms},
				{at: 100 * ms, due: []string{"100ms first token 7"}, wake: 300 * ms},
				{at: 300 * ms, due: []string{"300ms finish 7"}, wake: policies.Never},
			},
		},
		{
			"who writes tokens to a socket hears of each",
			func(*ProviderConfig) {},
			[]call{
				{at: 0, offer: &Request{Ask: Ask{Output: 4, MaxTokens: policies.Unlimited}, Stream: true, EachToken: true, FirstToken: 100 * ms, PerToken: 50 * ms}, id: 7, want: Serve},
				{at: 200 * ms, due: []string{"100ms first token 7", "150ms next token 7", "200ms next token 7"}, wake: 250 * ms},
				{at: 250 * ms, due: []string{"250ms finish 7"}, wake: policies.Never},
			},
		},
		{
			"unequal answers end in the order of their ends, equal ones in the order they began",
			func(*ProviderConfig) {},
			[]call{
				{at: 0, offer: long, id: 5, want: Serve},
				{at: 900 * ms, offer: answer, id: 4, want: Serve},
				{at: 900 * ms, offer: answer, id: 3, want: Serve},
				{at: time.Second, due: []string{"1s finish 5", "1s finish 4", "1s finish 3"}, wake: policies.Never},
			},
		},
		{
			"a fault answers the first two attempts of an operation, whatever the seats",
			func(c *ProviderConfig) { c.Faults = []Fault{{First: 2, Status: 500}} },
			[]call{
				{at: 0, offer: &Request{Attempt: 0}, id: 1, want: Fail},
				{at: 0, offer: &Request{Attempt: 1}, id: 1, want: Fail},
				{at: 0, offer: &Request{Attempt: 2}, id: 1, want: Serve},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			p := providerOf(test.config)
			for i, c := range test.calls {
				if c.offer != nil {
					d := p.Offer(c.at, c.id, c.offer)
					if d.Verdict != c.want || d.Verdict == Reject && d.Axis != c.axis {
						t.Fatalf("call %d: verdict %d by %v, want %d by %v", i, d.Verdict, d.Axis, c.want, c.axis)
					}
					continue
				}
				effects, wake := p.Poll(c.at, nil)
				if got := told(effects); !slices.Equal(got, c.due) || wake != c.wake {
					t.Fatalf("call %d: due %v, next at %v; want %v, %v", i, got, wake, c.due, c.wake)
				}
			}
		})
	}
}

func TestProviderMakesTheAnswerOfAClientThatLeft(t *testing.T) {
	p := providerOf(func(c *ProviderConfig) { c.Seats, c.Queue.Places = 1, 1 })
	q := &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: 100 * ms}
	p.Offer(0, 1, q)
	p.Offer(0, 2, q)
	p.Leave(10*ms, 1)
	p.Leave(10*ms, 2)
	if d := p.Offer(50*ms, 3, q); d.Verdict != Reject {
		t.Errorf("the seat and the queue are still taken, but verdict is %d", d.Verdict)
	}
	effects, _ := p.Poll(time.Second, nil)
	want := []string{"100ms finish unheard 1", "100ms served unheard 2", "200ms finish unheard 2"}
	if got := told(effects); !slices.Equal(got, want) {
		t.Errorf("due %v, want %v", got, want)
	}
	if got := p.Busy(time.Second); got != 200*ms {
		t.Errorf("the seat was busy for %v, want 200ms", got)
	}
}

func TestAnswerLength(t *testing.T) {
	tests := []struct {
		says       string
		tokens     int64
		most       policies.Count
		first, per time.Duration
		want       time.Duration
		generated  int64
	}{
		{"13 tokens take the first and 12 more", 13, policies.Unlimited, 64 * ms, 60600 * time.Microsecond, 791200 * time.Microsecond, 13},
		{"max_tokens cuts the answer", 13, 5, 10 * ms, 10 * ms, 50 * ms, 5},
		{"an answer of 0 tokens takes as long as its first would", 0, policies.Unlimited, 10 * ms, 10 * ms, 10 * ms, 0},
		{"a token that takes no time", 1000, policies.Unlimited, 10 * ms, 0, 10 * ms, 1000},
		{"what would take longer than a century takes a century", 1 << 62, policies.Unlimited, 0, time.Hour, 876_000 * time.Hour, 1 << 62},
	}
	for _, test := range tests {
		p := providerOf(func(*ProviderConfig) {})
		p.Offer(0, 0, &Request{Ask: Ask{Output: test.tokens, MaxTokens: test.most}, FirstToken: test.first, PerToken: test.per})
		effects, _ := p.Poll(test.want, nil)
		if len(effects) != 1 || effects[0].At != test.want || effects[0].Tokens != test.generated {
			t.Errorf("%s: %+v, want the end at %v with %d tokens", test.says, effects, test.want, test.generated)
		}
	}
}

func TestSpokenHint(t *testing.T) {
	tests := []struct {
		says    string
		wait    time.Duration
		formats []HintFormat
		want    policies.Hint
	}{
		{"whole seconds are said as they are", time.Second, []HintFormat{SecondsFormat}, policies.Hint{Kind: policies.GivenHint, Wait: time.Second}},
		{"a header of seconds rounds up", 1001 * ms, []HintFormat{SecondsFormat}, policies.Hint{Kind: policies.GivenHint, Wait: 2 * time.Second}},
		{"one of milliseconds is finer", 1001 * ms, []HintFormat{SecondsFormat, MillisFormat}, policies.Hint{Kind: policies.GivenHint, Wait: 1001 * ms}},
		{"no header, no hint", time.Second, nil, policies.Hint{}},
	}
	for _, test := range tests {
		h := HintConfig{RetryAfter: RetryAfter{Given: true, Wait: test.wait}, Scale: Whole, Format: test.formats}
		v := h.voice()
		if got := v.say(0, 0); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.says, got, test.want)
		}
	}
}

// The provider against a plain model: seats, a first-in first-out queue, and every
// answer's end computed by hand from when its predecessors end.
func TestProviderAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := rapid.IntRange(1, 4).Draw(t, "seats")
		places := rapid.IntRange(0, 4).Draw(t, "places")
		p := providerOf(func(c *ProviderConfig) {
			c.Seats, c.Queue.Places = policies.Count(seats), policies.Count(places)
		})
		free := make([]time.Duration, seats) // when each seat is free again
		type stay struct{ starts, ends time.Duration }
		var stays []stay
		now := time.Duration(0)
		var got []Effect
		ends := map[policies.Ticket]time.Duration{}
		for id := range policies.Ticket(rapid.IntRange(1, 60).Draw(t, "requests")) {
			now += time.Duration(rapid.Int64Range(0, 50).Draw(t, "gap")) * ms
			takes := time.Duration(rapid.Int64Range(0, 100).Draw(t, "takes")) * ms
			inside := 0
			for _, s := range stays {
				if s.ends > now {
					inside++
				}
			}
			d := p.Offer(now, id, &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: takes})
			want := Serve
			switch {
			case inside >= seats+places:
				want = Reject
			case inside >= seats:
				want = Wait
			}
			if d.Verdict != want {
				t.Fatalf("request %d at %v with %d inside: verdict %d, want %d", id, now, inside, d.Verdict, want)
			}
			if want != Reject {
				first := 0
				for i := range free {
					if free[i] < free[first] {
						first = i
					}
				}
				s := stay{starts: max(now, free[first])}
				s.ends = s.starts + takes
				free[first] = s.ends
				stays = append(stays, s)
				ends[id] = s.ends
			}
			if rapid.Bool().Draw(t, "poll") {
				got, _ = p.Poll(now, got)
			}
		}
		var wake time.Duration
		for wake != policies.Never {
			now = max(now, wake)
			got, wake = p.Poll(now, got)
		}
		last := time.Duration(0)
		for _, e := range got {
			if e.At < last {
				t.Fatalf("effects go back in time: %v after %v", e.At, last)
			}
			last = e.At
			if e.Kind != Finish {
				continue
			}
			if ends[e.Ticket] != e.At {
				t.Fatalf("request %d ends at %v, want %v", e.Ticket, e.At, ends[e.Ticket])
			}
			delete(ends, e.Ticket)
		}
		if len(ends) > 0 || p.Serving() != 0 || p.Queued() != 0 {
			t.Fatalf("%d never ended; %d served and %d queued at the end", len(ends), p.Serving(), p.Queued())
		}
		busy := time.Duration(0)
		for _, s := range stays {
			busy += s.ends - s.starts
		}
		if p.Busy(now) != busy {
			t.Fatalf("busy for %v, want %v", p.Busy(now), busy)
		}
	})
}

func BenchmarkProvider(b *testing.B) {
	p := providerOf(func(c *ProviderConfig) { c.Seats = 300 })
	q := &Request{Ask: Ask{Output: 1, MaxTokens: policies.Unlimited}, FirstToken: 60 * ms}
	var buf []Effect
	now, id := time.Duration(0), policies.Ticket(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100 * time.Microsecond
		id = (id + 1) % 10_000
		p.Offer(now, id, q)
		buf, _ = p.Poll(now, buf[:0])
	}
}
