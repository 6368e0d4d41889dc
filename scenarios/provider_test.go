package scenarios_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// provider is all that serving, weather, faults, keys and money can be.
const provider = `name: full
provider:
  seats: 64
  queue: {places: 200, order: priority, wait_limit: 10s, refuse_late: true, aging: 30s, reserve: 1}
  service:
    first_token: {lognormal: {p50: 900ms, p99: 4s}}
    per_token: 20ms
    pace: {full_speed_to: 16, sharing: processor}
  abandoned: {frees_seat_after: 5s}
  limits:
    - {axis: requests, limit: 5000, per: 1m}
  faults:
    - {status: 401, keys: [revoked]}
    - {first: 3, status: 500}
    - {probability: 0.2%, hang: true}
    - {probability: 0.1%, after_tokens: 20, stall: true, keep_alive: 15s}
    - {probability: 0.1%, after_tokens: 5, cut: reset}
    - {probability: 0.1%, after_tokens: 0, in_stream: overloaded_error}
  weather:
    - {at: 10s, for: 30s, outage: 503}
    - {at: 2m, for: 10s, seats: 20%}
    - {at: 3m, for: 10s, pace: 50%}
    - {at: 5m, for: 5m, limits: 50%, ramp: 1m}
    - {at: 9m, for: 2s, freeze: true}
  idempotency: {mode: replay, expires: 24h, conflict: 409}
  price: {input: 2.50, cached: 1.25, output: 10, per: 1000000, currency: USD}
clients:
  - {name: a, count: 2, request: {stream: true}}
  - {name: b, key: revoked}
`

func TestAProviderOfEverything(t *testing.T) {
	s, err := scenarios.Decode("full.yaml", []byte(provider))
	if err != nil {
		t.Fatal(err)
	}
	p, cached := &s.Provider, model.Unit*5/4
	share := func(percent model.Share) *model.Share { percent *= model.Whole / 100; return &percent }
	for _, row := range []struct {
		key       string
		got, want any
	}{
		{"queue", p.Queue, model.QueueConfig{Places: 200, Order: model.PriorityOrder, WaitLimit: model.WaitLimit(10 * time.Second), RefuseLate: true, Aging: 30 * time.Second, Reserve: 1}},
		{"pace", *p.Service.Pace, model.PaceConfig{FullSpeedTo: 16, Sharing: model.ProcessorSharing}},
		{"abandoned", p.Abandoned.FreesSeatAfter, model.Patience(5 * time.Second)},
		{"faults", p.Faults, []model.Fault{
			{First: policies.Unlimited, Probability: model.Whole, Status: 401, Keys: []string{"revoked"}},
			{First: 3, Probability: model.Whole, Status: 500},
			{First: policies.Unlimited, Probability: model.Whole / 500, Hang: true},
			{First: policies.Unlimited, Probability: model.Whole / 1000, AfterTokens: 20, Stall: true, KeepAlive: 15 * time.Second},
			{First: policies.Unlimited, Probability: model.Whole / 1000, AfterTokens: 5, Cut: model.CutReset},
			{First: policies.Unlimited, Probability: model.Whole / 1000, InStream: "overloaded_error"},
		}},
		{"weather", p.Weather, []model.Weather{
			{At: 10 * time.Second, For: 30 * time.Second, Outage: 503},
			{At: 2 * time.Minute, For: 10 * time.Second, Seats: share(20)},
			{At: 3 * time.Minute, For: 10 * time.Second, Pace: share(50)},
			{At: 5 * time.Minute, For: 5 * time.Minute, Limits: share(50), Ramp: time.Minute},
			{At: 9 * time.Minute, For: 2 * time.Second, Freeze: true},
		}},
		{"idempotency", p.Idempotency, model.IdempotencyConfig{Mode: model.IdempotencyReplay, Expires: 24 * time.Hour, Conflict: 409}},
		{"price", *p.Price, model.PriceConfig{Input: model.Unit * 5 / 2, Cached: &cached, Output: 10 * model.Unit, Per: 1_000_000, Currency: "USD"}},
	} {
		if !reflect.DeepEqual(row.got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.key, row.got, row.want)
		}
	}
	for _, short := range []string{"idempotency: off", "idempotency: {mode: off}", "abandoned: {frees_seat_after: never}", "seats: 1, queue: {places: 1, wait_limit: unlimited}"} {
		if s, err := scenarios.Decode("s.yaml", []byte(small+"provider: {"+short+"}\n")); err != nil || s.Provider.Abandoned.FreesSeatAfter != model.Patience(policies.Never) {
			t.Errorf("%s: %v", short, err)
		}
	}
}
