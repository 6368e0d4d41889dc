package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// timeout(1) signals the process and then its group, which is one signal and not a second one
// that ends it at once.
func TestTwoSignalsAtOnceAreOne(t *testing.T) {
	dir := t.TempDir()
	cmd := program("serve", "herd-20", "--listen", "127.0.0.1:0", "--out", dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if !strings.HasPrefix(line, "serving ") {
		t.Fatalf("%q, %v", line, err)
	}
	for _, one := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} { // two of a kind may come as one
		if err := cmd.Process.Signal(one); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); err != nil {
		t.Error(err)
	}
}

// What a server sends unasked, which may be the key that it was told, is on no screen.
func TestNothingThatAServerSendsIsLogged(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	echoed := make(chan error, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil {
				continue
			}
			const answer = `{"choices":[{"index":0,"message":{"content":"A"},"finish_reason":"stop"}]}`
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
			time.AfterFunc(20*time.Millisecond, func() { // the connection is idle then
				_, err := fmt.Fprintf(c, "you said %s", r.Header.Get("Authorization"))
				echoed <- err
			})
		}
	}()
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("name: s\nclients: [{name: a, repeat: {operations: 2, gap: 300ms}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program("load", file, "--base-url", "http://"+l.Addr().String(), "--key-env", "THE_KEY", "--out", "off")
	cmd.Env = append(cmd.Env, "THE_KEY=sk-SECRET")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if err := <-echoed; err != nil {
		t.Error(err)
	}
	if text := said.String(); strings.Contains(text, "SECRET") || strings.Contains(text, "nsolicited") || !strings.Contains(text, "all succeeded") {
		t.Errorf("it said\n%s", text)
	}
}
