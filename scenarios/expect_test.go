package scenarios_test

import (
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

func TestExpectationsHoldOrSayWhatCameOut(t *testing.T) {
	summary := &model.Summary{
		Wall:       35.25,
		Operations: model.Operations{Total: 3822, Succeeded: 3821, Failed: 1},
		Attempts:   model.Attempts{Total: 4000, ByStatus: map[string]int64{"200": 3821}},
		Latency:    model.Spread{P50: 0.1, P90: 0.30000000000000004, P99: 35.2, Max: model.Undefined()},
		Tokens:     model.TokenSums{Billed: 0},
		Groups:     map[string]model.GroupSummary{"a.b": {Attempts: model.Attempts{Total: 7}}},
	}
	rows := []struct{ sentence, expect, want string }{
		{"one failure in 3,822 is above 99.9 %", "success >= 0.999", ""},
		{"and below 99.99 %", "success >= 0.9999", "expect failed: success >= 0.9999, but success is 0.999738357"},
		{"a share may be written in percent", "success >= 99.9%", ""},
		{"and is answered in percent", "success >= 99.99%", "expect failed: success >= 99.99%, but success is 99.9738357%"},
		{"a path names a figure", "latency_s.p99 < 40s", ""},
		{"a time is answered as one", "latency_s.p99 < 30s", "expect failed: latency_s.p99 < 30s, but latency_s.p99 is 35.2s"},
		{"a short name names the same figure", "p99_latency <= 0.5m", "expect failed: p99_latency <= 0.5m, but p99_latency is 35.2s"},
		{"a time may be a number of seconds", "wall == 35.25", ""},
		{"what differs beyond nine digits is shown in full", "latency_s.p90 == 0.3", "expect failed: latency_s.p90 == 0.3, but latency_s.p90 is 0.30000000000000004"},
		{"a status nobody got is 0", "attempts.by_status.429 == 0", ""},
		{"a status somebody got is counted", "attempts.by_status.200 > 4000", "expect failed: attempts.by_status.200 > 4000, but attempts.by_status.200 is 3821"},
		{"a group may have any name", `groups["a.b"].attempts.total != 7`, `expect failed: groups["a.b"].attempts.total != 7, but groups["a.b"].attempts.total is 7`},
		{"what is not defined holds nothing", "latency_s.max < 1h", "expect failed: latency_s.max < 1h, but latency_s.max is not defined (null)"},
		{"not even a difference", "waste != 0.3", "expect failed: waste != 0.3, but waste is not defined (null)"},
		{"nor what is always true of a number", "waste >= 0", "expect failed: waste >= 0, but waste is not defined (null)"},
	}
	for _, row := range rows {
		s, err := scenarios.Decode("x.yaml", []byte("name: x\nclients: [{name: a.b}]\nexpect:\n  - "+row.expect+"\n"))
		if err != nil {
			t.Errorf("%s: %v", row.sentence, err)
			continue
		}
		got := ""
		if err := s.Expect[0].Check(summary); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.sentence, got, row.want)
		}
	}
}
