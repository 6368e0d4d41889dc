package model

import (
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func weather(list ...Weather) func(*ProviderConfig) {
	return func(c *ProviderConfig) { c.Seats, c.Queue.Places, c.Weather = 2, 10, list }
}

func TestWeather(t *testing.T) {
	half, none := Whole/2, Share(0)
	runServing(t, []servingCase{
		{
			"an outage answers all who come in [at, at+for); what is served or queued goes on",
			weather(Weather{At: 50 * ms, For: 100 * ms, Outage: 503}),
			[]call{
				{0, 1, job(100 * ms), "serve"},
				{0, 2, job(100 * ms), "serve"},
				{0, 3, job(100 * ms), "wait"},
				{50*ms - 1, 4, job(0), "wait"},
				{50 * ms, 5, job(0), "fail 503"},
				{150*ms - 1, 5, job(0), "fail 503"},
				{150 * ms, 5, job(0), "serve"},
			},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "100ms served 3", "100ms finish 2: 1 tokens, 100ms", "100ms served 4", "100ms finish 4: 1 tokens, 0s",
				"150ms finish 5: 1 tokens, 0s", "200ms finish 3: 1 tokens, 100ms",
			},
		},
		{
			"of half the seats nobody is put off; who waits is served when there are more",
			weather(Weather{At: 50 * ms, For: 100 * ms, Seats: &half}),
			[]call{{0, 1, job(100 * ms), "serve"}, {0, 2, job(120 * ms), "serve"}, {60 * ms, 3, job(100 * ms), "wait"}, {60 * ms, 4, job(100 * ms), "wait"}},
			[]string{
				"100ms finish 1: 1 tokens, 100ms", "120ms finish 2: 1 tokens, 120ms", "120ms served 3", "150ms served 4",
				"220ms finish 3: 1 tokens, 100ms", "250ms finish 4: 1 tokens, 100ms",
			},
		},
		{
			"no seats at all",
			weather(Weather{At: 0, For: 100 * ms, Seats: &none}),
			[]call{{0, 1, job(10 * ms), "wait"}},
			[]string{"100ms served 1", "110ms finish 1: 1 tokens, 10ms"},
		},
		{
			"at half the pace, work takes twice as long as far as it falls into the period",
			weather(Weather{At: 50 * ms, For: 100 * ms, Pace: &half}),
			[]call{{0, 1, job(80 * ms), "serve"}, {0, 2, job(200 * ms), "serve"}},
			[]string{"110ms finish 1: 1 tokens, 110ms", "250ms finish 2: 1 tokens, 250ms"},
		},
		{
			"a freeze shifts ends; who came or left in it is heard at the thaw, in order, and then what frees comes first",
			weather(Weather{At: 50 * ms, For: 100 * ms, Freeze: true}),
			[]call{
				{0, 1, job(50 * ms), "serve"},
				{0, 2, job(60 * ms), "serve"},
				{50 * ms, 3, job(10 * ms), "later"},
				{60 * ms, 4, job(10 * ms), "later"},
				{70 * ms, 4, nil, ""},
				{150 * ms, 5, job(10 * ms), "wait"},
			},
			[]string{
				"150ms finish 1: 1 tokens, 150ms", "150ms decided 3: serve", "150ms decided 4: wait",
				"160ms finish 2: 1 tokens, 160ms", "160ms served unheard 4", "160ms finish 3: 1 tokens, 10ms", "160ms served 5",
				"170ms finish unheard 4: 1 tokens, 10ms", "170ms finish 5: 1 tokens, 10ms",
			},
		},
		{
			"a wait limit that passes in a freeze is over at the thaw, unless a seat frees there",
			func(c *ProviderConfig) {
				weather(Weather{At: 50 * ms, For: 100 * ms, Freeze: true})(c)
				c.Seats, c.Queue.WaitLimit = 1, WaitLimit(80*ms)
			},
			[]call{{0, 1, job(50 * ms), "serve"}, {10 * ms, 2, job(10 * ms), "wait"}, {20 * ms, 3, job(10 * ms), "wait"}},
			[]string{"150ms finish 1: 1 tokens, 150ms", "150ms served 2", "150ms dropped 3: reject by queue", "160ms finish 2: 1 tokens, 10ms"},
		},
		{
			"two freezes that touch are one",
			weather(Weather{At: 50 * ms, For: 50 * ms, Freeze: true}, Weather{At: 100 * ms, For: 50 * ms, Freeze: true}),
			[]call{{0, 1, job(60 * ms), "serve"}, {100 * ms, 2, job(0), "later"}},
			[]string{"150ms decided 2: serve", "150ms finish 2: 1 tokens, 0s", "160ms finish 1: 1 tokens, 160ms"},
		},
		{
			"shares of periods that overlap multiply",
			weather(Weather{At: 0, For: 100 * ms, Pace: &half}, Weather{At: 0, For: 100 * ms, Pace: &half}),
			[]call{{0, 1, job(30 * ms), "serve"}},
			[]string{"105ms finish 1: 1 tokens, 105ms"},
		},
	})
}

// A ramp from 100% to 96% over 400 ms comes in 4 steps, each in the middle of the time
// in which a straight line goes as far, and goes the same way.
func TestRamp(t *testing.T) {
	share := Whole * 96 / 100
	w := Weather{At: time.Second, For: 2 * time.Second, Pace: &share, Ramp: 400 * ms}
	tests := []struct {
		at   time.Duration
		want Share
	}{
		{1000 * ms, Whole},
		{1050*ms - 1, Whole},
		{1050 * ms, Whole * 99 / 100},
		{1150 * ms, Whole * 98 / 100},
		{1250 * ms, Whole * 97 / 100},
		{1350*ms - 1, Whole * 97 / 100},
		{1350 * ms, share},
		{2650*ms - 1, share},
		{2650 * ms, Whole * 97 / 100},
		{2950*ms - 1, Whole * 99 / 100},
		{2950 * ms, Whole},
	}
	for _, test := range tests {
		if got := w.shareAt(test.at); got != test.want {
			t.Errorf("at %v: %v, want %v", test.at, got, test.want)
		}
	}
	if n := len(edgesOf([]Weather{w})); n != 10 {
		t.Errorf("%d edges, want 10", n)
	}
	// The work lost is that of the straight lines: 4% of 1.6s + 0.2s + 0.2s - ... = 4% of (2s - 400ms).
	p := providerOf(func(c *ProviderConfig) { c.Weather = []Weather{w} })
	p.Offer(0, 1, job(10*time.Second))
	effects, _ := p.Poll(time.Minute, nil)
	if want := 10*time.Second + 64*ms; effects[0].At != want {
		t.Errorf("10s of work end at %v, want %v", effects[0].At, want)
	}
}

// In a period of half the limits a bucket refills at half its rate and holds half of it;
// what was used stays used.
func TestWeatherOfLimits(t *testing.T) {
	half := Whole / 2
	for _, algorithm := range []Algorithm{BucketAlgorithm, SlidingLogAlgorithm, FixedWindowAlgorithm} {
		p := providerOf(func(c *ProviderConfig) {
			c.Limits = []LimitConfig{{Axis: LimitRequests, Limit: 10, Per: time.Second, Algorithm: algorithm}}
			c.Weather = []Weather{{At: 100 * ms, For: 1900 * ms, Limits: &half}}
		})
		admitted := func(at time.Duration, n int) (count int) {
			for range n {
				if p.Offer(at, 1, job(0)).Verdict == Serve {
					count++
				}
				p.Poll(at, nil)
			}
			return count
		}
		got := []int{admitted(0, 4), admitted(100*ms, 20), admitted(1200*ms, 20), admitted(2200*ms, 20)}
		want := map[Algorithm][]int{
			BucketAlgorithm:      {4, 2, 5, 10}, // 3 of 5 used at 100ms; 5.5 refilled; 4 and 2 refilled
			SlidingLogAlgorithm:  {4, 1, 5, 10},
			FixedWindowAlgorithm: {4, 1, 5, 10},
		}[algorithm]
		if !slices.Equal(got, want) {
			t.Errorf("%s: admitted %v, want %v", algorithm, got, want)
		}
		p.Reset()
		if n := admitted(0, 20); n != 10 {
			t.Errorf("%s: after a reset %d are admitted, want 10", algorithm, n)
		}
	}
}

// Concurrency, two windows and a request larger than the limit of the weather, which is
// refused for now.
func TestScaledLimits(t *testing.T) {
	l := NewLimits([]LimitConfig{
		{Axis: LimitTokens, Limit: 100, Per: time.Second, Charge: ChargeConfig{Output: OutputNone}},
		{Axis: LimitConcurrency, Limit: 3},
		{Axis: LimitRequests, Limit: 100, Per: time.Second, Algorithm: TwoWindowAlgorithm},
	}, nil)
	l.Scale(0, Whole/2)
	r := l.Ask(0, &Ask{Input: 60})
	if r.Kind.String() != "temporary" || r.Wait != 0 || r.Axis != Tokens {
		t.Errorf("60 tokens of a limit of 50: %+v, want a refusal for now, of unknown wait", r)
	}
	if r := l.Ask(0, &Ask{Input: 101}); r.Kind.String() != "impossible" {
		t.Errorf("101 tokens of a limit of 100: %+v, want impossible", r)
	}
	l.Admit(0, 1, &Ask{Input: 10})
	if r := l.Ask(0, &Ask{Input: 10}); r.Axis != Concurrency {
		t.Errorf("a second request where one may be there: %+v", r)
	}
	if room := l.Room(0, 0, &Ask{}); room.Limit != 50 || room.Remaining != 40 {
		t.Errorf("room %+v, want 40 of 50", room)
	}
	l.Scale(0, 0)
	if r := l.Ask(0, &Ask{Input: 0}); r.Kind.String() != "temporary" {
		t.Errorf("where limits are 0: %+v", r)
	}
	l.Scale(0, Whole)
	if r := l.Ask(0, &Ask{Input: 60}); r.Kind.String() != "" {
		t.Errorf("in fair weather: %+v", r)
	}
}

// A tenth of 5 is no rate at all; a tenth of the burst still is one.
func TestABucketWithoutARate(t *testing.T) {
	for _, charged := range []bool{false, true} {
		limit := LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Second, Burst: 20}
		if charged {
			limit.Rejected = RejectedCharged
		}
		l := NewLimits([]LimitConfig{limit}, nil)
		l.Scale(0, Whole/10)
		for id := range policies.Ticket(2) {
			if r := l.Ask(0, &Ask{}); r.Kind.String() != "" {
				t.Fatalf("request %d of a burst of 2: %+v", id, r)
			}
			l.Admit(0, id, &Ask{})
		}
		if r := l.Ask(0, &Ask{}); r.Kind.String() != "temporary" || r.Wait != 0 {
			t.Errorf("the third: %+v, want a refusal for now, of unknown wait", r)
		}
		if room := l.Room(0, 0, &Ask{}); room.Reset != 0 {
			t.Errorf("it is empty again in %v, want 0: nobody knows", room.Reset)
		}
		l.Scale(time.Second, Whole)
		if r := l.Ask(time.Second, &Ask{}); r.Kind.String() != "" {
			t.Errorf("in fair weather: %+v", r)
		}
	}
}

func TestPeriods(t *testing.T) {
	share := Whole / 5
	c := ProviderConfig{Weather: []Weather{{At: 10 * time.Second, For: time.Second, Freeze: true}, {At: 2 * time.Second, For: time.Second, Outage: 503}, {At: 2 * time.Second, For: 5 * time.Second, Seats: &share}}}
	var got []string
	for _, w := range c.Periods() {
		got = append(got, w.String()+" until "+w.Until().String())
	}
	want := []string{"outage 503 until 3s", "seats 20% until 7s", "freeze until 11s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
