package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// The shapes of Anthropic's messages.

type messagesRequest struct {
	Model     string          `json:"model"`
	System    json.RawMessage `json:"system"` // a text, or blocks
	Messages  []chatMessage   `json:"messages"`
	MaxTokens *int64          `json:"max_tokens"`
	Stream    bool            `json:"stream"`
}

type message struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"` // message
	Role         string         `json:"role"` // assistant
	Model        string         `json:"model"`
	Content      []messageBlock `json:"content"`
	StopReason   *string        `json:"stop_reason"`   // null at the start of a stream
	StopSequence *string        `json:"stop_sequence"` // null
	Usage        messageUsage   `json:"usage"`
}

type messageBlock struct {
	Type string `json:"type"` // text, or in a stream text_delta
	Text string `json:"text"`
}

type messageUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}

// messageEvent is an event of a stream; each type has some of its fields.
type messageEvent struct {
	Type    string        `json:"type"`
	Message *message      `json:"message,omitempty"`
	Index   *int          `json:"index,omitempty"`
	Block   *messageBlock `json:"content_block,omitempty"`
	Delta   any           `json:"delta,omitempty"`
	Usage   any           `json:"usage,omitempty"`
}

type messageStop struct {
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

// readMessages reads and checks a request for a message; where it is wrong, it answers.
func (v *visit) readMessages() (a asked, ok bool) {
	var q messagesRequest
	if !v.readJSON(&q, "a message") {
		return a, false
	}
	wrong := tooMuch(q.Model, len(q.Messages))
	switch {
	case wrong != "":
	case len(q.Messages) == 0:
		wrong = "messages: at least one message is required"
	case q.MaxTokens == nil:
		wrong = "max_tokens: Field required"
	case *q.MaxTokens < 1:
		wrong = fmt.Sprintf("max_tokens: is %d; write a whole number of at least 1", *q.MaxTokens)
	}
	if wrong != "" {
		v.refuse(http.StatusBadRequest, wrong)
		return a, false
	}
	a = asked{model: q.Model, stream: q.Stream, most: atMost(*q.MaxTokens)}
	for i, m := range append([]chatMessage{{Content: q.System}}, q.Messages...) {
		chars, ok := charsOf(m.Content)
		if !ok && i == 0 {
			wrong = "system: is neither a text nor a list of blocks"
		} else if !ok {
			wrong = fmt.Sprintf("messages.%d.content: is neither a text nor a list of blocks", i-1)
		}
		if !ok {
			v.refuse(http.StatusBadRequest, wrong)
			return a, false
		}
		if i > 0 || chars > 0 {
			a.prompt.Message(chars)
		}
	}
	return a, true
}

// messagesDialect is Anthropic's.
type messagesDialect struct{}

func (messagesDialect) name(number uint64) string { return "msg_" + strconv.FormatUint(number, 10) }

func (messagesDialect) opens(b *bytes.Buffer, t *telling) {
	event(b, "message_start", messageEvent{Type: "message_start", Message: &message{
		ID: t.id, Type: "message", Role: "assistant", Model: t.model, Content: []messageBlock{}, Usage: messageUsage{Input: t.prompt},
	}})
	event(b, "content_block_start", messageEvent{Type: "content_block_start", Index: new(int), Block: &messageBlock{Type: "text"}})
	event(b, "ping", messageEvent{Type: "ping"})
}

func (messagesDialect) token(b *bytes.Buffer, _ *telling, k int64) {
	event(b, "content_block_delta", messageEvent{Type: "content_block_delta", Index: new(int), Delta: messageBlock{Type: "text_delta", Text: tokenText(k)}})
}

func (messagesDialect) finish(b *bytes.Buffer, _ *telling, end ended) {
	event(b, "content_block_stop", messageEvent{Type: "content_block_stop", Index: new(int)})
	reason := messageReason(end)
	messageDelta(b, &reason, end)
}

func (messagesDialect) usage(b *bytes.Buffer, _ *telling, end ended) { messageDelta(b, nil, end) }

func messageDelta(b *bytes.Buffer, reason *string, end ended) {
	event(b, "message_delta", messageEvent{
		Type: "message_delta", Delta: messageStop{StopReason: reason},
		Usage: struct {
			Output int64 `json:"output_tokens"` // of the whole answer
		}{end.tokens},
	})
}

func (messagesDialect) done(b *bytes.Buffer) {
	event(b, "message_stop", messageEvent{Type: "message_stop"})
}

func (messagesDialect) failure(b *bytes.Buffer, shape any) { event(b, "error", shape) }

func (messagesDialect) alive(b *bytes.Buffer) { event(b, "ping", messageEvent{Type: "ping"}) }

func (messagesDialect) whole(t *telling, end ended) any {
	reason := messageReason(end)
	return message{
		ID: t.id, Type: "message", Role: "assistant", Model: t.model,
		Content:    []messageBlock{{Type: "text", Text: text(end.tokens)}},
		StopReason: &reason, Usage: messageUsage{Input: t.prompt, Output: end.tokens},
	}
}

func messageReason(end ended) string {
	if end.cut {
		return "max_tokens"
	}
	return "end_turn"
}
