package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// epoch is what the clocks of clients show at time 0. It is for dates that a scenario
// writes out, under `hint.malformed`: those of before are past.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// voice says hints as a provider's headers carry them.
type voice struct {
	rule   RetryAfter
	scale  Share
	late   time.Duration
	round  time.Duration
	format HintFormat // the finest of those given; "" for none
	same   bool       // whatever the wait, the hint is told
	told   policies.Hint
}

func (h HintConfig) voice() voice {
	v := voice{rule: h.RetryAfter, scale: h.Scale, late: h.Late, round: h.Round}
	for _, finest := range hintFormats {
		for _, f := range h.Format {
			if v.format == "" && f == finest {
				v.format = f
			}
		}
	}
	switch {
	case h.Malformed != "" && !h.RetryAfter.None():
		v.same, v.told = true, policies.ParseHint(h.Malformed, "", epoch)
	case !h.RetryAfter.Exact && v.format != DateFormat:
		v.same, v.told = true, v.say(0, 0)
	}
	return v
}

// hintFormats are the formats, the finest first: clients take the finest they know.
var hintFormats = [...]HintFormat{BodyFormat, MillisFormat, FloatFormat, SecondsFormat, DateFormat}

// say turns the true wait of a request that is refused now into what the client is told
// and reads. A wait of 0 is not known, and an exact hint then says nothing.
func (v *voice) say(now, wait time.Duration) policies.Hint {
	switch {
	case v.same:
		return v.told
	case v.rule.None() || v.format == "":
		return policies.Hint{}
	case !v.rule.Exact:
		wait = v.rule.Wait
	case wait == 0:
		return policies.Hint{}
	}
	if v.scale != Whole {
		scaled, _, fits := policies.MulDiv(uint64(wait), uint64(v.scale), uint64(Whole))
		if wait = time.Duration(scaled); !fits || wait < 0 {
			wait = policies.Never
		}
	}
	if wait > policies.Never/2 {
		return policies.Hint{Kind: policies.GivenHint, Wait: policies.Never}
	}
	wait += v.late
	if v.round > 0 {
		wait = roundUp(wait, v.round)
	}
	switch v.format {
	case SecondsFormat:
		wait = roundUp(wait, time.Second)
	case DateFormat:
		wait = roundUp(now+wait, time.Second) - now
	default:
		wait = wait.Truncate(time.Millisecond)
	}
	return policies.Hint{Kind: policies.GivenHint, Wait: wait}
}

func roundUp(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
