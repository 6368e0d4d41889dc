package report

import (
	"testing"

	"github.com/stampede-sim/stampede/model"
)

// bound is a run that limits held up.
func bound(limits ...model.LimitSummary) model.Summary {
	return model.Summary{
		Wall: 378.6, Operations: model.Operations{Total: 742, Succeeded: 742}, Attempts: model.Attempts{Total: 1367},
		Provider: model.ProviderUse{Limits: limits},
	}
}

// aftermathOf is a run of a provider that had weather, or worked for nobody.
func aftermathOf(p model.ProviderUse, warnings ...string) model.Summary {
	return model.Summary{Wall: 8, Operations: model.Operations{Total: 100, Succeeded: 100}, Attempts: model.Attempts{Total: 100}, Provider: p, Warnings: warnings}
}

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
			"9,998 of 10,000 operations succeeded; they took 3 min 45.6 s and 41,000 attempts; the busiest retry slot held 9,700; 2 failed.",
		},
		{
			model.Summary{Wall: none, Operations: model.Operations{Total: 3, Succeeded: 1, InFlight: 2}, Attempts: model.Attempts{Total: 5}},
			"1 of 3 operations succeeded; they had not all ended when the run did, after 5 attempts; 2 still in flight.",
		},
		{
			model.Summary{Wall: none, Operations: model.Operations{Total: 3, InFlight: 3}, Attempts: model.Attempts{Total: 3}},
			"No completed requests: 3 operations still in flight when the run ended, after 3 attempts.",
		},
		{
			bound(model.LimitSummary{Axis: "requests", Limit: 5000, Per: 60, Scope: "all", MeanCharge: 1, Bound: 83.3, Rejected: 3},
				model.LimitSummary{Axis: "tokens", Limit: 1_000_000, Per: 60, Scope: "all", MeanCharge: 8503, Bound: 1.96008876, Rejected: 625}),
			"742 operations took 6 min 18.6 s and 1,367 attempts; tokens bind: 1,000,000 a minute at 8,503 a request admit 117.6 requests a minute.",
		},
		{
			bound(model.LimitSummary{Axis: "output_tokens", Limit: 80_000, Per: 10, Scope: "key", MeanCharge: 1234.2, Bound: 6.48193161, Rejected: 1}),
			"742 operations took 6 min 18.6 s and 1,367 attempts; output tokens bind: 80,000 in 10 s for each key at 1,234 a request admit 64.82 requests in 10 s.",
		},
		{
			bound(model.LimitSummary{Axis: "requests", Limit: 20, Per: 86_400, Scope: "pool batch", MeanCharge: 1, Bound: 0.0002, Rejected: 5}),
			"742 operations took 6 min 18.6 s and 1,367 attempts; requests bind: 20 a day for the pool batch.",
		},
		{
			bound(model.LimitSummary{Axis: "concurrency", Limit: 100, Per: none, Scope: "all", MeanCharge: 1, Bound: none, Rejected: 5}),
			"742 operations took 6 min 18.6 s and 1,367 attempts; concurrency binds: 100 at once.",
		},
		{
			bound(model.LimitSummary{Axis: "input_tokens", Algorithm: model.SlopeAlgorithm, Limit: 1_000_000, Per: 60, Scope: "all", MeanCharge: 10, Bound: 1, Rejected: 5}),
			"742 operations took 6 min 18.6 s and 1,367 attempts; the slope binds, above 1,000,000 input tokens a minute.",
		},
		{
			bound(model.LimitSummary{Axis: "tokens", Limit: 30_000, Per: 60, Scope: "all", MeanCharge: 30_601, Bound: 0.01, Rejected: 5, TooLarge: 5}),
			"742 operations took 6 min 18.6 s and 1,367 attempts.",
		},
		{
			aftermathOf(model.ProviderUse{TriggerEnd: 30, Recovery: 57}),
			"100 operations took 8 s and 100 attempts; the weather was over at 30 s and goodput back at 57 s.",
		},
		{
			aftermathOf(model.ProviderUse{TriggerEnd: 30, Recovery: none, Busy: 8, WastedBusy: 2, Utilisation: 0.9}, model.DidNotRecover+": 80 before, 0 now"),
			"100 operations took 8 s and 100 attempts; the weather was over at 30 s, but goodput did not recover within the run; the seats were busy 90 % of the time, 25 % of that for answers nobody received.",
		},
		{
			aftermathOf(model.ProviderUse{TriggerEnd: 30, Recovery: none, Busy: 3, WastedBusy: 2, Utilisation: none}),
			"100 operations took 8 s and 100 attempts; 66.7 % of the provider's work was for nobody.",
		},
		{
			aftermathOf(model.ProviderUse{TriggerEnd: none, Recovery: none, Busy: 100, WastedBusy: 24, Utilisation: 0.9}),
			"100 operations took 8 s and 100 attempts.",
		},
		{
			model.Summary{Wall: 60, Operations: model.Operations{Total: 1440, Succeeded: 1210, Failed: 230}, Attempts: model.Attempts{Total: 1500}},
			"84 % of 1,440 operations succeeded; they took 1 min and 1,500 attempts; 230 failed.",
		},
		{
			model.Summary{
				Wall: 60, Operations: model.Operations{Total: 347, Succeeded: 100, Failed: 247, Failures: model.Failures{Impossible: 247}},
				Attempts: model.Attempts{Total: 400, RejectedAs: model.RefusalKinds{Impossible: 247}},
				Provider: model.ProviderUse{Limits: []model.LimitSummary{{Axis: "tokens", Holds: 30_000, TooLarge: 247, Rejected: 247}}},
			},
			"29 % of 347 operations succeeded; they took 1 min and 400 attempts; 247 of 347 can never be admitted: they are larger than the 30,000 tokens that the limit can hold; 247 failed.",
		},
		{
			model.Summary{
				Wall: 1, Operations: model.Operations{Total: 2, Failed: 2}, Attempts: model.Attempts{Total: 9, RejectedAs: model.RefusalKinds{Impossible: 1}},
				Provider: model.ProviderUse{Limits: []model.LimitSummary{{Axis: "requests", Holds: 5}, {Axis: "input_tokens", Holds: 70, TooLarge: 1, Rejected: 1}}},
			},
			"2 operations took 1 s and 9 attempts; 1 of 9 attempts can never be admitted: it is larger than the 70 input tokens that the limit can hold; all of them failed.",
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
