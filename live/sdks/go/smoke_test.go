// Package smoke runs the official OpenAI client for Go against `simulate serve`, which
// listens at the address in STAMPEDE_URL.
package smoke

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const answer = "A tide gauge is a device that measures sea level over time ."

func target(t *testing.T) (url string, client openai.Client) {
	t.Helper()
	url = os.Getenv("STAMPEDE_URL")
	if url == "" {
		t.Skip("STAMPEDE_URL does not say where `simulate serve` listens")
	}
	return url, openai.NewClient(option.WithBaseURL(url+"/v1/"), option.WithAPIKey("sk-smoke"))
}

func params() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What is a tide gauge?")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
}

func stream(t *testing.T, client openai.Client) {
	t.Helper()
	s := client.Chat.Completions.NewStreaming(context.Background(), params())
	defer s.Close()
	text, reason, tokens := "", "", int64(0)
	for s.Next() {
		chunk := s.Current()
		tokens = max(tokens, chunk.Usage.CompletionTokens)
		for _, c := range chunk.Choices {
			text += c.Delta.Content
			if c.FinishReason != "" {
				reason = c.FinishReason
			}
		}
	}
	if err := s.Err(); err != nil || text != answer || reason != "stop" || tokens != 13 {
		t.Fatalf("%v: %q, %s, %d tokens", err, text, reason, tokens)
	}
}

func TestStream(t *testing.T) {
	_, client := target(t)
	stream(t, client)
}

// Three answers of 0.65 s take the three seats; the client is told to come again in a
// second, does, and is served.
func TestRefusedWithAHint(t *testing.T) {
	url, client := target(t)
	for range 3 {
		r, err := http.Get(url + "/v1/chat?delay=50")
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatal(r.StatusCode, err)
		}
		defer r.Body.Close()
		defer func() { _, _ = io.Copy(io.Discard, r.Body) }()
	}
	start := time.Now()
	stream(t, client)
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("it came back after %v, before the second it was told to wait", waited)
	}
}

func TestError(t *testing.T) {
	_, client := target(t)
	q := params()
	q.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	_, err := client.Chat.Completions.New(context.Background(), q, option.WithHeader("X-Stampede-Fault", "status=401"))
	var refused *openai.Error
	if !errors.As(err, &refused) || refused.StatusCode != 401 || refused.Code != "invalid_api_key" {
		t.Errorf("%v", err)
	}
}
