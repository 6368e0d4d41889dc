//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Places that cannot be what they are named for are told before anything runs.
func TestPlacesThatAreNone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("nowhere", "link"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		says string
		args []string
		want string
	}{
		{"a link to nothing", []string{"run", "herd-20", "--out", "link"}, "--out link: is a link to nothing"},
		{"a file", []string{"run", "herd-20", "--out", "file"}, "--out file: is a file"},
		{"a script without an end", []string{"run", "herd-20", "--out", "off", "--echarts", "/dev/zero"}, "--echarts /dev/zero: "},
	} {
		code, _, stderr := call(context.Background(), row.args...)
		if code != 2 || !strings.Contains(stderr, row.want) {
			t.Errorf("%s: exit code %d, %s", row.says, code, stderr)
		}
	}
}

// What was served is told though its summary cannot be written.
func TestServedFiguresOutliveTheirFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.MkdirAll(filepath.Join(dir, "summary.json"), 0o755); err != nil { // which no file can replace
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(interrupted{syscall.SIGTERM})
	code, stdout, stderr := call(ctx, "serve", "herd-20", "--listen", "127.0.0.1:0", "--out", dir)
	if code == 0 || !strings.Contains(stdout, "0 requests: ") || !strings.Contains(stderr, "summary.json") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
