package live

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Whatever API the clients speak, they are served as in virtual time.
func TestWiresSameAsVirtualTime(t *testing.T) {
	const uneven = "clients.0.network.one_way={sum: [0.3ms, {uniform: [0ms, 0.1ms]}]}"
	cut := chapterConfig(4, "naive")
	cut.Provider.Faults = []model.Fault{{First: 1, Probability: model.Whole, AfterTokens: 3, InStream: "overloaded_error"}}
	for _, wire := range Wires() {
		for name, c := range map[string]*model.Config{
			"herd": load(t, "herd-20", uneven), "gate": load(t, "gate-20"), "error events": cut, "blocking": load(t, "blocking"),
		} {
			if wire == ChapterWire && name == "blocking" {
				continue // it has streams alone
			}
			t.Run(string(wire)+", "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					tally, err := run(context.Background(), c, 1, clock.New(), Pipes(), wire)
					if err != nil {
						t.Fatal(err)
					}
					sameFigures(t, 1, virtually(t, c, 1), model.Summarise(tally))
				})
			})
		}
	}
}

func TestParseBase(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:8787":             "http://127.0.0.1:8787/v1",
		"http://127.0.0.1:8787/":            "http://127.0.0.1:8787/v1",
		"http://127.0.0.1:8787/v1":          "http://127.0.0.1:8787/v1",
		"http://127.0.0.1:8787/v1/":         "http://127.0.0.1:8787/v1",
		"https://[::1]:8443/proxy":          "https://[::1]:8443/proxy/v1",
		"https://example.com/openai/v1":     "https://example.com/openai/v1",
		"https://example.com/v1beta/openai": "https://example.com/v1beta/openai",
		"example.com":                       "",
		"127.0.0.1:8787":                    "",
		"ftp://example.com":                 "",
		"http://":                           "",
		"":                                  "",
		"http://user:sk-secret@example.com": "",
		"http://example.com?key=sk-secret":  "",
		"http://example.com#sk-secret":      "",
		"http://example.com:sk-secret":      "",
		"http://example.com?":               "",
		"http://example.com:0":              "",
		"http://example.com:99999":          "",
	} {
		u, err := ParseBase(text)
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != want || err != nil && strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %q and %v, want %q", text, got, err, want)
		}
	}
}

// What a client makes of a refusal that has none of our headers, of a 429 that our own server
// means as a failure, and of usage that a stream tells.
func TestStrangersAnswers(t *testing.T) {
	usage := `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":7,"total_tokens":8}}` + "\n\n"
	for _, row := range []struct {
		says  string
		of    http.HandlerFunc
		wants func(*model.Summary) bool
	}{
		{"tokens", says(429, "application/json", `{"error":{"type":"tokens","message":"Limit 1 on tokens per min (TPM)"}}`), func(s *model.Summary) bool { return s.Attempts.RejectedBy.Tokens == 1 }},
		{"quota", says(429, "application/json", `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`), func(s *model.Summary) bool { return s.Attempts.RejectedAs.Quota == 1 }},
		{"too large", says(429, "application/json", `{"error":{"type":"tokens","message":"Request too large"}}`), func(s *model.Summary) bool { return s.Operations.Failures.Impossible == 1 }},
		{"none of our axes", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(axisHeader, noAxis); w.WriteHeader(429) }, func(s *model.Summary) bool { return s.Attempts.Errored == 1 }},
		{"usage counts, not pieces", sse(false, part, part, finish, usage, done), func(s *model.Summary) bool { return s.Tokens.Useful == 7 }},
		{"an error that is null is none", sse(false, strings.Replace(part, `{"choices"`, `{"error":null,"choices"`, 1), finish, done), func(s *model.Summary) bool { return s.Tokens.Useful == 1 }},
	} {
		if s := against(t, chapterConfig(1, "none"), row.of); !row.wants(s) {
			t.Errorf("%s: %+v %+v %+v", row.says, s.Operations, s.Attempts, s.Tokens)
		}
	}
}

// A second brings no more requests than the cap and the one that goes at once, whatever the
// scenario sends, retries included; none gets lost.
func TestRateCap(t *testing.T) {
	c := chapterConfig(100, "none")
	c.Clients[0].Repeat.Operations = 2
	bubble(t, func(t *testing.T) {
		books := NewBooks(c, clock.New())
		fleet, err := NewFleet(c, 1, books)
		if err != nil {
			t.Fatal(err)
		}
		fleet.Cap = policies.Rate{N: 50, Per: time.Second}
		var mu sync.Mutex
		var came []time.Time
		n := Pipes()
		stop := serve(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			came = append(came, time.Now())
			mu.Unlock()
			sse(false, part, finish, done)(w, r)
		})}, n.Listener)
		transport := n.transport()
		if err := fleet.Run(t.Context(), transport, "http://stampede"); err != nil {
			t.Fatal(err)
		}
		transport.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Error(err)
		}
		s := model.Summarise(books.close(books.now(), 0))
		slices.SortFunc(came, time.Time.Compare)
		for i := range came {
			if i >= 50 && came[i].Sub(came[i-50]) < time.Second {
				t.Fatalf("51 requests in %v", came[i].Sub(came[i-50]))
			}
		}
		if p := fleet.Progress(); p.Sent != 200 || p.Held != 199 || p.Late != 199 || p.Ended != 200 || s.Operations.Succeeded != 200 {
			t.Errorf("%+v, %+v", p, s.Operations)
		}
		if got := fmt.Sprintf("%.2f", float64(s.Wall)); got != "3.98" { // 199 waits of 20 ms
			t.Errorf("it took %s s", got)
		}
	})
}

// Over TLS, with and without HTTP/2.
func TestLoadOverTLS(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		c := chapterConfig(200, "none")
		c.Clients[0].Network = model.NetworkConfig{}
		web := httptest.NewUnstartedServer(sse(false, part, part, finish, done))
		web.EnableHTTP2, web.Config.ErrorLog = http2, log.New(io.Discard, "", 0)
		web.StartTLS()
		books := NewClientsBooks(c, clock.New())
		fleet, err := NewFleet(c, 1, books)
		if err != nil {
			t.Fatal(err)
		}
		transport := Outgoing()
		transport.TLSClientConfig = web.Client().Transport.(*http.Transport).TLSClientConfig
		if err := fleet.Run(t.Context(), transport, web.URL); err != nil {
			t.Fatal(err)
		}
		s := model.Summarise(books.Close())
		if s.Operations.Succeeded != 200 || s.Attempts.Total != 200 || fleet.Trouble() != "" {
			t.Errorf("HTTP/2 %v: %+v, %s", http2, s.Attempts, fleet.Trouble())
		}
		transport.CloseIdleConnections()
		web.Close()
	}
}

// Whose certificate nobody knows gets no request, and the first such error is kept.
func TestLoadDistrustsAStranger(t *testing.T) {
	c := chapterConfig(2, "none")
	web := httptest.NewUnstartedServer(sse(false, part, finish, done))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	defer web.Close()
	fleet, err := NewFleet(c, 1, NewClientsBooks(c, clock.New()))
	if err != nil {
		t.Fatal(err)
	}
	transport := Outgoing()
	defer transport.CloseIdleConnections()
	if err := fleet.Run(t.Context(), transport, web.URL); err != nil {
		t.Fatal(err)
	}
	if trouble := fleet.Trouble(); !strings.Contains(trouble, "certificate") {
		t.Errorf("trouble: %s", trouble)
	}
}
