package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// hostileNames must stay text wherever they are shown.
var hostileNames = []string{
	`</script><img src=x onerror=alert(1)>`, `<NULL>`, `{{.X}}`, "\u200fright to left", strings.Repeat("long name ", 1000),
}

// hostileScenario has a hostile name wherever a scenario takes one, and a comment of them.
func hostileScenario(policy string) string {
	all := strings.Join(hostileNames, " ")
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nname: hostile\nabout: %s\nagainst: %s\n", all, strconv.Quote(all), strconv.Quote(hostileNames[1]))
	b.WriteString("provider: {seats: 2, service: {first_token: 5ms}}\nclients:\n")
	for _, name := range hostileNames {
		group := policy
		if policy == "" {
			group = name
		}
		fmt.Fprintf(&b, "  - {name: %q, count: 4, gate: %q, policy: %q}\n", name, name, group)
	}
	gates, policies := "gates:\n", "policies:\n"
	for _, name := range hostileNames {
		gates += fmt.Sprintf("  ? %q\n  : {concurrency: 3}\n", name)
		policies += fmt.Sprintf("  ? %q\n  : {attempts: unlimited, backoff: {exponential: {base: 20ms}, jitter: full}}\n", name)
	}
	return b.String() + gates + policies
}

func TestHostileNamesStayText(t *testing.T) {
	var quoted []string
	for _, name := range hostileNames {
		quoted = append(quoted, strconv.Quote(name))
	}
	mixed := writeFile(t, "mixed.yaml", hostileScenario(""))
	vary := "policy=" + strings.Join(quoted, ",")
	type call struct {
		says  string
		args  []string
		shown []string // on the terminal
	}
	long := writeFile(t, "long.yaml", hostileScenario(hostileNames[4]))
	calls := []call{
		{"a run of all", []string{"run", mixed}, []string{"<NULL>"}},
		{"its replicates", []string{"run", mixed, "--seeds", "2"}, []string{"<NULL>"}},
		{"replicates under the long name", []string{"run", long, "--seeds", "2"}, []string{"<NULL>"}},
		{"its trace", []string{"trace", mixed, "--client", "0"}, []string{"client 0 of"}},
		{"a comparison of all", []string{"compare", mixed, "--vary", vary, "--seeds", "2"}, []string{"</script><img src=x", "<NULL>", "{{.X}}", `\u200fright to left`}},
	}
	for i, name := range hostileNames {
		path := writeFile(t, "one.yaml", hostileScenario(name))
		calls = append(calls, call{fmt.Sprintf("a run under policy %d", i), []string{"run", path, "--chart", filepath.Join(t.TempDir(), "herd.svg")}, nil})
	}
	for _, c := range calls {
		t.Run(c.says, func(t *testing.T) {
			out := t.TempDir()
			if c.args[0] != "trace" {
				c.args = append(c.args, "--out", out)
			}
			code, stdout, stderr := simulate(t, c.args...)
			if code != 0 {
				t.Fatalf("exit code %d: %.300s", code, stderr)
			}
			staysPlain(t, "stdout", stdout)
			staysPlain(t, "stderr", stderr)
			for _, want := range c.shown {
				if !strings.Contains(stdout, want) {
					t.Errorf("stdout does not show %q:\n%.2000s", want, stdout)
				}
			}
			for i, line := range strings.Split(stdout, "\n") {
				if n := len([]rune(line)); n > 120 {
					t.Errorf("line %d of stdout has %d columns", i+1, n)
				}
			}
			if lines := strings.Count(stdout, "\n"); lines > 200 {
				t.Errorf("stdout has %d lines", lines)
			}
			holdText(t, out)
			if chart := c.args[len(c.args)-3]; strings.HasSuffix(chart, ".svg") {
				holdText(t, filepath.Dir(chart))
			}
		})
	}
}

// staysPlain finds what would steer a terminal.
func staysPlain(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%s holds %q", where, r)
			return
		}
	}
}

// holdText checks that the files of a folder hold hostile names as text.
func holdText(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		switch filepath.Ext(f.Name()) {
		case ".html":
			if opened, closed := strings.Count(text, "<script"), strings.Count(text, "</script"); opened != closed {
				t.Errorf("%s: %d scripts begin and %d end", f.Name(), opened, closed)
			}
			for _, want := range []string{"&lt;NULL&gt;", "{{.X}}", "&lt;img src=x onerror=alert(1)&gt;", strings.TrimSpace(hostileNames[4])} {
				if !strings.Contains(text, want) {
					t.Errorf("%s does not show %.40q", f.Name(), want)
				}
			}
			fallthrough
		case ".svg", ".md":
			if strings.Contains(text, "<img src=x") || strings.Contains(text, "<NULL") || filepath.Ext(f.Name()) == ".md" && strings.Contains(text, "<") {
				t.Errorf("%s: a name became markup", f.Name())
			}
		case ".json":
			if !json.Valid(b) {
				t.Errorf("%s is not JSON", f.Name())
			}
		case ".csv":
			rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
			if err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
			for _, row := range rows[1:] {
				if f.Name() == "compare.csv" && !strings.HasPrefix(row[1], `"</script><img`) {
					t.Errorf("%s: a row is of %.40q", f.Name(), row[1])
				}
			}
			staysPlain(t, f.Name(), text)
		}
	}
}

func TestHostileKeysAreToldAsText(t *testing.T) {
	for _, key := range hostileNames {
		path := writeFile(t, "wrong.yaml", "name: wrong\nclients: [{name: a}]\n? "+strconv.Quote(key)+"\n: 1\n")
		for _, args := range [][]string{{"check", path}, {"run", "herd-100", "--set", key + "=1"}, {"compare", "herd-100", "--vary", key + "=1,2"}} {
			code, _, stderr := simulate(t, args...)
			if code != exitBadInput || stderr == "" {
				t.Errorf("%s, key %.20q: exit code %d", args[0], key, code)
			}
			staysPlain(t, "stderr of "+args[0], stderr)
			if len(stderr) > 2000 {
				t.Errorf("%s, key %.20q: %d bytes on stderr", args[0], key, len(stderr))
			}
		}
	}
}
