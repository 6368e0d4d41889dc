package scenarios

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// readColumns reads columns of a CSV file beside the scenario, by their names in its first
// line, row by row until row says that it is enough. row says too which of the cells is
// wrong and why. What is wrong with the file is a mistake with its place in the file; what
// is wrong with its name is one of the key at p.
func (d *decoder) readColumns(name string, columns []string, p path, row func(cells []string) (enough bool, cell int, wrong string)) bool {
	file, shown, wrong := d.openBeside(name)
	if wrong != "" {
		d.mistakeAt(p, "%s", printable(wrong))
		return false
	}
	defer file.Close()
	fail := func(line, column int, format string, args ...any) bool {
		if !d.full() {
			d.mistakes = append(d.mistakes, Mistake{File: shown, Line: line, Column: column, Path: p.String(), Text: printable(fmt.Sprintf(format, args...))})
			d.suspect(p)
		}
		return false
	}
	read := csv.NewReader(withoutMark(io.LimitReader(file, mostFileBytes)))
	read.ReuseRecord = true
	header, err := read.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fail(0, 0, "is empty; its first line names the columns, such as %s", strings.Join(columns, ","))
	case err != nil:
		return failCSV(fail, err)
	}
	header = slices.Clone(header)
	at := make([]int, len(columns))
	for i, column := range columns {
		if at[i] = slices.Index(header, column); at[i] < 0 {
			near := didYouMean(column, header)
			if near == "" {
				near = "; its columns are " + quote(strings.Join(header, ", "))
			}
			return fail(1, 1, "there is no column %s%s", quote(column), near)
		}
		if slices.Contains(header[at[i]+1:], column) {
			return fail(1, 1, "there are two columns %s; rename one of them", quote(column))
		}
	}
	cells := make([]string, len(columns))
	for {
		record, err := read.Read()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return failCSV(fail, err)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(record[at[i]])
		}
		enough, cell, wrong := row(cells)
		if wrong != "" {
			line, column := read.FieldPos(at[cell])
			return fail(line, column, "%s: %s", columns[cell], wrong)
		}
		if enough {
			return true
		}
	}
}

func failCSV(fail func(line, column int, format string, args ...any) bool, err error) bool {
	of := (*csv.ParseError)(nil)
	switch {
	case !errors.As(err, &of):
		return fail(0, 0, "cannot be read: %v", err)
	case errors.Is(err, csv.ErrFieldCount):
		return fail(of.Line, 1, "has more or fewer columns than the first line; write one value for each")
	}
	return fail(of.Line, of.Column, "is no CSV: %v", of.Err)
}

// withoutMark leaves out the mark with which some programs begin a file of UTF-8.
func withoutMark(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if begin, _ := b.Peek(3); string(begin) == "\xef\xbb\xbf" {
		_, _ = b.Discard(3)
	}
	return b
}

// tokens reads a number of tokens; some programs write whole numbers as 12.0.
func tokens(cell string) (n int32, wrong string) {
	x, err := strconv.ParseInt(strings.TrimSuffix(cell, ".0"), 10, 64)
	switch {
	case cell == "":
		return 0, "has no value; write a number of tokens, 0 or more"
	case err != nil:
		return 0, fmt.Sprintf("%s is no number of tokens; write a whole number such as 120", quote(cell))
	case x < 0:
		return 0, fmt.Sprintf("%d is negative; write 0 or more tokens", x)
	case x > math.MaxInt32:
		return 0, fmt.Sprintf("%d tokens are too many; write at most %d", x, math.MaxInt32)
	}
	return int32(x), ""
}

// decimal reads a number that is not negative in units of so many nanoseconds, exactly: what
// is finer than a nanosecond is cut off.
func decimal(cell string, unit int64) (nanoseconds int64, ok bool) {
	whole, fraction, _ := strings.Cut(cell, ".")
	n, err := strconv.ParseInt(orElse(whole, "0"), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit-1 || cell == "" || cell == "." || whole != "" && whole[0] == '+' {
		return 0, false
	}
	n *= unit
	for _, digit := range []byte(fraction) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		unit /= 10
		n += int64(digit-'0') * unit
	}
	return n, true
}
