package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

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
	chars  []int64        // of each message of the prompt
	delay  *time.Duration // before each token, in place of the scenario's
	steer  *model.Fault
}

// What bodies may take: each, and together what they are longer than a small one, so that
// those who send long bodies slowly keep nobody out who sends a short one.
const (
	mostOfBody   = 1 << 20
	smallBody    = 16 << 10
	mostOfBodies = 64 << 20
)

var errNoRoom = fmt.Errorf("long bodies of %d bytes are being read, which is all the server keeps; come again", mostOfBodies)

// rationed reads a body into the room that all share.
type rationed struct {
	io.Reader
	room  *atomic.Int64
	small int64 // still to come of what needs no room
	taken int64
}

func (r *rationed) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	more := max(0, int64(n)-r.small)
	r.small -= int64(n) - more
	r.taken += more
	if r.room.Add(more) > mostOfBodies && more > 0 {
		return n, errNoRoom
	}
	return n, err
}

// readJSON reads a body into q; where it is wrong, it answers.
func (v *visit) readJSON(q any, what string) bool {
	tooLong := fmt.Sprintf("the body is longer than %d bytes", mostOfBody)
	if v.r.ContentLength > mostOfBody {
		v.w.Header().Set("Connection", "close") // the rest is not read
		v.refuse(http.StatusRequestEntityTooLarge, tooLong)
		return false
	}
	from := &rationed{Reader: http.MaxBytesReader(v.w, v.r.Body, mostOfBody), room: &v.room, small: smallBody}
	defer func() { v.room.Add(-from.taken) }()
	body, err := io.ReadAll(from)
	var long *http.MaxBytesError
	switch {
	case errors.Is(err, errNoRoom):
		v.w.Header().Set("Connection", "close")
		v.refuse(http.StatusServiceUnavailable, err.Error())
		return false
	case errors.As(err, &long):
		v.refuse(http.StatusRequestEntityTooLarge, tooLong)
		return false
	case errors.Is(err, os.ErrDeadlineExceeded):
		v.w.Header().Set("Connection", "close")
		v.refuse(http.StatusRequestTimeout, fmt.Sprintf("the body did not come within %v", toRead))
		return false
	case err != nil:
		v.refuse(http.StatusBadRequest, "the body ended early")
		return false
	}
	if err := json.Unmarshal(body, q); err != nil {
		v.refuse(http.StatusBadRequest, "the body is no JSON of "+what+": "+err.Error())
		return false
	}
	return true
}

// charsOf counts the characters of a message's content: a text, or parts of which some have
// a text. false if it is neither.
func charsOf(content json.RawMessage) (chars int64, ok bool) {
	if len(content) == 0 || string(content) == "null" {
		return 0, true
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return int64(utf8.RuneCountInString(text)), true
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return 0, false
	}
	for _, p := range parts {
		chars += int64(utf8.RuneCountInString(p.Text))
	}
	return chars, true
}

// steerHeader forces a fault on the request that has it, where the server lets it.
const steerHeader = "X-Stampede-Fault"

// steered reads what fault a request forces on itself; where it is wrong, it answers.
func (v *visit) steered(a *asked) bool {
	words := v.r.Header.Get(steerHeader)
	if !v.Steer || words == "" {
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
	_ = v.out.SetReadDeadline(time.Time{}) // an answer may take longer than a body; not every writer has one to lift
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
		v.refuse(http.StatusServiceUnavailable, fmt.Sprintf("%d answers are unfinished, which is all the server keeps", mostAnswers))
		return
	}
	v.say(says.headers)
	if says.decision.Verdict == model.Replay {
		v.w.Header().Set("Idempotent-Replayed", "true")
	}
	if answer == nil {
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

// secretOf is the API key of a request, "" without.
func secretOf(h http.Header) string {
	if bearer := h.Get("Authorization"); bearer != "" {
		scheme, key, _ := strings.Cut(bearer, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	for _, name := range []string{"X-Api-Key", "Api-Key"} { // Anthropic's, Azure's
		if key := h.Get(name); key != "" {
			return key
		}
	}
	return ""
}
