package live

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A byte stream reads the same, however many pieces the network cuts it into, and wherever:
// in a character, in a line's end, in an event.
func TestStreamsCutAnywhereReadTheSame(t *testing.T) {
	bits := []string{"data: ", "data:", "data", ": ", "event: ping", "id: 1", "é", "€", "😀", "潮", "a", " ", ":", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\xef\xbb\xbf", "\xff"}
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOf(rapid.SampledFrom(bits)).Draw(t, "stream"), "")
		want, wantErr := readAll(strings.NewReader(stream))
		cuts := rapid.SliceOf(rapid.IntRange(0, len(stream))).Draw(t, "cuts")
		slices.Sort(cuts)
		var pieces []io.Reader
		at := 0
		for _, cut := range append(cuts, len(stream)) {
			pieces = append(pieces, strings.NewReader(stream[at:cut]))
			at = cut
		}
		if got, err := readAll(io.MultiReader(pieces...)); !slices.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Fatalf("%q cut at %v: %q and %v; whole: %q and %v", stream, cuts, got, err, want, wantErr)
		}
	})
}

// The same through a whole client, and in the words of another API: one answer, cut at every byte.
func TestAnswersCutAnywhereAreTheSame(t *testing.T) {
	const chat = "\xef\xbb\xbf: hello\r\n\r\n" + `data: {"choices":[{"delta":{"content":"潮é😀"},"finish_reason":null}]}` + "\r\n\r\n" +
		"event: x\rdata: {\"choices\":\rdata: [{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\r" + "data: [DONE]\n\n"
	for cut := range len(chat) {
		s := against(t, chapterConfig(1, "none"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, piece := range []string{chat[:cut], chat[cut:]} {
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
			}
		}))
		if s.Operations.Succeeded != 1 || s.Tokens.Useful != 1 || s.Tokens.Delivered != 1 || s.Operations.Truncated != 0 {
			t.Errorf("cut at %d: %+v %+v", cut, s.Operations, s.Tokens)
		}
	}
	messages := strings.ReplaceAll(messagesEvents, "\n", "\r\n")
	for cut := range len(messages) {
		var whole, pieces heardAll
		whole.read(t, strings.NewReader(messages))
		pieces.read(t, io.MultiReader(strings.NewReader(messages[:cut]), strings.NewReader(messages[cut:])))
		if whole != pieces || whole != (heardAll{pieces: 2, tokens: 2, finished: true, done: true}) {
			t.Errorf("cut at %d: %+v, whole %+v", cut, pieces, whole)
		}
	}
}

// heardAll is what all events of a stream of messages say.
type heardAll struct {
	pieces         int
	tokens         int64
	finished, done bool
}

func (a *heardAll) read(t *testing.T, r io.Reader) {
	for from := newEvents(r); !a.done; {
		data, err := from.next()
		if err != nil {
			return
		}
		h, ok := tongueOf(AnthropicWire).hears(data)
		if !ok {
			t.Errorf("%s is no event", data)
		}
		a.pieces += h.pieces
		a.tokens = max(a.tokens, h.tokens)
		a.finished, a.done = a.finished || h.finished, h.done
	}
}
