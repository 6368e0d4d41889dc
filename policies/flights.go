package policies

import "time"

// Flight is an attempt in flight that is not the newest.
type Flight struct {
	since, heard time.Duration
	attempt      int32
	opened       bool
}

// landed takes the end of an attempt that there may be others beside.
func (c *Client) landed(now time.Duration, s *State, side *Side, in *Input, a *Action) {
	switch {
	case in.Answer.End == Succeeded:
		side.Took.Add(now - c.flight(s, side, in.Attempt).since)
		if s.flights > 0 {
			a.Abandon, a.Of = Cancelled, EveryAttempt
		}
		c.end(now, s, Success, a)
	case c.land(s, side, in.Attempt, &in.Answer):
		c.stay(s, side, a)
	default:
		c.failed(now, s, side, in, a)
	}
}

// newest is the newest attempt in flight.
func (s *State) newest(side *Side) Flight {
	f := Flight{s.since, s.heard, s.Attempt(), s.opened}
	if side != nil {
		f.attempt = side.inner().flies
	}
	return f
}

// flight is an attempt in flight.
func (c *Client) flight(s *State, side *Side, attempt int32) Flight {
	for i := range s.flights {
		if f := side.Flights[i]; f.attempt == attempt {
			return f
		}
	}
	return s.newest(side)
}

// land takes an attempt that has ended out of those in flight, and says whether there is
// another.
func (c *Client) land(s *State, side *Side, attempt int32, with *Answer) bool {
	if s.flights == 0 {
		return false
	}
	s.shown = !c.mayRetry(s, with)
	for i := range s.flights {
		if side.Flights[i].attempt == attempt {
			copy(side.Flights[i:s.flights], side.Flights[i+1:s.flights])
			s.flights--
			return true
		}
	}
	s.flights--
	f := side.Flights[s.flights] // which is the newest now
	s.since, s.heard, s.opened, side.inner().flies = f.since, f.heard, f.opened, f.attempt
	return true
}

// hedgeDue is when a hedge is due of an attempt that is sent now; Never without hedges.
func (c *Client) hedgeDue(now time.Duration, side *Side) time.Duration {
	if c.hedge == nil {
		return Never
	}
	return Later(now, side.Took.after(c.hedge.After))
}

// hedgeAt is when the next hedge is due, if there may be another.
func (c *Client) hedgeAt(s *State, side *Side) time.Duration {
	if int(s.hedges) >= c.hedge.AtMost || int(s.flights) >= len(side.Flights) {
		return Never
	}
	return side.inner().hedge
}
