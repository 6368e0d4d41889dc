package scenarios_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func clientNamed(t *testing.T, name string) scenarios.ClientPreset {
	t.Helper()
	for _, p := range scenarios.ClientPresets() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no client preset %s", name)
	return scenarios.ClientPreset{}
}

// wall is what the client's clock shows.
var wall = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func dateIn(d time.Duration) string { return wall.Add(d).Format("Mon, 02 Jan 2006 15:04:05 GMT") }

// hintColumns are the columns of the matrix: what the server says, and the wait it means.
var hintColumns = []struct {
	says  string
	text  policies.HintText
	means time.Duration
}{
	{"0", policies.HintText{RetryAfter: "0"}, 0},
	{"a date that is past", policies.HintText{RetryAfter: dateIn(-2 * time.Minute)}, 0},
	{"30 s", policies.HintText{RetryAfter: "30"}, 30 * time.Second},
	{"59 s", policies.HintText{RetryAfter: "59"}, 59 * time.Second},
	{"60 s", policies.HintText{RetryAfter: "60"}, 60 * time.Second},
	{"61 s", policies.HintText{RetryAfter: "61"}, 61 * time.Second},
	{"90 s", policies.HintText{RetryAfter: "90"}, 90 * time.Second},
	{"120 s", policies.HintText{RetryAfter: "120"}, 120 * time.Second},
	{"121 s", policies.HintText{RetryAfter: "121"}, 121 * time.Second},
	{"3600 s", policies.HintText{RetryAfter: "3600"}, time.Hour},
	{"a date in 30 s", policies.HintText{RetryAfter: dateIn(30 * time.Second)}, 30 * time.Second},
	{"soon", policies.HintText{RetryAfter: "soon"}, 0},
	{"-5", policies.HintText{RetryAfter: "-5"}, 0},
	{"NaN", policies.HintText{RetryAfter: "NaN"}, 0},
	{"30,000 ms", policies.HintText{RetryAfterMS: "30000"}, 30 * time.Second},
	{"56.5 s", policies.HintText{RetryAfter: "56.5"}, 56500 * time.Millisecond},
	{"in the body", policies.HintText{Body: "Please try again in 30s."}, 30 * time.Second},
	{"a 429 that says x-should-retry: false", policies.HintText{ShouldRetry: "false"}, 0},
	{"a 400 that says x-should-retry: true", policies.HintText{ShouldRetry: "true"}, 0},
}

// Section 2.2 of the facts, typed from the page. A cell says what follows a 429:
//
//	o  obey: exactly the hint         b  the client's own backoff
//	s  the hint, and up to 0.75 s     g  it gives up
//	n  at once
//
// A ? behind it marks a cell that the page leaves open, and the letter our choice: what it
// says of no client, that it does not do (a hint in the body, x-should-retry); where it has
// no row at all, hints are not looked at. A malformed hint is the backoff where the page says nothing else.
func TestWhatAHintDoes(t *testing.T) {
	const waitsAtMost = 4 * time.Second // any of these clients, before its first retry, of its own
	for _, row := range []struct{ clients, cells string }{
		//                        0  past 30 59 60 61 90 120 121 3600 date soon -5 NaN ms 56.5 body false true
		{"openai-python@3.3", "    b  b    o  o  o  o  o  o   g   g    o    b    b  b   o  o?   b?   g     b"},
		{"openai-python@2.51", "   b  b    o  o  o  b  b  b   b   b    o    b    b  b   o  o?   b?   g     b"},
		{"openai-node@7.59", "     n  b    o  o  o  b  b  b   b   b    o    b    b  b   o  o?   b?   g     b"},
		{"openai-node@6.49", "     n  n    o  o  o  o  o  o   o   o    o    n?   n  n   o  o?   b?   g     b"},
		{"openai-node@6.20", "     b  b    o  o  b  b  b  b   b   b    o    b    b  b   o  o?   b?   g     b"},
		{"openai-go@3.99", "       n  n    o  o  o  o  o  o   g   g    o    b    b  b   o  o?   b?   g     b"},
		{"anthropic-node@1.14", "  b  b    o  o  o  o  o  o   o   o    o    b    b  b   o  o?   b?   g     b"},
		{"anthropic-python@0.121", "b b    o  o  o  b  b  b   b   b    o    b    b  b   o  o?   b?   g     b"},
		{"anthropic-go@1.84", "    n  n    o  o  o  o  o  o   o   o    o    b    b  b   o  o?   b?   g     b"},
		{"vercel-ai@7", "          n  b?   o  o  b  b  b  b   b   b    o    b    b  b   o  o?   b?   b     g"},
		{"langchain-core@1.4", "   b  b    o  o  o  g  g  g   g   g    o    b    b  b   g  o?   o    g     g"},
		{"litellm", "              b  b    s  s  s  b  b  b   b   b    s    b    b  b   b  s?   b?   b     g"},
		{"azcore-go@1.24", "       b  b    o  o  o  g  g  g   g   g    o    b    b  b   o  o?   b?   b     g"},
		{"azure-core-python", "    b  b    o  o  o  o  o  o   o   o    o    b    b  b   o  b    g?   g     g"},
		{"go-retryablehttp@0.7.8", "n n    o  o  o  o  o  o   o   o    o    b    b  b   b  b    b?   b     g"},
		{"failsafe-go@0.9.8", "    n  n    o  o  o  o  o  o   o   o    n    n    n  n   n  n    n?   n     g"},
		{"google-genai-js-retry@3.3 google-genai-go-retry@1.77 google-genai-python-retry@2.19", "b b b b b b b b b b b b b b b b b? b g"},
		{"google-genai-js@3.3 google-genai-go@1.77 google-genai-python@2.19 go-openai@1.43", "g g g g g g g g g g g g g g g g g g g"},
		{"aws-sdk-go-v2@1.48 openai-cookbook-handwritten", "b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? g?"},
		{"langchain-python-with-retry openai-cookbook-tenacity cenkalti-backoff@5.0.3 p-retry@9.0.0 p-retry-randomize@9.0.0", "b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b? b?"},
	} {
		cells := strings.Fields(row.cells)
		if len(cells) != len(hintColumns) {
			t.Fatalf("%s: %d cells, want %d", row.clients, len(cells), len(hintColumns))
		}
		for name := range strings.FieldsSeq(row.clients) {
			preset := clientNamed(t, name)
			reads := policies.FormsOf(preset.Policy.Hint.Reads)
			for i, column := range hintColumns {
				status := int16(429)
				if column.text.ShouldRetry == "true" {
					status = 400
				}
				for _, u := range []float64{0, 0.5, 0.999} {
					wait, again := after(preset.Policy, policies.Answer{End: policies.Rejected, Status: status, Hint: policies.ParseAnswerHint(reads, column.text, wall)}, u)
					is := false
					switch cells[i][0] {
					case 'o':
						is = again && wait == column.means
					case 's':
						is = again && wait == column.means+time.Duration(u*float64(750*time.Millisecond))
					case 'b':
						least, most := preset.Policy.Work(2)[0].Least, preset.Policy.Work(2)[0].Most
						is = again && least <= wait && wait <= most && wait <= waitsAtMost
					case 'n':
						is = again && wait == 0
					case 'g':
						is = !again
					}
					if !is {
						t.Errorf("%s, %s, drawing %v: waits %v (%v), want %s", name, column.says, u, wait, again, cells[i])
					}
				}
			}
		}
	}
}

// after is what one layer of a policy does after its first attempt failed so.
func after(p policies.Policy, a policies.Answer, u float64) (wait time.Duration, again bool) {
	client := policies.NewClient(policies.ClientConfig{Layers: []policies.Policy{p}})
	var s policies.State
	client.Step(0, &s, nil, &policies.Input{Kind: policies.Start})
	action := client.Step(0, &s, nil, &policies.Input{Kind: policies.Answered, Answer: a, U: u})
	return action.At, action.Do == policies.WaitUntil
}

// A quota that is used up is retried by all but @langchain/core (2.3), one too large for
// any wait too, as they look at the status alone.
func TestWhoStopsAtAQuota(t *testing.T) {
	for _, p := range scenarios.ClientPresets() {
		if p.Policy.Attempts == 1 {
			continue
		}
		hint := policies.Hint{Kind: policies.GivenHint, Wait: time.Second}
		for _, row := range []struct {
			refusal policies.RefusalKind
			again   bool
		}{{policies.QuotaExhausted, p.Name != "langchain-core@1.4"}, {policies.BeyondLimit, true}} {
			if _, again := after(p.Policy, policies.Answer{End: policies.Rejected, Status: 429, Refusal: row.refusal, Hint: hint}, 0.5); again != row.again {
				t.Errorf("%s, a 429 that is %s: tries again %v, want %v", p.Name, row.refusal, again, row.again)
			}
		}
	}
}

// azure-core looks at Retry-After before retry-after-ms; all others the other way round.
func TestWhichHeaderIsReadFirst(t *testing.T) {
	both := policies.HintText{RetryAfter: "30", RetryAfterMS: "20000"}
	for name, want := range map[string]time.Duration{"azure-core-python": 30 * time.Second, "openai-python@3.3": 20 * time.Second, "azcore-go@1.24": 20 * time.Second} {
		p := clientNamed(t, name).Policy
		wait, _ := after(p, policies.Answer{End: policies.Rejected, Status: 429, Hint: policies.ParseAnswerHint(policies.FormsOf(p.Hint.Reads), both, wall)}, 0.5)
		if wait != want {
			t.Errorf("%s waits %v, want %v", name, wait, want)
		}
	}
}
