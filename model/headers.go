package model

import (
	"slices"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Header is one header of an answer.
type Header struct{ Name, Value string }

// Headers are what the provider says in headers to a request it has just decided on:
// what its limits have left, in the words of a flavour, and the hint. wall is now by
// the wall, for dates.
//
//	flavour          requests              tokens                 reset
//	openai           the longest limit's   the longest limit's    8.64s, 6m0s
//	azure            the shortest's        the shortest's         10; none left is not said on 429
//	groq             the longest (RPD)     the shortest (TPM)     8.64s, 6m0s
//	anthropic        the shortest's        input, output, sum     2025-06-02T08:11:03Z
//	mistral          a minute's            a minute's, the cost   none
//	gemini, deepseek nothing
//
// An attempt that a fault fails is told nothing of limits.
func (p *Provider) Headers(now time.Duration, wall time.Time, flavour Flavour, q *Request, d *Decision) []Header {
	var h headers
	if p.limits != nil && d.Verdict != Fail {
		switch flavour {
		case AnthropicFlavour:
			p.anthropicHeaders(&h, now, wall, q)
		case MistralFlavour:
			p.mistralHeaders(&h, now, q)
		case GeminiFlavour, DeepSeekFlavour:
		default:
			p.openAIHeaders(&h, now, flavour, q, d)
		}
	}
	retry := d.Hint.Retry
	if flavour == AnthropicFlavour {
		retry = shouldRetry(d.Status) // also of a provider that speaks otherwise elsewhere
	}
	if retry != policies.NotSaid {
		h.say("x-should-retry", retry.String())
	}
	p.hintHeaders(&h, now, wall, d)
	return h
}

type headers []Header

func (h *headers) say(name, value string) { *h = append(*h, Header{name, value}) }

func (h *headers) count(name string, n int64) { h.say(name, strconv.FormatInt(n, 10)) }

// hintHeaders writes a hint in each of its formats, but one retry-after: the finest.
func (p *Provider) hintHeaders(h *headers, now time.Duration, wall time.Time, d *Decision) {
	hint := &p.config.Hint
	if hint.Malformed != "" && d.Hint.Kind != policies.NoHint {
		h.say("retry-after", hint.Malformed)
		return
	}
	asked, told := p.asks(d)
	if !told {
		return
	}
	after := ""
	for _, f := range hintFormats {
		if !slices.Contains(hint.Format, f) {
			continue
		}
		wait := f.cut(now, asked)
		switch {
		case f == MillisFormat:
			h.count("retry-after-ms", int64(wait/time.Millisecond))
		case after != "":
		case f == FloatFormat:
			after = decimals(wait)
		case f == SecondsFormat:
			after = strconv.FormatInt(int64(wait/time.Second), 10)
		case f == DateFormat:
			after = wholeSecond(wall.Add(asked)).Format("Mon, 02 Jan 2006 15:04:05 GMT")
		}
	}
	if after != "" {
		h.say("retry-after", after)
	}
}

// asks is the wait that a refused request is asked for, if any.
func (p *Provider) asks(d *Decision) (asked time.Duration, told bool) {
	if d.Hint.Kind == policies.NoHint {
		return 0, false
	}
	return p.voice.asks(d.Wait)
}

// decimals writes seconds with three decimals; what is finer is cut off.
func decimals(d time.Duration) string {
	return strconv.FormatFloat(d.Truncate(time.Millisecond).Seconds(), 'f', 3, 64)
}

// wholeSecond is the first second of the clock at or after t.
func wholeSecond(t time.Time) time.Time {
	whole := t.UTC().Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole
}

// room tells what the limit on an axis grants, the longest or else the shortest where
// there are several; false where there is none.
func (l *Limits) room(now time.Duration, axis LimitAxis, longest bool, q *Ask) (Room, bool) {
	i := l.shortest(axis, q)
	if longest {
		i = l.longest(axis, q)
	}
	if i == NoLimiter {
		return Room{}, false
	}
	return l.Room(now, i, q), true
}

// shortest is the number of the limit for the shortest time that counts a request on an
// axis, the first of equals; NoLimiter where there is none.
func (l *Limits) shortest(axis LimitAxis, q *Ask) int {
	return l.best(axis, q, func(per, best time.Duration) bool { return per < best })
}

// longest is the number of the limit for the longest time.
func (l *Limits) longest(axis LimitAxis, q *Ask) int {
	return l.best(axis, q, func(per, best time.Duration) bool { return per > best })
}

func (l *Limits) best(axis LimitAxis, q *Ask, better func(per, best time.Duration) bool) int {
	best := NoLimiter
	for i := range l.limiters {
		m := &l.limiters[i]
		if m.config.Axis != axis || m.of(q) < 0 {
			continue
		}
		if best == NoLimiter || better(m.config.Per, l.limiters[best].config.Per) {
			best = i
		}
	}
	return best
}
