package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// One decision a step: Ask, then Admit or Refuse; what was admitted so many
// decisions ago is Done, so that as many stay alive.
func benchmarkLimits(b *testing.B, live int, step time.Duration, slope *SlopeConfig, configs ...LimitConfig) {
	l := NewLimits(configs, slope)
	q := &Ask{Input: 100, Output: 50, MaxTokens: 60}
	now, next, admitted := time.Duration(0), 0, 0
	held := make([]bool, live)
	decide := func() {
		now += step
		id := policies.Ticket(next)
		if held[next] {
			l.Done(now, id, 50)
		}
		q.Key = uint32(next)
		if held[next] = l.Ask(now, q).Kind == policies.NotRefused; held[next] {
			l.Admit(now, id, q)
			admitted++
		} else {
			l.Refuse(now, q)
		}
		if next++; next == live {
			next = 0
		}
	}
	for range max(2*live, 100_000) {
		decide()
	}
	b.ReportAllocs()
	for b.Loop() {
		decide()
	}
}

func BenchmarkLimits(b *testing.B) {
	for _, live := range []int{1, 1000, 1_000_000} {
		step := time.Minute / time.Duration(live) // so many stamps in a window
		for _, bench := range []struct {
			says   string
			config LimitConfig
		}{
			{"bucket settled", LimitConfig{Axis: LimitTokens, Limit: 500 * int64(live), Per: time.Minute, Settle: SettleCompletion}},
			{"bucket per key", LimitConfig{Axis: LimitRequests, Limit: 5, Per: time.Minute, Scope: LimitScope{Kind: ScopeKey}}},
			{"sliding log of requests", LimitConfig{Axis: LimitRequests, Limit: int64(live), Per: time.Minute, Algorithm: SlidingLogAlgorithm}},
			{"sliding log of requests, refused ones charged", LimitConfig{Axis: LimitRequests, Limit: int64(live), Per: 2 * time.Minute, Algorithm: SlidingLogAlgorithm, Rejected: RejectedCharged}},
			{"sliding log of tokens, settled", LimitConfig{Axis: LimitTokens, Limit: 500 * int64(live), Per: time.Minute, Algorithm: SlidingLogAlgorithm, Settle: SettleCompletion}},
			{"sliding log of tokens, half refused", LimitConfig{Axis: LimitTokens, Limit: 80*int64(live) + 100, Per: time.Minute, Algorithm: SlidingLogAlgorithm}},
			{"fixed window settled", LimitConfig{Axis: LimitTokens, Limit: 500 * int64(live), Per: time.Minute, Algorithm: FixedWindowAlgorithm, Settle: SettleCompletion}},
			{"two-window settled", LimitConfig{Axis: LimitTokens, Limit: 500 * int64(live), Per: time.Minute, Algorithm: TwoWindowAlgorithm, Settle: SettleCompletion}},
			{"leaky settled", LimitConfig{Axis: LimitTokens, Limit: 500 * int64(live), Per: time.Minute, Algorithm: LeakyAlgorithm}},
			{"slots", LimitConfig{Axis: LimitConcurrency, Limit: int64(live)}},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.says, live), func(b *testing.B) {
				benchmarkLimits(b, live, step, nil, bench.config)
			})
		}
	}
	b.Run("slope", func(b *testing.B) {
		benchmarkLimits(b, 1, time.Millisecond, &SlopeConfig{Axis: LimitTokens, Above: policies.Rate{N: 1_000_000, Per: time.Minute}, Grow: Whole / 2, Per: 15 * time.Minute})
	})
	four := func(algorithm Algorithm) []LimitConfig {
		return []LimitConfig{
			{Axis: LimitRequests, Limit: 60_000, Per: time.Minute, Algorithm: algorithm, Rejected: RejectedCharged},
			{Axis: LimitTokens, Limit: 10_000_000, Per: time.Minute, Algorithm: algorithm, Charge: ChargeConfig{Input: InputChars4, Output: OutputMaxTokens, Combine: CombineMax}},
			{Axis: LimitRequests, Limit: 100_000_000, Per: 24 * time.Hour, Kind: QuotaLimit},
			{Axis: LimitTokens, Limit: 1_000_000_000_000, Per: 24 * time.Hour, Kind: QuotaLimit},
		}
	}
	b.Run("four buckets, all admitted", func(b *testing.B) {
		benchmarkLimits(b, 1000, 2*time.Millisecond, nil, four(BucketAlgorithm)...)
	})
	b.Run("four buckets, half refused", func(b *testing.B) {
		c := four(BucketAlgorithm)
		c[1].Limit = 3_000_000
		benchmarkLimits(b, 1000, time.Millisecond, nil, c...)
	})
	b.Run("two sliding logs and two buckets", func(b *testing.B) {
		benchmarkLimits(b, 1000, 2*time.Millisecond, nil, four(SlidingLogAlgorithm)...)
	})
}

// A request as great as a million others must find which of them have to leave.
func BenchmarkSlidingLogWait(b *testing.B) {
	l := newSlidingLog(&LimitConfig{Axis: LimitTokens, Limit: 1_000_000, Per: time.Minute, Settle: SettleCompletion})
	for i := range 1_000_000 {
		l.add(time.Duration(i), 1)
	}
	for b.Loop() {
		l.wait(time.Second, 999_999)
	}
}
