package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"unicode/utf8"
)

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
		v.refuse(http.StatusBadRequest, "the body is no JSON of "+what+": "+wrongJSON(err))
		return false
	}
	return true
}

// What a request may have.
const (
	mostModel    = 256 // bytes of the model's name, which each event repeats
	mostMessages = 4096
)

// tooMuch says what of a request is more than the server takes; "" if nothing is.
func tooMuch(model string, messages int) string {
	switch {
	case len(model) > mostModel:
		return fmt.Sprintf("model is longer than %d bytes", mostModel)
	case messages > mostMessages:
		return fmt.Sprintf("messages has %d, and at most %d are taken", messages, mostMessages)
	}
	return ""
}

// wrongJSON says what is wrong with a body, without the names that its parts have in Go.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return err.Error()
	case kind.Field == "":
		return "it is a JSON " + kind.Value
	}
	return fmt.Sprintf("%s cannot be a JSON %s", kind.Field, kind.Value)
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
