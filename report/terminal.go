package report

import (
	"fmt"
	"io"

	"github.com/stampede-sim/stampede/model"
)

// Run is a run to show.
type Run struct {
	Policy  string // its name; "" if its clients have several
	Summary *model.Summary
	Tally   *model.Tally
}

func (r Run) name() string {
	if r.Policy == "" {
		return "the scenario's own mix"
	}
	return name(r.Policy)
}

// Rows of a histogram, so that a screen of 40 lines or few more holds all of a run, or
// of two. A run without jitter, shown for comparison, is the longer one.
const (
	rowsAlone      = 18
	rowsOfAgainst  = 16
	rowsBesideThat = 10
)

// Terminal writes a run for one screen: what it came to in a sentence, its herd as a
// histogram, its figures and warnings. With against, that run stands before it, on
// the same scale, and a sentence says what made the difference.
func Terminal(w io.Writer, style Style, run Run, against *Run) error {
	s := &screen{style: style}
	says := run.Summary.Says
	if against != nil {
		says = run.name() + ": " + says
	}
	s.paragraph(headingInk, says, "")
	if run.Summary.Partial || against != nil && against.Summary.Partial {
		s.paragraph(warningInk, "Interrupted: these are the figures up to then.", "")
	}
	runs, rows := []Run{run}, []int{rowsAlone}
	if against != nil {
		runs, rows = []Run{*against, run}, []int{rowsOfAgainst, rowsBesideThat}
	}
	s.histograms(runs, rows)
	s.end()
	s.figures(runs...)
	s.groups(runs)
	s.limits(runs...)
	if len(run.Summary.Warnings) > 0 || against != nil && len(against.Summary.Warnings) > 0 {
		s.end()
	}
	for _, r := range runs {
		for _, warning := range r.Summary.Warnings {
			if against != nil {
				warning = r.name() + ": " + warning
			}
			s.paragraph(warningInk, "warning: "+warning, "  ")
		}
	}
	if against != nil {
		s.end()
		s.paragraph(headingInk, Versus(run, *against), "")
	}
	if _, err := io.WriteString(w, s.b.String()); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}
