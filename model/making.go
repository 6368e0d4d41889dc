package model

import "time"

// Making is what a provider did for one request.
type Making struct {
	Input, Cached, Output int64         // tokens billed
	Busy                  time.Duration // seat time
}

// Making is an answer of so many tokens to q that had a seat for so long. A prompt is
// billed where tokens have a price.
func (c *ProviderConfig) Making(q *Request, tokens int64, busy time.Duration) Making {
	m := Making{Output: tokens, Busy: busy}
	if c.Price != nil {
		m.Input, m.Cached = q.Input, q.Cached
	}
	return m
}

// MadeBy is what has been made for q at its end e.
func (c *ProviderConfig) MadeBy(e *Effect, q *Request) Making {
	if e.Kind == Dropped || e.Kind == Stopped && e.Busy == 0 {
		return Making{} // it hung, or still stood in the queue: nothing has read its prompt
	}
	return c.Making(q, e.Tokens, e.Busy+e.Work) // one of which is 0
}
