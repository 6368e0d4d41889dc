package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/policies"
)

// Wire is an API that a fleet speaks.
type Wire string

// The APIs.
const (
	OpenAIWire    Wire = "openai"    // POST /v1/chat/completions
	AnthropicWire Wire = "anthropic" // POST /v1/messages
	ChapterWire   Wire = "chapter"   // GET /v1/chat?max_tokens=, the reference chapter's own
)

// Wires lists them.
func Wires() []Wire { return []Wire{OpenAIWire, AnthropicWire, ChapterWire} }

// mostTokens is more than any answer has. A server that says so of one is not believed.
const mostTokens = 1 << 40

// believed is how many tokens a server says that an answer has, 0 where that cannot be.
func believed(tokens int64) int64 {
	if tokens < 0 || tokens > mostTokens {
		return 0
	}
	return tokens
}

// tongue is how a client speaks an API.
type tongue interface {
	// asks is a request: its path after /v1, and its body, nil without.
	asks(q *question) (method, path string, body any)
	// sign says whose request it is, where there is a key.
	sign(h http.Header, key string)
	// hears reads an event of a stream; ok is false where it is none of the API's.
	hears(data []byte) (h heard, ok bool)
	// whole reads an answer in one piece: how many tokens it has, and whether it is finished.
	whole(data []byte) (tokens int64, finished bool)
}

func tongueOf(w Wire) tongue {
	switch w {
	case AnthropicWire:
		return messagesTongue{}
	case ChapterWire:
		return chapterTongue{}
	}
	return chatTongue{}
}

// question is what a client asks for.
type question struct {
	model  string
	prompt json.RawMessage
	most   policies.Count // tokens
	stream bool
}

// heard is what an event of a stream says.
type heard struct {
	pieces   int   // of text: each is taken for a token
	tokens   int64 // of the whole answer, where it says so
	finished bool  // it has a reason why it is over
	done     bool
	failed   bool // it is an error
}

// version is the part of a base URL's path that says which API it is: v1, or v1beta.
var version = regexp.MustCompile(`/v[0-9][^/]*(/|$)`)

// ParseBase reads the base URL of an API, with its /v1 or without: where no part of the path
// is a version, /v1 is meant. What it says of a mistake does not repeat what may be secret.
func ParseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("is no base URL; write one such as http://127.0.0.1:8787 or https://api.openai.com/v1")
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, errors.New("may hold a secret: it has a user, a query or a fragment; write scheme, host and path alone, and --key-env for the key")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, errors.New("has a port that cannot be; write one from 1 to 65535")
		}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if !version.MatchString(u.Path) {
		u.Path += "/v1"
	}
	u.RawPath = ""
	return u, nil
}

// ParseWire reads the name of an API.
func ParseWire(name string) (Wire, error) {
	if !slices.Contains(Wires(), Wire(name)) {
		return "", fmt.Errorf("%q is not known; write openai, anthropic or chapter", name)
	}
	return Wire(name), nil
}
