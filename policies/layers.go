package policies

import "time"

// loop is one layer.
type loop struct {
	attempts Count
	deadline time.Duration // 0: none
	triage   Triage
	backoff  Backoff
	hint     HintRule
	longest  time.Duration // a wait of the backoff that is alike for all; -1: none
	heeds    bool          // the hint
}

// LoopState is an operation's place in one layer.
type LoopState struct {
	prev  time.Duration // the layer's last backoff
	began time.Duration // its call
	hedge time.Duration // of the innermost: when the next hedge is due
	tries int32         // calls of what is inside
	flies int32         // of the innermost: the newest attempt in flight
}

// inner is the innermost layer.
func (side *Side) inner() *LoopState { return &side.Loops[len(side.Loops)-1] }

// begin starts the calls of layers, from one inwards.
func (side *Side) begin(from int, at time.Duration) {
	for i := from; i < len(side.Loops); i++ {
		side.Loops[i] = LoopState{began: at, tries: 1}
	}
}

// failed decides what follows a failed attempt, the last in flight.
func (c *Client) failed(now time.Duration, s *State, side *Side, in *Input, a *Action) {
	if !c.mayRetry(s, &in.Answer) {
		c.end(now, s, Unfinished, a)
		return
	}
	c.layerFailed(now, s, side, in, len(c.loops)-1, NotEnded, a)
}

// layerFailed asks the layers, from one outwards, whether to call again what is inside
// them; why says for what reason the one before has failed.
func (c *Client) layerFailed(now time.Duration, s *State, side *Side, in *Input, from int, why EndReason, a *Action) {
	for i := from; i >= 0; i-- {
		l := &c.loops[i]
		prev, tries := s.prev, s.Attempts
		if side != nil {
			prev, tries = side.Loops[i].prev, side.Loops[i].tries
		}
		verdict := l.triage.Judge(&in.Answer)
		if l.hint.ShouldRetry == ObeyRetry {
			verdict = in.Answer.Hint.Retry.over(verdict)
		}
		switch {
		case verdict == GiveUp:
			why = gaveUp(in.Answer.Refusal)
			continue
		case Count(tries) >= l.attempts:
			if why == NotEnded || l.attempts > 1 {
				why = AttemptsExhausted
			}
			continue
		}
		own := l.backoff.Wait(Retry{N: int(tries) - 1, Prev: prev, Outcome: in.Answer, U: in.U})
		wait, alike := own, NotAlike
		if own == l.longest {
			alike = AlikeBackoff
		}
		if verdict == AsTold && l.heeds {
			var heed Heed
			wait, heed = l.hint.Wait(own, in.Answer, in.U)
			switch {
			case heed == NoWait:
				why = tooLong(in.Answer.Refusal)
				continue
			case heed == ToldWait && l.hint.Spread.None() && wait > 0:
				alike = AlikeHint
			case heed == ToldWait:
				alike = NotAlike
			}
		}
		at := Later(now, wait)
		if c.bounded {
			if up, layer := c.limit(s, side, i); at >= up && up != Never { // no retry could begin in time
				if layer < 0 {
					c.end(now, s, OperationTimedOut, a)
					return
				}
				i, why = layer, Deadline
				continue
			}
		}
		if side == nil {
			s.prev = own
		} else {
			side.Loops[i].prev = own
			side.Loops[i].tries++
			side.begin(i+1, at)
		}
		s.change(now, BackingOff)
		s.Layer = uint8(i)
		a.Do, a.At, a.Alike = WaitUntil, at, alike
		if s.holds && c.permit == PerAttempt {
			s.holds = false
			a.Leave = true
		}
		return
	}
	c.end(now, s, why, a)
}

// over is what becomes of a verdict where the client heeds x-should-retry.
func (r ShouldRetry) over(v Verdict) Verdict {
	switch {
	case r == NoRetry:
		return GiveUp
	case r == DoRetry && v == GiveUp:
		return AsTold
	}
	return v
}

// gaveUp is why an operation ends that is not tried again.
func gaveUp(refusal RefusalKind) EndReason {
	switch refusal {
	case BeyondLimit:
		return Impossible
	case QuotaExhausted:
		return Quota
	}
	return Fatal
}

// tooLong is why an operation ends whose hint is beyond what it may wait.
func tooLong(refusal RefusalKind) EndReason {
	if refusal == QuotaExhausted {
		return Quota
	}
	return Throttled
}
