package report

import (
	"fmt"
	"io"

	"github.com/stampede-sim/stampede/model"
)

// Figure is one figure of many runs.
type Figure struct {
	Name  string
	Unit  Unit
	Stats Stats
}

// Unit says how a figure is written.
type Unit string

// The units.
const (
	InNumbers Unit = ""
	InSeconds Unit = "s"
	InPercent Unit = "%" // the values are shares of 1
)

// Stats is what many runs say of a figure. Undefined values are dashes.
type Stats struct {
	N                      int // runs in which the figure is defined
	Mean, Median, P10, P90 model.Number
	CI95                   [2]model.Number // of the mean
}

// Replicates writes figures of many runs as a table under a title.
func Replicates(w io.Writer, style Style, title string, figures []Figure) error {
	s := &screen{style: style}
	s.paragraph(headingInk, title, "")
	rows := [][]string{{"", "runs", "median", "10 - 90 %", "mean", "95 % of the mean"}}
	for _, f := range figures {
		st := f.Stats
		label := name(f.Name)
		if f.Unit != InNumbers {
			label += ", " + clean(string(f.Unit))
		}
		rows = append(rows, []string{
			label, count(int64(st.N)),
			f.value(st.Median), f.interval(st.P10, st.P90), f.value(st.Mean), f.interval(st.CI95[0], st.CI95[1]),
		})
	}
	if !s.table(rows, true) {
		s.narrow(rows)
	}
	if _, err := io.WriteString(w, s.b.String()); err != nil {
		return fmt.Errorf("figures of many runs: %w", err)
	}
	return nil
}

func (f Figure) value(n model.Number) string {
	if f.Unit == InPercent {
		n *= 100
	}
	return digits(n, 4)
}

func (f Figure) interval(lo, hi model.Number) string {
	if !lo.Defined() || !hi.Defined() {
		return dash
	}
	return f.value(lo) + " - " + f.value(hi)
}

// narrow puts a table that is too wide, a figure after the other.
func (s *screen) narrow(rows [][]string) {
	for _, row := range rows[1:] {
		text := row[0] + ":"
		for i, cell := range row[1:] {
			text += " " + rows[0][i+1] + " " + cell + ";"
		}
		s.paragraph(plain, text[:len(text)-1], "  ")
	}
}
