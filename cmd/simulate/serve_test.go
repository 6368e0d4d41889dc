package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

// served is a `serve` that runs.
type served struct {
	url    string
	stderr *bufio.Reader
	stdout bytes.Buffer
	stop   context.CancelCauseFunc
	code   chan int
}

var address = regexp.MustCompile(`http://\S+`)

// startServe runs `serve` and returns when it says where it listens.
func startServe(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	r, w := io.Pipe()
	s := &served{stderr: bufio.NewReader(r), stop: stop, code: make(chan int, 1)}
	go func() {
		code := command{stdout: &s.stdout, stderr: w}.run(ctx, append([]string{"serve"}, args...))
		w.Close()
		s.code <- code
	}()
	line, err := s.stderr.ReadString('\n')
	if err != nil {
		t.Fatalf("it ended with exit code %d", <-s.code)
	}
	if s.url = address.FindString(line); s.url == "" {
		t.Fatalf("it says %q, and not where it listens", line)
	}
	return s
}

// end ends it as SIGTERM does.
func (s *served) end() (code int, stderr string) {
	s.stop(interrupted{syscall.SIGTERM})
	rest, _ := io.ReadAll(s.stderr)
	return <-s.code, string(rest)
}

func (s *served) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	r, err := http.Get(s.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// It serves until SIGTERM, which is its end and no interruption: exit code 0, the summary
// on disk and on stdout.
func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startServe(t, "herd-20", "--listen", "127.0.0.1:0", "--json")
	if status, body := s.get(t, "/v1/chat?max_tokens=2&delay=0"); status != 200 || !strings.HasSuffix(body, "[DONE]\n\n") {
		t.Errorf("status %d: %s", status, body)
	}
	if status, _ := s.get(t, "/401"); status != 401 {
		t.Errorf("/401: status %d", status)
	}
	code, stderr := s.end()
	if code != 0 || !strings.Contains(stderr, filepath.Join("out", "herd-20-served")) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	kept, err := os.ReadFile(filepath.Join("out", "herd-20-served", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	for says, text := range map[string][]byte{"summary.json": kept, "stdout": s.stdout.Bytes()} {
		var sum struct {
			Scenario string
			Partial  *bool
			Attempts struct{ Total, Succeeded, Errored int64 }
		}
		if err := json.Unmarshal(text, &sum); err != nil {
			t.Fatalf("%s: %v: %s", says, err, text)
		}
		if sum.Scenario != "herd-20" || sum.Partial == nil || *sum.Partial || sum.Attempts.Total != 2 || sum.Attempts.Succeeded != 1 || sum.Attempts.Errored != 1 {
			t.Errorf("%s: %+v", says, sum)
		}
	}
}

// The examples of its help: servers, and a client's request to one of them.
func TestServeExamplesWork(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, example := range serveVerb().examples {
		args, is := strings.CutPrefix(example, "simulate serve ")
		if is {
			s := startServe(t, append(strings.Fields(args), "--listen", "127.0.0.1:0")...)
			if code, stderr := s.end(); code != 0 {
				t.Errorf("%s: exit code %d: %s", example, code, stderr)
			}
			continue
		}
		url, body, _ := strings.Cut(strings.TrimPrefix(example, "curl -N http://127.0.0.1:8787"), " -d ")
		s := startServe(t, "herd-20", "--listen", "127.0.0.1:0", "--out", "off")
		r, err := http.Post(s.url+url, "application/x-www-form-urlencoded", strings.NewReader(strings.Trim(body, "'"))) // as curl -d does
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != 200 || !strings.HasSuffix(string(text), "[DONE]\n\n") {
			t.Errorf("%s: %v, status %d: %s", example, err, r.StatusCode, text)
		}
		s.end()
	}
}

// Beyond this machine it warns; --steer alone lets requests steer; a sentence ends it.
func TestServeSays(t *testing.T) {
	s := startServe(t, "herd-20", "--listen", "0.0.0.0:0", "--steer", "--out", "off")
	line, err := s.stderr.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "warning: whoever reaches this machine can ask it") {
		t.Errorf("%v: it says %q", err, line)
	}
	_, port, _ := strings.Cut(s.url[len("http://"):], "]:")
	s.url = "http://127.0.0.1:" + port
	r, err := http.NewRequest(http.MethodPost, s.url+"/v1/chat/completions", strings.NewReader(`{"messages": [{"role": "user", "content": "hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Stampede-Fault", "status=529")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 529 {
		t.Errorf("status %d, want the 529 that was asked for", response.StatusCode)
	}
	if code, _ := s.end(); code != 0 || !strings.HasPrefix(s.stdout.String(), "1 request: 0 answered, 0 rejected, 1 errored") {
		t.Errorf("exit code %d, stdout %s", code, s.stdout.String())
	}
}

func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := writeFile(t, "file", "")
	for _, row := range []struct {
		says string
		args []string
		want string
	}{
		{"a port that is taken", []string{"herd-20", "--listen", taken.Addr().String(), "--out", "off"}, "--listen " + taken.Addr().String() + ": "},
		{"no address", []string{"herd-20", "--listen", "nonsense", "--out", "off"}, "--listen nonsense: "},
		{"a scenario that is not there", []string{"herd-21"}, "herd-20"},
		{"a folder that is a file", []string{"herd-20", "--out", file}, "is a file"},
		{"no scenario", nil, "simulate serve herd-100"},
	} {
		code, stdout, stderr := call(context.Background(), append([]string{"serve"}, row.args...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, row.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s; want 2 and one sentence with %q", row.says, code, stderr, row.want)
		}
	}
}

// Every built-in scenario has a provider that can be asked.
func TestServeBuiltins(t *testing.T) {
	for _, e := range scenarios.List() {
		s := startServe(t, e.Name, "--listen", "127.0.0.1:0", "--out", "off", "--json")
		if status, body := s.get(t, "/stampede/summary"); status != 200 || !strings.Contains(body, `"scenario": "`+e.Name+`"`) {
			t.Errorf("%s: status %d: %s", e.Name, status, body)
		}
		if code, stderr := s.end(); code != 0 {
			t.Errorf("%s: exit code %d: %s", e.Name, code, stderr)
		}
	}
}
