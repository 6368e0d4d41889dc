package live

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func readAll(r io.Reader) (all []string, err error) {
	e := newEvents(r)
	for {
		data, err := e.next()
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

var streams = []struct {
	says, stream string
	want         []string
}{
	{"a blank line ends an event, a line does not", "data: a\n\ndata: b\ndata: c\n\n", []string{"a", "b\nc"}},
	{"lines end with CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
	{"lines end with CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
	{"all of them in one stream", "data: a\r\n\ndata: b\r\ndata: c\n\r\ndata: d\r\r\n", []string{"a", "b\nc", "d"}},
	{"one blank after the colon is not data, the second is", "data:a\n\ndata:  b\n\n", []string{"a", " b"}},
	{"an empty line of data is data", "data\n\ndata:\ndata:\n\n", []string{"", "\n"}},
	{"comments and other fields are no data", ": keep-alive\n\nevent: x\nid: 1\nretry: 5\ndata: a\nnonsense\n\n", []string{"a"}},
	{"what the stream's end cuts off is no event", "data: a\n\ndata: b\n", []string{"a"}},
	{"a byte order mark at the start", "\xef\xbb\xbfdata: a\n\n", []string{"a"}},
	{"characters of two to four bytes", "data: é€😀\n\ndata: 潮\r\n\r\n", []string{"é€😀", "潮"}},
	{"nothing", "", nil},
}

// However the network cuts a stream, it reads the same.
func TestEvents(t *testing.T) {
	for _, row := range streams {
		for cut := 0; cut <= len(row.stream); cut++ {
			r := io.MultiReader(strings.NewReader(row.stream[:cut]), strings.NewReader(row.stream[cut:]))
			if got, err := readAll(r); !slices.Equal(got, row.want) || !errors.Is(err, io.EOF) {
				t.Errorf("%s, cut at byte %d: %q and %v, want %q", row.says, cut, got, err, row.want)
			}
		}
		if got, _ := readAll(iotest.OneByteReader(strings.NewReader(row.stream))); !slices.Equal(got, row.want) {
			t.Errorf("%s, byte by byte: %q, want %q", row.says, got, row.want)
		}
	}
}

// An event is told when its last byte is there, even if that is a CR which a LF may follow.
func TestEventsDoNotWaitForMore(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "data: a\r\n\r") }()
	e := newEvents(r)
	if data, err := e.next(); string(data) != "a" || err != nil {
		t.Errorf("%q and %v, want a", data, err)
	}
	go func() { _, _ = io.WriteString(w, "\ndata: b\r\n\r") }()
	if data, err := e.next(); string(data) != "b" || err != nil {
		t.Errorf("%q and %v, want b", data, err)
	}
}

// Of an event that does not end little is kept; a text that does not end takes no room at all, and
// a long one is none.
func TestEventsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, row := range []struct {
		says, stream string
		want         []string
		err          error
	}{
		{"a line without an end", long, nil, errLongEvent},
		{"lines without an end", strings.Repeat("data: [[[[\n", 1<<12), nil, errLongEvent},
		{"a text without an end", `data: {"a": "` + long, nil, io.EOF},
		{"a long text", `data: {"a": "` + long + `"}` + "\n\n", []string{`{"a": "` + long[:mostOfString] + `"}`}, io.EOF},
		{"a text without an end in its line, and the next line", `data: "` + long + "\ndata: 1\n\n", []string{`"` + long[:mostOfString] + "\n1"}, io.EOF},
	} {
		e := newEvents(strings.NewReader(row.stream))
		var got []string
		data, err := e.next()
		for ; err == nil; data, err = e.next() {
			got = append(got, string(data))
		}
		if !errors.Is(err, row.err) || !slices.Equal(got, row.want) || cap(e.line)+cap(e.data) > 3*mostOfEvent {
			t.Errorf("%s: %.100q and %v, %d and %d bytes kept; want %.100q and %v", row.says, got, err, cap(e.line), cap(e.data), row.want, row.err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, row := range streams {
		f.Add(row.stream, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		whole, _ := readAll(strings.NewReader(stream))
		cut = min(max(0, cut), len(stream))
		pieces, _ := readAll(io.MultiReader(strings.NewReader(stream[:cut]), iotest.OneByteReader(strings.NewReader(stream[cut:]))))
		if !slices.Equal(whole, pieces) {
			t.Errorf("whole: %q; cut at %d: %q", whole, cut, pieces)
		}
	})
}
