package live

import (
	"bytes"
	"encoding/json"
)

// dialect is how one API writes an answer: its stream event by event, or all of it in one
// piece. What is said, and when, is not its business.
type dialect interface {
	name(number uint64) string                     // of the answer
	opens(b *bytes.Buffer, t *telling)             // what comes before the first token
	token(b *bytes.Buffer, t *telling, k int64)    // the k-th, from 0
	finish(b *bytes.Buffer, t *telling, end ended) // the reason
	usage(b *bytes.Buffer, t *telling, end ended)  // what it cost, without the reason
	done(b *bytes.Buffer)                          // the last event
	failure(b *bytes.Buffer, shape any)            // an error instead
	alive(b *bytes.Buffer)                         // nothing, but still there
	whole(t *telling, end ended) any               // all in one piece
}

// telling is what every event of an answer repeats.
type telling struct {
	id, model string
	created   int64
	prompt    int64
	usage     bool // the request wants the stream to tell what it cost
}

// ended is an answer that has come to its end.
type ended struct {
	tokens int64
	cut    bool // by max_tokens
}

// event writes one server-sent event; kind is "" where the dialect names none.
func event(b *bytes.Buffer, kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // our own shapes have nothing that JSON lacks
	}
	if kind != "" {
		b.WriteString("event: " + kind + "\n")
	}
	b.WriteString("data: ")
	b.Write(text)
	b.WriteString("\n\n")
}
