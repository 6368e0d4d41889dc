package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func shared(full policies.Count) func(*ProviderConfig) {
	return func(c *ProviderConfig) {
		c.Service.Pace = &PaceConfig{FullSpeedTo: full, Sharing: ProcessorSharing}
	}
}

func TestSharing(t *testing.T) {
	runServing(t, []servingCase{
		{
			"two equal jobs that overlap by half end after 1.5 and 2 times one",
			shared(1),
			[]call{{0, 1, job(100 * ms), "serve"}, {50 * ms, 2, job(100 * ms), "serve"}},
			[]string{"150ms finish 1: 1 tokens, 150ms", "200ms finish 2: 1 tokens, 150ms"},
		},
		{
			"up to full_speed_to nobody slows down",
			shared(2),
			[]call{{0, 1, job(100 * ms), "serve"}, {50 * ms, 2, job(100 * ms), "serve"}},
			[]string{"100ms finish 1: 1 tokens, 100ms", "150ms finish 2: 1 tokens, 100ms"},
		},
		{
			"three share one's speed: all end together after three times one, to the nanosecond",
			shared(1),
			[]call{{0, 1, job(100*ms + 1), "serve"}, {0, 2, job(100*ms + 1), "serve"}, {0, 3, job(100*ms + 1), "serve"}},
			[]string{"300.000003ms finish 1: 1 tokens, 300.000003ms", "300.000003ms finish 2: 1 tokens, 300.000003ms", "300.000003ms finish 3: 1 tokens, 300.000003ms"},
		},
		{
			"an end that falls between two nanoseconds comes with the later one",
			shared(2),
			[]call{{0, 1, job(1), "serve"}, {0, 2, job(3), "serve"}, {0, 3, job(5), "serve"}},
			[]string{"2ns finish 1: 1 tokens, 2ns", "4ns finish 2: 1 tokens, 4ns", "6ns finish 3: 1 tokens, 6ns"},
		},
		{
			"a stream's tokens slow down as well",
			shared(1),
			[]call{{0, 1, tokens(3), "serve"}, {150 * ms, 2, tokens(1), "serve"}},
			[]string{"100ms first token 1", "350ms first token 2", "350ms finish 2: 1 tokens, 200ms", "400ms finish 1: 3 tokens, 400ms"},
		},
		{
			"who leaves and is given up makes the others faster",
			func(c *ProviderConfig) { shared(1)(c); c.Abandoned.FreesSeatAfter = 0 },
			[]call{{0, 1, tokens(4), "serve"}, {0, 2, tokens(4), "serve"}, {500 * ms, 1, nil, ""}},
			[]string{"200ms first token 1", "200ms first token 2", "500ms stopped unheard 1: 2 tokens, 500ms", "650ms finish 2: 4 tokens, 650ms"},
		},
	})
}

// A million joinings and leavings do not let the clock drift: 1 of 7 that share one's
// speed is replaced every 7 ns of time.
func TestSharingDoesNotDrift(t *testing.T) {
	s := newSharing(&PaceConfig{FullSpeedTo: 1})
	now := time.Duration(0)
	for range 1_000_000 {
		now += 3
		s.to(now, 7)
		now += 4
		s.to(now, 7)
	}
	if off := time.Duration(1_000_000) - s.done.at; off > 1 || off == 1 && s.done.part < 1<<64-1<<32 {
		t.Errorf("the clock shows %d and %d parts, want 1,000,000", s.done.at, s.done.part)
	}
	if at := s.when(work{at: 1_000_000}, 7); at != now {
		t.Errorf("what is due now is due at %v, now being %v", at, now)
	}
	if at := s.when(work{at: 1_000_001}, 7); at != now+7 {
		t.Errorf("what is due in 7ns is due in %v", at-now)
	}
}
