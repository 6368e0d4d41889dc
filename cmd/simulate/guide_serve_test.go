package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

// What a guide shows: a server, and what a shell says to commands that ask it.
var (
	session = regexp.MustCompile("(?s)<!-- serve: (.*?) -->\n```console\n(.*?)```")
	yaml    = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	created = regexp.MustCompile(`"created":\d+`)
)

// The guide's commands print what the guide shows.
func TestGuideOfServe(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join("..", "..", "guides", "test-my-client.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sessions := session.FindAllStringSubmatch(string(b), -1)
	if len(sessions) < 3 {
		t.Fatalf("%s shows %d sessions", path, len(sessions))
	}
	for _, text := range yaml.FindAllStringSubmatch(string(b), -1) {
		if _, err := scenarios.Decode(path, []byte(text[1])); err != nil {
			t.Error(err)
		}
	}
	for _, shown := range sessions {
		s := startServe(t, append(strings.Fields(shown[1]), "--listen", "127.0.0.1:0", "--out", "off")...)
		for _, command := range strings.Split("\n"+shown[2], "\n$ ")[1:] {
			line, want, _ := strings.Cut(command, "\n")
			program := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "http://127.0.0.1:8787", s.url))
			out, _ := program.Output() // its exit code is the shell's affair
			got := created.ReplaceAllString(strings.ReplaceAll(string(out), "\r", ""), `"created":0`)
			if strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("$ %s\n%s\nthe guide shows\n%s", line, got, want)
			}
		}
		s.end()
	}
}
