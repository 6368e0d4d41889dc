package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// offer asks, and admits or refuses.
func offer(l *Limits, now time.Duration, id policies.Ticket, q *Ask) Rejection {
	r := l.Ask(now, q)
	if r.Kind == policies.NotRefused {
		l.Admit(now, id, q)
	} else {
		l.Refuse(now, q)
	}
	return r
}

// admitted offers the same request so many times at one instant.
func admitted(l *Limits, now time.Duration, times int, q *Ask) (n int) {
	for range times {
		if offer(l, now, 0, q).Kind == policies.NotRefused {
			n++
		}
	}
	return n
}

// RL-D1: 8,503 tokens each of a million a minute are 117.6 a minute, whatever the
// limit of requests.
func TestTokensBindBeforeRequests(t *testing.T) {
	l := NewLimits([]LimitConfig{
		{Axis: LimitRequests, Limit: 5000, Per: time.Minute, Rejected: RejectedCharged},
		{Axis: LimitTokens, Limit: 1_000_000, Per: time.Minute},
	}, nil)
	q := input(8503)
	now, refused := time.Duration(0), 0
	var last time.Duration
	for done := 0; done < 742; {
		r := offer(l, now, 0, q)
		if r.Kind == policies.NotRefused {
			last = now
			done++
			continue
		}
		if r.Axis != Tokens {
			t.Fatalf("refused by %v at %v, want tokens", r.Axis, now)
		}
		refused++
		now += r.Wait
	}
	// The last may go when 742 * 8,503 less the bucket have drained.
	want := time.Duration(policies.CeilMulDiv(742*8503-1_000_000, uint64(time.Minute), 0, 1_000_000))
	if last != want {
		t.Errorf("the last is admitted at %v, want %v", last, want)
	}
	if bound := 1_000_000.0 / 8503; bound < 117.6 || bound > 117.7 || refused != 742-117 {
		t.Errorf("%v a minute and %d refusals, want 117.6, and one for each but the first 117", bound, refused)
	}
}

// RL-D2: 100 calls at 0.9 s, 100 at 1.1 s.
func TestEdgeOfAWindow(t *testing.T) {
	for _, test := range []struct {
		algorithm Algorithm
		want      int
	}{
		{FixedWindowAlgorithm, 200},
		{SlidingLogAlgorithm, 100},
		{TwoWindowAlgorithm, 110},
	} {
		l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 100, Per: time.Second, Algorithm: test.algorithm}}, nil)
		got := admitted(l, 900*ms, 100, input(0)) + admitted(l, 1100*ms, 100, input(0))
		if got != test.want {
			t.Errorf("%s: %d admitted, want %d", test.algorithm, got, test.want)
		}
	}
}

// RL-D3: 400,000 input and 80,000 output tokens a minute, 120 requests offered a minute
// of 1,000 each: 80 a minute get through, output binds, input is used to 20 %.
func TestOutputBinds(t *testing.T) {
	for _, takes := range []time.Duration{0, 5 * time.Second} {
		l := NewLimits([]LimitConfig{
			{Axis: LimitInputTokens, Limit: 400_000, Per: time.Minute},
			{Axis: LimitOutputTokens, Limit: 80_000, Per: time.Minute, Charge: ChargeConfig{Output: OutputAsGenerated}},
		}, nil)
		q := &Ask{Input: 1000, Output: 1000, MaxTokens: 4000}
		var inEach [10]int
		var ends []time.Duration
		rejected := map[Axis]int{}
		for i := range 1200 {
			now := time.Duration(i) * time.Minute / 120
			for len(ends) > 0 && ends[0] <= now {
				id := policies.Ticket(ends[0] % 1000)
				l.Generated(ends[0], id, 600)
				l.Done(ends[0], id, 1000)
				ends = ends[1:]
			}
			id := policies.Ticket(i % 1000)
			if r := offer(l, now, id, q); r.Kind != policies.NotRefused {
				rejected[r.Axis]++
				continue
			}
			inEach[now/time.Minute]++
			if takes == 0 {
				l.Done(now, id, 1000)
			} else {
				ends = append(ends, (now+takes)/1000*1000+time.Duration(id))
			}
		}
		if len(rejected) != 1 || rejected[OutputTokens] == 0 {
			t.Errorf("answers of %v: rejected by %v, want by output tokens alone", takes, rejected)
		}
		// Answers in the making are not charged yet, so admissions swing around the mean.
		of := inEach[4:]
		if takes > 0 {
			for i := range of {
				of[i] = (of[i] + of[i^1]) / 2
				of[i^1] = of[i]
			}
		}
		for i, n := range of {
			if n < 79 || n > 81 {
				t.Errorf("answers of %v: %d admitted in minute %d, want 80 +- 1", takes, n, i+4)
			}
		}
	}
}

// RL-D5: a window filled to the brim, 100 probes that can never fit, silence of one
// window, then a small request is admitted.
func TestUsageDrains(t *testing.T) {
	for _, algorithm := range []Algorithm{BucketAlgorithm, SlidingLogAlgorithm, FixedWindowAlgorithm} {
		for _, rejected := range []RejectedCharge{RejectedFree, RejectedCharged} {
			l := NewLimits([]LimitConfig{{Axis: LimitTokens, Limit: 5_000_000, Per: time.Minute, Algorithm: algorithm, Rejected: rejected}}, nil)
			l.Admit(0, 0, input(5_000_000))
			probes := input(5_006_972)
			for range 100 {
				if r := offer(l, time.Second, 0, probes); r.Kind != policies.BeyondLimit || r.Wait != 0 {
					t.Fatalf("%s: %+v, want impossible", algorithm, r)
				}
			}
			used := l.Room(time.Second, 0, probes).Used
			if rejected == RejectedFree && used > 5_000_000 {
				t.Errorf("%s: refused probes leave a use of %d", algorithm, used)
			}
			after := 61 * time.Second
			if room := l.Room(after, 0, probes); room.Used != 0 || room.Reset != 0 {
				t.Errorf("%s, refused ones %s: %+v after one silent window, want exactly nothing used", algorithm, rejected, room)
			}
			if r := offer(l, after, 0, input(10)); r.Kind != policies.NotRefused {
				t.Errorf("%s, refused ones %s: a small request is refused: %+v", algorithm, rejected, r)
			}
		}
	}
}

// RL-D6: some refusals will never succeed by waiting a little.
func TestKindsOfRejection(t *testing.T) {
	daily := NewLimits([]LimitConfig{
		{Axis: LimitRequests, Limit: 10, Per: time.Minute},
		{Axis: LimitRequests, Limit: 20, Per: day, Algorithm: FixedWindowAlgorithm, Kind: QuotaLimit},
	}, nil)
	succeeded, gaveUp := 0, 0
	now := time.Duration(0)
	for range 25 {
		for {
			r := offer(daily, now, 0, input(100))
			if r.Kind == policies.NotRefused {
				succeeded++
				break
			}
			if r.Wait > 120*time.Second {
				if r.Kind != policies.QuotaExhausted || r.Limiter != 1 || now+r.Wait != day {
					t.Fatalf("at %v: %+v, want the quota, until tomorrow", now, r)
				}
				gaveUp++
				break
			}
			if r.Kind != policies.Temporary || r.Limiter != 0 {
				t.Fatalf("at %v: %+v, want the limit of a minute", now, r)
			}
			now += r.Wait
		}
	}
	if succeeded != 20 || gaveUp != 5 {
		t.Errorf("%d succeeded and %d gave up, want 20 and 5", succeeded, gaveUp)
	}

	minute := NewLimits([]LimitConfig{{Axis: LimitTokens, Limit: 30_000, Per: time.Minute}}, nil)
	if r := minute.Ask(0, input(30_601)); r.Kind != policies.BeyondLimit || r.Axis != Tokens || r.Requested != 30_601 {
		t.Errorf("30,601 of 30,000: %+v, want impossible", r)
	}
}

// GT-D1 at the provider: a bucket of one second of 40,000 a minute can never hold 800.
func TestOversizeIsImpossible(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitTokens, Limit: 40_000, Per: time.Minute, Burst: 667}}, nil)
	for i := range 10 {
		if r := offer(l, time.Duration(i)*time.Second, 0, input(800)); r.Kind != policies.BeyondLimit {
			t.Errorf("%+v, want impossible", r)
		}
	}
	if r := offer(l, 10*time.Second, 0, input(667)); r.Kind != policies.NotRefused {
		t.Errorf("a bucketful is refused: %+v", r)
	}
}

// GT-D2: 6,975 a minute against 6,000 a minute, after a silence of 5 minutes.
func TestQuietPeriodIsOvershotForMinutes(t *testing.T) {
	for _, test := range []struct {
		burst    int64
		from, to float64 // minutes until the first refusal
	}{
		{6000, 6.1, 6.3},
		{100, 0, 0.11},
	} {
		l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 6000, Per: time.Minute, Burst: test.burst}}, nil)
		for i := 0; ; i++ {
			after := time.Duration(i) * time.Minute / 6975
			if offer(l, 5*time.Minute+after, 0, input(0)).Kind == policies.NotRefused {
				continue
			}
			if m := after.Minutes(); m < test.from || m > test.to {
				t.Errorf("burst %d: first refused after %.3f min, want %v to %v", test.burst, m, test.from, test.to)
			}
			break
		}
	}
}

// EN-D1: a request at the very instant at which a window begins anew is in the new one.
func TestWindowsAreHalfOpen(t *testing.T) {
	for _, algorithm := range []Algorithm{SlidingLogAlgorithm, FixedWindowAlgorithm} {
		l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 1, Per: time.Second, Algorithm: algorithm}}, nil)
		for _, step := range []struct {
			at   time.Duration
			want policies.RefusalKind
		}{{0, policies.NotRefused}, {time.Second - 1, policies.Temporary}, {time.Second, policies.NotRefused}, {2*time.Second - 1, policies.Temporary}} {
			if r := offer(l, step.at, 0, input(0)); r.Kind != step.want {
				t.Errorf("%s at %v: %+v, want kind %d", algorithm, step.at, r, step.want)
			}
		}
	}
}

// EN-D3: five a second for a minute against 50 in 10 s: in whole nanoseconds all pass.
func TestIntegerTimeLosesNobody(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 50, Per: 10 * time.Second, Algorithm: SlidingLogAlgorithm}}, nil)
	for i := range 300 {
		if r := offer(l, time.Duration(i)*200*ms, 0, input(0)); r.Kind != policies.NotRefused {
			t.Fatalf("request %d of 300 is refused: %+v", i, r)
		}
	}
}

// Azure's documents: 600 RPM judged in slices of 1 s refuse the 11th call in a slice.
func TestSlices(t *testing.T) {
	for _, algorithm := range []Algorithm{FixedWindowAlgorithm, SlidingLogAlgorithm} {
		l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 600, Per: time.Minute, Slices: time.Second, Algorithm: algorithm}}, nil)
		for second := range 3 {
			now := time.Duration(second) * time.Second
			if got := admitted(l, now, 15, input(0)); got != 10 {
				t.Errorf("%s: %d of 15 admitted in second %d, want 10", algorithm, got, second)
			}
			if r := l.Ask(now, input(0)); r.Wait != time.Second {
				t.Errorf("%s: %+v, want a wait of a second", algorithm, r)
			}
		}
	}
	l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 120, Per: time.Minute, Slices: 10 * time.Second, Algorithm: FixedWindowAlgorithm}}, nil)
	if room := l.Room(0, 0, input(0)); room.Limit != 20 || room.Remaining != 20 {
		t.Errorf("%+v, want 20 in 10 s of 120 a minute, as their headers say", room)
	}
}

func TestPhase(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 1, Per: day, Algorithm: FixedWindowAlgorithm, Phase: 8 * time.Hour, Kind: QuotaLimit}}, nil)
	offer(l, time.Hour, 0, input(0))
	if r := offer(l, 2*time.Hour, 0, input(0)); r.Kind != policies.QuotaExhausted || r.Wait != 6*time.Hour {
		t.Errorf("%+v, want until 8 o'clock", r)
	}
	if r := offer(l, 8*time.Hour, 0, input(0)); r.Kind != policies.NotRefused {
		t.Errorf("refused when the day begins: %+v", r)
	}
}

// A gateway that counts on completion lets a burst through, then refuses until it has
// drained.
func TestCheckAfterLetsABurstThrough(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitTokens, Limit: 1000, Per: time.Minute, Algorithm: FixedWindowAlgorithm, When: CheckAfter}}, nil)
	q := &Ask{Input: 900, Output: 600, MaxTokens: 5000}
	for id := range policies.Ticket(20) {
		if r := offer(l, 0, id, q); r.Kind != policies.NotRefused {
			t.Fatalf("request %d of a burst is refused: %+v", id, r)
		}
	}
	for id := range policies.Ticket(20) {
		l.Done(5*time.Second, id, 600)
	}
	if room := l.Room(5*time.Second, 0, q); room.Used != 20*1500 || room.Remaining != 0 {
		t.Errorf("%+v, want all that was used", room)
	}
	if r := l.Ask(6*time.Second, q); r.Kind != policies.Temporary || r.Wait != 54*time.Second {
		t.Errorf("%+v, want the next window", r)
	}
}

// A correction goes to the window that was charged; one that is over is left alone.
func TestSettlement(t *testing.T) {
	config := func(a Algorithm) LimitConfig {
		return LimitConfig{Axis: LimitTokens, Limit: 1000, Per: time.Minute, Algorithm: a, Settle: SettleCompletion}
	}
	q := &Ask{Input: 100, Output: 50, MaxTokens: 800}
	tests := []struct {
		says      string
		config    LimitConfig
		done      time.Duration
		want      int64 // used at the minute's 90th second, after another admission at its 70th
		ofDone    int64 // used right after Done
		beforeAll bool  // Done comes before the other admission
	}{
		{"a log corrects the stamp", config(SlidingLogAlgorithm), 30 * time.Second, 900, 150, true},
		{"a stamp that has left is left alone", config(SlidingLogAlgorithm), 80 * time.Second, 900, 900, false},
		{"a window corrects itself", config(FixedWindowAlgorithm), 30 * time.Second, 900, 150, true},
		{"a window that is over is left alone", config(FixedWindowAlgorithm), 80 * time.Second, 900, 900, false},
		{"two windows correct the last one too: half of 150 and 900", config(TwoWindowAlgorithm), 70 * time.Second, 975, 900 + 125, false},
		{"a bucket gives back what is not yet back", config(BucketAlgorithm), 30 * time.Second, 900 - 333, 0, true},
	}
	for _, test := range tests {
		l := NewLimits([]LimitConfig{test.config}, nil)
		l.Admit(0, 1, q)
		if test.beforeAll {
			l.Done(test.done, 1, 50)
			if used := l.Room(test.done, 0, q).Used; test.ofDone > 0 && used != test.ofDone {
				t.Errorf("%s: used %d when done, want %d", test.says, used, test.ofDone)
			}
		}
		l.Admit(70*time.Second, 2, q)
		if !test.beforeAll {
			l.Done(test.done, 1, 50)
			if used := l.Room(test.done, 0, q).Used; used != test.ofDone {
				t.Errorf("%s: used %d when done, want %d", test.says, used, test.ofDone)
			}
		}
		if used := l.Room(90*time.Second, 0, q).Used; used != test.want {
			t.Errorf("%s: used %d, want %d", test.says, used, test.want)
		}
	}
}

func TestSettlementOfParts(t *testing.T) {
	log := func(c LimitConfig) LimitConfig {
		c.Limit, c.Per, c.Algorithm, c.Settle = 1000, time.Minute, SlidingLogAlgorithm, SettleCompletion
		return c
	}
	q := &Ask{Input: 300, Chars: 800, Output: 50, MaxTokens: policies.Unlimited}
	for _, test := range []struct {
		says       string
		config     LimitConfig
		atFirst    int64
		generating int64 // after 20 of 50 tokens
		done       int64
	}{
		{"an estimated prompt becomes the real one", log(LimitConfig{Axis: LimitInputTokens, Charge: ChargeConfig{Input: InputChars4}}), 200, 200, 300},
		{"generated tokens stay as they are", log(LimitConfig{Axis: LimitTokens, Charge: ChargeConfig{Input: InputChars4, Output: OutputAsGenerated}}), 200, 220, 350},
		{"an answer of which nothing was reserved", log(LimitConfig{Axis: LimitOutputTokens, Charge: ChargeConfig{Unset: Unset{Given: true}}}), 0, 0, 50},
		{"the greater of both becomes the sum", log(LimitConfig{Axis: LimitTokens, Charge: ChargeConfig{Input: InputChars4, Combine: CombineMax}}), 200, 200, 350},
	} {
		if found := test.config.Check(); found != nil {
			t.Errorf("%s: %v", test.says, found)
		}
		l := NewLimits([]LimitConfig{test.config}, nil)
		l.Admit(0, 9, &Ask{MaxTokens: policies.Unlimited})
		used := func(now time.Duration) int64 { return l.Room(now, 0, q).Used }
		l.Admit(time.Second, 1, q)
		if got := used(time.Second); got != test.atFirst {
			t.Errorf("%s: used %d at first, want %d", test.says, got, test.atFirst)
		}
		l.Generated(2*time.Second, 1, 20)
		if got := used(2 * time.Second); got != test.generating {
			t.Errorf("%s: used %d while generating, want %d", test.says, got, test.generating)
		}
		l.Done(3*time.Second, 1, 50)
		if got := used(3 * time.Second); got != test.done {
			t.Errorf("%s: used %d in the end, want %d", test.says, got, test.done)
		}
		if got := used(60*time.Second + 1); got != test.done {
			t.Errorf("%s: the first request's window is over, and %d is used, want %d", test.says, got, test.done)
		}
	}
}

func TestEqualWaitsNameTheFirst(t *testing.T) {
	l := NewLimits([]LimitConfig{
		{Axis: LimitConcurrency, Limit: 9},
		{Axis: LimitInputTokens, Limit: 60, Per: time.Minute},
		{Axis: LimitTokens, Limit: 60, Per: time.Minute},
	}, nil)
	l.Admit(0, 0, input(60))
	if r := l.Ask(0, input(1)); r.Limiter != 1 || r.Wait != time.Second {
		t.Errorf("%+v, want the first of two equal waits", r)
	}
}

func TestScopes(t *testing.T) {
	of := func(s LimitScope) LimitConfig {
		return LimitConfig{Axis: LimitRequests, Limit: 1, Per: time.Minute, Scope: s}
	}
	for _, test := range []struct {
		says  string
		scope LimitScope
		pool  string // of the third request
		want  []bool
	}{
		{"all share one", LimitScope{}, "", []bool{true, false, false, false}},
		{"a key has its own", LimitScope{Kind: ScopeKey}, "", []bool{true, true, true, false}},
		{"a tenant has its own", LimitScope{Kind: ScopeTenant}, "", []bool{true, false, true, false}},
		{"a pool limits its groups alone", LimitScope{Kind: ScopePool, Pool: "long"}, "long", []bool{true, true, true, true}},
	} {
		l := NewLimits([]LimitConfig{of(test.scope)}, nil)
		pool := l.Pool(test.pool)
		for i, q := range []*Ask{
			{Key: 0, Tenant: 0},
			{Key: 70_000, Tenant: 0},
			{Key: 2, Tenant: 9, Pool: pool},
			{Key: 2, Tenant: 0},
		} {
			if got := offer(l, 0, 0, q).Kind == policies.NotRefused; got != test.want[i] {
				t.Errorf("%s: request %d admitted: %v, want %v", test.says, i, got, test.want[i])
			}
		}
		if test.scope.Kind == ScopePool && offer(l, 0, 0, &Ask{Pool: pool}).Kind == policies.NotRefused {
			t.Errorf("%s: the second of the pool is admitted", test.says)
		}
	}
}

func TestConcurrency(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitConcurrency, Limit: 2}, {Axis: LimitTokens, Limit: 100, Per: time.Minute}}, nil)
	q := input(10)
	offer(l, 0, 1, q)
	offer(l, 0, 2, q)
	if r := offer(l, 0, 3, q); r.Kind != policies.Temporary || r.Axis != Concurrency || r.Wait != 0 {
		t.Errorf("%+v, want concurrency, for an unknown time", r)
	}
	if r := offer(l, 0, 3, input(90)); r.Axis != Tokens || r.Wait != 6*time.Second {
		t.Errorf("%+v, want the limit whose wait is known", r)
	}
	l.Done(time.Second, 1, 0)
	l.Done(time.Second, 1, 0)
	l.Done(time.Second, 77, 0)
	if got := admitted(l, time.Second, 2, q); got != 1 {
		t.Errorf("%d admitted into the one place that is free", got)
	}
}

// All must admit, or none is charged, but those in which refused requests count.
func TestAllOrNone(t *testing.T) {
	l := NewLimits([]LimitConfig{
		{Axis: LimitRequests, Limit: 3, Per: time.Minute, Rejected: RejectedCharged},
		{Axis: LimitInputTokens, Limit: 1000, Per: time.Minute},
		{Axis: LimitTokens, Limit: 500, Per: time.Minute},
	}, nil)
	q := input(400)
	offer(l, 0, 0, q)
	r := offer(l, 0, 1, q)
	// The tokens need 36 s, but this very refusal is the second request of three.
	if r.Kind != policies.Temporary || r.Axis != Tokens || r.Wait != 36*time.Second {
		t.Errorf("%+v, want 300 tokens' drain", r)
	}
	// The third request is used up by a refusal too, and a fourth comes after 20 s.
	offer(l, 0, 1, q)
	r = offer(l, 0, 1, input(101))
	if r.Axis != Requests || r.Wait != 20*time.Second {
		t.Errorf("%+v, want the requests, which are refused and charged", r)
	}
	if used := l.Room(0, 1, q).Used; used != 400 {
		t.Errorf("refused requests are charged %d input tokens, want those of the first alone", used)
	}
}

func TestRefusedRequestsFillALogToItsLimitOnly(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 10, Per: 10 * time.Second, Algorithm: SlidingLogAlgorithm, Rejected: RejectedCharged}}, nil)
	for i := range 100_000 {
		offer(l, time.Duration(i)*ms, 0, input(0))
	}
	log := l.limiters[0].meters[0].(*slidingLog)
	if len(log.stamps) > 16 || log.tail-log.head != 10 {
		t.Errorf("%d stamps in room for %d, want the last 10", log.tail-log.head, len(log.stamps))
	}
	// The tenth last comes 10 s minus 10 ms after the last, this refusal among them.
	if r := offer(l, 100*time.Second, 0, input(0)); r.Wait != 10*time.Second-9*ms {
		t.Errorf("%+v, want until the tenth last has left", r)
	}
}

func TestReset(t *testing.T) {
	configs := []LimitConfig{
		{Axis: LimitTokens, Limit: 100, Per: time.Minute, Start: StartEmpty},
		{Axis: LimitTokens, Limit: 100, Per: time.Minute, Algorithm: SlidingLogAlgorithm, Scope: LimitScope{Kind: ScopeKey}, Settle: SettleCompletion},
		{Axis: LimitRequests, Limit: 5, Per: time.Minute, Algorithm: TwoWindowAlgorithm},
		{Axis: LimitTokens, Limit: 100, Per: time.Minute, Algorithm: FixedWindowAlgorithm},
		{Axis: LimitConcurrency, Limit: 3},
	}
	slope := &SlopeConfig{Axis: LimitTokens, Above: policies.Rate{N: 50, Per: time.Second}, Grow: Whole, Per: 10 * time.Second}
	l := NewLimits(configs, slope)
	run := func() (all []Rejection) {
		for i := range policies.Ticket(300) {
			now := time.Duration(i) * 7 * time.Second / 3
			all = append(all, offer(l, now, i, &Ask{Key: uint32(i % 3), Input: 20, Output: 5, MaxTokens: 20}))
			if i >= 4 {
				l.Done(now, i-4, 5)
			}
		}
		return all
	}
	first := run()
	l.Reset()
	for i, r := range run() {
		if r != first[i] {
			t.Fatalf("request %d after Reset: %+v, want %+v as before", i, r, first[i])
		}
	}
}

func TestResetForgetsWhoIsThere(t *testing.T) {
	l := NewLimits([]LimitConfig{{Axis: LimitConcurrency, Limit: 1}}, nil)
	l.Admit(0, 5, input(0))
	l.Reset()
	l.Done(0, 5, 0)
	if got := admitted(l, 0, 3, input(0)); got != 1 {
		t.Errorf("%d admitted into the one place", got)
	}
}

func TestSlope(t *testing.T) {
	config := SlopeConfig{Axis: LimitInputTokens, Above: policies.Rate{N: 1_000_000, Per: time.Minute}, Grow: Whole / 2, Per: 15 * time.Minute}
	l := NewLimits(nil, &config)
	q := input(10_000)
	inMinute := func(minute int) (n int64) {
		for i := range 300 {
			r := offer(l, time.Duration(minute)*time.Minute+time.Duration(i)*200*ms, 0, q)
			if r.Kind == policies.NotRefused {
				n += 10_000
			} else if r.Axis != Slope || r.Limiter != -1 || r.Wait != time.Minute-time.Duration(i)*200*ms {
				t.Fatalf("%+v, want the slope until the next minute", r)
			}
		}
		return n
	}
	for minute := range 60 {
		want := []int64{1_000_000, 1_500_000, 2_250_000, 3_000_000}[minute/15]
		if got := inMinute(minute); got != want {
			t.Fatalf("3M offered in minute %d: %d admitted, want %d", minute, got, want)
		}
	}
	if room := l.Room(time.Hour, -1, q); room.Limit != 4_500_000 {
		t.Errorf("ceiling %d after a span of 3M a minute, want 4.5M", room.Limit)
	}
	if got := inMinute(80); got != 1_000_000 {
		t.Errorf("%d admitted after a span of silence, want no more than above", got)
	}
	if r := offer(l, 100*time.Minute, 0, input(7_000_000)); r.Kind != policies.NotRefused {
		t.Errorf("%+v, want a request above the ceiling to pass alone", r)
	}
	if r := offer(l, 100*time.Minute, 0, input(1)); r.Wait != time.Minute {
		t.Errorf("%+v, want the next minute", r)
	}
}
