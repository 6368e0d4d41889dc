package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

// UX-D1: eight tiny files, one clear sentence each.
func TestTinyFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	empty := "is empty; write a scenario, beginning with a name: line (`simulate show herd-100` prints one)"
	keyless := strings.Replace(empty, "is empty", "holds no keys (only comments or ---)", 1)
	rows := []struct{ sentence, file, want string }{
		{"an empty file", write("empty.yaml", ""), empty},
		{"a comment alone", write("comment.yaml", "# to do\n"), keyless},
		{"--- alone", write("dashes.yaml", "---\n"), keyless},
		{"a key given twice", write("twice.yaml", "name: a\nclients: [{count: 1}]\nname: b\n"), "3:1: name: given twice, first on line 1; keep one"},
		{"a key given twice in depth", write("deep.yaml", "name: a\nclients:\n  - name: x\n    count: 1\n    count: 2\n"), "5:5: clients.0.count: given twice, first on line 4; keep one"},
		{"a merge that is overridden", write("merge.yaml", "name: a\nclients:\n  - &x {name: x, count: 1}\n  - {<<: *x, name: y}\n"), ""},
		{"a directory", dir, "is a directory; name a scenario file in it"},
		{"no such file", filepath.Join(dir, "herd-10.yaml"), "there is no such file; did you mean herd-100? (`simulate list` names the built-in scenarios)"},
		{"no such name", "herd-10", "is neither a built-in scenario nor a file; did you mean herd-100? (`simulate list` names the built-ins)"},
		{"too large", write("large.yaml", strings.Repeat("# padding\n", 1<<20+1)), "is larger than 10 MB, too large for a scenario"},
	}
	for _, row := range rows {
		got := ""
		if _, err := scenarios.Load(row.file); err != nil {
			got = strings.TrimPrefix(strings.TrimPrefix(err.Error(), row.file+":"), " ")
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.sentence, got, row.want)
		}
	}
}
