package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// fillEmpirical reads the column that a distribution is made of.
func (d *decoder) fillEmpirical(dist any, p path) {
	at := p.in("empirical")
	switch x := dist.(type) {
	case *model.DurationDist:
		if x.Empirical != "" {
			x.Values = empirical(d, x.Empirical, at, durationOf)
		}
	case *model.TokenDist:
		if x.Empirical != "" {
			x.Values = empirical(d, x.Empirical, at, func(_, cell string) (int64, string) {
				n, wrong := tokens(cell)
				return int64(n), wrong
			})
		}
	}
}

// empirical reads a column, in order of size.
func empirical[T ~int64](d *decoder, source string, p path, value func(column, cell string) (T, string)) []T {
	file, column, ok := strings.Cut(source, "#")
	if !ok || file == "" || column == "" {
		d.mistakeAt(p, "%s names no column; write FILE.csv#COLUMN, such as azure-conv.csv#ContextTokens", quote(source))
		return nil
	}
	var values []T
	fits := d.readColumns(file, []string{column}, p, func(cells []string) (bool, int, string) {
		x, wrong := value(column, cells[0])
		if values = append(values, x); len(values) > mostRows {
			wrong = fmt.Sprintf("there are more than %s rows; cut the file shorter", grouped(mostRows))
		}
		return false, 0, wrong
	})
	if fits && len(values) == 0 {
		d.mistakeAt(p, "%s has no rows below its first line; a distribution needs one at least", quote(file))
	}
	slices.Sort(values)
	return values
}

// mostTime is the length of a text that may be a time.
const mostTime = 64

// durationOf reads a time with its unit, or a plain number where the column's name says
// which unit it has: wait_s, first_token_ms.
func durationOf(column, cell string) (time.Duration, string) {
	if len(cell) > mostTime {
		return 0, fmt.Sprintf("%s is no time; write one such as 250ms", quote(cell))
	}
	_, unit, named := cutLast(column, "_")
	if of := model.TimeUnit(unit).Duration(); named && of > 0 {
		if ns, ok := decimal(cell, int64(of)); ok {
			return time.Duration(ns), ""
		}
	}
	t, err := parseDuration(cell)
	switch {
	case cell == "":
		return 0, "has no value; write a time, such as 250ms"
	case err == nil && t < 0:
		return 0, fmt.Sprintf("%s is negative; write 0 or more", quote(cell))
	case err != nil && numberForm.MatchString(cell):
		return 0, fmt.Sprintf("%s has no unit; write %sms, or name the column with its unit, such as %s_ms", quote(cell), cell, column)
	case err != nil:
		return 0, err.Error()
	}
	return t, ""
}

// cutLast cuts at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
