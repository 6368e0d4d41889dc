package model

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/policies"
)

// In virtual time a client takes of a hint what it would read on a socket: the headers and
// the body that this provider writes, parsed, come to the same wait.
func TestAClientHearsWhatItWouldRead(t *testing.T) {
	forms := []policies.HintForm{policies.MillisForm, policies.SecondsForm, policies.FloatForm, policies.DateForm, policies.BodyForm}
	heard := map[policies.HintKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		formats := rapid.Permutation([]HintFormat{SecondsFormat, FloatFormat, MillisFormat, DateFormat, BodyFormat}).Draw(t, "formats")
		formats = formats[:rapid.IntRange(0, 5).Draw(t, "how many")]
		reads := rapid.Permutation(forms).Draw(t, "reads")
		reads = reads[:rapid.IntRange(0, 5).Draw(t, "how many")]
		flavour := rapid.SampledFrom([]Flavour{OpenAIFlavour, AnthropicFlavour}).Draw(t, "flavour")
		c := limited(flavour, formats, LimitConfig{Axis: LimitTokens, Limit: 30_000, Per: time.Minute})
		if flavour == AnthropicFlavour {
			c.Hint.Format = nil // its texts have no wait
			for _, f := range formats {
				if f != BodyFormat {
					c.Hint.Format = append(c.Hint.Format, f)
				}
			}
		}
		c.Hint.Malformed = rapid.SampledFrom([]string{"", "", "", "-5", "soon", "2.5", "7", "Wed, 21 Oct 2015 07:28:00 GMT"}).Draw(t, "malformed")
		if rapid.Bool().Draw(t, "fixed") {
			c.Hint.RetryAfter = RetryAfter{Given: true, Wait: time.Duration(rapid.Int64Range(0, 1e11).Draw(t, "wait"))}
		}
		p, q, d := asked(c, []*Ask{input(22_999)}, input(rapid.Int64Range(7_002, 30_000).Draw(t, "tokens")))
		var text policies.HintText
		for _, h := range p.Headers(0, epoch, p.config.Flavour, q, &d) {
			switch h.Name {
			case "retry-after":
				text.RetryAfter = h.Value
			case "retry-after-ms":
				text.RetryAfterMS = h.Value
			case "x-should-retry":
				text.ShouldRetry = h.Value
			}
		}
		text.Body = p.Refusal(0, p.config.Flavour, q, &d).Message
		want := policies.ParseAnswerHint(policies.FormsOf(reads), text, epoch)
		if got := p.Heard(0, policies.FormsOf(reads), &d); got != want {
			t.Fatalf("formats %v, reads %v: hears %+v, and would read %+v of %+v", c.Hint.Format, reads, got, want, text)
		}
		heard[want.Kind]++
	})
	for kind := range policies.HintKinds {
		if heard[kind] == 0 {
			t.Errorf("no hint was of kind %d: %v", kind, heard)
		}
	}
}

func TestAnthropicSaysWhetherToRetry(t *testing.T) {
	for status, want := range map[int]policies.ShouldRetry{429: policies.DoRetry, 401: policies.NoRetry, 500: policies.NotSaid} {
		c := limited(AnthropicFlavour, nil)
		c.Faults = []Fault{{First: policies.Unlimited, Status: status}}
		p := NewProvider(c)
		d := p.Offer(0, 0, &Request{})
		if got := p.Heard(0, policies.AllForms, &d).Retry; got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
	}
}
