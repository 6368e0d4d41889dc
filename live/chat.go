package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/policies"
)

// The shapes of OpenAI's chat completions, as far as either side looks at them.

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Stream              bool          `json:"stream,omitempty"`
	StreamOptions       *chatOptions  `json:"stream_options,omitempty"`
	MaxTokens           *int64        `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int64        `json:"max_completion_tokens,omitempty"` // the newer name, which wins
}

type chatOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a text, or parts
}

type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"` // chat.completion
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

// chatChunk is a stream's event. Its usage is left out, or, where the request includes it,
// null in each but the last, which has no choices.
type chatChunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"` // chat.completion.chunk
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []chatChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      *chatReply `json:"message,omitempty"` // of a whole answer
	Delta        *chatText  `json:"delta,omitempty"`   // of a stream's event
	FinishReason *string    `json:"finish_reason"`     // null until the answer is finished
}

type chatReply struct {
	Role    string `json:"role"`
	Content string `json:"content"` // "" where it is empty, and never left out
}

type chatText struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// check finds what a request may not say, in one sentence; "" if all is well.
func (q *chatRequest) check() string {
	if len(q.Messages) == 0 {
		return "messages is missing or empty; write at least one message"
	}
	if wrong := tooMuch(q.Model, len(q.Messages)); wrong != "" {
		return wrong
	}
	for _, limit := range []struct {
		key string
		is  *int64
	}{{"max_tokens", q.MaxTokens}, {"max_completion_tokens", q.MaxCompletionTokens}} {
		if limit.is != nil && *limit.is < 1 {
			return fmt.Sprintf("%s is %d; write a whole number of at least 1", limit.key, *limit.is)
		}
	}
	return ""
}

// readChat reads and checks a chat completion's request; where it is wrong, it answers.
func (v *visit) readChat() (a asked, ok bool) {
	var q chatRequest
	if !v.readJSON(&q, "a chat completion") {
		return a, false
	}
	if wrong := q.check(); wrong != "" {
		v.refuse(http.StatusBadRequest, wrong)
		return a, false
	}
	a = asked{model: q.Model, stream: q.Stream, usage: q.StreamOptions != nil && q.StreamOptions.IncludeUsage, most: policies.Unlimited}
	for _, limit := range []*int64{q.MaxTokens, q.MaxCompletionTokens} {
		if limit != nil {
			a.most = atMost(*limit)
		}
	}
	for i, m := range q.Messages {
		chars, ok := charsOf(m.Content)
		if !ok {
			v.refuse(http.StatusBadRequest, fmt.Sprintf("messages[%d].content is neither a text nor a list of parts", i))
			return a, false
		}
		a.prompt.Message(chars)
	}
	return a, true
}

// chatDialect is OpenAI's.
type chatDialect struct{}

func (chatDialect) name(number uint64) string { return "chatcmpl-" + strconv.FormatUint(number, 10) }

func (chatDialect) opens(*bytes.Buffer, *telling) {}

func (d chatDialect) token(b *bytes.Buffer, t *telling, k int64) {
	delta := chatText{Content: tokenText(k)}
	if k == 0 {
		delta.Role = "assistant"
	}
	d.chunk(b, t, chatChoice{Delta: &delta})
}

func (d chatDialect) finish(b *bytes.Buffer, t *telling, end ended) {
	reason := chatReason(end)
	d.chunk(b, t, chatChoice{Delta: &chatText{}, FinishReason: &reason})
	if t.usage {
		d.usage(b, t, end)
	}
}

func (chatDialect) chunk(b *bytes.Buffer, t *telling, c chatChoice) {
	chunk := chatChunk{ID: t.id, Object: "chat.completion.chunk", Created: t.created, Model: t.model, Choices: []chatChoice{c}}
	if t.usage {
		chunk.Usage = json.RawMessage("null")
	}
	event(b, "", chunk)
}

func (chatDialect) usage(b *bytes.Buffer, t *telling, end ended) {
	usage, err := json.Marshal(chatUsageOf(t, end))
	if err != nil {
		panic(err) // three numbers
	}
	event(b, "", chatChunk{ID: t.id, Object: "chat.completion.chunk", Created: t.created, Model: t.model, Choices: []chatChoice{}, Usage: usage})
}

func (chatDialect) done(b *bytes.Buffer) { b.WriteString("data: [DONE]\n\n") }

func (chatDialect) failure(b *bytes.Buffer, shape any) { event(b, "", shape) }

func (chatDialect) alive(b *bytes.Buffer) { b.WriteString(": keep-alive\n\n") }

func (chatDialect) whole(t *telling, end ended) any {
	reason := chatReason(end)
	return chatAnswer{
		ID: t.id, Object: "chat.completion", Created: t.created, Model: t.model,
		Choices: []chatChoice{{Message: &chatReply{Role: "assistant", Content: text(end.tokens)}, FinishReason: &reason}},
		Usage:   chatUsageOf(t, end),
	}
}

func chatUsageOf(t *telling, end ended) *chatUsage {
	return &chatUsage{Prompt: t.prompt, Completion: end.tokens, Total: t.prompt + end.tokens}
}

func chatReason(end ended) string {
	if end.cut {
		return "length"
	}
	return "stop"
}

var chapter = strings.Fields("A tide gauge is a device that measures sea level over time .")

// tokenText is the text of an answer's k-th token, from 0: the reference chapter's
// answer, again and again.
func tokenText(k int64) string {
	word := chapter[k%int64(len(chapter))]
	if k == 0 {
		return word
	}
	return " " + word
}

// mostOfText bounds what is really sent of an answer in one piece, in tokens, whatever its usage
// says. A stream is sent whole, as nothing of it is kept.
const mostOfText = 64 << 10

// text is an answer of so many tokens.
func text(tokens int64) string {
	var b strings.Builder
	for k := range min(tokens, mostOfText) {
		b.WriteString(tokenText(k))
	}
	return b.String()
}
