package report

import (
	"testing"

	"github.com/stampede-sim/stampede/model"
)

func TestSays(t *testing.T) {
	none := model.Undefined()
	tests := []struct {
		of   model.Summary
		want string
	}{
		{
			model.Summary{Wall: 2.31, Operations: model.Operations{Total: 100, Succeeded: 100}, Attempts: model.Attempts{Total: 355}, Herd: model.Herd{BusiestRetry: 35}},
			"100 operations took 2.31 s and 355 attempts; the busiest retry slot held 35.",
		},
		{
			model.Summary{Wall: 0.0006, Operations: model.Operations{Total: 1, Failed: 1}, Attempts: model.Attempts{Total: 1}},
			"1 operation took 600 µs and 1 attempt; it failed.",
		},
		{
			model.Summary{Wall: 225.6, Operations: model.Operations{Total: 10_000, Succeeded: 9_998, Failed: 2}, Attempts: model.Attempts{Total: 41_000}, Herd: model.Herd{BusiestRetry: 9_700}},
			"10,000 operations took 3 min 45.6 s and 41,000 attempts; the busiest retry slot held 9,700; 2 failed.",
		},
		{
			model.Summary{Wall: none, Operations: model.Operations{Total: 3, Succeeded: 1, InFlight: 2}, Attempts: model.Attempts{Total: 5}},
			"3 operations had not all ended when the run did, after 5 attempts; 2 still in flight.",
		},
		{
			model.Summary{Wall: none, Operations: model.Operations{Total: 3, InFlight: 3}, Attempts: model.Attempts{Total: 3}},
			"No completed requests: 3 operations still in flight when the run ended, after 3 attempts.",
		},
		{model.Summary{Wall: 1, Operations: model.Operations{Total: 2, Failed: 2}, Attempts: model.Attempts{Total: 2}}, "2 operations took 1 s and 2 attempts; all of them failed."},
		{model.Summary{Wall: none}, "No operation started before the run ended."},
	}
	for _, test := range tests {
		if got := Says(&test.of); got != test.want {
			t.Errorf("says %q, want %q", got, test.want)
		}
	}
}
