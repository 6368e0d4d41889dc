package scenarios_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func TestEveryNumericKnobHasItsRange(t *testing.T) {
	const (
		whole    = "name: s\nclients: [{count: X}]\n"
		duration = "name: s\nclients: [{arrive: {at: X}}]\n"
	)
	inPolicy := func(s string) string { return small + "policies: {p: " + s + "}\n" }
	inProvider := func(s string) string { return small + "provider: " + s + "\n" }
	inGroup := func(s string) string { return "name: s\nclients: [" + s + "]\n" }
	rows := []struct {
		knob, text string
		accepts    string // which of the tries
	}{
		{"count", whole, "0"},
		{"seed", small + "seed: X\n", "0"},
		{"slot", small + "slot: X\n", "1s"},
		{"stop.after", small + "stop: {after: X}\n", "0 1s"},
		{"arrive.at", duration, "0 1s"},
		{"arrive.over", inGroup("{arrive: {over: X}}"), "0 1s"},
		{"input_tokens", inGroup("{request: {input_tokens: X}}"), "0"},
		{"output_tokens", inGroup("{request: {output_tokens: X}}"), "0"},
		{"output_tokens uniform", inGroup("{request: {output_tokens: {uniform: [0, X]}}}"), "0"},
		{"output_tokens exponential", inGroup("{request: {output_tokens: {exponential: {mean: X}}}}"), "0"},
		{"max_tokens", inGroup("{request: {max_tokens: X}}"), "unlimited"},
		{"one_way", inGroup("{network: {one_way: X}}"), "0 1s"},
		{"one_way uniform", inGroup("{network: {one_way: {uniform: [0, X]}}}"), "0 1s"},
		{"one_way normal", inGroup("{network: {one_way: {normal: {mean: 1s, sd: X}}}}"), "0 1s"},
		{"one_way lognormal", inGroup("{network: {one_way: {lognormal: {p50: X, p99: 2s}}}}"), "1s"},
		{"one_way in a sum", inGroup("{network: {one_way: {sum: [1ms, X]}}}"), "0 1s"},
		{"group's gate", inGroup("{gate: {concurrency: X}}"), ""},
		{"gate", small + "gates: {g: {concurrency: X}}\n", ""},
		{"seats", inProvider("{seats: X}"), "unlimited"},
		{"queue", inProvider("{seats: 1, queue: X}"), "0 unlimited {}"},
		{"queue.places", inProvider("{seats: 1, queue: {places: X}}"), "0 unlimited"},
		{"first_token", inProvider("{service: {first_token: X}}"), "0 1s"},
		{"per_token", inProvider("{service: {per_token: X}}"), "0 1s"},
		{"refuses.status", inProvider("{refuses: {status: X}}"), ""},
		{"retry_after", inProvider("{hint: {retry_after: X}}"), "0 1s"},
		{"faults.first", inProvider("{faults: [{status: 500, first: X}]}"), "unlimited"},
		{"faults.status", inProvider("{faults: [{status: X}]}"), ""},
		{"faults.probability", inProvider("{faults: [{status: 500, probability: X}]}"), "0.5"},
		{"faults.after_tokens", inProvider("{faults: [{stall: true, after_tokens: X}]}"), "0"},
		{"faults.keep_alive", inProvider("{faults: [{stall: true, keep_alive: X}]}"), "1s"},
		{"queue.wait_limit", inProvider("{seats: 1, queue: {places: 1, wait_limit: X}}"), "unlimited 1s"},
		{"queue.aging", inProvider("{seats: 1, queue: {places: 1, order: priority, aging: X}}"), "1s"},
		{"queue.reserve", inProvider("{seats: 9, queue: {places: 1, order: priority, reserve: X}}"), ""},
		{"full_speed_to", inProvider("{service: {pace: {full_speed_to: X}}}"), ""},
		{"frees_seat_after", inProvider("{abandoned: {frees_seat_after: X}}"), "0 1s"},
		{"weather.at", inProvider("{weather: [{at: X, for: 1s, outage: 503}]}"), "0 1s"},
		{"weather.for", inProvider("{weather: [{for: X, outage: 503}]}"), "1s"},
		{"weather.outage", inProvider("{weather: [{for: 1s, outage: X}]}"), ""},
		{"weather.pace", inProvider("{weather: [{for: 1s, pace: X}]}"), "0 0.5"},
		{"weather.ramp", inProvider("{weather: [{for: 5s, pace: 5%, ramp: X}]}"), "1s"},
		{"idempotency.expires", inProvider("{idempotency: {mode: replay, expires: X}}"), "1s"},
		{"idempotency.conflict", inProvider("{idempotency: {mode: replay, conflict: X}}"), ""},
		{"price.output", inProvider("{price: {input: 1, output: X}}"), "0 0.5"},
		{"price.per", inProvider("{price: {input: 1, per: X}}"), ""},
		{"attempts", inPolicy("{attempts: X}"), "unlimited"},
		{"constant", inPolicy("{backoff: {constant: X}}"), "0 1s"},
		{"linear.base", inPolicy("{backoff: {linear: {base: X}}}"), "0 1s"},
		{"exponential.base", inPolicy("{backoff: {exponential: {base: X}}}"), "0 1s"},
		{"exponential.cap", inPolicy("{backoff: {exponential: {base: 0, cap: X}}}"), "0 1s"},
		{"exponential.factor", inPolicy("{backoff: {exponential: {factor: X}}}"), "0 0.5 1e18 99999999999999999999"},
		{"exponential.first", inPolicy("{backoff: {exponential: {first: X}}}"), "0"},
		{"decorrelated.base", inPolicy("{backoff: {decorrelated: {base: X}}}"), "0 1s"},
		{"triage", inPolicy("{triage: {retry: [X]}}"), ""},
		{"a share of success", small + "expect: ['success >= X']\n", "-1 0 0.5"},
		{"a time", small + "expect: ['wall < X']\n", "-1 0 0.5 1e18 1s -1s 99999999999999999999"},
	}
	tries := []string{"-1", "0", "0.5", "1e18", `"1e3"`, "010", "NaN", ".nan", ".inf", "unlimited", "1s", "-1s", "''", "~", "[]", "{}", "0x10", "1_000", "99999999999999999999"}
	for _, row := range rows {
		accepts := strings.Fields(row.accepts)
		for _, try := range tries {
			if strings.Contains(row.text, "'") && strings.ContainsAny(try, `"'`) {
				continue
			}
			_, err := scenarios.Decode("x.yaml", []byte(strings.ReplaceAll(row.text, "X", try)))
			want := false
			for _, a := range accepts {
				want = want || a == try
			}
			if got := err == nil; got != want {
				t.Errorf("%s: %s accepted: %v, want %v (%v)", row.knob, try, got, want, err)
			}
		}
	}
}

func TestWhatIsRead(t *testing.T) {
	type read = func(*scenarios.Scenario) any
	policy := func(s *scenarios.Scenario) policies.Policy { return s.Policies["p"] }
	rows := []struct {
		sentence, text string
		get            read
		want           any
	}{
		{"a seed is 1 unless given", "", func(s *scenarios.Scenario) any { return s.Seed }, uint64(1)},
		{"a seed may take 64 bits", "seed: 18446744073709551615\n", func(s *scenarios.Scenario) any { return s.Seed }, uint64(1<<64 - 1)},
		{"a seed may be a string of digits", "seed: \"9007199254740993\"\n", func(s *scenarios.Scenario) any { return s.Seed }, uint64(9007199254740993)},
		{"parts of a duration add up", "slot: 1h30m\n", func(s *scenarios.Scenario) any { return s.Slot }, 90 * time.Minute},
		{"a day has 24 hours", "slot: 1s\nstop: {after: 1d}\n", func(s *scenarios.Scenario) any { return s.Stop.After }, 24 * time.Hour},
		{"a fraction of a unit counts", "slot: 1.5s\n", func(s *scenarios.Scenario) any { return s.Slot }, 1500 * time.Millisecond},
		{"what is left out has its default", "policies: {p: {}}\n", func(s *scenarios.Scenario) any { return policy(s).Attempts }, policies.Unlimited},
		{"the default backoff is exponential", "policies: {p: {}}\n", func(s *scenarios.Scenario) any { return policy(s).Backoff.Exponential.Base }, 200 * time.Millisecond},
		{"a jitter alone keeps the default backoff", "policies: {p: {backoff: {jitter: full}}}\n", func(s *scenarios.Scenario) any { return policy(s).Backoff.Exponential.Cap }, 20 * time.Second},
		{"one alternative takes the place of the default", "policies: {p: {backoff: {constant: 3s}}}\n", func(s *scenarios.Scenario) any {
			return policy(s).Backoff.Exponential == nil && policy(s).Backoff.Constant.Delay == 3*time.Second
		}, true},
		{"a bare word picks an alternative", "policies: {p: {backoff: none}}\n", func(s *scenarios.Scenario) any {
			return policy(s).Backoff.None != nil && policy(s).Backoff.Exponential == nil
		}, true},
		{"a bare word has the alternative's defaults", "policies: {p: {backoff: decorrelated}}\n", func(s *scenarios.Scenario) any { return policy(s).Backoff.Decorrelated.Cap }, 20 * time.Second},
		{"one word stands for a mapping", "policies: {p: {hint: floor}}\n", func(s *scenarios.Scenario) any { return policy(s).Hint.Mode }, policies.FloorHint},
		{"a number stands for a mapping", "provider: {seats: 1, queue: 5}\n", func(s *scenarios.Scenario) any { return s.Provider.Queue.Places }, policies.Count(5)},
		{"a table may be named", "policies: {p: {triage: everything}}\n", func(s *scenarios.Scenario) any { return policy(s).Triage.Table }, policies.EverythingTriage},
		{"a table may be listed", "policies: {p: {triage: {retry: [408, 5xx]}}}\n", func(s *scenarios.Scenario) any { return policy(s).Triage.Retry }, []policies.Failures{{From: 408, To: 408}, {From: 500, To: 599}}},
		{"an anchor stands for what it names", "policies: {q: &q {attempts: 3}, p: *q}\n", func(s *scenarios.Scenario) any { return policy(s).Attempts }, policies.Count(3)},
		{"what is written beats what is merged", "policies: {q: &q {attempts: 3, hint: floor}, p: {<<: *q, attempts: 4}}\n", func(s *scenarios.Scenario) any { return policy(s).Attempts }, policies.Count(4)},
		{"what is merged counts where nothing is written", "policies: {q: &q {attempts: 3, hint: floor}, p: {<<: *q, attempts: 4}}\n", func(s *scenarios.Scenario) any { return policy(s).Hint.Mode }, policies.FloorHint},
		{"of several mappings merged, the first wins", "policies: {a: &a {attempts: 3}, b: &b {attempts: 5}, p: {<<: [*a, *b]}}\n", func(s *scenarios.Scenario) any { return policy(s).Attempts }, policies.Count(3)},
		{"an alternative written beats one merged", "policies: {q: {backoff: &b {exponential: {base: 1s}, jitter: none}}, p: {backoff: {<<: *b, constant: 2s}}}\n", func(s *scenarios.Scenario) any { return policy(s).Backoff.Constant.Delay }, 2 * time.Second},
		{"a name may be any text", "policies: {\"a.b\\e</script>\": {attempts: 3}}\n", func(s *scenarios.Scenario) any { return s.Policies["a.b\x1b</script>"].Attempts }, policies.Count(3)},
		{"an expectation is kept as written", "expect: ['success   >= 99.9%']\n", func(s *scenarios.Scenario) any { return s.Expect[0].String() }, "success >= 99.9%"},
	}
	for _, row := range rows {
		s, err := scenarios.Decode("x.yaml", []byte(small+row.text))
		if err != nil {
			t.Errorf("%s: %v", row.sentence, err)
			continue
		}
		if got := row.get(s); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.sentence, got, row.want)
		}
	}
}

// Every key of every built-in, at every depth, with each of its letters dropped,
// doubled, changed and swapped with the next. A line that several share is tried once.
func TestAMisspelledKeyIsCaught(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, entry := range scenarios.List() {
		source, _ := scenarios.Source(entry.Name)
		var doc yaml.Node
		if err := yaml.Unmarshal(source, &doc); err != nil {
			t.Fatal(err)
		}
		var keys []*yaml.Node
		var walk func(n *yaml.Node, named bool)
		walk = func(n *yaml.Node, named bool) {
			for i, c := range n.Content {
				isKey := n.Kind == yaml.MappingNode && i%2 == 0
				if isKey && !named {
					keys = append(keys, c)
				}
				if !isKey {
					names := n.Kind == yaml.MappingNode && slices.Contains([]string{"policies", "gates", "rate"}, n.Content[i-1].Value) // a rate's are times
					walk(c, names)
				}
			}
		}
		walk(doc.Content[0], false)
		if len(keys) < 10 {
			t.Fatalf("%s: found only %d keys", entry.Name, len(keys))
		}
		lines := strings.Split(string(source), "\n")
		for _, key := range keys {
			line := lines[key.Line-1]
			for i, wrong := range misspellings(key.Value) {
				if scenarios.Raced && i%8 != 0 {
					continue
				}
				lines[key.Line-1] = line[:key.Column-1] + wrong + line[key.Column-1+len(key.Value):]
				if tried[lines[key.Line-1]] {
					continue
				}
				tried[lines[key.Line-1]] = true
				_, err := scenarios.Decode("x.yaml", []byte(strings.Join(lines, "\n")))
				if err == nil || !strings.Contains(err.Error(), wrong+": unknown key; did you mean "+key.Value+"?") {
					t.Errorf("%s, line %d: %s for %s: %v", entry.Name, key.Line, wrong, key.Value, err)
				}
			}
			lines[key.Line-1] = line
		}
	}
}

func misspellings(key string) []string {
	var all []string
	for i := range len(key) {
		all = append(all, key[:i]+key[i+1:], key[:i]+key[i:i+1]+key[i:], key[:i]+"x"+key[i+1:])
		if i+1 < len(key) && key[i] != key[i+1] {
			all = append(all, key[:i]+key[i+1:i+2]+key[i:i+1]+key[i+2:])
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == key })
}

func TestAliasesCannotExplode(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("name: bomb\nprovider: {service: {first_token: {sum: [&a 1ms")
	for c := 'b'; c <= 'l'; c++ {
		b.WriteString(", &" + string(c) + " {sum: [")
		b.WriteString(strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 10), ", "))
		b.WriteString("]}")
	}
	b.WriteString("]}}}\nclients: [{count: 1}]\n")
	// What it stands for, 10^11 values, would not be read by the end of the test's time.
	_, err := scenarios.Decode("x.yaml", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "aliases") {
		t.Errorf("got %.300v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, entry := range scenarios.List() {
		source, _ := scenarios.Source(entry.Name)
		f.Add(source, "policy=naive")
	}
	for _, text := range []string{
		"", "a: &a [*a]", "<<: *x", "<<: {<<: {}}", "? [a]\n: b", "- - - -", "name: !!binary x", "{", "\ufeffname: x", "&a name: *a", "policies: {<<: &p {p: *p}}",
	} {
		f.Add([]byte(text), "clients.0.count=3")
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		s, err := scenarios.Decode("fuzz.yaml", data, set)
		if (s == nil) == (err == nil) {
			t.Fatalf("scenario %v with error %v", s, err)
		}
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("a control character reaches the terminal: %q", line)
			}
		}
	})
}
