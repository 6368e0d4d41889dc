package scenarios

import (
	"slices"
	"strings"
)

// later are keys of the language that a later version reads, by where they
// stand; * is any name or number. A key that a struct has is never looked up here.
func later(at string) string {
	switch at {
	case "clients.*.gate", "gates.*":
		return "order wait_limit settle aimd pause"
	case "policies.*":
		return "budget breaker order"
	case "policies.*.backoff":
		return "polly fibonacci windowed formula"
	}
	return ""
}

func isLater(p path, key string) bool {
	at := slices.Clone(p)
	for i := range at {
		if i == 1 && (at[0] == "clients" || at[0] == "policies" || at[0] == "gates") {
			at[i] = "*"
		}
	}
	return slices.Contains(strings.Fields(later(strings.Join(at, "."))), key)
}
