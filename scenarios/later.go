package scenarios

import (
	"reflect"
	"slices"
	"strings"
)

// later are keys of the language that a later version reads, by where they
// stand; * is any name or number. A key that a struct has is never looked up here.
func later(at string) string {
	switch at {
	case "":
		return "warm_up"
	case "provider":
		return "abandoned limits slope weather idempotency price"
	case "provider.queue":
		return "order wait_limit refuse_late aging reserve"
	case "provider.service":
		return "pace"
	case "provider.hint":
		return "round scale late malformed"
	case "provider.faults.*":
		return "keys probability hang after_tokens stall keep_alive cut in_stream"
	case "clients.*":
		return "repeat tenant key priority workers timeouts cancel stream layers idempotency_key"
	case "clients.*.arrive":
		return "rate process for ramp trace columns speed slice over_clients"
	case "clients.*.request":
		return "cached"
	case "clients.*.gate", "gates.*":
		return "order wait_limit requests tokens burst estimate settle oversize aimd pause"
	case "policies.*":
		return "preset deadline budget breaker hedge order"
	case "policies.*.backoff":
		return "polly fibonacci windowed formula"
	case "policies.*.hint":
		return "up_to beyond spread"
	}
	return ""
}

func isLater(t reflect.Type, p path, key string) bool {
	if strings.HasPrefix(t.Name(), "Dist[") {
		return slices.Contains([]string{"gamma", "weibull", "empirical"}, key)
	}
	at := slices.Clone(p)
	for i := range at {
		if i == 1 && (at[0] == "clients" || at[0] == "policies" || at[0] == "gates") || i == 2 && at[1] == "faults" {
			at[i] = "*"
		}
	}
	return slices.Contains(strings.Fields(later(strings.Join(at, "."))), key)
}
