package experiment

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// refusedOnce is a client that is refused at 250 ms, 9.75 s before it would be admitted,
// and tries once more after what its policy makes of the hint.
func refusedOnce(hint, mode string) string {
	return fmt.Sprintf(`
provider:
  limits: [{axis: requests, limit: 1, per: 10s}]
  hint: {%s}
clients:
  - {name: first}
  - {name: late, arrive: {at: 250ms}, policy: told}
policies:
  told: {attempts: 2, backoff: {constant: 3s}, hint: %s}
`, hint, mode)
}

// RS-D1, in virtual time. The policy's own backoff is 3 s.
func TestHintForms(t *testing.T) {
	const own = 3 * time.Second
	for _, test := range []struct {
		says      string
		hint      string
		obey      time.Duration
		malformed bool
	}{
		{"whole seconds are rounded up", "retry_after: 1234ms", 2 * time.Second, false},
		{"the true wait of 9.75 s, in whole seconds", "retry_after: exact", 10 * time.Second, false},
		{"seconds with a fraction have three decimals", "retry_after: 1234567us, format: [float]", 1234 * time.Millisecond, false},
		{"milliseconds are cut off", "retry_after: 1234567us, format: [ms]", 1234 * time.Millisecond, false},
		{"the true wait in milliseconds", "retry_after: exact, format: [ms]", 9750 * time.Millisecond, false},
		{"of two headers the finer one is taken", "retry_after: 1234ms, format: [seconds, ms]", 1234 * time.Millisecond, false},
		{"2.25 s is a date of 3 s, 2.75 s from now", "retry_after: 2s, format: [date]", 2750 * time.Millisecond, false},
		{"a date that is past asks for no wait", `retry_after: 1s, malformed: "Wed, 21 Oct 2015 07:28:00 GMT"`, 0, false},
		{"0 asks for no wait", "retry_after: 0s", 0, false},
		{"a written 0 too", `retry_after: 1s, malformed: "0"`, 0, false},
		{"a fraction where seconds are whole is a number all the same", `retry_after: 1s, malformed: "1.5"`, 1500 * time.Millisecond, false},
		{"a negative number is no wait", `retry_after: 1s, malformed: "-5"`, own, true},
		{"NaN is no wait", `retry_after: 1s, malformed: "NaN"`, own, true},
		{"nor is an exponent", `retry_after: 1s, malformed: "1e3"`, own, true},
		{"nor is junk", `retry_after: 1s, malformed: "soon"`, own, true},
		{"nor is a date of no form of HTTP", `retry_after: 1s, malformed: "2015-10-21 07:28"`, own, true},
		{"no hint leaves the policy its own wait", "retry_after: none", own, false},
	} {
		for _, mode := range []string{"obey", "floor", "ignore"} {
			r, lines := recorded(t, inline(t, refusedOnce(test.hint, mode)))
			want := map[string]time.Duration{"obey": test.obey, "floor": max(own, test.obey), "ignore": own}[mode]
			if got := lines[2].Sent - lines[1].Answered; got != want || lines[1].Wait != want {
				t.Errorf("%s; %s: the client waits %v, want %v", test.says, mode, got, want)
			}
			if got := r.Summary.Groups["late"].Attempts.Hints.Malformed > 0; got != test.malformed {
				t.Errorf("%s: counted as malformed is %v, want %v", test.says, got, test.malformed)
			}
		}
	}
}

// A date far ahead is waited for until then, or up to the longest wait that the policy
// allows.
func TestHintFarAhead(t *testing.T) {
	for _, test := range []struct {
		says  string
		hint  string
		rule  string
		ended policies.EndReason
		wait  time.Duration
	}{
		{"a day is too long for two minutes, so the client gives up", "retry_after: 86400s", "{mode: floor, up_to: 120s, beyond: fail}", policies.Throttled, 0},
		{"or it waits its own 3 s", "retry_after: 86400s", "{mode: floor, up_to: 120s, beyond: ignore}", policies.NotEnded, 3 * time.Second},
		{"or the two minutes", "retry_after: 86400s", "{mode: floor, up_to: 120s, beyond: clamp}", policies.NotEnded, 2 * time.Minute},
		{"two minutes are not too long", "retry_after: 120s", "{mode: floor, up_to: 120s, beyond: fail}", policies.NotEnded, 2 * time.Minute},
	} {
		_, lines := recorded(t, inline(t, refusedOnce(test.hint, test.rule)))
		if got := lines[1]; got.Why != test.ended || got.Wait != test.wait {
			t.Errorf("%s: it waits %v and ends as %v, want %v and %v", test.says, got.Wait, got.Why, test.wait, test.ended)
		}
	}
}

// The invariant of RS-D1: whoever honours hints never comes back before the server said.
func TestNoAttemptBeforeItsHint(t *testing.T) {
	for _, mode := range []string{"floor", "obey"} {
		for _, hint := range []string{
			"retry_after: exact", "retry_after: exact, format: [ms]", "retry_after: exact, format: [float]", "retry_after: exact, format: [date]",
			"retry_after: 700ms, format: [ms]", "retry_after: exact, scale: 50%, format: [ms]", "retry_after: exact, late: 2s",
			`retry_after: 1s, malformed: "soon"`, `retry_after: 1s, malformed: "0"`,
		} {
			for _, jitter := range []string{"none", "full", "equal"} {
				s := inline(t, fmt.Sprintf(`
stop: {after: 5m}
provider:
  limits: [{axis: requests, limit: 20, per: 10s, rejected: charged}, {axis: tokens, limit: 5000, per: 10s, algorithm: sliding-log}]
  hint: {%s}
clients:
  - {count: 60, arrive: {over: 3s}, request: {input_tokens: {exponential: {mean: 200}}}, network: {one_way: {exponential: {mean: 5ms}}}, policy: told}
policies:
  told: {attempts: 20, backoff: {exponential: {base: 200ms, cap: 20s}, jitter: %s}, hint: %s}
`, hint, jitter, mode))
				_, lines := recorded(t, s)
				last, refused := map[int]int{}, 0
				for i, line := range lines {
					if before, any := last[line.Client]; any {
						told := lines[before].Answer.Hint
						if told.Kind == policies.GivenHint {
							refused++
						}
						if told.Kind == policies.GivenHint && line.Sent < lines[before].Answered+told.Wait {
							t.Fatalf("%s, %s, jitter %s: client %d is told to wait %v and waits %v", mode, hint, jitter, line.Client, told.Wait, line.Sent-lines[before].Answered)
						}
					}
					last[line.Client] = i
				}
				if refused == 0 && hint != `retry_after: 1s, malformed: "soon"` {
					t.Errorf("%s: nobody who was told to wait came back", hint)
				}
			}
		}
	}
}

// A client alone that waits as told. At 1.0003 s, 123 tokens want the level at 6,877 of
// 7,000, which it reaches 123 / 7,000 of a minute after the first, at 1.054285714 s.
func TestALoneClientThatWaitsAsToldIsAdmitted(t *testing.T) {
	const true54 = 1_054_285_714 * time.Nanosecond
	for _, test := range []struct {
		says     string
		hint     string
		attempts int
	}{
		{"53.98 ms, cut to 53 ms, are 0.38 ms short, as OpenAI's are; 0 ms more and a round trip of 0.6 ms do", "retry_after: exact, format: [ms]", 3},
		{"with three decimals the same", "retry_after: exact, format: [float]", 3},
		{"rounded up to a second", "retry_after: exact, round: 1s, format: [ms]", 2},
		{"rounded up to a millisecond", "retry_after: exact, round: 1ms, format: [ms]", 2},
		{"whole seconds are rounded up in any case", "retry_after: exact", 2},
	} {
		s := inline(t, `
provider:
  limits: [{axis: tokens, limit: 7000, per: 1m}]
  hint: {`+test.hint+`}
clients:
  - {name: first, request: {input_tokens: 7000, output_tokens: 0}}
  - {name: lone, arrive: {at: 1s}, request: {input_tokens: 123, output_tokens: 0}, network: {one_way: 300us}, policy: told}
policies:
  told: {backoff: {constant: 3s}, hint: obey}
`)
		_, lines := recorded(t, s)
		lone := slices.DeleteFunc(lines, func(l model.TraceLine) bool { return l.Group != "lone" })
		if len(lone) != test.attempts {
			t.Errorf("%s: %d attempts, want %d", test.says, len(lone), test.attempts)
			continue
		}
		for i, line := range lone[1:] {
			refused := line.Answer.End == policies.Rejected
			if refused != (i+2 < test.attempts) || refused != (line.Arrived < true54) || refused && true54-line.Arrived >= time.Millisecond {
				t.Errorf("%s: attempt %d arrives at %v, %v before its time, refused: %v", test.says, line.Attempt, line.Arrived, true54-line.Arrived, refused)
			}
		}
	}
}
