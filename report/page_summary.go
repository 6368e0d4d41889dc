package report

import (
	"fmt"
	"strings"
)

// markdown is the page's summary, to be pasted somewhere: what happened, what was set up,
// the figures, and the command that gives them.
func (p *page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s\n", cell(clean(p.In.Scenario)), cell(strings.Join(p.Leads, " ")))
	if p.SetUp != "" {
		fmt.Fprintf(&b, "\n%s\n", cell(p.SetUp))
	}
	b.WriteByte('\n')
	if c := p.In.Compared; c != nil {
		if err := c.Markdown(&b); err != nil {
			return ""
		}
	}
	if p.Figures != nil {
		head := append([]string{""}, p.Names...)
		if p.Parts != "" {
			head = append(head, p.Parts)
		}
		fmt.Fprintf(&b, "|%s\n|---|%s\n", cells(head), strings.Repeat("--:|", len(head)-1))
		for _, row := range p.Figures {
			fmt.Fprintf(&b, "|%s\n", cells(row))
		}
	}
	fmt.Fprintf(&b, "\nseed %s", cell(clean(p.In.Seed())))
	if p.In.Command != "" {
		fmt.Fprintf(&b, ": `%s`", strings.ReplaceAll(clean(p.In.Command), "`", "'"))
	}
	b.WriteByte('\n')
	return b.String()
}

// cells are a row of a Markdown table after its first bar.
func cells(row []string) string {
	var b strings.Builder
	for _, text := range row {
		fmt.Fprintf(&b, " %s |", cell(text))
	}
	return b.String()
}
