package live

import (
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// visit is one request on its way through the server.
type visit struct {
	*Server
	w       http.ResponseWriter
	r       *http.Request
	out     *http.ResponseController
	id      string        // of the request, where the flavour has a header for it
	flavour model.Flavour // whose headers and errors it is answered with
	speaks  dialect
	guest   guest
	came    time.Duration

	// How it went.
	answer policies.Answer
	axis   model.Axis
	seen   time.Duration // when its first token left
	made   model.Making
}

// asked is what a request asks for, whatever its API.
type asked struct {
	model  string
	stream bool
	usage  bool           // at the end of the stream
	most   policies.Count // tokens
	prompt model.Prompt
	delay  *time.Duration // before each token, in place of the scenario's
	steer  *model.Fault
}

// atMost is a number of tokens that a request names, which is never [policies.Unlimited].
func atMost(tokens int64) policies.Count { return min(policies.Count(tokens), policies.Unlimited-1) }

// steerHeader forces a fault on the request that has it, where the server lets it.
const steerHeader = "X-Stampede-Fault"

// steered reads what fault a request forces on itself; where it is wrong, it answers.
func (v *visit) steered(a *asked) bool {
	words := v.r.Header.Get(steerHeader)
	if words == "" {
		return true
	}
	if !v.Steer {
		v.unsteered.Add(1)
		v.w.Header().Set(steerHeader, "ignored: the server was started without --steer")
		return true
	}
	f, err := model.ParseFault(words)
	switch {
	case err != nil:
		v.refuse(http.StatusBadRequest, steerHeader+": "+err.Error())
		return false
	case f.OfStreams() && !a.stream:
		v.refuse(http.StatusBadRequest, steerHeader+`: in_stream and ending happen to streams; ask for one with "stream": true`)
		return false
	}
	a.steer = f
	return true
}

// serve puts what is asked before the provider, and tells its answer.
func (v *visit) serve(a *asked) {
	if !v.steered(a) {
		return
	}
	q := v.draw(&v.guest, a)
	q.Stream, q.EachToken, q.MaxTokens, q.Steer = a.stream, a.stream, a.most, a.steer
	if a.delay != nil {
		q.FirstToken, q.PerToken = *a.delay, *a.delay
	}
	if key := v.r.Header.Get("Idempotency-Key"); key != "" {
		q.Idempotency = idempotency(v.guest.secret, key)
	}
	answer, says, full := v.offer(v, &q)
	if full {
		v.refuse(http.StatusServiceUnavailable, fmt.Sprintf("%d answers are unfinished, which is all the server keeps", v.most))
		return
	}
	v.say(says.headers)
	if says.decision.Verdict == model.Replay {
		v.w.Header().Set("Idempotent-Replayed", "true")
	}
	if answer == nil {
		if a.steer != nil && a.steer.RetryAfter > 0 && says.decision.Verdict == model.Fail {
			v.w.Header().Set("Retry-After", strconv.FormatInt(int64(a.steer.RetryAfter/time.Second), 10))
		}
		v.decline(&says)
		return
	}
	defer v.leave(answer)
	t := telling{model: a.model, created: v.books.clock.Now().Unix(), prompt: q.Input, usage: a.usage}
	if a.stream {
		v.stream(answer, &t)
	} else {
		v.whole(answer, &t)
	}
}

// idempotency numbers an idempotency key, which belongs to an API key.
func idempotency(secret, key string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, secret+"\x00"+key)
	return max(1, h.Sum64())
}

func (v *visit) say(headers []model.Header) {
	for _, h := range headers {
		v.w.Header().Set(h.Name, h.Value)
	}
}
