package model

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFiguresByName(t *testing.T) {
	s := &Summary{
		Wall: 2.5, Amplify: 3.5,
		Operations: Operations{Total: 4, Succeeded: 3},
		Attempts:   Attempts{Total: 9, ByStatus: map[string]int64{"200": 3}, RejectedBy: RejectedBy{Seats: 6}},
		Latency:    Spread{P50: 1, P90: 2, P99: Undefined()},
		FirstToken: Percentiles{P99: 0.25},
		Tokens:     TokenSums{Billed: 10, Wasted: 4},
		Cost:       Cost{Total: Undefined()},
		Groups:     map[string]GroupSummary{"a.b": {Attempts: Attempts{Total: 7}}, "chat": {Latency: Spread{P99: 8}}},
		Engine:     Engine{Events: 11},
		Against:    &Summary{Wall: 1},
	}
	null := math.NaN()
	rows := []struct {
		name  string
		want  float64
		known bool
	}{
		{"success", 0.75, true},
		{"p50_latency", 1, true},
		{"p90_latency", 2, true},
		{"p99_latency", null, true},
		{"p99_first_token", 0.25, true},
		{"wall", 2.5, true},
		{"attempts", 9, true},
		{"amplification", 3.5, true},
		{"waste", 0.4, true},
		{"cost", null, true},
		{"wall_s", 2.5, true},
		{"attempts.total", 9, true},
		{"attempts.rejected_by.seats", 6, true},
		{"attempts.by_status.200", 3, true},
		{"attempts.by_status.429", 0, true},
		{"attempts.by_status.4299", null, false},
		{"attempts.by_status.abc", null, false},
		{"latency_s.p99", null, true},
		{`groups["a.b"].attempts.total`, 7, true},
		{"groups.chat.latency_s.p99", 8, true},
		{`groups["chat"].latency_s.p99`, 8, true},
		{"groups.nobody.attempts.total", null, false},
		{"engine.events", 11, true},
		{"engine.real_s", null, false},
		{"retries_per_operation.counts", null, false},
		{"retries_per_operation.max", 0, true},
		{"against.wall_s", null, false},
		{"partial", null, false},
		{"seed", null, false},
		{"latency_s", null, false},
		{"Wall", null, false},
		{"wall_s.", null, false},
		{"", null, false},
	}
	for _, row := range rows {
		got, known := s.Figure(row.name)
		same := float64(got) == row.want || math.IsNaN(float64(got)) && math.IsNaN(row.want)
		if known != row.known || !same {
			t.Errorf("%s: got %v, %v, want %v, %v", row.name, got, known, row.want, row.known)
		}
	}
}

// EachFigure meets every number of summary.json, in its order, and Figure finds
// each by the path.
func TestEachFigureIsEveryNumberInOrder(t *testing.T) {
	s := &Summary{
		Attempts: Attempts{ByStatus: map[string]int64{"429": 1, "200": 2}},
		Latency:  Spread{P99: Undefined()},
		Groups: map[string]GroupSummary{
			"b":   {Attempts: Attempts{ByStatus: map[string]int64{"401": 1}}, Layers: []LayerSummary{}},
			"a.c": {Attempts: Attempts{ByStatus: map[string]int64{}}, Layers: []LayerSummary{}},
		},
	}
	var got []string
	s.EachFigure(func(path []string, n Number) {
		name := JoinPath(path)
		got = append(got, name)
		if again, ok := s.Figure(name); !ok || again != n && n.Defined() {
			t.Errorf("%s: EachFigure gives %v, Figure %v, %v", name, n, again, ok)
		}
	})
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := numbersOf(t, text); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// numbersOf lists the paths of numbers and nulls in JSON, lists and currencies left out.
func numbersOf(t *testing.T, text []byte) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	var found []string
	var value func(path []string)
	value = func(path []string) {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case json.Delim:
			for d.More() {
				if x == '{' {
					key, err := d.Token()
					if err != nil {
						t.Fatal(err)
					}
					value(append(slices.Clone(path), key.(string)))
				} else {
					value([]string{"list"})
				}
			}
			if _, err := d.Token(); err != nil {
				t.Fatal(err)
			}
		case float64, nil:
			if last := path[len(path)-1]; path[0] != "list" && !slices.Contains([]string{"currency", "warnings", "counts", "limits", "binding_axis"}, last) {
				found = append(found, JoinPath(path))
			}
		}
	}
	value(nil)
	return found
}

func TestTimesAreToldFromTheRest(t *testing.T) {
	for name, want := range map[string]bool{
		"wall": true, "p99_latency": true, "p99_first_token": true, "latency_s.p99": true, "wall_s": true, "herd.slot_s": true, `groups["x"].first_token_s.p50`: true, `groups["x_s"].latency_s.p50`: true,
		"success": false, "attempts": false, "cost": false, "provider.goodput_ops_per_s": false, "engine.events": false, `groups["x_s"].attempts.total`: false,
	} {
		if got := InSeconds(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	for _, path := range [][]string{{"a"}, {"a", "b", "0"}, {"a.b"}, {"groups", "a.b", "c"}, {"x", ""}, {"\"quoted\"", "[x]"}, {"a=b", "</script>", "\x1b[31m"}, {"0"}, {"full-jitter", "openai-node@6.49"}} {
		got, err := SplitPath(JoinPath(path))
		if err != nil || !slices.Equal(got, path) {
			t.Errorf("%q is written %s and read %q, %v", path, JoinPath(path), got, err)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[b]", `a["b"`, `a["b"]c`, "a[", `a["b\q"]`} {
		if path, err := SplitPath(text); err == nil {
			t.Errorf("%q is read as %q", text, path)
		}
	}
}

func TestFigureNamesAreFigures(t *testing.T) {
	names := FigureNames()
	if names[0] != "success" || !slices.Contains(names, "latency_s.p99") {
		t.Errorf("got %v", names)
	}
	for _, name := range names {
		if _, ok := new(Summary).Figure(name); !ok {
			t.Errorf("there is no figure %s", name)
		}
	}
}
