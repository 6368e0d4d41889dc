package scenarios

import (
	"fmt"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostRows is how many rows of a file are kept: 16 bytes each.
const mostRows = 10_000_000

// loadTrace reads what a group replays.
func (d *decoder) loadTrace(g *model.Group, at path) {
	a := &g.Arrive
	at = at.in("arrive")
	if a.Trace == "" || d.isWrong(at...) {
		return
	}
	of := a.Columns.Named()
	a.Playback = model.Playback{
		Speed:  a.Speed,
		Input:  of.Input != "" && !d.given(append(at[:2:2], "request", "input_tokens")...),
		Output: of.Output != "" && !d.given(append(at[:2:2], "request", "output_tokens")...),
	}
	from, to := time.Duration(0), policies.Never
	if a.Slice != nil {
		from, to = a.Slice[0], a.Slice[1]
	}
	columns := []string{of.Time}
	add := func(column string, wanted bool) int {
		if !wanted {
			return 0
		}
		columns = append(columns, column)
		return len(columns) - 1
	}
	input, output := add(of.Input, a.Playback.Input), add(of.Output, a.Playback.Output)
	var first, last int64
	read := 0
	fits := d.readColumns(a.Trace, columns, at.in("trace"), func(cells []string) (bool, int, string) {
		ns, wrong := instant(cells[0], of.Unit)
		if read++; read == 1 {
			first, last = ns, ns
		}
		switch {
		case wrong != "":
			return false, 0, wrong
		case ns < last:
			return false, 0, fmt.Sprintf("%s is earlier than the row above; sort the file by this column", quote(cells[0]))
		case ns-first < 0:
			return false, 0, fmt.Sprintf("%s is more than 292 years after the first row; cut the file shorter", quote(cells[0]))
		}
		last = ns
		row := model.TraceRow{At: time.Duration(ns-first) - from}
		switch {
		case row.At < 0:
			return false, 0, ""
		case time.Duration(ns-first) >= to:
			return true, 0, ""
		case len(a.Playback.Rows) == mostRows:
			return false, 0, fmt.Sprintf("there are more than %s rows; write a shorter slice", grouped(mostRows))
		}
		for _, size := range []struct {
			cell int
			to   *int32
		}{{input, &row.Input}, {output, &row.Output}} {
			if size.cell > 0 {
				if *size.to, wrong = tokens(cells[size.cell]); wrong != "" {
					return false, size.cell, wrong
				}
			}
		}
		a.Playback.Rows = append(a.Playback.Rows, row)
		return false, 0, ""
	})
	switch {
	case !fits || len(a.Playback.Rows) > 0:
	case read == 0:
		d.mistakeAt(at.in("trace"), "%s has no rows below its first line; there is nothing to replay", quote(a.Trace))
	default:
		d.mistakeAt(at.in("slice"), "holds no row of %s, whose last comes after %s; write an earlier one", quote(a.Trace), policies.FormatDuration(time.Duration(last-first)))
	}
}

// dateTimes are the layouts of instants that are read, each with or without a fraction of a
// second.
var dateTimes = [...]string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00"}

// instant reads a number of units, or a date-time, as nanoseconds since some instant.
func instant(cell string, unit model.TimeUnit) (ns int64, wrong string) {
	if ns, ok := decimal(cell, int64(unit.Duration())); ok {
		return ns, ""
	}
	for _, layout := range dateTimes {
		if t, err := time.Parse(layout, cell); err == nil && 1678 < t.Year() && t.Year() < 2262 {
			return t.UnixNano(), ""
		}
	}
	switch {
	case cell == "":
		return 0, "has no value; write a number, or a date-time such as 2023-11-16 18:15:46.68"
	case strings.HasPrefix(cell, "-") && numberForm.MatchString(cell):
		return 0, fmt.Sprintf("%s is negative; write 0 or more", quote(cell))
	}
	return 0, fmt.Sprintf("%s is no time; write a number such as 12.5, or a date-time such as 2023-11-16 18:15:46.68", quote(cell))
}
