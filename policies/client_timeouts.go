package policies

import "time"

// timedOut finds out whose time is up.
func (c *Client) timedOut(now time.Duration, s *State, side *Side, in *Input, a *Action) {
	in.Answer.End = InFlight
	if at, layer := c.limit(s, side, len(c.loops)-1); now >= at {
		if layer < 0 {
			drop(s, TimedOut, OperationTimeout, a)
			c.end(now, s, OperationTimedOut, a)
			return
		}
		drop(s, TimedOut, DeadlineTimeout, a)
		in.Answer.End, in.Answer.Timeout = TimedOut, DeadlineTimeout
		if !c.mayRetry(s, &in.Answer) {
			c.end(now, s, Deadline, a)
			return
		}
		c.layerFailed(now, s, side, in, layer-1, Deadline, a)
		return
	}
	if c.hedge != nil {
		for i := range s.flights {
			f := side.Flights[i]
			if at, by := c.due(&f); now >= at {
				c.land(s, side, f.attempt, &in.Answer)
				a.Abandon, a.By, a.Of = TimedOut, by, f.attempt
				c.stay(s, side, a)
				return
			}
		}
	}
	f := s.newest(side)
	if at, by := c.due(&f); now >= at {
		in.Answer.End, in.Answer.Timeout = TimedOut, by
		a.Abandon, a.By, a.Of = TimedOut, by, f.attempt
		if c.hedge != nil && c.land(s, side, f.attempt, &in.Answer) {
			c.stay(s, side, a)
			return
		}
		c.failed(now, s, side, in, a)
		return
	}
	if c.hedge != nil && now >= c.hedgeAt(s, side) {
		side.Flights[s.flights] = f
		s.flights++
		s.hedges++
		s.Attempts++
		s.since, s.heard, s.opened = now, now, false
		side.inner().hedge, side.inner().flies = c.hedgeDue(now, side), s.Attempt()
		a.Do, a.Hedge, a.At = Send, true, c.wake(s, side)
		return
	}
	c.stay(s, side, a)
}

// hear notes an event of an attempt.
func (c *Client) hear(now time.Duration, s *State, side *Side, in *Input) {
	if !in.Content && c.timeouts.IdleReset != ResetByAnyByte {
		return
	}
	heard := now
	if in.Flow > 0 && in.Flow <= c.timeouts.Idle {
		heard = Never
	}
	if c.hedge != nil && in.Attempt != side.inner().flies {
		for i := range s.flights {
			if f := &side.Flights[i]; f.attempt == in.Attempt {
				f.heard, f.opened = heard, f.opened || in.Content
			}
		}
		return
	}
	s.heard, s.opened = heard, s.opened || in.Content
}

// wake is when the first of all time-outs is due, or a hedge.
func (c *Client) wake(s *State, side *Side) time.Duration {
	at := Never
	if c.bounded {
		at, _ = c.limit(s, side, len(c.loops)-1)
	}
	if c.quiet && c.hedge == nil {
		if c.timeouts.Attempt > 0 {
			at = min(at, Later(s.since, c.timeouts.Attempt))
		}
		return at
	}
	f := s.newest(side)
	due, _ := c.due(&f)
	at = min(at, due)
	if c.hedge != nil {
		for i := range s.flights {
			due, _ := c.due(&side.Flights[i])
			at = min(at, due)
		}
		at = min(at, c.hedgeAt(s, side))
	}
	return at
}

// due is when an attempt's time is up, and by which time-out; the attempt's own is
// named where another is due with it.
func (c *Client) due(f *Flight) (at time.Duration, by Timeout) {
	t := &c.timeouts
	at = Never
	if t.Attempt > 0 {
		at, by = Later(f.since, t.Attempt), AttemptTimeout
	}
	if !f.opened && t.FirstEvent > 0 {
		if first := Later(f.since, t.FirstEvent); first < at {
			at, by = first, FirstEventTimeout
		}
	} else if t.Idle > 0 && f.heard != Never {
		if idle := Later(f.heard, t.Idle); idle < at {
			at, by = idle, IdleTimeout
		}
	}
	return at, by
}

// limit is when the operation's time is up (layer -1), or that of a layer up to the inner
// one: the outermost where several are due together.
func (c *Client) limit(s *State, side *Side, inner int) (at time.Duration, layer int) {
	at, layer = Never, -1
	if !c.bounded {
		return at, layer
	}
	if c.timeouts.Operation > 0 {
		at = Later(s.Started, c.timeouts.Operation)
	}
	for i := range inner + 1 {
		if d := c.loops[i].deadline; d > 0 {
			if up := Later(began(s, side, i), d); up < at {
				at, layer = up, i
			}
		}
	}
	return at, layer
}

// began is when a layer's call did.
func began(s *State, side *Side, layer int) time.Duration {
	if side == nil {
		return s.Started
	}
	return side.Loops[layer].began
}

// drop lets go of what the operation holds or waits for.
func drop(s *State, end AttemptEnd, by Timeout, a *Action) {
	a.By = by
	switch s.Phase {
	case AtGate:
		a.Withdraw = true
	case Sending:
		a.Abandon, a.Of = end, EveryAttempt
	}
}
