package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The figures of a client are those of any run, and what only the server knows is null, not
// 0, in every file.
func TestLoadAgainstServe(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startServe(t, "herd-20", "--listen", "127.0.0.1:0", "--out", "off", "--set", "provider.hint.retry_after=50ms", "--set", "provider.price={output: 10, per: 1000000, currency: USD}")
	code, stdout, stderr := call(context.Background(), "load", "herd-20", "--base-url", s.url, "--json", "--set", "provider.price={output: 10, per: 1000000, currency: USD}",
		"--set", "provider.hint.retry_after=50ms", "--set", "expect=[success == 1, provider.max_in_flight <= 2, groups.herd.tokens.billed == 0, waste < 0, tokens.useful == 260]")
	s.end()
	if code != 0 || strings.Count(stderr, "not checked, since only the server knows: ") != 3 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	kept, err := os.ReadFile(filepath.Join("out", "herd-20-loaded", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	for says, text := range map[string]string{"stdout": stdout, "summary.json": string(kept)} {
		var sum struct {
			Scenario   string
			Partial    *bool
			Operations struct{ Succeeded int }
			Attempts   struct{ Total, Succeeded, Rejected int }
			Provider   map[string]json.RawMessage
			Tokens     map[string]json.RawMessage
			Cost       struct{ Total, Wasted *float64 }
			Groups     map[string]struct {
				Tokens  map[string]json.RawMessage
				Answers json.RawMessage `json:"answers_generated"`
			}
		}
		if err := json.Unmarshal([]byte(text), &sum); err != nil {
			t.Fatalf("%s: %v", says, err)
		}
		if sum.Scenario != "herd-20" || sum.Partial == nil || *sum.Partial || sum.Operations.Succeeded != 20 || sum.Attempts.Total != 20+sum.Attempts.Rejected || sum.Attempts.Rejected < 17 {
			t.Errorf("%s: %+v", says, sum)
		}
		if len(sum.Provider) < 10 {
			t.Errorf("%s: provider has %d figures", says, len(sum.Provider))
		}
		for key, value := range sum.Provider {
			if known := key == "goodput_ops_per_s"; known == (string(value) == "null") {
				t.Errorf("%s: provider.%s is %s", says, key, value)
			}
		}
		herd := sum.Groups["herd"]
		for _, tokens := range []map[string]json.RawMessage{sum.Tokens, herd.Tokens} {
			if string(tokens["billed"]) != "null" || string(tokens["wasted"]) != "null" || string(tokens["useful"]) != "260" || string(tokens["delivered"]) != "260" {
				t.Errorf("%s: tokens %s", says, tokens)
			}
		}
		if sum.Cost.Total != nil || sum.Cost.Wasted != nil || string(herd.Answers) != "null" {
			t.Errorf("%s: cost %+v, answers %s", says, sum.Cost, herd.Answers)
		}
	}
	slots, err := os.ReadFile(filepath.Join("out", "herd-20-loaded", "slots.csv"))
	if err != nil || !strings.HasPrefix(strings.SplitN(string(slots), "\n", 3)[1], "0,0,20,") || !strings.HasSuffix(strings.SplitN(string(slots), "\n", 3)[1], ",,") {
		t.Errorf("slots.csv: %v: %.200s", err, slots)
	}
	for _, page := range pages {
		if text, err := os.ReadFile(filepath.Join("out", "herd-20-loaded", page)); err != nil || !strings.Contains(string(text), "keeps books of its own") {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// The examples of its help, against the server of the same scenario at the place they name.
func TestLoadExamplesWork(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("OPENAI_API_KEY", "sk-example")
	for _, example := range loadVerb().examples {
		args := strings.Fields(strings.TrimPrefix(example, "simulate "))
		s := startServe(t, args[1], "--listen", "127.0.0.1:0", "--out", "off")
		for i := range args {
			args[i] = strings.Replace(args[i], "http://127.0.0.1:8787", s.url, 1)
		}
		code, stdout, stderr := call(context.Background(), append(args, "--set", "expect=[success == 1]")...)
		s.end()
		if code != 0 || !strings.Contains(stdout, "succeeded") {
			t.Errorf("%s: exit code %d: %s%s", example, code, stdout, stderr)
		}
	}
}

const secret = "sk-THESECRET_0123456789"

// A server that tells the key to whoever listens, and breaks in every way, finds no way to
// get it into a file, onto the terminal or into an error.
func TestLoadNeverTellsTheKey(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("THE_KEY", " "+secret+"\n")
	t.Setenv("OTHER_KEY", "sk-other")
	var mu sync.Mutex
	asked := map[string]int{}
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		mu.Lock()
		asked[key]++
		n := asked[key]
		mu.Unlock()
		w.Header().Set("X-Key", key)
		w.Header().Set("Retry-After", key)
		w.Header().Set("Location", "http://"+key+".example")
		switch n % 5 {
		case 0:
			w.WriteHeader(429)
			fmt.Fprintf(w, `{"error":{"message":"%s","type":"%s","code":"%s"}}`, key, key, key)
		case 1:
			w.WriteHeader(500)
			fmt.Fprint(w, key)
		case 2:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\ndata: {\"error\":\"%s\"}\n\n", key, key)
		case 3:
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "%s\r\n\r\n", key)
				conn.Close()
			}
		case 4:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n: %s\n\nevent: %s\n\n", key, key, key)
		}
	}))
	defer hostile.Close()
	var said strings.Builder
	for _, args := range [][]string{
		{"--base-url", hostile.URL, "--out", "terminal", "--chart", "herd.svg"},
		{"--base-url", hostile.URL, "--out", "json", "--json", "--key-env", "b=OTHER_KEY"},
		{"--base-url", "http://127.0.0.1:1", "--out", "nobody"},
		{"--base-url", hostile.URL, "--key-env", secret},
		{"--base-url", hostile.URL, "--key-env", "b=" + secret},
		{"--base-url", "http://" + secret + "@127.0.0.1"},
		{"--base-url", hostile.URL + "?key=" + secret},
	} {
		_, stdout, stderr := call(context.Background(), append([]string{"load", writeFile(t, "mine.yaml", "name: mine\nclients:\n  - {name: a, count: 20, request: {stream: true, output_tokens: 3}, policy: p}\n  - {name: b, count: 5, policy: p}\npolicies: {p: {attempts: 4, backoff: {constant: 1ms}, triage: everything, hint: obey}}\n"), "--key-env", "THE_KEY"}, args...)...)
		said.WriteString(stdout + stderr)
	}
	if asked[secret] < 40 || asked["sk-other"] < 5 || len(asked) != 2 {
		t.Errorf("requests by key: %v", asked)
	}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		said.Write(text)
		return err
	})
	if err != nil || files < 9 {
		t.Errorf("%d files: %v", files, err)
	}
	for _, part := range []string{secret, "THESECRET"} {
		if at := strings.Index(said.String(), part); at >= 0 {
			t.Errorf("the key is told: %.200s", said.String()[max(0, at-100):])
		}
	}
	if !strings.Contains(said.String(), "the first request without a whole answer: ") {
		t.Error("nobody is told why there was no answer")
	}
}

// A first Ctrl-C ends it at once, whatever the server does, and keeps what there is.
func TestLoadInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	began := make(chan struct{}, 1000)
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		began <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer hanging.Close()
	defer close(release)
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	var signalled time.Time
	go func() {
		for range 300 {
			<-began
		}
		signalled = time.Now()
		stop(interrupted{syscall.SIGINT})
	}()
	old(t, "out")
	code, stdout, stderr := call(ctx, "load", "herd-100", "--base-url", hanging.URL, "--out", "out", "--json", "--set", "clients.0.count=300", "--set", "clients.0.repeat.operations=2")
	if took := time.Since(signalled); took > 2*time.Second {
		t.Errorf("it took %v to stop", took)
	}
	holds(t, "load", code, stdout, filepath.Join("out", "summary.json"))
	if code != 130 || !strings.Contains(stderr, "what was finished is in out and marked partial") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	var sum struct {
		Operations struct{ Total, InFlight int }
		Warnings   []string
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(stdout, "in_flight", "inflight")), &sum); err != nil || sum.Operations.Total != 300 || sum.Operations.InFlight != 300 {
		t.Errorf("%v: %+v", err, sum)
	}
	if want := []string{
		"the run was interrupted while 300 operations were still in flight; they count as infinitely slow in all_latency_s and are in no other latency",
		"the run was interrupted before 300 of 600 operations had begun; they are in no figure",
	}; !slices.Equal(sum.Warnings, want) {
		t.Errorf("it warns of %q, want %q", sum.Warnings, want)
	}
}

// Anything but this machine is asked about; who cannot be asked must have said yes.
func TestLoadAsks(t *testing.T) {
	for _, row := range []struct {
		says, answer string
		asks         bool
		code         int
		want         string
	}{
		{"nobody to ask", "", false, 2, "simulate: --base-url api.invalid is not this machine, and what is sent there may cost money; write --yes to mean it\n"},
		{"no", "n\n", true, 2, "herd-20 will send real requests to api.invalid, at most 5/s, which may cost money. Go on? [y/N] simulate: nothing was sent to api.invalid\n"},
		{"nothing", "", true, 2, "nothing was sent to api.invalid"},
		{"yes", "Y\n", true, 3, "simulate: no request had any answer from api.invalid: "},
	} {
		var stdout, stderr strings.Builder
		c := command{stdin: strings.NewReader(row.answer), asks: row.asks, stdout: &stdout, stderr: &stderr}
		code := c.run(context.Background(), []string{"load", "herd-20", "--base-url", "https://api.invalid/v1", "--rate-cap", "5/s", "--out", "off", "--set", "clients.0.count=1", "--set", "expect=[]", "--set", "clients.0.policy=none"})
		if code != row.code || !strings.Contains(stderr.String(), row.want) || row.code == 2 && stdout.Len() > 0 {
			t.Errorf("%s: exit code %d: %s", row.says, code, stderr.String())
		}
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(interrupted{syscall.SIGINT})
	r, w := io.Pipe()
	defer w.Close()
	var stderr strings.Builder
	if code := (command{stdin: r, asks: true, stdout: io.Discard, stderr: &stderr}).run(ctx, []string{"load", "herd-20", "--base-url", "https://api.invalid", "--out", "off"}); code != 130 {
		t.Errorf("a signal while it asks: exit code %d: %s", code, stderr.String())
	}
}

// Where nobody answers, the run could not go on, whatever was expected; one answer, even a
// refusal, and who gives up waiting are results.
func TestLoadOfNobodyIsNoResult(t *testing.T) {
	t.Chdir(t.TempDir())
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer refusing.Close()
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is it told that its client has gone
		<-r.Context().Done()
	}))
	defer hanging.Close()
	for _, row := range []struct {
		says, url string
		set       []string
		code      int
		want      string
	}{
		{"nobody", "http://127.0.0.1:1", nil, 3, "simulate: no request had any answer from 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused\n"},
		{"nobody, for a while", "http://127.0.0.1:1", []string{"policies.p.backoff.constant=600ms"}, 3, "the first request without a whole answer: dial tcp 127.0.0.1:1: connect: connection refused\n"},
		{"somebody who refuses", refusing.URL, nil, 1, "success == 1"},
		{"somebody who says nothing", hanging.URL, nil, 1, "success == 1"},
	} {
		path := writeFile(t, "mine.yaml", "name: mine\nclients: [{count: 1, policy: p}]\npolicies: {p: {attempts: 2, timeouts: {attempt: 50ms}, backoff: {constant: 1ms}}}\nexpect: [success == 1]\n")
		args := []string{"load", path, "--base-url", row.url, "--json"}
		for _, set := range row.set {
			args = append(args, "--set", set)
		}
		code, stdout, stderr := call(context.Background(), args...)
		if code != row.code || !strings.Contains(stderr, row.want) || strings.Count(stderr, "connection refused") != strings.Count(row.want, "connection refused")+len(row.set) {
			t.Errorf("%s: exit code %d: %s; want %d and %s", row.says, code, stderr, row.code, row.want)
		}
		if kept, err := os.ReadFile(filepath.Join("out", "mine-loaded", "summary.json")); err != nil || string(kept) != stdout {
			t.Errorf("%s: summary.json is not what stdout has: %v", row.says, err)
		}
	}
}

// Who is held back by the cap is in the figures where the scenario meant it to be, which the
// summary says, and the page; not everybody who is held back is sent in the end.
func TestLoadSaysWhatItsCapDoesToFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := "name: mine\nclients: [{count: 4, policy: p}]\npolicies: {p: {attempts: 1, timeouts: {attempt: 300ms}}}\n"
	if err := os.WriteFile("mine.yaml", []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServe(t, "mine.yaml", "--listen", "127.0.0.1:0", "--out", "off")
	defer s.end()
	for _, row := range []struct {
		says, cap, warns, notice string
	}{
		{"some time out before", "5/s", "--rate-cap 5/s held requests back (3): herd and slots have them where they were meant to be sent, and their time-outs and latencies count from there, so some ended before they were sent (2)", "--rate-cap 5/s: requests held back: 3, and 1 of them sent in the end\n"},
		{"none is held back", "10000/s", "", "--rate-cap 10000/s: requests held back: 0, and 0 of them sent in the end\n"},
	} {
		code, stdout, stderr := call(context.Background(), "load", "mine.yaml", "--base-url", s.url, "--json", "--rate-cap", row.cap)
		var sum struct {
			Warnings []string
			Herd     struct{ Busiest int }
		}
		if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 0 {
			t.Fatalf("%s: exit code %d: %v: %s", row.says, code, err, stderr)
		}
		page, err := os.ReadFile(filepath.Join("out", "mine-loaded", "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(sum.Warnings, "\n"); got != row.warns || sum.Herd.Busiest != 4 || !strings.Contains(stderr, row.notice) {
			t.Errorf("%s: %+v, %s", row.says, sum, stderr)
		}
		if warned := strings.Contains(string(page), "held requests back"); warned != (row.warns != "") {
			t.Errorf("%s: the page warns: %v", row.says, warned)
		}
	}
}

// Anthropic's API wants to know how long an answer may be: where the scenario does not say, the
// summary says what was asked for instead, of each group.
func TestLoadSaysWhatItAsksForUnasked(t *testing.T) {
	mine := writeFile(t, "mine.yaml", "name: mine\nclients: [{name: a, request: {max_tokens: 100}}, {name: b}]\n")
	s := startServe(t, mine, "--listen", "127.0.0.1:0", "--out", "off")
	defer s.end()
	const warning = "clients.1.request.max_tokens is not set and --wire anthropic needs one, so 4096 was asked for: limits may charge that for each request, and longer answers were cut there; write how many tokens an answer may have"
	for _, row := range []struct {
		says, wire string
		set        []string
		want       []string
	}{
		{"one of two groups does not say", "anthropic", nil, []string{warning}},
		{"it says so now", "anthropic", []string{"--set", "clients.1.request.max_tokens=7"}, nil},
		{"an API that does not want to know", "openai", nil, nil},
	} {
		code, stdout, stderr := call(context.Background(), append([]string{"load", mine, "--base-url", s.url, "--wire", row.wire, "--out", "off", "--json"}, row.set...)...)
		var sum struct{ Warnings []string }
		if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 0 || !slices.Equal(sum.Warnings, row.want) {
			t.Errorf("%s: exit code %d, %v, %q: %s; want %q", row.says, code, err, sum.Warnings, stderr, row.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Setenv("EMPTY", "")
	t.Setenv("BROKEN", "sk-a\nb")
	t.Setenv("FINE", "sk")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := "http://" + l.Addr().String()
	for _, row := range []struct {
		says string
		args []string
		want string
	}{
		{"nobody to ask", nil, "load needs --base-url, such as `simulate load herd-20 --base-url http://127.0.0.1:8787`"},
		{"no URL", []string{"--base-url", "127.0.0.1:8787"}, "--base-url is no base URL; write one such as http://127.0.0.1:8787"},
		{"two", []string{"--base-url", at, "--base-url", at}, "--base-url is given twice"},
		{"an API that is not known", []string{"--base-url", at, "--wire", "gemini"}, `--wire "gemini" is not known; write openai, anthropic or chapter`},
		{"a cap of nothing", []string{"--base-url", at, "--rate-cap", "0/s"}, "--rate-cap 0 sends nothing"},
		{"no rate", []string{"--base-url", at, "--rate-cap", "5"}, `--rate-cap "5" is not a rate`},
		{"a variable that is not set", []string{"--base-url", at, "--key-env", "EMPTY"}, "--key-env: the variable that it names is not set, or empty"},
		{"a key that is none", []string{"--base-url", at, "--key-env", "BROKEN"}, "--key-env: what the variable holds is no API key"},
		{"a key in place of its variable", []string{"--base-url", at, "--key-env", "sk-proj-1"}, "--key-env takes the name of a variable"},
		{"a group that is not there", []string{"--base-url", at, "--key-env", "chat=FINE"}, `--key-env: what stands before the = is no group of the scenario; write one of "herd"`},
	} {
		code, stdout, stderr := call(context.Background(), append([]string{"load", "herd-20", "--out", "off"}, row.args...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, row.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s; want 2 and one sentence with %q", row.says, code, stderr, row.want)
		}
	}
}
