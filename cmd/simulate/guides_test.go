package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func guide(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "guides", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	console  = regexp.MustCompile("(?s)```console\n(.*?)```")
	heredoc  = regexp.MustCompile(`(?s)^cat > (\S+) <<'END'\n(.*?)END\n`)
	question = regexp.MustCompile("(?s)<!-- test: sqlite3 -->\n```sql\n(.*?)```\n```text\n(.*?)```")
)

// follow does what a guide's console blocks say, in order, in a folder of its own.
func follow(t *testing.T, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, block := range console.FindAllStringSubmatch(text, -1) {
		for _, command := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			if m := heredoc.FindStringSubmatch(command + "\n"); m != nil {
				if err := os.WriteFile(m[1], []byte(m[2]), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			line, to, redirected := strings.Cut(strings.TrimSpace(command), " > ")
			words := shellWords(line)
			if words[0] != "simulate" {
				t.Fatalf("%q is no command of this program", command)
			}
			code, stdout, stderr := call(context.Background(), words[1:]...)
			if code != 0 {
				t.Errorf("%s: exit code %d: %s", line, code, stderr)
			}
			if redirected {
				if err := os.WriteFile(to, []byte(stdout), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestTheGuideToSweepsWorks(t *testing.T) {
	follow(t, guide(t, "sweeps.md"))
	for _, file := range []string{"out/herd-100-by-seats/report.html", "seats.svg", "kept/summary.csv", "sample/report.html"} {
		if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
			t.Error(err)
		}
	}
	sameFolders(t, "kept", "whole")
}

func TestTheGuideToQueriesWorks(t *testing.T) {
	text := guide(t, "query.md")
	questions := question.FindAllStringSubmatch(text, -1)
	if len(questions) != 3 {
		t.Fatalf("the guide asks %d questions of SQLite, want 3", len(questions))
	}
	follow(t, text)
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3")
	}
	for _, q := range questions {
		cmd := exec.Command(sqlite, "-header")
		cmd.Stdin = strings.NewReader(q[1])
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != q[2] {
			t.Errorf("%s\nprints\n%s(%v), the guide shows\n%s", q[1], out, err, q[2])
		}
	}
}
