package model

import (
	"slices"
	"testing"
)

func TestKeysThatHaveNoEffectAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		says string
		mode IdempotencyMode
		keys []IdempotencyKey
		want []string
	}{
		{"nothing of keys", IdempotencyOff, []IdempotencyKey{NoKey}, nil},
		{"one who sends, one who looks", IdempotencyReplay, []IdempotencyKey{NoKey, KeyPerOperation}, nil},
		{"nobody sends", IdempotencyAttach, []IdempotencyKey{NoKey, NoKey}, []string{"provider.idempotency: no group sends keys, so this has no effect; write idempotency_key: operation in a group"}},
		{"nobody looks", IdempotencyOff, []IdempotencyKey{NoKey, KeyPerOperation}, []string{"clients.1.idempotency_key: the provider looks at no keys, so this has no effect; write provider.idempotency: replay"}},
	} {
		config := &Config{}
		config.SetDefaults()
		config.Provider.Idempotency.Mode = c.mode
		for _, key := range c.keys {
			config.Clients = append(config.Clients, Group{Idempotency: key})
		}
		if got := config.idleKeys(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.says, got, c.want)
		}
		if got := NewTally(config).idle; !slices.Equal(got, c.want) {
			t.Errorf("%s: the tally warns of %q, want %q", c.says, got, c.want)
		}
	}
}
