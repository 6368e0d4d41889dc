//go:build unix

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
)

// Where this machine has no more files for connections, load ends with exit code 3 and a sentence
// that says how many there must be; what there is is kept, though files are scarce.
func TestLoadWithoutFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer hanging.Close()
	defer close(release)
	whole := program("load", "herd-100", "--base-url", hanging.URL, "--out", "out", "--json", "--quiet", "--set", "stop.after=3s")
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -n 60 && exec "$0" "$@"`}, whole.Args...)...)
	cmd.Env = whole.Env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its exit code says it
	const want = "simulate: this machine opens no more connections: too many open files; write `ulimit -n 300` before it, or use fewer clients; what was finished is in out and marked partial\n"
	if code := cmd.ProcessState.ExitCode(); code != 3 || stderr.String() != want {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	holds(t, "load", 130, stdout.String(), filepath.Join("out", "summary.json"))
}
