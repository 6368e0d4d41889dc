package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/stampede-sim/stampede/model"
)

// metrics writes figures as Prometheus reads them. Its labels are the ends of attempts,
// statuses, axes, and keys, of which the summary has a bounded number.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
func metrics(s *model.Summary) string {
	var m exposition
	a := s.Requests()
	r := &a.RejectedBy
	m.begin("stampede_requests_total", "counter", "Requests by how they ended.")
	m.value(a.Succeeded, "end", "succeeded")
	m.value(a.Rejected, "end", "rejected")
	m.value(a.Errored, "end", "errored")
	m.value(a.Incomplete, "end", "incomplete")
	m.value(a.Cancelled, "end", "cancelled")
	m.begin("stampede_requests_in_flight", "gauge", "Requests that are being answered.")
	m.value(a.InFlight)
	m.begin("stampede_responses_total", "counter", "Responses by HTTP status.")
	for _, status := range slices.Sorted(maps.Keys(a.ByStatus)) {
		m.value(a.ByStatus[status], "status", status)
	}
	m.begin("stampede_rejections_total", "counter", "Rejections by what refused them.")
	m.value(r.Seats, "axis", "seats")
	m.value(r.Queue, "axis", "queue")
	m.value(r.Concurrency, "axis", "concurrency")
	m.value(r.Requests, "axis", "requests")
	m.value(r.Tokens, "axis", "tokens")
	m.value(r.InputTokens, "axis", "input_tokens")
	m.value(r.OutputTokens, "axis", "output_tokens")
	m.value(r.Slope, "axis", "slope")
	m.begin("stampede_answers_generated_total", "counter", "Whole answers, with those that nobody received.")
	m.value(s.Provider.AnswersGenerated)
	m.begin("stampede_output_tokens_total", "counter", "Output tokens that were generated and billed.")
	m.value(s.Tokens.Billed)
	m.begin("stampede_useful_output_tokens_total", "counter", "Of them, those of answers that a client received whole.")
	m.value(s.Tokens.Useful)
	m.begin("stampede_key_requests_total", "counter", "Requests by API key, or by the group of a scenario's own clients.")
	keys := slices.Sorted(maps.Keys(s.Groups))
	for _, key := range keys {
		m.value(s.Groups[key].Requests().Total, "key", key)
	}
	m.begin("stampede_key_answers_generated_total", "counter", "Whole answers, with those that nobody received, by key.")
	for _, key := range keys {
		m.value(s.Groups[key].Answers, "key", key)
	}
	m.begin("stampede_key_output_tokens_total", "counter", "Output tokens that were generated and billed, by key.")
	for _, key := range keys {
		m.value(s.Groups[key].Tokens.Billed, "key", key)
	}
	return m.String()
}

// exposition is the text that a scrape reads.
type exposition struct {
	strings.Builder
	name string
}

func (m *exposition) begin(name, kind, help string) {
	m.name = name
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// printable keeps from a terminal what it would obey: the format escapes line breaks alone.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' {
		return unicode.ReplacementChar
	}
	return r
}

// value writes a sample, with a label where one is named.
func (m *exposition) value(n int64, label ...string) {
	m.WriteString(m.name)
	if len(label) == 2 {
		fmt.Fprintf(m, `{%s="%s"}`, label[0], escapes.Replace(strings.Map(printable, label[1])))
	}
	fmt.Fprintf(m, " %d\n", n)
}
