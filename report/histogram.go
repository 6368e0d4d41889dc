package report

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stampede-sim/stampede/model"
)

// scale is what the bars of all histograms on a screen share.
type scale struct {
	most    int64 // attempts of the longest bar
	columns int   // for a bar
	label   int   // columns of the times before it
	places  int   // decimals of that time
	count   int   // columns of the number after it
}

func newScale(s Style, runs []Run, folds []folded) scale {
	var sc scale
	for n, run := range runs {
		_, fraction, _ := strings.Cut(exactSeconds(run.Tally.SlotWidth(), 0), ".")
		sc.places = max(sc.places, len(fraction))
		for _, row := range folds[n].rows {
			sc.most = max(sc.most, row.attempts())
		}
	}
	notes := 0
	for n, run := range runs {
		for _, row := range folds[n].rows {
			if row.attempts() > 0 {
				sc.label = max(sc.label, utf8.RuneCountInString(row.when(run.Tally.SlotWidth(), sc.places)))
			}
			notes = max(notes, utf8.RuneCountInString(row.says()))
		}
	}
	sc.label = max(sc.label, 10)
	sc.count = len(count(sc.most)) + 1
	sc.columns = max(10, min(int(min(sc.most, 1000)), s.width()-sc.label-2-sc.count-2-notes))
	return sc
}

// bar returns the marks for so many attempts: one each while they fit, and never
// none for some.
func (sc scale) bar(first, retries int64) (firstMarks, retryMarks int) {
	of := max(sc.most, int64(sc.columns))
	all := sc.marks(first+retries, of)
	firstMarks = sc.marks(first, of)
	switch {
	case retries == 0 || all == 1 && first >= retries:
		return all, 0
	case retries > 0 && firstMarks >= all:
		firstMarks = all - 1
	}
	return firstMarks, all - firstMarks
}

func (sc scale) marks(n, of int64) int {
	if n == 0 {
		return 0
	}
	return max(1, int(math.Round(float64(n)*float64(sc.columns)/float64(of))))
}

// histograms draws the herds of runs one after the other on one scale, each in so many
// rows at most.
func (s *screen) histograms(runs []Run, rows []int) {
	var folds []folded
	for n, run := range runs {
		folds = append(folds, fold(run.Tally, rows[n]))
	}
	sc := newScale(s.style, runs, folds)
	s.put(plain, "attempts per "+duration(runs[0].Tally.SlotWidth())+":  ")
	s.put(firstInk, "█ first")
	s.put(plain, "  ")
	s.put(retryInk, "▒ retries")
	if sc.most > int64(sc.columns) {
		s.put(plain, "  (a mark is "+decimal(model.Number(float64(sc.most)/float64(sc.columns)))+" attempts)")
	}
	s.end()
	for n, run := range runs {
		s.heading(run, folds[n], len(runs) > 1)
		for _, row := range folds[n].rows {
			s.row(row, run.Tally.SlotWidth(), sc)
		}
	}
}

func (s *screen) heading(run Run, f folded, named bool) {
	slot := run.Tally.SlotWidth()
	how := ""
	if f.bin > 1 {
		how = "a bar shows the busiest " + duration(slot) + " of its row"
	}
	if len(f.rows) == 0 {
		how = "no attempts"
	}
	switch {
	case named && how != "":
		s.put(headingInk, s.name(run))
		s.put(plain, ": "+how)
	case named:
		s.put(headingInk, s.name(run))
	case how != "":
		s.put(plain, how)
	default:
		return
	}
	s.end()
}

// when is the time that a row covers: where it begins, and ends if that is not one slot.
func (r stretch) when(slot time.Duration, places int) string {
	from := exactSeconds(time.Duration(r.from)*slot, places)
	if r.from == r.to {
		return from + " s"
	}
	return from + "–" + exactSeconds(time.Duration(r.to+1)*slot, places) + " s"
}

// says is what stands beside a row's bar, or instead of it.
func (r stretch) says() string {
	if r.note == "" && r.quiet > 0 {
		return "· · ·  " + duration(r.quiet) + " quiet"
	}
	return r.note
}

func (s *screen) row(row stretch, slot time.Duration, sc scale) {
	if row.attempts() == 0 {
		s.put(quietInk, strings.Repeat(" ", sc.label+2)+row.says())
		s.end()
		return
	}
	s.put(plain, padLeft(row.when(slot, sc.places), sc.label)+"  ")
	first, retries := sc.bar(row.first, row.retries)
	s.put(firstInk, strings.Repeat("█", first))
	s.put(retryInk, strings.Repeat("▒", retries))
	s.put(plain, strings.Repeat(" ", sc.columns-first-retries)+padLeft(count(row.attempts()), sc.count))
	if note := row.says(); note != "" {
		look := quietInk
		if row.note != "" {
			look = headingInk
		}
		s.put(look, "  "+note)
	}
	s.end()
}
