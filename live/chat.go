package live

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The shapes of OpenAI's chat completions, as far as either side looks at them.

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Stream              bool          `json:"stream,omitempty"`
	MaxTokens           *int64        `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int64        `json:"max_completion_tokens,omitempty"` // the newer name, which wins
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a text, or parts
}

type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"` // chat.completion, or chat.completion.chunk
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatChoice struct {
	Index        int       `json:"index"`
	Message      *chatText `json:"message,omitempty"` // of a whole answer
	Delta        *chatText `json:"delta,omitempty"`   // of a stream's event
	FinishReason *string   `json:"finish_reason"`     // null until the answer is finished
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

// text is an answer of so many tokens.
func text(tokens int64) string {
	var b strings.Builder
	for k := range tokens {
		b.WriteString(tokenText(k))
	}
	return b.String()
}
