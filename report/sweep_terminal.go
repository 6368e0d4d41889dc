package report

import (
	"fmt"
	"io"
	"strings"
)

// Terminal prints a sweep: its cells if they are few, or else where each figure is least
// and where greatest.
func (s *Sweep) Terminal(w io.Writer, style Style, most int) error {
	out := &screen{style: style}
	out.paragraph(headingInk, s.lead(), "")
	if len(s.Cells) > most {
		for f := range s.Figures {
			for _, text := range s.extremesOf(f) {
				out.paragraph(plain, text, "  ")
			}
		}
	} else if len(s.Cells) > 0 {
		all := make([]int, len(s.Figures))
		for f := range all {
			all[f] = f
		}
		// On a narrow screen without the last ones, which are less often wanted.
		for few := all; ; few = few[:len(few)-1] {
			rows := s.rows(few)
			if out.table(rows, true) {
				break
			}
			if len(few) <= 3 {
				out.narrow(rows)
				break
			}
		}
		out.paragraph(quietInk, fmt.Sprintf("Means over the runs of each cell, %s to a cell.", s.runsEach()), "")
	}
	_, err := io.WriteString(w, out.b.String())
	return err
}

// rows are the cells with some of their figures.
func (s *Sweep) rows(figures []int) [][]string {
	rows := [][]string{{strings.Join(s.keyNames(), ", ")}}
	for _, f := range figures {
		rows[0] = append(rows[0], s.Figures[f].Name)
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		row := []string{s.valuesOf(c)}
		for _, f := range figures {
			row = append(row, s.Figures[f].write(c.Figures[f].Mean))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *Sweep) keyNames() []string {
	var names []string
	for _, axis := range s.Axes {
		for _, key := range axis {
			names = append(names, shortKey(key.Name))
		}
	}
	return names
}

func (s *Sweep) valuesOf(c *SweptCell) string {
	var values []string
	for _, v := range c.Values {
		values = append(values, name(v))
	}
	return strings.Join(values, ", ")
}

// runsEach says how many runs the cells have.
func (s *Sweep) runsEach() string {
	least, most := s.Cells[0].Runs, s.Cells[0].Runs
	for i := range s.Cells {
		least, most = min(least, s.Cells[i].Runs), max(most, s.Cells[i].Runs)
	}
	if least == most {
		return plural(int64(least), "run", "runs")
	}
	return fmt.Sprintf("%s to %s", count(int64(least)), plural(int64(most), "run", "runs"))
}
