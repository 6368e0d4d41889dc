package model

import (
	"strconv"
	"time"
)

// openAIHeaders are OpenAI's, and those of who took them over: Azure and Groq.
// OpenAI's resets obey reset = (limit - remaining) / limit * period, cut to ms.
func (p *Provider) openAIHeaders(h *headers, now time.Duration, flavour Flavour, q *Request, d *Decision) {
	for _, of := range []struct {
		name    string
		axis    LimitAxis
		longest bool
	}{
		{"requests", LimitRequests, flavour != AzureFlavour},
		{"tokens", LimitTokens, flavour != AzureFlavour && flavour != GroqFlavour},
	} {
		r, known := p.limits.room(now, of.axis, of.longest, &q.Ask)
		if !known {
			continue
		}
		h.count("x-ratelimit-limit-"+of.name, r.Limit)
		if flavour != AzureFlavour || d.Verdict != Reject {
			h.count("x-ratelimit-remaining-"+of.name, r.Remaining)
		}
		h.say("x-ratelimit-reset-"+of.name, flavour.reset(r.Reset))
	}
}

// reset writes a wait as a header of OpenAI's or, a bare number, of Azure's.
func (f Flavour) reset(wait time.Duration) string {
	if f == AzureFlavour {
		return strconv.FormatInt(int64(roundUp(wait, time.Second)/time.Second), 10)
	}
	return spoken(wait)
}

// spoken writes a wait as OpenAI's headers and texts do: 644ms, 11.054s, 1m9.696s.
func spoken(wait time.Duration) string { return wait.Truncate(time.Millisecond).String() }
