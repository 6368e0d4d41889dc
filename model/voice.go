package model

import (
	"slices"
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
	format HintFormat // the one that clients take of those given; "" for none
	speaks bool       // the body's text has the hint too
	same   bool       // whatever the wait, the hint is told
	told   policies.Hint
}

func (h HintConfig) voice() voice {
	v := voice{rule: h.RetryAfter, scale: h.Scale, late: h.Late, round: h.Round, speaks: slices.Contains(h.Format, BodyFormat)}
	for _, finest := range hintFormats {
		if v.format == "" && slices.Contains(h.Format, finest) {
			v.format = finest
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

// hintFormats are the formats in the order in which clients look for them: headers
// before bodies, which few read, and of headers the finest first.
var hintFormats = [...]HintFormat{MillisFormat, FloatFormat, SecondsFormat, DateFormat, BodyFormat}

// say turns the true wait of a request that is refused now into what the client is told
// and reads. A wait of 0 is not known, and an exact hint then says nothing.
func (v *voice) say(now, wait time.Duration) policies.Hint {
	if v.same {
		return v.told
	}
	asked, told := v.asks(wait)
	if !told || v.format == "" {
		return policies.Hint{}
	}
	return policies.Hint{Kind: policies.GivenHint, Wait: v.format.cut(now, asked)}
}

// asks is the wait that a hint asks for, before any format cuts it.
func (v *voice) asks(wait time.Duration) (asked time.Duration, told bool) {
	switch {
	case v.rule.None():
		return 0, false
	case !v.rule.Exact:
		wait = v.rule.Wait
	case wait == 0:
		return 0, false
	}
	if v.scale != Whole {
		scaled, _, fits := policies.MulDiv(uint64(wait), uint64(v.scale), uint64(Whole))
		if wait = time.Duration(scaled); !fits || wait < 0 {
			wait = policies.Never
		}
	}
	if wait > policies.Never/2 {
		return policies.Never, true
	}
	wait += v.late
	if v.round > 0 {
		wait = roundUp(wait, v.round)
	}
	return wait, true
}

// cut is as much of a wait from now as the format can say.
func (f HintFormat) cut(now, wait time.Duration) time.Duration {
	switch {
	case wait > policies.Never/2:
		return policies.Never
	case f == SecondsFormat:
		return roundUp(wait, time.Second)
	case f == DateFormat:
		return roundUp(now+wait, time.Second) - now
	}
	return wait.Truncate(time.Millisecond)
}

func roundUp(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
