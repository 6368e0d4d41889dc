package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// listedFirst are the policies that need no definition, in the order in which a newcomer
// best meets them.
var listedFirst = []string{"none", "naive", "full-jitter", "equal-jitter", "decorrelated"}

// listedAttempts is how many attempts a listed policy is worked out for.
const listedAttempts = 9

// namedPolicy is a policy to list.
type namedPolicy struct {
	name   string
	policy policies.Policy
	preset *scenarios.ClientPreset // nil for those that are nobody's
}

func policiesToList() []namedPolicy {
	var all []namedPolicy
	registry := policies.Default()
	for _, name := range listedFirst {
		all = append(all, namedPolicy{name: name, policy: registry[name]})
	}
	for _, p := range scenarios.ClientPresets() {
		all = append(all, namedPolicy{p.Name, p.Policy, &p})
	}
	return all
}

// listPolicies prints the policies that need no definition: first one in a line, then each
// with its worked table.
func listPolicies(w io.Writer) {
	all := policiesToList()
	const row = "%-30s %9s  %-19s  %s\n"
	fmt.Fprintf(w, row, "policy", "attempts", "wait before the 2nd", "hint")
	for _, p := range all {
		fmt.Fprintf(w, row, p.name, p.policy.Attempts, firstWait(p.policy), hintPolicy(p.policy))
	}
	fmt.Fprintln(w, "\nEach is a policy by its name: policy: openai-node@6.49; in a definition of your own, preset: openai-node@6.49,")
	fmt.Fprintln(w, "whose keys stand for those left out. `simulate show NAME` prints a preset as YAML. Sources: scenarios/clients/*.yaml.")
	fmt.Fprintln(w, "\nThe wait before an attempt, where no hint is weighed:")
	for _, p := range all {
		p.print(w)
	}
}

func (p *namedPolicy) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", p.name)
	table := p.policy.Work(listedAttempts)
	if len(table) == 0 {
		fmt.Fprintln(w, "  one attempt, no retry")
	} else {
		fmt.Fprintf(w, "  %-8s %9s %9s\n", "attempt", "least", "most")
	}
	for _, row := range table {
		fmt.Fprintf(w, "  %-8d %9v %9v\n", row.Attempt, row.Least.Round(time.Millisecond), row.Most.Round(time.Millisecond))
	}
	if p.preset == nil {
		return
	}
	for _, line := range p.facts() {
		writeWrapped(w, line.key, line.text)
	}
}

// factLine is what is told of a preset beside its table.
type factLine struct{ key, text string }

func (p *namedPolicy) facts() []factLine {
	var out []factLine
	add := func(key, text string) {
		if text != "" {
			out = append(out, factLine{key, text})
		}
	}
	if p.policy.Attempts > 1 {
		add("retries", retriedInShort(p.policy.Triage))
		add("hint", hintOfPolicy(p.policy.Hint))
	}
	add("time-outs", timeoutsInShort(p.policy))
	add("note", p.preset.Note)
	for _, open := range p.preset.Open {
		add("open", open)
	}
	add("source", p.preset.Source+" ("+p.preset.Date+", "+scenarios.GradeWords(p.preset.Grade)+")")
	return out
}

// writeWrapped writes a line in at most 120 columns.
func writeWrapped(w io.Writer, key, text string) {
	const most = 105
	for len(text) > most {
		at := strings.LastIndexByte(text[:most], ' ')
		fmt.Fprintf(w, "  %-10s %s\n", key, text[:at])
		key, text = "", text[at+1:]
	}
	fmt.Fprintf(w, "  %-10s %s\n", key, text)
}

func firstWait(p policies.Policy) string {
	table := p.Work(2)
	if len(table) == 0 {
		return "-"
	}
	least, most := table[0].Least.Round(time.Millisecond), table[0].Most.Round(time.Millisecond)
	if least == most {
		return policies.FormatDuration(least)
	}
	return policies.FormatDuration(least) + " to " + policies.FormatDuration(most)
}

// hintPolicy says in a few words what a policy makes of a hint.
func hintPolicy(p policies.Policy) string {
	h := p.Hint
	switch {
	case p.Attempts == 1:
		return "-"
	case h.Mode == policies.IgnoreHint:
		return "ignored"
	}
	text := string(h.Mode)
	switch {
	case h.UpTo == policies.Never:
		return text + ", however long"
	case h.Beyond == policies.FailBeyond:
		return text + " " + report.UpTo(h.UpTo) + ", else give up"
	case h.Beyond == policies.ClampBeyond:
		return text + " " + report.UpTo(h.UpTo) + ", cut to that"
	}
	return text + " " + report.UpTo(h.UpTo) + ", else backoff"
}

// hintOfPolicy says in a line what a policy makes of a hint.
func hintOfPolicy(h policies.HintRule) string {
	p := policies.Policy{Attempts: policies.Unlimited, Hint: h}
	parts := []string{hintPolicy(p)}
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	if h.Mode != policies.IgnoreHint {
		add(!h.Spread.None(), "spread "+h.Spread.String())
		add(h.Mode == policies.ObeyHint, "0: "+orAtOnce(h.Zero)+", a date that is past: "+orAtOnce(h.Past))
		add(h.Malformed == policies.ImmediateMalformed, "malformed: at once")
		add(h.Malformed != policies.ImmediateMalformed, "malformed: backoff")
		add(h.Absent == policies.FailAbsent, "a 4xx without one: give up")
		forms := make([]string, len(h.Reads))
		for i, f := range h.Reads {
			forms[i] = string(f)
		}
		add(len(forms) > 0, "reads "+strings.Join(forms, ", "))
	}
	add(h.ShouldRetry == policies.ObeyRetry, "x-should-retry obeyed")
	return strings.Join(parts, "; ")
}

func orAtOnce(z policies.HintZero) string {
	if z == policies.BackoffZero {
		return "backoff"
	}
	return "at once"
}

// retriedInShort says which failures are tried again, and which are not.
func retriedInShort(t policies.Triage) string {
	names := func(all []policies.Failures) []string {
		var out []string
		for _, f := range all {
			out = append(out, f.String())
		}
		return out
	}
	again := append(names(t.AsTold), names(t.Retry)...)
	if t.Table == policies.EverythingTriage {
		again = append([]string{"everything"}, again...)
	}
	text := strings.Join(again, ", ")
	if fatal := names(t.Fatal); len(fatal) > 0 {
		text += "; not " + strings.Join(fatal, ", ")
	}
	if t.Quota == policies.FatalRefused {
		text += ", and not a quota that is used up"
	}
	return text
}

func timeoutsInShort(p policies.Policy) string {
	var parts []string
	for _, of := range []struct {
		says string
		wait time.Duration
	}{
		{"first event", p.Timeouts.FirstEvent},
		{"silence", p.Timeouts.Idle},
		{"attempt", p.Timeouts.Attempt},
		{"operation", p.Timeouts.Operation},
		{"no retry begins after", p.Deadline},
	} {
		if of.wait > 0 {
			parts = append(parts, of.says+" "+policies.FormatDuration(of.wait))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}
