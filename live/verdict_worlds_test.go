package live

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// decode reads a scenario that a test writes.
func decode(t *testing.T, text string) *model.Config {
	t.Helper()
	s, err := scenarios.Decode("row.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return &s.Config
}

// endings are all the ways in which an answer can end that is not whole, and some in which
// it is.
func endings() []string {
	all := []string{"status: 401", "status: 429", "status: 500", "status: 529", "hang: true"}
	for _, after := range []int{0, 1, 4, 13} {
		for _, cut := range model.CutKind("").Words() {
			all = append(all, fmt.Sprintf("cut: %s, after_tokens: %d", cut, after))
		}
		all = append(
			all, fmt.Sprintf("in_stream: overloaded_error, after_tokens: %d", after),
			fmt.Sprintf("stall: true, after_tokens: %d", after),
			fmt.Sprintf("stall: true, after_tokens: %d, keep_alive: 90ms", after),
		)
	}
	for _, ending := range model.StreamEnding("").Words() {
		all = append(all, "ending: "+ending)
	}
	return all
}

// Every ending, met by clients of every kind, with each time-out and without, in the words of
// each provider, has the same verdict on sockets as in virtual time, at the same nanosecond.
func TestVerdictsSameAsVirtualTime(t *testing.T) {
	rules := []string{
		"{completeness: strict}", "{completeness: naive}", "{completeness: strict, retry: always}", "{completeness: naive, retry: always, partial: keep}",
		"{completeness: strict, retry: never}", "{completeness: strict, partial: keep}",
	}
	type world struct{ says, timeouts, policy, flavour string }
	rows := []world{
		{"without a time-out", "{}", "attempts: 2", "openai"},
		{"a time to the first event", "{first_event: 130ms}", "attempts: 2", "openai"},
		{"a time of silence, tokens counted", "{idle: 110ms}", "attempts: 2", "openai"},
		{"a time of silence, bytes counted", "{idle: 110ms, idle_reset: any-byte}", "attempts: 2", "openai"},
		{"a time for the attempt", "{attempt: 250ms}", "attempts: 2", "openai"},
		{"a time for the operation", "{operation: 300ms}", "attempts: 2", "openai"},
		{"a deadline of the layer", "{}", "attempts: 3, deadline: 310ms", "openai"},
	}
	for _, flavour := range model.Flavour("").Words() {
		rows = append(rows, world{"in the words of " + flavour, "{}", "attempts: 2", flavour})
	}
	for _, row := range rows {
		t.Run(row.says, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("name: verdicts\nstop: {when: horizon, after: 4s}\nprovider:\n  flavour: " + row.flavour + "\n  service: {first_token: 61ms, per_token: 17ms}\n  abandoned: {frees_seat_after: 40ms}\n  faults:\n")
			for i, e := range endings() {
				fmt.Fprintf(&text, "    - {keys: [k%d], %s}\n", i, e)
			}
			text.WriteString("clients:\n")
			groups := 0
			for i := range endings() {
				for j, rule := range rules {
					fmt.Fprintf(&text, "  - {name: g%d-%d, key: k%d, arrive: {at: %dus}, request: {input_tokens: 3, output_tokens: 13, stream: true}, stream: %s, timeouts: %s, policy: some}\n", i, j, i, groups, rule, row.timeouts)
					groups++
				}
				inOnePiece := strings.Replace(row.timeouts, ", idle_reset: any-byte", "", 1) // which shows no byte before it is whole
				fmt.Fprintf(&text, "  - {name: g%d-whole, key: k%d, arrive: {at: %dus}, request: {input_tokens: 3, output_tokens: 13}, timeouts: %s, policy: some}\n", i, i, groups, inOnePiece)
				groups++
			}
			fmt.Fprintf(&text, "policies: {some: {%s, backoff: {constant: 83ms}, triage: everything}}\n", row.policy)
			c := decode(t, text.String())
			want := virtually(t, c, 1)
			if want.Operations.Total != int64(groups) || want.Operations.Succeeded == 0 || want.Operations.Failed == 0 {
				t.Fatalf("%d groups: %+v", groups, want.Operations)
			}
			sameFigures(t, 1, want, inBubble(t, c, 1))
		})
	}
}

// TS-D1: a tenth of the calls have no header ever, a tenth fall silent after five tokens. With
// 30 s of patience for silence nobody waits longer than 30 s after the last sign: the figures
// are those of virtual time, where experiment looks at each attempt.
func TestSilenceOnSockets(t *testing.T) {
	c := decode(t, `
name: silence
provider:
  service: {first_token: {exponential: {mean: 2s}}, per_token: {exponential: {mean: 50ms}}}
  faults: [{probability: 10%, hang: true}, {probability: 10%, stall: true, after_tokens: 5, keep_alive: 7s}]
clients: [{count: 300, arrive: {over: 1m}, request: {output_tokens: 50, stream: true}, network: {one_way: {exponential: {mean: 20ms}}}, timeouts: {idle: 30s}, policy: full-jitter}]
`)
	for seed := range uint64(2) {
		got := inBubble(t, c, seed)
		sameFigures(t, seed, virtually(t, c, seed), got)
		o, a := got.Operations, got.Attempts
		// A stall after output is a failure, a hang is tried again.
		if a.TimedOutBy.Idle < 30 || a.TimedOutBy.Idle != a.TimedOut || o.InFlight > 0 || o.Failures.Incomplete == 0 || o.Failures.Incomplete+o.Succeeded != 300 {
			t.Errorf("seed %d: %+v %+v", seed, o, a)
		}
	}
}

// TS-D1: without either knob the run ends at the horizon all the same, and lists what hangs.
func TestSilenceWithoutATimeoutEndsAtTheHorizon(t *testing.T) {
	c := decode(t, "name: silence\nstop: {after: 5m}\nprovider: {faults: [{probability: 50%, hang: true}]}\nclients: [{count: 40, arrive: {over: 1s}, request: {stream: true}}]\n")
	got := inBubble(t, c, 1)
	sameFigures(t, 1, virtually(t, c, 1), got)
	if o := got.Operations; o.InFlight < 10 || o.Succeeded+o.InFlight != 40 || got.Attempts.InFlight != o.InFlight {
		t.Errorf("%+v", o)
	}
}

// TS-D2: of 1,000 requests 5 % meet an error event inside a 200 before any content, again and
// again. All first attempts have status 200, all succeed in the end, in about 1,053 attempts:
// exactly as many as in virtual time, whose mean experiment holds against the closed form.
func TestAnErrorInsideA200OnSockets(t *testing.T) {
	c := decode(t, `
name: inside
provider: {service: {first_token: 100ms, per_token: 10ms}, faults: [{probability: 5%, after_tokens: 0, in_stream: overloaded_error}]}
clients: [{count: 1000, arrive: {over: 3s}, request: {input_tokens: 20, output_tokens: 13, stream: true}, policy: full-jitter}]
`)
	got := inBubble(t, c, 1)
	sameFigures(t, 1, virtually(t, c, 1), got)
	a := got.Attempts
	if a.ByStatus["200"] != a.Total || got.Operations.Succeeded != 1000 || a.Errored != a.Total-1000 || a.Total < 1053-40 || a.Total > 1053+40 {
		t.Errorf("%+v", a)
	}
}

// TS-D3: answers of 100 tokens break at token 60 with probability 0.2. Asked for again before
// the reader's eyes, he gets both halves; out of sight, the whole once; not asked for again, a
// fifth of the answers is lost and no token comes twice.
func TestBrokenStreamsOnSockets(t *testing.T) {
	c := load(t, "broken-streams", "clients.0.count=100", "clients.1.count=100", "clients.2.count=100", "clients.3.count=100")
	got := inBubble(t, c, 2)
	sameFigures(t, 2, virtually(t, c, 2), got)
	for name, g := range got.Groups {
		o, k := g.Operations, g.Tokens
		breaks := g.Attempts.Incomplete
		ok := breaks > 5
		switch name {
		case "shown":
			ok = ok && o.Succeeded == 100 && k.Delivered == 100*100+60*breaks && k.Duplicated == 60*breaks
		case "buffered":
			ok = ok && o.Succeeded == 100 && k.Delivered == 100*100 && k.Duplicated == 0 && k.Wasted == 60*breaks
		case "given-up":
			ok = ok && o.Failures.Incomplete == breaks && k.Duplicated == 0 && k.Wasted == 60*breaks
		case "kept":
			ok = ok && o.Failures.Incomplete == breaks && k.Wasted == 0
		}
		if !ok {
			t.Errorf("%s: %+v %+v %d breaks", name, o, k, breaks)
		}
	}
}

// A time-out ends its attempt at exactly its time, whichever: what the client measures.
func TestTimeoutsOnSocketsToTheNanosecond(t *testing.T) {
	for _, row := range []struct {
		fault, timeouts string
		want            model.Number
		by              func(model.Timeouts) int64
	}{
		{"hang: true", "{first_event: 7.000000001s}", 7.000000001, func(k model.Timeouts) int64 { return k.FirstEvent }},
		{"stall: true, after_tokens: 3, keep_alive: 500ms", "{first_event: 1s, idle: 2s}", 2.19, func(k model.Timeouts) int64 { return k.Idle }},
		{"stall: true, after_tokens: 3, keep_alive: 500ms", "{idle: 2s, idle_reset: any-byte, attempt: 40s}", 40, func(k model.Timeouts) int64 { return k.Attempt }},
		{"stall: true, after_tokens: 3, keep_alive: 3s", "{idle: 2s, idle_reset: any-byte, attempt: 40s}", 2.19, func(k model.Timeouts) int64 { return k.Idle }},
		{"hang: true", "{operation: 5s}", 5, func(k model.Timeouts) int64 { return k.Operation }},
	} {
		c := decode(t, fmt.Sprintf("name: one\nprovider: {service: {first_token: 60ms, per_token: 60ms}, faults: [{%s}]}\n"+
			"clients: [{request: {output_tokens: 13, stream: true}, network: {one_way: 5ms}, timeouts: %s}]\n", row.fault, row.timeouts))
		if got := inBubble(t, c, 1); got.FailLatency.Max != row.want || row.by(got.Attempts.TimedOutBy) != 1 {
			t.Errorf("%s with %s: ended after %v s, %+v; want %v", row.fault, row.timeouts, got.FailLatency.Max, got.Attempts.TimedOutBy, row.want)
		}
	}
}
