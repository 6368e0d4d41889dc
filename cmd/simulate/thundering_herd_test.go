package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The README's picture is what the command draws.
func TestThunderingHerdPicture(t *testing.T) {
	const name = "herd-100.svg"
	kept, err := filepath.Abs(filepath.Join("..", "..", "out", "thundering-herd", name))
	if err != nil {
		t.Fatal(err)
	}
	drawn := filepath.Join(t.TempDir(), name)
	if code, _, stderr := call(t.Context(), "run", "herd-100", "--out", "off", "--chart", drawn); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	got, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(kept, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what `simulate run herd-100 --chart %s` draws; go test ./cmd/simulate -run Picture -update draws it anew", kept, name)
	}
	// It has its own paper and colours for light and dark.
	for _, part := range []string{`<rect class="f-paper"`, "prefers-color-scheme: dark"} {
		if !bytes.Contains(got, []byte(part)) {
			t.Errorf("the picture has no %s", part)
		}
	}
	if _, text := readme(t); !bytes.Contains([]byte(text), []byte("](out/thundering-herd/"+name+")")) {
		t.Error("the README does not show it")
	}
}
