package live

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// mostOfEvent bounds what is kept of a line, and of the data, of an event that is read: each of tens
// of thousands of streams may hold both.
const mostOfEvent = 16 << 10

var errLongEvent = fmt.Errorf("an event of a stream is longer than %d bytes beside its texts", mostOfEvent)

// events reads server-sent events. A network chunk is not an event: a line, or a
// character, may come in pieces. Lines end with \n, \r\n or \r, a blank line ends an
// event, and what is left when the stream ends is no event. Data is taken for JSON, of whose texts
// no more is kept than skim keeps.
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
type events struct {
	from  *bufio.Reader
	line  []byte
	skim  skim // of the line: no text of JSON goes on in the next
	data  []byte
	some  bool   // data has a line, which may be empty
	cr    bool   // the last line ended with \r, so a \n belongs to it
	begun bool   // past the byte order mark
	quiet func() // called for a comment, which is no event; nil: nobody asks
}

func newEvents(r io.Reader) *events { return &events{from: bufio.NewReader(r)} }

// next returns the data of the next event that has any, valid until the next call.
// It returns as soon as the event's last byte is there.
func (e *events) next() ([]byte, error) {
	e.data, e.some = e.data[:0], false
	for {
		b, err := e.from.ReadByte()
		if err != nil {
			return nil, err
		}
		if b == '\n' && e.cr {
			e.cr = false
			continue
		}
		e.cr = b == '\r'
		if b != '\r' && b != '\n' {
			if !e.skim.keeps(b) {
				continue
			}
			if len(e.line) == mostOfEvent {
				return nil, errLongEvent
			}
			e.line = append(e.line, b)
			continue
		}
		ended, err := e.endLine()
		if ended || err != nil {
			return e.data, err
		}
	}
}

// endLine takes the line read and says whether it ended an event with data.
func (e *events) endLine() (ended bool, err error) {
	line := e.line
	if !e.begun {
		line, e.begun = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), true
	}
	e.line, e.skim = e.line[:0], skim{}
	if len(line) == 0 {
		return e.some, nil
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) == "" && e.quiet != nil {
		e.quiet()
	}
	if string(field) != "data" {
		return false, nil // a comment, or a field that means nothing to us
	}
	value = bytes.TrimPrefix(value, []byte(" "))
	if len(e.data)+1+len(value) > mostOfEvent {
		return false, errLongEvent
	}
	if e.some {
		e.data = append(e.data, '\n')
	}
	e.data, e.some = append(e.data, value...), true
	return false, nil
}
