package live

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// The reference chapter's own wire, GET /v1/chat: no key and no body, the answer always a
// stream of chat completion chunks.
//
//	max_tokens=5  at most so many tokens
//	delay=60      milliseconds before each token, over the scenario's service
//	cut=5         the answer is abandoned after so many tokens, by a reset
//	how=close     and that by an orderly close
//
// GET /hang is never answered and GET /401 refused.

// readChapter reads the query; where it is wrong, it answers.
func (v *visit) readChapter() (a asked, ok bool) {
	a = asked{stream: true, most: policies.Unlimited}
	if v.r.ContentLength != 0 {
		v.w.Header().Set("Connection", "close") // the body is not read
		v.refuse(http.StatusBadRequest, "this path takes no body")
		return a, false
	}
	switch v.r.URL.Path {
	case hangPath:
		a.steer = &model.Fault{Hang: true}
		return a, true
	case keyPath:
		a.steer = &model.Fault{Status: http.StatusUnauthorized}
		return a, true
	}
	query := v.r.URL.Query()
	wrong := ""
	number := func(key string, least, most int64) (n int64, given bool) {
		text := query.Get(key)
		if text == "" {
			return 0, false
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < least || n > most {
			wrong = fmt.Sprintf("%s is %q; write a whole number from %d to %d", key, text, least, most)
		}
		return n, true
	}
	const anHour = 3_600_000
	if n, given := number("max_tokens", 1, 1e12); given {
		a.most = atMost(n)
	}
	if n, given := number("delay", 0, anHour); given {
		delay := time.Duration(n) * time.Millisecond
		a.delay = &delay
	}
	cut, given := number("cut", 0, 1e12)
	if given {
		a.steer = &model.Fault{Cut: model.CutReset, AfterTokens: cut}
	}
	switch how := query.Get("how"); {
	case how == "" || how == string(model.CutReset):
	case how != string(model.CutClose):
		wrong = fmt.Sprintf("how is %q; write reset or close", how)
	case given:
		a.steer.Cut = model.CutClose
	}
	if wrong != "" {
		v.refuse(http.StatusBadRequest, wrong)
		return a, false
	}
	return a, true
}

// Paths of the chapter that always fail.
const (
	hangPath = "/hang"
	keyPath  = "/401"
)
