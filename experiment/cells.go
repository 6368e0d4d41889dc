package experiment

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// The tables of a sweep. A line of cells.csv is known up to its figures before it is
// read, as the sweep says what cells and seeds there are; so anything else that stands
// there is found.

// cellsHeader is the first line of cells.csv.
func (s *Sweep) cellsHeader() []byte {
	line := []byte("cell,replicate,seed")
	for _, name := range append(append([]string(nil), s.grid.keys...), s.columns...) {
		line = appendField(append(line, ','), name)
	}
	return append(line, '\n')
}

// keyFields are a cell's values as they stand in both tables, each after a comma.
func (s *Sweep) keyFields(cell int) []byte {
	var b []byte
	for _, value := range s.grid.values(cell) {
		b = appendField(append(b, ','), value)
	}
	return b
}

// appendPrefix writes a line of cells.csv up to its figures.
func (s *Sweep) appendPrefix(line []byte, cell, replicate int, keys []byte) []byte {
	line = strconv.AppendInt(line, int64(cell), 10)
	line = strconv.AppendInt(append(line, ','), int64(replicate), 10)
	line = strconv.AppendUint(append(line, ','), Seed(s.Spec.Seed, replicate), 10)
	return append(line, keys...)
}

// appendFigures writes figures, each after a comma, and ends the line.
func appendFigures(line []byte, figures []model.Number) []byte {
	for _, n := range figures {
		line = appendNumber(append(line, ','), n)
	}
	return append(line, '\n')
}

// appendNumber writes a figure as summary.json does, and nothing where it is undefined.
func appendNumber(b []byte, n model.Number) []byte {
	if !n.Defined() {
		return b
	}
	return strconv.AppendFloat(b, float64(n), 'g', 9, 64)
}

// readFigures reads what [appendFigures] wrote.
func readFigures(text []byte, count int) ([]model.Number, error) {
	figures := make([]model.Number, 0, count)
	for len(text) > 0 && text[0] == ',' {
		field := text[1:]
		next := bytes.IndexByte(field, ',')
		if next < 0 {
			next = len(field)
		}
		n := model.Undefined()
		if next > 0 {
			v, err := strconv.ParseFloat(string(field[:next]), 64)
			if err != nil {
				return nil, fmt.Errorf("%.40q is no figure", field[:next])
			}
			n = model.Number(v)
		}
		figures, text = append(figures, n), field[next:]
	}
	if len(text) > 0 || len(figures) != count {
		return nil, fmt.Errorf("there are %d figures, and %d were to be", len(figures), count)
	}
	return figures, nil
}

// rounded is a figure as it reads from the table: what is made of a sweep is made of that,
// so that a sweep that was interrupted, or merged, comes to the same bytes.
func rounded(n model.Number) model.Number {
	if !n.Defined() {
		return n
	}
	v, err := strconv.ParseFloat(string(appendNumber(nil, n)), 64)
	if err != nil {
		return n
	}
	return model.Number(v)
}

// appendField writes a text as a field of CSV. One that a spreadsheet would take for a
// formula gets a quote before it.
func appendField(b []byte, text string) []byte {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		if _, _, isNumber := scenarios.Number(text); !isNumber {
			text = "'" + text
		}
	}
	if !strings.ContainsAny(text, "\",\r\n") && !strings.HasPrefix(text, " ") {
		return append(b, text...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

// cellStats are the columns of a figure in summary.csv, after its name and a dot.
var cellStats = [...]string{"n", "mean", "mean_lo", "mean_hi", "median", "median_lo", "median_hi"}

// summaryHeader is the first line of summary.csv.
func (s *Sweep) summaryHeader() []byte {
	line := []byte("cell")
	for _, key := range s.grid.keys {
		line = appendField(append(line, ','), key)
	}
	line = append(line, ",n"...)
	for _, name := range s.columns {
		for _, stat := range cellStats {
			line = appendField(append(line, ','), name+"."+stat)
		}
	}
	return append(line, '\n')
}

// appendSummary writes a cell's line of summary.csv.
func (s *Sweep) appendSummary(line []byte, cell int, keys []byte, runs int, stats []Stats) []byte {
	line = append(strconv.AppendInt(line, int64(cell), 10), keys...)
	line = strconv.AppendInt(append(line, ','), int64(runs), 10)
	for i := range stats {
		f := &stats[i]
		line = strconv.AppendInt(append(line, ','), int64(f.N), 10)
		for _, n := range [...]model.Number{f.Mean, f.CI95[0], f.CI95[1], f.Median, f.MedianCI95[0], f.MedianCI95[1]} {
			line = appendNumber(append(line, ','), n)
		}
	}
	return append(line, '\n')
}
