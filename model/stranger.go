package model

// charsPerToken is how many characters of a prompt are taken for a token where nobody has
// counted its tokens.
const charsPerToken = 4

// Prompt is what charges are reckoned from where nobody has counted a prompt's tokens.
type Prompt struct{ Chars, Azure int64 } // as in [Ask]

// Message adds a message of so many characters.
func (p *Prompt) Message(chars int64) {
	p.Chars += chars
	p.Azure += azureTokens(chars)
}

// Stranger is what an attempt asks for whose client is not the scenario's, the n-th of
// them: its prompt is as long as it says, in characters of each message, it has only the
// idempotency key that it brings, and the rest is drawn as the group's. Of a group that
// replays a trace it is the n-th row, round and round. Without messages the prompt is drawn
// too.
func (d *Draws) Stranger(operation Key, attempt int32, n int, p Prompt) Request {
	row := 0
	if len(d.rows) > 0 {
		row = n % len(d.rows)
	}
	q := d.RequestOfRow(operation, attempt, int32(row))
	q.Idempotency = 0
	if p == (Prompt{}) {
		return q
	}
	q.Chars, q.Azure, q.Input = p.Chars, p.Azure, (p.Chars+charsPerToken-1)/charsPerToken
	q.Cached = d.cached.of(q.Input)
	return q
}

// KeyNumber is the number of a key that the scenario names; false for any other.
func (c *Crowd) KeyNumber(name string) (number uint32, named bool) {
	number, named = c.keys[name]
	return number, named
}

// TenantNumber is the number of a tenant that the scenario names; false for any other.
func (c *Crowd) TenantNumber(name string) (number uint32, named bool) {
	number, named = c.tenants[name]
	return number, named
}

// Numbered is how many keys, and how many tenants, have a number: the next ones.
func (c *Crowd) Numbered() (keys, tenants uint32) {
	return uint32(len(c.keys)), uint32(len(c.tenants))
}

// Pool is the number of a pool that a limit names; 0 for any other.
func (c *Crowd) Pool(name string) uint32 { return c.pools.Pool(name) }
