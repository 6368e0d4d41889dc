package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// listProviders prints the provider presets, one in a line, and what else must be known
// of one below it.
func listProviders(w io.Writer) {
	const row = "%-37s  %-35s  %-24s  %-8s %s\n"
	fmt.Fprintf(w, row, "preset", "limits", "hint", "facts of", "grade")
	grades := ""
	for _, p := range scenarios.Presets() {
		fmt.Fprintf(w, row, p.Name, strings.Join(limitsInShort(&p), ", "), hintInShort(&p.Provider.Hint), p.Date, p.Grade)
		if p.Note != "" {
			fmt.Fprintf(w, "%39s%s\n", "", p.Note)
		}
		if !strings.Contains(grades, p.Grade) {
			grades += p.Grade
		}
	}
	fmt.Fprintln(w, "\nRPS, RPM, RPD: requests per second, minute, day. TPM, TPD: tokens; ITPM, OTPM: input and output tokens.")
	for _, g := range grades {
		fmt.Fprintf(w, "%c: %s\n", g, scenarios.GradeWords(string(g)))
	}
	fmt.Fprintln(w, "\nIn a scenario: provider: {preset: NAME}, or NAME@DATE; every key beside it wins.")
	fmt.Fprintln(w, "Sources, rules and switches for what nobody documents: scenarios/presets/*.yaml.")
}

func limitsInShort(p *scenarios.Preset) []string {
	limits := make([]string, len(p.Provider.Limits))
	for i := range limits {
		limits[i] = limitInShort(&p.Provider.Limits[i])
	}
	return limits
}

// limitInShort writes a limit as 30k TPM, or 10 requests/10s where that has no letters.
func limitInShort(c *model.LimitConfig) string {
	if c.Axis == model.LimitConcurrency {
		return short(c.Limit) + " at once"
	}
	initial := map[model.LimitAxis]string{
		model.LimitRequests: "R", model.LimitTokens: "T", model.LimitInputTokens: "IT", model.LimitOutputTokens: "OT",
	}[c.Axis]
	switch c.Per {
	case time.Second:
		return short(c.Limit) + " " + initial + "PS"
	case time.Minute:
		return short(c.Limit) + " " + initial + "PM"
	case 24 * time.Hour:
		return short(c.Limit) + " " + initial + "PD"
	}
	per := c.Per.String()
	if day := 24 * time.Hour; c.Per%day == 0 {
		per = strconv.FormatInt(int64(c.Per/day), 10) + "d"
	}
	return fmt.Sprintf("%s %s/%s", short(c.Limit), strings.ReplaceAll(string(c.Axis), "_", " "), per)
}

// short writes a round count with its unit: 30k, 1.5M.
func short(n int64) string {
	for _, unit := range []struct {
		of   int64
		name string
	}{{1_000_000_000, "B"}, {1_000_000, "M"}, {1_000, "k"}} {
		if n >= unit.of && n%(unit.of/10) == 0 {
			return strconv.FormatFloat(float64(n)/float64(unit.of), 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

func hintInShort(h *model.HintConfig) string {
	if h.RetryAfter.None() {
		return "none"
	}
	text, _ := h.RetryAfter.MarshalText() // it has no error to give
	var formats []string
	for _, f := range h.Format {
		formats = append(formats, string(f))
	}
	return string(text) + ": " + strings.Join(formats, ", ")
}
