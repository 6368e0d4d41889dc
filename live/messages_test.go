package live

import (
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

const messagesAsk = `{"model": "claude", "max_tokens": 2, "system": "be brief", "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]}`

// The event types of section 1.4, in their order: message_start, content_block_start, ping,
// content_block_delta, content_block_stop, message_delta, message_stop, and no [DONE].
const messagesEvents = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"A"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" tide"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

`

func TestMessages(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service, c.Provider.Seats = model.ServiceConfig{}, 1
	streamed := strings.Replace(messagesAsk, "{", `{"stream": true, `, 1)
	for _, row := range []struct {
		says, body, fault string
		status            int
		want              string // all of it
	}{
		{"a stream", streamed, "", 200, messagesEvents},
		{
			"in one piece", messagesAsk, "", 200,
			`{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"A tide"}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":2}}` + "\n",
		},
		{
			"an error event after 200", streamed, "in_stream=overloaded_error", 200,
			messagesEvents[:strings.Index(messagesEvents, "event: content_block_delta")] +
				"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"The provider failed while it was answering.\"},\"request_id\":\"req_1\"}\n\n",
		},
		{
			"529 is overloaded", messagesAsk, "status=529", 529,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}` + "\n",
		},
		{
			"401, which no retry mends", messagesAsk, "status=401", 401,
			`{"type":"error","error":{"type":"authentication_error","message":"The API key is not valid."},"request_id":"req_1"}` + "\n",
		},
		{
			"a usage and no end", streamed, "ending=usage-close", 200,
			messagesEvents[:strings.Index(messagesEvents, "event: content_block_stop")] +
				"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":null,\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\n",
		},
		{
			"max_tokens is required", strings.Replace(messagesAsk, `"max_tokens": 2, `, "", 1), "", 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: Field required"},"request_id":"req_1"}` + "\n",
		},
		{
			"and at least a message", `{"max_tokens": 2, "messages": []}`, "", 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"},"request_id":"req_1"}` + "\n",
		},
		{
			"a content is a text or blocks", `{"max_tokens": 2, "messages": [{"role": "user", "content": 5}]}`, "", 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content: is neither a text nor a list of blocks"},"request_id":"req_1"}` + "\n",
		},
		{
			"a body that is too long", strings.Repeat(" ", 2<<20), "", 413,
			`{"type":"error","error":{"type":"request_too_large","message":"the body is longer than 1048576 bytes"},"request_id":"req_1"}` + "\n",
		},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, true)
			defer s.close()
			headers := []string{"X-Api-Key", "k"}
			if row.fault != "" {
				headers = append(headers, steerHeader, row.fault)
			}
			status, body, h := s.tell("POST", "/v1/messages", row.body, headers...)
			if status != row.status || body != row.want || h.Get("Request-Id") != "req_1" {
				t.Errorf("%s: status %d, header %v\n%s\nwant %d\n%s", row.says, status, h, body, row.status, row.want)
			}
			if retry := h.Get("X-Should-Retry"); status == 401 && retry != "false" {
				t.Errorf("%s: x-should-retry %q", row.says, retry)
			}
		})
	}
}

// A system prompt is charged as a message, where there is one: of two tokens "hello" takes
// 5/4 + 1, and a message of 2 characters another.
func TestSystemPromptIsCharged(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Limits = []model.LimitConfig{{
		Axis: model.LimitInputTokens, Limit: 2, Per: time.Minute, Algorithm: model.SlidingLogAlgorithm,
		Charge: model.ChargeConfig{Input: model.InputAzure},
	}}
	for _, row := range []struct {
		says, system string
		want         int
	}{
		{"none", ``, 200},
		{"an empty one is none", `"system": "",`, 200},
		{"null is none", `"system": null,`, 200},
		{"one of 2 characters", `"system": "be",`, 429},
		{"in blocks", `"system": [{"type": "text", "text": "be"}],`, 429},
	} {
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, false)
			defer s.close()
			body := `{` + row.system + ` "max_tokens": 1, "messages": [{"role": "user", "content": "hello"}]}`
			if status, text, _ := s.tell("POST", "/v1/messages", body); status != row.want {
				t.Errorf("%s: status %d, want %d: %s", row.says, status, row.want, text)
			}
		})
	}
}

// Whatever a provider's flavour is, who asks Anthropic's API is refused in its words.
func TestMessagesAreRefusedInTheirOwnWords(t *testing.T) {
	c := preset(t, "openai/gpt-4o/tier-1", "provider.limits.0.limit=1", "provider.hint.format=[seconds]")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		s.tell("POST", "/v1/messages", messagesAsk)
		status, body, h := s.tell("POST", "/v1/messages", messagesAsk)
		if status != 429 || h.Get("Retry-After") != "60" || h.Get("X-Should-Retry") != "true" || h.Get("X-Ratelimit-Limit-Requests") != "" ||
			h.Get("Anthropic-Ratelimit-Requests-Limit") != "1" || !strings.HasPrefix(body, `{"type":"error","error":{"type":"rate_limit_error"`) {
			t.Errorf("status %d, %v: %s", status, h, body)
		}
	})
}

// A stalled stream is kept alive by pings.
func TestMessagesAreKeptAliveByPings(t *testing.T) {
	c := chapterConfig(1, "none")
	c.Provider.Service = model.ServiceConfig{}
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, true)
		r := s.request("POST", "/v1/messages", strings.Replace(messagesAsk, "{", `{"stream": true, `, 1), steerHeader, "stall after_tokens=1 keep_alive=15s")
		text := make(chan string, 1)
		go func() { text <- s.body(r) }()
		pass(50 * time.Second)
		s.close()
		if got := <-text; strings.Count(got, "event: ping\n") != 1+3 || strings.Count(got, "text_delta") != 1 {
			t.Errorf("in 50 s:\n%s", got)
		}
	})
}

// What each flavour says in the body to errors that are not limits: their shapes are those
// of section 1.
func TestFlavoursOfOtherErrors(t *testing.T) {
	for _, row := range []struct{ preset, method, path, body, fault, want string }{
		{"openai/gpt-4o/tier-1", "POST", path, ask, "status=401", `{"error":{"message":"The API key is not valid.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`},
		{"openai/gpt-4o/tier-1", "POST", path, ask, "status=500", `{"error":{"message":"Something went wrong on the server.","type":"server_error","param":null,"code":null}}`},
		{"azure/gpt-4o/measured", "POST", "/openai/deployments/mine/chat/completions?api-version=1", ask, "status=401", `{"error":{"code":"401","message":"The API key is not valid."}}`},
		{"azure/gpt-4o/measured", "GET", path, "", "", `{"error":{"code":"405","message":"this path takes POST alone"}}`},
		{"groq/llama-3.3-70b/free", "POST", path, strings.Repeat(" ", 2<<20), "", `{"error":{"message":"the body is longer than 1048576 bytes","type":"invalid_request_error","param":null,"code":null}}`},
		{"gemini/2.5-flash/free", "POST", "/v1beta/openai/chat/completions", ask, "status=503", `{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}`},
		{"groq/llama-3.3-70b/free", "POST", "/openai/v1/chat/completions", ask, "status=500", `{"error":{"message":"Something went wrong on the server.","type":"server_error","param":null,"code":null}}`},
		{"gemini/2.5-flash/free", "POST", path, "{", "", `{"error":{"code":400,"message":"the body is no JSON of a chat completion: unexpected end of JSON input","status":"INVALID_ARGUMENT"}}`},
		{"mistral/free", "POST", path, ask, "status=401", `{"object":"error","message":"The API key is not valid.","type":"invalid_request_error","code":"401","raw_status_code":401}`},
		{"deepseek/500-slots", "POST", "/chat/completions", ask, "status=503", `{"error":{"message":"Overloaded","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}`},
		{"openai/gpt-4o/tier-1", "POST", "/v1/messages/count_tokens", messagesAsk, "", `{"type":"error","error":{"type":"not_found_error","message":"there is nothing at this path; POST to /v1/chat/completions or /v1/messages, or GET /v1/chat"},"request_id":"req_1"}`},
		{"openai/gpt-4o/tier-1", "POST", "/v1/messagesque", messagesAsk, "", `{"error":{"message":"there is nothing at this path; POST to /v1/chat/completions or /v1/messages, or GET /v1/chat","type":"invalid_request_error","param":null,"code":null}}`},
		{"anthropic/sonnet-4/tier-1", "POST", "/v1/nothing", "", "", `{"type":"error","error":{"type":"not_found_error","message":"there is nothing at this path; POST to /v1/chat/completions or /v1/messages, or GET /v1/chat"},"request_id":"req_1"}`},
	} {
		c := preset(t, row.preset)
		bubble(t, func(t *testing.T) {
			s := openServed(t, c, true)
			defer s.close()
			headers := []string{"Authorization", "Bearer k"}
			if row.fault != "" {
				headers = append(headers, steerHeader, row.fault)
			}
			if _, body, _ := s.tell(row.method, row.path, row.body, headers...); strings.TrimSpace(body) != row.want {
				t.Errorf("%s %s %s:\n%s\nwant\n%s", row.preset, row.path, row.fault, body, row.want)
			}
		})
	}
}
