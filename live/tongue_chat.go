package live

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/stampede-sim/stampede/policies"
)

// chatPart is what a client looks at of a stream's event.
type chatPart struct {
	Choices []struct {
		Delta        chatText `json:"delta"`
		FinishReason *string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// chatTongue speaks OpenAI's chat completions.
type chatTongue struct{}

func (chatTongue) asks(q *question) (method, path string, body any) {
	r := chatRequest{Model: q.model, Messages: []chatMessage{{Role: "user", Content: q.prompt}}, Stream: q.stream}
	if limit := int64(q.most); q.most != policies.Unlimited {
		r.MaxTokens = &limit
	}
	return http.MethodPost, "/chat/completions", r
}

func (chatTongue) sign(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func (chatTongue) hears(data []byte) (h heard, ok bool) {
	if string(data) == "[DONE]" {
		return heard{done: true}, true
	}
	var part chatPart
	if json.Unmarshal(data, &part) != nil {
		return h, false
	}
	if h.failed = part.Error != nil && string(part.Error) != "null"; h.failed {
		return h, true
	}
	for i := range part.Choices {
		c := &part.Choices[i]
		if c.Delta.Content != "" {
			h.pieces++
		}
		h.finished = h.finished || c.FinishReason != nil
	}
	if part.Usage != nil {
		h.tokens = part.Usage.Completion
	}
	return h, true
}

func (chatTongue) whole(data []byte) (tokens int64, finished bool) {
	var answer chatAnswer
	if json.Unmarshal(data, &answer) != nil {
		return 0, false
	}
	for _, c := range answer.Choices {
		if c.FinishReason != nil {
			if answer.Usage != nil {
				tokens = answer.Usage.Completion
			}
			return tokens, true
		}
	}
	return 0, false
}

// chapterTongue speaks the reference chapter's own: no key, no body, the answer a stream of
// chat completion chunks.
type chapterTongue struct{ chatTongue }

func (chapterTongue) asks(q *question) (method, path string, body any) {
	path = "/chat"
	if q.most != policies.Unlimited {
		path += "?max_tokens=" + strconv.FormatInt(int64(q.most), 10)
	}
	return http.MethodGet, path, nil
}

func (chapterTongue) sign(http.Header, string) {}
