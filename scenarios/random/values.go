package random

import (
	"slices"

	"pgregory.net/rapid"
)

// values are good values of keys, simple ones first. A key that is not here gets what its
// schema allows: small numbers, and durations of a nanosecond to two seconds.
var values = map[string][]any{
	"Scenario.name":    {"books"},
	"Scenario.about":   {"text"},
	"Scenario.seed":    {1, 2, 3, 0, "18446744073709551615"},
	"Scenario.slot":    {"100ms", "50ms", "10ms", "1s", "37ms"},
	"Scenario.warm_up": {"100ms", "0s", "500ms", "1s"},
	"Scenario.expect":  {[]any{"success >= 0"}, []any{"wall < 1h", "attempts.rejected >= 0"}, []any{}},
	"Stop.after":       {"5s", "2s", "10s", "10s", "5s", "2s", "1m", "1s", "10s", "5s", "200ms", "2s", "10s", "0s", "5s"},

	"Group.count":              {1, 5, 10, 20, 30, 20, 10, 2, 0},
	"Group.priority":           {0, 1, 2, 255},
	"Group.idempotency_key":    {"operation", "attempt", "operation", "operation", "none", "operation"},
	"Group.key":                {"k", "l"},
	"Group.tenant":             {"t", "u"},
	"Group.pool":               {"p", "q"},
	"Arrive.at":                {"100ms", "0s", "500ms", "1s"},
	"Arrive.over":              {"100ms", "0s", "500ms", "1s", "2s"},
	"Arrive.for":               {"500ms", "1s", "100ms", "2s"},
	"Arrive.trace":             {"example.csv", "azure-conv.csv", "example.csv"},
	"Arrive.speed":             {1, 2, "115%", 0.5, 10},
	"Arrive.slice":             {[]any{"0s", "1s"}, []any{"500ms", "3s"}, []any{"1s", "2s"}, []any{"0s", "1h"}},
	"Arrive.over_clients":      {3, 1, 7, 20},
	"Group.workers":            {2, 3, 1, 5},
	"Repeat.operations":        {1, 2, 3, 5, "unlimited"},
	"Timeouts.attempt":         {"100ms", "50ms", "20ms", "300ms", "1s", "1ms"},
	"Timeouts.operation":       {"500ms", "200ms", "1s", "3s"},
	"Timeouts.first_event":     {"50ms", "20ms", "100ms", "300ms", "10ms"},
	"Timeouts.idle":            {"20ms", "5ms", "1ms", "100ms", "50ms"},
	"CancelConfig.probability": {"50%", "20%", "100%"},
	"RequestConfig.max_tokens": {10, 1, 2, 20, 40, "unlimited"},

	"ProviderConfig.seats":             {1, 2, 3, 5, 1, 2, 8, "unlimited"},
	"QueueConfig.order":                {"priority", "fifo", "lifo", "random", "priority"},
	"QueueConfig.places":               {2, 1, 5, 20, 0, "unlimited"},
	"HintConfig.retry_after":           {"exact", "1s", "100ms", "exact", "50ms", "300ms", "none", "0s"},
	"HintConfig.malformed":             {"-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "0", "2"},
	"HintConfig.scale":                 {"100%", "50%", "150%", "0%", "200%"},
	"HintConfig.late":                  {"50ms", "0s", "1ns"},
	"HintConfig.round":                 {"100ms", "1s", "0s", "7ms"},
	"Fault.first":                      {1, 2, 3, "unlimited"},
	"Fault.status":                     {500, 503, 429, 529, 408, 400, 401},
	"Fault.probability":                {"50%", "20%", "100%", 0.3, "1%"},
	"Fault.after_tokens":               {1, 0, 3, 10},
	"Fault.keep_alive":                 {"20ms", "5ms", "100ms", "15s"},
	"Fault.in_stream":                  {"overloaded_error"},
	"Fault.ending":                     {"close", "usage-close", "finish-close", "done-open", "reset", "close", "usage-close"},
	"StreamRule.completeness":          {"naive", "strict", "naive"},
	"Weather.at":                       {"100ms", "0s", "500ms", "1s", "2s"},
	"Weather.for":                      {"500ms", "1s", "100ms", "2s"},
	"Weather.outage":                   {503, 429, 529, 500, 401},
	"Weather.seats":                    {"50%", "20%", "0%", 0.1},
	"Weather.pace":                     {"50%", "20%", "10%", 0.3},
	"Weather.limits":                   {"50%", "20%", "0%", 0.1},
	"Weather.ramp":                     {"50ms", "100ms", "200ms"},
	"QueueConfig.wait_limit":           {"100ms", "20ms", "500ms", "1s", "unlimited"},
	"QueueConfig.aging":                {"100ms", "50ms", "1s"},
	"QueueConfig.reserve":              {1, 2},
	"PaceConfig.full_speed_to":         {1, 2, 3},
	"AbandonedConfig.frees_seat_after": {"0s", "50ms", "500ms", "never"},
	"IdempotencyConfig.mode":           {"attach", "replay", "attach", "off", "replay", "attach"},
	"IdempotencyConfig.expires":        {"1s", "100ms", "1h"},
	"IdempotencyConfig.conflict":       {429, 409, 503},
	"PriceConfig.input":                {2.5, 1, 0},
	"PriceConfig.cached":               {1.25, 0},
	"PriceConfig.output":               {10, 0.3, 0},
	"PriceConfig.per":                  {1000000, 1000, 1},
	"PriceConfig.currency":             {"USD", "EUR"},
	"LimitConfig.per":                  {"1s", "10s", "500ms", "10s", "2s", "100ms"},
	"LimitConfig.slices":               {"100ms", "50ms", "500ms", "1s"},
	"LimitConfig.phase":                {"50ms", "30ms", "0s", "200ms", "1s"},
	"ChargeConfig.unset":               {0, 5, 40, "actual"},
	"SlopeConfig.axis":                 {"requests", "tokens", "input_tokens", "output_tokens"},
	"SlopeConfig.above":                {"10/s", "1/s", "5/s", "100/s", "2/s"},
	"SlopeConfig.grow":                 {"50%", "10%", "200%", 0.3},
	"SlopeConfig.per":                  {"1s", "2s", "3s"},

	"Policy.attempts":    {2, 3, 4, 6, "unlimited"},
	"Policy.deadline":    {"500ms", "200ms", "1s", "100ms"},
	"Hedge.after":        {"50ms", "20ms", "p50", "100ms", "p95", "1ms"},
	"Hedge.at_most":      {1, 2, 3},
	"Exponential.base":   {"50ms", "10ms", "200ms", "1ms", "0s"},
	"Exponential.factor": {2, 1, 3, 1.5, 0.5, 0},
	"Exponential.cap":    {"500ms", "200ms", "2s", "1m"},
	"Linear.base":        {"50ms", "10ms", "200ms", "0s"},
	"Linear.cap":         {"500ms", "200ms", "2s"},
	"Decorrelated.base":  {"50ms", "10ms", "200ms", "0s"},
	"Decorrelated.cap":   {"500ms", "200ms", "2s"},
	"HintRule.mode":      {"floor", "obey", "floor", "obey", "ignore"},
	"HintRule.spread":    {"10%", "50ms", "0%", "100%", "1ns"},
	"HintRule.reads":     {[]any{"seconds"}, []any{"ms"}, []any{"float", "date"}, []any{"seconds", "date", "ms"}, []any{"body"}, []any{"ms", "float", "date", "body"}},
	"Policy.preset":      {"openai-node@6.49", "litellm", "langchain-core@1.4", "azure-core-python", "aws-sdk-go-v2@1.48", "failsafe-go@0.9.8"},

	"Exponential.throttled": {"50ms", "10ms", "200ms"},
	"Multiplied.base":       {"10ms", "1ms", "0s"},
	"Multiplied.factor":     {2, 1, 0.5, 0},
	"Multiplied.cap":        {"500ms", "2s"},
	"Steps.waits":           {[]any{"10ms", "50ms"}, []any{"0s", "20ms", "100ms"}, []any{"100ms"}},
	"BackoffConfig.steps":   {[]any{"10ms", "50ms"}, map[string]any{"waits": []any{"0s", "20ms", "100ms"}}},
	"BackoffConfig.jitter":  {"none", "full", "equal", "added", "25%", "-25%", "+100%", "80%..130%", "50ms"},
	"BackoffConfig.least":   {"10ms", "50ms", "0s"},
	"BackoffConfig.most":    {"100ms", "500ms", "50ms"},
	"HintRule.up_to":        {"50ms", "0s", "10ms", "50ms", "500ms", "2s"},

	"GateConfig.concurrency": {1, 2, 3, 5, "unlimited"},
	"GateConfig.requests":    {"20/s", "10/s", "5/s", "100/s", "3/s", "600/min"},
	"GateConfig.tokens":      {"500/s", "100/s", "2000/s", "50/s"},
	"GateConfig.burst":       {"100ms", "1s", "500ms", "1ms"},
}

// parts are good values inside of a distribution or another form that stands under a key.
var parts = map[string][]any{
	"RequestConfig.input_tokens":  {20, 100, 5, 50, 200, 0},
	"RequestConfig.output_tokens": {5, 10, 20, 1, 40, 0},
	"NetworkConfig.one_way":       {"1ms", "0s", "5ms", "20ms", "3ms"},
	"CancelConfig.after":          {"100ms", "20ms", "50ms", "500ms", "0s", "1s"},
	"Repeat.gap":                  {"50ms", "0s", "100ms", "500ms"},
	"ServiceConfig.first_token":   {"50ms", "10ms", "100ms", "300ms", "0s", "1ns"},
	"ServiceConfig.per_token":     {"1ms", "5ms", "10ms", "0s", "1ns"},
	"Constant.delay":              {"50ms", "100ms", "10ms", "0s", "500ms"},
	"BackoffConfig.constant":      {"50ms", "100ms", "10ms", "0s", "500ms"},
	"Triage.retry":                {500, "5xx", 429, 401, "4xx", "connection", "timeout", "stream"},
	"Triage.as_told":              {500, "5xx", 429, 401, "4xx", "connection", "timeout", "stream"},
	"Triage.fatal":                {500, "5xx", 503, 408, "4xx", "connection", "timeout", "stream"},

	"Fault.keys": {"k", "l"},

	"DurationDist.empirical": {"example.csv#first_token_ms"},
	"Int64Dist.empirical":    {"example.csv#prompt", "example.csv#answer", "azure-conv.csv#GeneratedTokens"},
	"DurationMeanCV.mean":    {"10ms", "50ms", "0s", "1ms"},
	"Int64MeanCV.mean":       {10, 50, 0, 1},
	"DurationMeanCV.cv":      {0.5, 1, 2, 0.1},
	"Int64MeanCV.cv":         {0.5, 1, 2, 0.1},
	"Variation.cv":           {1, 0.5, 2, 0.1, 5},

	"DurationDist.uniform":  {"10ms", "50ms", "0s", "1ms"},
	"DurationDist.sum":      {"1ms", "10ms", "0s"},
	"DurationMean.mean":     {"10ms", "50ms", "0s", "1ms"},
	"DurationMeanSD.mean":   {"10ms", "50ms", "0s", "1ms"},
	"DurationMeanSD.sd":     {"10ms", "50ms", "0s", "1ms"},
	"DurationQuantiles.p50": {"1ms", "10ms"},
	"DurationQuantiles.p99": {"10ms", "100ms", "1s"},
	"Int64Quantiles.p50":    {1, 5},
	"Int64Quantiles.p99":    {10, 100, 5},
}

// oftens are how many times in a hundred a key is given that need not be; others a third.
var oftens = map[string]int{
	"Scenario.about": 3, "Scenario.against": 5, "Scenario.seed": 80, "Scenario.stop": 100, "Scenario.warm_up": 6, "Scenario.slot": 60, "Scenario.provider": 98, "Scenario.expect": 5,
	"Stop.after": 100, "Stop.when": 40,
	"Group.name": 100, "Group.count": 85, "Group.policy": 75, "Group.cancel": 10, "Group.stream": 70, "RequestConfig.stream": 60, "Policy.hedge": 15, "Policy.deadline": 15, "Policy.timeouts": 15, "Policy.stream": 15, "Group.request": 70, "Group.network": 60, "Group.timeouts": 40, "Group.arrive": 35, "Group.gate": 35, "Group.pool": 40,
	"Group.workers": 15, "Arrive.speed": 50, "Arrive.slice": 50, "Arrive.over_clients": 50, "Arrive.columns": 90,
	"Arrive.for": 50, "Arrive.over": 50, "RequestConfig.output_tokens": 70, "RequestConfig.input_tokens": 60,
	"ProviderConfig.preset": 3, "ProviderConfig.seats": 75, "ProviderConfig.service": 85, "ProviderConfig.limits": 65, "ProviderConfig.slope": 12, "ProviderConfig.hint": 85, "ProviderConfig.queue": 45,
	"ServiceConfig.first_token": 80, "ServiceConfig.per_token": 60,
	"HintConfig.retry_after": 97, "HintConfig.malformed": 20, "HintConfig.scale": 15, "HintConfig.late": 15, "HintConfig.round": 15,
	"ProviderConfig.faults": 42, "TraceColumns.unit": 60, "StreamRule.completeness": 75, "Fault.keep_alive": 50, "ProviderConfig.weather": 12, "ProviderConfig.price": 15, "ProviderConfig.idempotency": 25, "ProviderConfig.abandoned": 25, "ServiceConfig.pace": 10,
	"QueueConfig.wait_limit": 25, "QueueConfig.order": 55, "QueueConfig.places": 90, "AbandonedConfig.frees_seat_after": 90, "Fault.keys": 25, "PaceConfig.sharing": 60, "IdempotencyConfig.mode": 90, "IdempotencyConfig.conflict": 75, "Group.idempotency_key": 50,
	"Fault.first": 90, "ChargeConfig.combine": 30, "ChargeConfig.input": 50, "ChargeConfig.output": 50, "Estimate.input": 60, "Estimate.output": 60,
	"Policy.attempts": 85, "Policy.backoff": 70, "Policy.hint": 90, "HintRule.beyond": 25, "Policy.triage": 25, "HintRule.mode": 95, "HintRule.up_to": 75, "Policy.preset": 8, "HintRule.reads": 20, "HintRule.zero": 15, "HintRule.past": 15, "HintRule.absent": 15, "HintRule.malformed": 15, "BackoffConfig.least": 15, "BackoffConfig.most": 15, "GateConfig.tokens": 40, "GroupGate.tokens": 40, "GateConfig.oversize": 45, "GroupGate.oversize": 45,
	"GateConfig.concurrency": 70, "GroupGate.concurrency": 70, "GateConfig.requests": 40, "GroupGate.requests": 40,
}

// ofJoins are those of scenarios whose answers can be joined: who joins one that has begun
// is a hedge, or a client that was told of nothing yet and tried again.
var ofJoins = map[string]int{
	"Group.idempotency_key": 90, "Group.request": 90, "RequestConfig.stream": 90, "Group.timeouts": 80, "Timeouts.first_event": 70, "Timeouts.idle": 70,
	"Group.policy": 95, "Policy.hedge": 70, "Group.network": 90, "RequestConfig.output_tokens": 95,
}

// often is the chance of a key, by what its mapping has already.
func (d *Drawer) often(n *node, key string, m map[string]any) int {
	if !d.tame {
		if key == "name" {
			return 100
		}
		return 33
	}
	id := n.def + "." + key
	switch {
	case n.def == "LimitConfig":
		return d.oftenOfLimit(key, m)
	case id == "Arrive.over" && m["rate"] != nil, id == "Arrive.for" && m["rate"] == nil, id == "Arrive.process" && m["rate"] == nil:
		return 2
	case id == "Arrive.trace" && (m["rate"] != nil || m["for"] != nil || m["over"] != nil || m["process"] != nil || m["ramp"] != nil),
		tracedOnly[id] && m["trace"] == nil:
		return 1
	case id == "Arrive.ramp" && !hasSteps(m):
		return 1
	case id == "Arrive.ramp", id == "Arrive.process":
		return 85
	case id == "Arrive.trace":
		return 22
	case id == "QueueConfig.aging", id == "QueueConfig.reserve":
		if m["order"] == "priority" {
			return 85
		}
		return 1
	case id == "QueueConfig.refuse_late" && m["wait_limit"] == nil:
		return 1
	case id == "Arrive.for":
		return 90
	case id == "Group.layers":
		if m["policy"] != nil {
			return 1
		}
		return 85
	case id == "Timeouts.idle_reset":
		if m["idle"] != nil {
			return 60
		}
		return 1
	case id == "Group.stream":
		if request, _ := m["request"].(map[string]any); request["stream"] != true {
			return 2
		}
	case id == "Group.arrive" && (m["count"] != nil && m["count"] != 1):
		return 30
	case id == "Arrive.rate":
		return 28
	case id == "Group.repeat" && isOpen(m):
		return 2
	}
	if percent, known := ofJoins[id]; known && d.joins {
		return percent
	}
	if percent, known := oftens[id]; known {
		return percent
	}
	return 33
}

func isOpen(group map[string]any) bool {
	arrive, _ := group["arrive"].(map[string]any)
	return arrive["rate"] != nil || arrive["trace"] != nil
}

// tracedOnly are the keys that say how a trace is replayed.
var tracedOnly = map[string]bool{"Arrive.columns": true, "Arrive.speed": true, "Arrive.slice": true, "Arrive.over_clients": true}

func hasSteps(arrive map[string]any) bool {
	steps, _ := arrive["rate"].(map[string]any)
	return len(steps) > 1
}

func (d *Drawer) oftenOfLimit(key string, m map[string]any) int {
	algorithm, windows := m["algorithm"], []any{"sliding-log", "fixed-window", "two-window"}
	isWindow := slices.Contains(windows, algorithm)
	switch {
	case m["axis"] == "concurrency" && key != "scope":
		return 1
	case key == "per":
		return 100
	case key == "algorithm":
		return 75
	case key == "kind":
		return 75
	case key == "scope":
		return 50
	case key == "charge" && m["axis"] == "requests":
		return 1
	case key == "charge":
		return 80
	case (key == "burst" || key == "start") && isWindow, key == "slices" && !isWindow, key == "phase" && (!isWindow || algorithm == "sliding-log"):
		return 1
	}
	return 33
}

// tameValue draws a value of a key that does not go by its schema alone.
func (d *Drawer) tameValue(id string) (v any, known bool) {
	switch id {
	case "Group.name":
		d.groups++
		return [...]string{"b", "a", "c"}[(d.groups-1)%3], true
	case "Group.policy", "Scenario.against":
		if len(d.policies) > 0 && d.chance(85, "own") {
			return pick(d, d.policies...), true
		}
		return pick(d, "none", "naive", "equal-jitter", "decorrelated", "full-jitter", "openai-node@6.49", "azcore-go@1.24"), true
	case "IdempotencyConfig.mode":
		mode := d.among(values[id], id)
		d.joins = mode == "attach"
		return mode, true
	case "RequestConfig.stream":
		return d.joins || rapid.Bool().Draw(d.t, "bool"), true
	case "Group.layers":
		layers := make([]any, 1+d.below(3, "layers"))
		for i := range layers {
			layers[i], _ = d.tameValue("Group.policy")
		}
		return layers, true
	case "Group.gate":
		if len(d.gates) > 0 && d.chance(70, "named") {
			return pick(d, d.gates...), true
		}
		return d.mapping(d.l.defs["GroupGate"].OneOf[1], 0), true
	case "Arrive.columns":
		if d.here["trace"] != "example.csv" {
			return "azure", true
		}
		columns := map[string]any{"time": "seconds"}
		for _, of := range [...][2]string{{"input", "prompt"}, {"output", "answer"}} {
			if d.chance(80, of[0]) {
				columns[of[0]] = of[1]
			}
		}
		if d.chance(50, "unit") {
			columns["unit"] = pick(d, "s", "ms", "us", "ns")
		}
		return columns, true
	case "ProviderConfig.preset":
		return pick(d, presetNames()...), true
	case "LimitConfig.limit", "LimitConfig.burst":
		switch d.here["axis"] {
		case "concurrency":
			return pick(d, 1, 2, 3, 5, 8), true
		case "requests":
			return pick(d, 2, 1, 5, 3, 10, 20), true
		}
		return pick(d, 50, 100, 200, 33, 500, 10), true
	}
	of := values[id]
	if len(id) > 10 && id[:10] == "GroupGate." {
		of = values["GateConfig."+id[10:]]
	}
	if len(of) == 0 {
		return nil, false
	}
	return d.among(of, id), true
}

// among picks a value that may be drawn.
func (d *Drawer) among(of []any, id string) any {
	if len(d.never) == 0 {
		return pick(d, of...)
	}
	may := slices.DeleteFunc(slices.Clone(of), func(v any) bool {
		text, is := v.(string)
		return is && d.never[id+"="+text]
	})
	return pick(d, may...)
}

// weighted picks one of the forms of a value, plain ones more often.
func (d *Drawer) weighted(id, def string, forms int) int {
	switch {
	case !d.tame || forms == 1:
	case def == "Duration":
		return 0
	case def == "HintRule" && d.chance(85, "mapping"):
		return 1
	case def == "QueueConfig" && d.chance(50, "mapping"):
		return 1
	case (def == "DurationDist" || def == "Int64Dist") && d.chance(60, "constant"):
		return 0
	}
	return d.below(forms, "form")
}
