package model

import (
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// ErrorBody is what the body of an answer without a result says. Its flavour gives it
// a shape, and says only what it has words for.
type ErrorBody struct {
	Status  int
	Type    string // Gemini's status
	Code    string // "" where there is none
	Message string
	Quota   string // Gemini: the quotaId of a limit
	Limit   int64  // Gemini: its quotaValue
	Delay   string // Gemini: RetryInfo.retryDelay, "" without
}

// Refusal is the body for a request that was just decided on: refused by a limit, for
// want of a place, or failed by a fault, in the words of a flavour.
func (p *Provider) Refusal(now time.Duration, flavour Flavour, q *Request, d *Decision) ErrorBody {
	body := flavour.plain(int(d.Status))
	if d.Verdict == Reject {
		body = p.rejected(now, flavour, q, d)
	}
	return body
}

// rejected is the body for a request that a limit, the seats or the queue refuse.
func (p *Provider) rejected(now time.Duration, flavour Flavour, q *Request, d *Decision) ErrorBody {
	r := refusal{Decision: d, body: flavour.plain(int(d.Status)), azureSeconds: p.voice.format != BodyFormat}
	if d.Limiter != NoLimiter {
		r.room = p.limits.Room(now, d.Limiter, &q.Ask)
	}
	if d.Limiter >= 0 {
		r.limit = p.config.Limits[d.Limiter]
	}
	asked, told := p.asks(d)
	if told && p.config.Hint.Malformed == "" && p.voice.speaks {
		r.again, r.wait = true, asked
	}
	switch flavour {
	case AzureFlavour:
		r.azure()
	case AnthropicFlavour:
		r.anthropic()
	case GeminiFlavour:
		r.gemini()
	case MistralFlavour:
		r.mistral()
	default:
		r.openAI()
	}
	return r.body
}

// refusal is what a text about a rejection is made of.
type refusal struct {
	*Decision
	body         ErrorBody
	limit        LimitConfig // of Decision.Limiter, where it is a limit
	room         Room
	again        bool // the text says when to come again: after wait
	wait         time.Duration
	azureSeconds bool // Azure's text says whole seconds, as the headers have the rest
}

// ErrorBody is the body for a status alone, in a flavour's words.
func (f Flavour) ErrorBody(status int, message string) ErrorBody {
	body := f.plain(status)
	body.Message = message
	return body
}

// plain is the body for a status of which nothing more is known.
func (f Flavour) plain(status int) ErrorBody {
	switch f {
	case AzureFlavour:
		return ErrorBody{Status: status, Code: strconv.Itoa(status), Message: statusWords(status)}
	case AnthropicFlavour:
		return ErrorBody{Status: status, Type: anthropicType(status), Message: statusWords(status)}
	case GeminiFlavour:
		return ErrorBody{Status: status, Type: geminiStatus(status), Message: statusWords(status)}
	case MistralFlavour:
		return ErrorBody{Status: status, Type: mistralType(status), Code: mistralCode(status), Message: statusWords(status)}
	}
	kind, code := openAIType(status)
	return ErrorBody{Status: status, Type: kind, Code: code, Message: statusWords(status)}
}

func statusWords(status int) string {
	switch status {
	case 401:
		return "The API key is not valid."
	case 429:
		return "Too many requests."
	case 503, 529:
		return "Overloaded"
	}
	if status < 500 {
		return "The request is not valid."
	}
	return "Something went wrong on the server."
}

// full says whether the refusal is for want of a place, and not of a limit's.
func (r *refusal) full() bool { return r.Limiter == NoLimiter }

// impossible says whether no wait will ever do.
func (r *refusal) impossible() bool { return r.Kind == policies.BeyondLimit }
