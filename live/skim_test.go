package live

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/benbjohnson/clock"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Of a long text its first 64 bytes are kept, and no half of what belongs together.
func TestSkim(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, row := range []struct{ says, text, want string }{
		{"a short text", `{"a":"` + x(64) + `"}`, `{"a":"` + x(64) + `"}`},
		{"a long one", `{"a":"` + x(65) + `","b":1}`, `{"a":"` + x(64) + `","b":1}`},
		{"two, each for itself", `["` + x(99) + `","` + x(99) + `"]`, `["` + x(64) + `","` + x(64) + `"]`},
		{"a quote in it", `["` + x(99) + `\"` + x(9) + `"]`, `["` + x(64) + `"]`},
		{"a backslash at its end", `["` + x(99) + `\\"]`, `["` + x(64) + `"]`},
		{"what a backslash belongs to, as the last that is kept", `["` + x(63) + `\n` + x(9) + `"]`, `["` + x(63) + `\n"]`},
		{"four digits, as the last that are kept", `["` + x(63) + `\u00e9` + x(9) + `"]`, `["` + x(63) + `\u00e9"]`},
		{"four digits, as the first that are not", `["` + x(64) + `\u00e9` + x(9) + `"]`, `["` + x(64) + `"]`},
		{"numbers, of which all is kept", `[` + strings.Repeat("1,", 99) + `1]`, `[` + strings.Repeat("1,", 99) + `1]`},
		{"a text without an end", `["` + x(99), `["` + x(64)},
		{"a line's end in it, which JSON does not allow", `["` + x(99) + "\n" + `"]`, `["` + x(64) + "\n" + `"]`},
	} {
		for _, from := range []io.Reader{strings.NewReader(row.text), iotest.OneByteReader(strings.NewReader(row.text))} {
			if got, err := io.ReadAll(&skimmed{Reader: from}); string(got) != row.want || err != nil {
				t.Errorf("%s: %q and %v, want %q", row.says, got, err, row.want)
			}
		}
	}
}

// Whatever the texts, what is kept is JSON of the same shape: as many texts, each the start of its own.
func TestSkimKeepsTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringN(-1, -1, 300)).Draw(t, "texts")
		whole, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := io.ReadAll(&skimmed{Reader: strings.NewReader(string(whole))})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := json.Unmarshal(kept, &got); err != nil || len(got) != len(texts) {
			t.Fatalf("%s: %v, of %s", kept, err, whole)
		}
		for i := range got {
			start := strings.TrimRight(got[i], "\uFFFD") // half a character, which JSON reads as that
			if !strings.HasPrefix(strings.ToValidUTF8(texts[i], "\uFFFD"), start) || (got[i] == "") != (texts[i] == "") {
				t.Fatalf("%q of %q", got[i], texts[i])
			}
		}
	})
}

// 300 clients are sent 300 kB each in one piece, 90 MB together, whose last bytes are a second late:
// all have their answers.
func TestLongAnswersInOnePiece(t *testing.T) {
	c := chapterConfig(300, "none")
	c.Clients[0].Request.Stream = false
	answer := strings.Replace(inPieces, `"A"`, `"`+strings.Repeat("tide", 75_000)+`"`, 1)
	s := against(t, c, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer[:len(answer)-1])
		_ = http.NewResponseController(w).Flush()
		pass(time.Second)
		_, _ = io.WriteString(w, answer[len(answer)-1:])
	}))
	if a := s.Attempts; a.Succeeded != 300 || a.Total != 300 {
		t.Errorf("%+v", a)
	}
}

// Answers that are long beside their texts share a room; where it is full, the run ends and says so,
// and nobody is told that an answer was cut.
func TestRoomForAnswersInOnePiece(t *testing.T) {
	long := strings.Replace(inPieces, `"index":0`, `"more":[`+strings.Repeat("0,", smallBody/2)+`0]`, 1)
	for _, row := range []struct {
		says, answer string
		taken        int64
		stuck        bool
		end          policies.AttemptEnd
	}{
		{"a long one that finds room", long, 0, false, policies.Succeeded},
		{"a long one that finds none", long, mostOfBodies - 10, true, policies.Incomplete},
		{"one without an end, which is its server's fault", "[" + strings.Repeat("0,", mostOfBodies*3/4), 0, false, policies.Incomplete},
		{"a short one, which needs none", inPieces, mostOfBodies, false, policies.Succeeded},
	} {
		var why error
		w := &wire{tongue: chatTongue{}, stuck: func(err error) { why = err }}
		w.room.Store(row.taken)
		end := inOnePiece(w, strings.NewReader(row.answer), &report{})
		if end != row.end || (why != nil) != row.stuck || w.room.Load() != row.taken {
			t.Errorf("%s: %v, %v, %d bytes are taken; want %v", row.says, end, why, w.room.Load(), row.end)
		}
	}
}

// A stream that is given up because of this fleet's own bound is one whose trouble is told.
func TestTroubleOfALongEvent(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		n := Pipes()
		books := NewBooks(c, clock.New())
		fleet, err := NewFleet(c, 1, books)
		if err != nil {
			t.Fatal(err)
		}
		stop := serve(&http.Server{Handler: sse(false, part, "data: ["+strings.Repeat("0,", mostOfEvent)+"0]\n\n", finish, done)}, n.Listener)
		transport := n.transport()
		if err := fleet.Run(t.Context(), transport, "http://stampede/"); err != nil {
			t.Fatal(err)
		}
		a := model.Summarise(books.close(books.now(), 0)).Attempts
		if why := fleet.Trouble(); a.Incomplete != 1 || why != "an event of a stream is longer than 16384 bytes beside its texts, more than a fleet keeps, so it counts as broken" {
			t.Errorf("%q, %+v", why, a)
		}
		transport.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}
