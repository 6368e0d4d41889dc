package model

import "fmt"

// idleKeys says where idempotency keys have no effect: nobody looks at them, or nobody
// sends any. It is a warning, so that a sweep may go over either side.
func (c *Config) idleKeys() []string {
	looks, sent := c.Provider.Idempotency.Mode != "" && c.Provider.Idempotency.Mode != IdempotencyOff, -1
	for i := range c.Clients {
		if key := c.Clients[i].Idempotency; key != "" && key != NoKey {
			sent = i
			break
		}
	}
	switch {
	case looks && sent < 0:
		return []string{"provider.idempotency: no group sends keys, so this has no effect; write idempotency_key: operation in a group"}
	case !looks && sent >= 0:
		return []string{fmt.Sprintf("clients.%d.idempotency_key: the provider looks at no keys, so this has no effect; write provider.idempotency: replay", sent)}
	}
	return nil
}
