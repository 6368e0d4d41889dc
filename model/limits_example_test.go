package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Two limits at once: 500 requests a minute, in which refused ones count, and 30,000
// tokens a minute. The tokens run out first.
func ExampleLimits() {
	limits := NewLimits([]LimitConfig{
		{Axis: LimitRequests, Limit: 500, Per: time.Minute, Rejected: RejectedCharged},
		{Axis: LimitTokens, Limit: 30_000, Per: time.Minute},
	}, nil)
	now := time.Duration(0)
	for id, ask := range []*Ask{
		{Input: 22_999, MaxTokens: policies.Unlimited},
		{Input: 12_528, MaxTokens: policies.Unlimited},
		{Input: 30_601, MaxTokens: policies.Unlimited},
	} {
		switch r := limits.Ask(now, ask); r.Kind {
		case policies.NotRefused:
			limits.Admit(now, policies.Ticket(id), ask)
			fmt.Println("admitted")
		case policies.BeyondLimit:
			limits.Refuse(now, ask)
			fmt.Printf("never: %d %v\n", r.Requested, r.Axis)
		default:
			room := limits.Room(now, r.Limiter, ask)
			limits.Refuse(now, ask)
			fmt.Printf("limit %d, used %d, requested %d %v: try again in %v\n", room.Limit, room.Used, r.Requested, r.Axis, r.Wait)
		}
	}
	fmt.Println("requests left:", limits.Room(now, 0, &Ask{}).Remaining)
	// Output:
	// admitted
	// limit 30000, used 22999, requested 12528 tokens: try again in 11.054s
	// never: 30601 tokens
	// requests left: 497
}

func ExampleLimits_bucket() {
	fmt.Println("limit    per       used     requested  wait")
	for _, row := range []struct {
		limit, used, requested int64
		per                    time.Duration
	}{
		{30_000, 22_999, 12_528, time.Minute},
		{200_000, 195_869, 4_412, time.Minute},
		{1_500_000, 1_484_072, 16_144, 24 * time.Hour},
		{3, 3, 1, time.Minute},
	} {
		limits := NewLimits([]LimitConfig{{Axis: LimitInputTokens, Limit: row.limit, Per: row.per}}, nil)
		limits.Admit(0, 0, &Ask{Input: row.used})
		r := limits.Ask(0, &Ask{Input: row.requested})
		fmt.Printf("%-7d  %-8v  %-7d  %-9d  %v\n", row.limit, row.per, row.used, row.requested, r.Wait)
	}
	// Output:
	// limit    per       used     requested  wait
	// 30000    1m0s      22999    12528      11.054s
	// 200000   1m0s      195869   4412       84.3ms
	// 1500000  24h0m0s   1484072  16144      12.4416s
	// 3        1m0s      3        1          20s
}

func ExampleLimits_leaky() {
	fmt.Println("limit  per   level  wait")
	for _, level := range []int64{6000, 6001, 9000} {
		limits := NewLimits([]LimitConfig{{Axis: LimitInputTokens, Limit: 6000, Per: time.Minute, Algorithm: LeakyAlgorithm}}, nil)
		limits.Admit(0, 0, &Ask{Input: level})
		fmt.Printf("%-5d  %v  %-5d  %v\n", 6000, time.Minute, level, limits.Ask(0, &Ask{Input: 1}).Wait)
	}
	// Output:
	// limit  per   level  wait
	// 6000   1m0s  6000   0s
	// 6000   1m0s  6001   10ms
	// 6000   1m0s  9000   30s
}

// The same 100 calls at 0.9 s and 100 at 1.1 s, and again at 1.9 s, against 100 in each
// second, counted in three ways.
func ExampleLimits_windows() {
	fmt.Println("algorithm     0.9s  1.1s  1.9s")
	for _, algorithm := range []Algorithm{FixedWindowAlgorithm, SlidingLogAlgorithm, TwoWindowAlgorithm} {
		limits := NewLimits([]LimitConfig{{Axis: LimitRequests, Limit: 100, Per: time.Second, Algorithm: algorithm}}, nil)
		line := fmt.Sprintf("%-12s", algorithm)
		for _, at := range []time.Duration{900 * time.Millisecond, 1100 * time.Millisecond, 1900 * time.Millisecond} {
			admitted := 0
			for range 100 {
				if limits.Ask(at, &Ask{}).Kind == policies.NotRefused {
					limits.Admit(at, 0, &Ask{})
					admitted++
				}
			}
			line += fmt.Sprintf("  %-4d", admitted)
		}
		fmt.Println(strings.TrimRight(line, " "))
	}
	// Output:
	// algorithm     0.9s  1.1s  1.9s
	// fixed-window  100   100   0
	// sliding-log   100   0     100
	// two-window    100   10    80
}

func ExampleLimits_concurrency() {
	limits := NewLimits([]LimitConfig{{Axis: LimitConcurrency, Limit: 2}}, nil)
	fmt.Println("limit  there  admitted")
	for there := range policies.Ticket(3) {
		r := limits.Ask(0, &Ask{})
		fmt.Printf("%-5d  %-5d  %v\n", 2, there, r.Kind == policies.NotRefused)
		if r.Kind == policies.NotRefused {
			limits.Admit(0, there, &Ask{})
		}
	}
	// Output:
	// limit  there  admitted
	// 2      0      true
	// 2      1      true
	// 2      2      false
}

// Three million input tokens are offered each minute.
func ExampleLimits_slope() {
	limits := NewLimits(nil, &SlopeConfig{
		Axis: LimitInputTokens, Above: policies.Rate{N: 1_000_000, Per: time.Minute}, Grow: Whole / 2, Per: 15 * time.Minute,
	})
	fmt.Println("from  ceiling")
	for minute := range 46 {
		now, ask := time.Duration(minute)*time.Minute, &Ask{Input: 10_000}
		if minute%15 == 0 {
			fmt.Printf("%-4d  %d\n", minute, limits.Room(now, -1, ask).Limit)
		}
		for range 300 {
			if limits.Ask(now, ask).Kind == policies.NotRefused {
				limits.Admit(now, 0, ask)
			}
		}
	}
	// Output:
	// from  ceiling
	// 0     1000000
	// 15    1500000
	// 30    2250000
	// 45    3375000
}
