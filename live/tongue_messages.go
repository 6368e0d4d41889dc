package live

import (
	"encoding/json"
	"net/http"

	"github.com/stampede-sim/stampede/policies"
)

// messagesTongue speaks Anthropic's messages.
type messagesTongue struct{}

// AnthropicMaxTokens is what Anthropic's API, which wants a bound, is asked for at most where the
// scenario sets none.
const AnthropicMaxTokens = 4096

func (messagesTongue) asks(q *question) (method, path string, body any) {
	most := int64(q.most)
	if q.most == policies.Unlimited {
		most = AnthropicMaxTokens
	}
	return http.MethodPost, "/messages", messagesRequest{Model: q.model, MaxTokens: &most, Stream: q.stream, Messages: []chatMessage{{Role: "user", Content: q.prompt}}}
}

func (messagesTongue) sign(h http.Header, key string) {
	h.Set("Anthropic-Version", "2023-06-01")
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func (messagesTongue) hears(data []byte) (h heard, ok bool) {
	var e struct {
		Type  string `json:"type"`
		Delta struct {
			Text       string  `json:"text"`
			StopReason *string `json:"stop_reason"`
		} `json:"delta"`
		Usage messageUsage `json:"usage"`
	}
	if json.Unmarshal(data, &e) != nil {
		return h, false
	}
	switch e.Type {
	case "content_block_delta":
		if e.Delta.Text != "" {
			h.pieces = 1
		}
	case "message_delta":
		h.finished, h.tokens = e.Delta.StopReason != nil, e.Usage.Output
	case "message_stop":
		h.done = true
	case "error":
		h.failed = true
	}
	return h, true
}

func (messagesTongue) whole(data []byte) (tokens int64, finished bool) {
	var m message
	if json.Unmarshal(data, &m) != nil {
		return 0, false
	}
	return m.Usage.Output, m.StopReason != nil
}
