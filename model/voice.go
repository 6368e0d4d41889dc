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
	format HintFormat // the one that clients take who can read all that are given; "" for none
	speaks bool       // the body's text has the hint too
	ears   [policies.HintFormsSets]ear
}

// ear is what reaches a client that can read a set of forms.
type ear struct {
	format HintFormat // the one it takes; "" for none
	same   bool       // whatever the wait, the hint is told
	told   policies.Hint
}

func (h HintConfig) voice() voice {
	v := voice{rule: h.RetryAfter, scale: h.Scale, late: h.Late, round: h.Round, speaks: slices.Contains(h.Format, BodyFormat)}
	for reads := range policies.HintForms(policies.HintFormsSets) {
		v.ears[reads] = v.ear(&h, reads)
	}
	v.format = v.ears[policies.AllForms].format
	return v
}

// ear finds what reaches a client of a hint that is written in formats.
func (v *voice) ear(h *HintConfig, reads policies.HintForms) (e ear) {
	if h.Malformed != "" && !h.RetryAfter.None() {
		return ear{same: true, told: policies.ParseHint(reads, h.Malformed, "", epoch)}
	}
	inHeader := HintFormat("") // of retry-after: the finest, as there is one only
	for _, f := range [...]HintFormat{FloatFormat, SecondsFormat, DateFormat} {
		if inHeader == "" && slices.Contains(h.Format, f) {
			inHeader = f
		}
	}
	millis := slices.Contains(h.Format, MillisFormat) && reads.Reads(policies.MillisForm)
	looked := inHeader != "" && reads.RetryAfter()
	readable := looked && reads.Reads(inHeader.form())
	switch {
	case millis && !(readable && reads.RetryAfterFirst()):
		e.format = MillisFormat
	case readable:
		e.format = inHeader
	case looked:
		return ear{same: true, told: policies.Hint{Kind: policies.MalformedHint}}
	case v.speaks && reads.Reads(policies.BodyForm):
		e.format = BodyFormat
	}
	if !h.RetryAfter.Exact && e.format != DateFormat {
		e.told, e.same = v.hear(&e, 0, 0), true
	}
	return e
}

// form is the form that a client must read.
func (f HintFormat) form() policies.HintForm { return policies.HintForm(f) }

// hintFormats are the formats in the order in which clients look for them: headers
// before bodies, which few read, and of headers the finest first.
var hintFormats = [...]HintFormat{MillisFormat, FloatFormat, SecondsFormat, DateFormat, BodyFormat}

// say turns the true wait of a request that is refused now into what a client is told
// and reads that can read everything.
func (v *voice) say(now, wait time.Duration) policies.Hint {
	if e := &v.ears[policies.AllForms]; !e.same {
		return v.hear(e, now, wait)
	}
	return v.ears[policies.AllForms].told
}

// hear turns a wait into what reaches a client. A wait of 0 is not known, and an exact hint
// then says nothing.
func (v *voice) hear(e *ear, now, wait time.Duration) policies.Hint {
	if e.same {
		return e.told
	}
	asked, told := v.asks(wait)
	if !told || e.format == "" {
		return policies.Hint{}
	}
	return policies.Hint{Kind: policies.GivenHint, Wait: e.format.cut(now, asked)}
}

// Heard is the hint of a decision that was made now, as a client takes it that can read
// some forms.
func (p *Provider) Heard(now time.Duration, reads policies.HintForms, d *Decision) policies.Hint {
	h := d.Hint
	if reads != policies.AllForms && h.Kind != policies.NoHint {
		h = p.voice.hear(&p.voice.ears[reads], now, d.Wait)
		h.Retry = d.Hint.Retry
	}
	return h
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
