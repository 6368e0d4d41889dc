package report

import (
	"time"

	"github.com/stampede-sim/stampede/model"
)

// stretch is a row of the herd histogram: slots from one with attempts to one with
// attempts, drawn by the busiest of them, or slots without any.
type stretch struct {
	from, to       int // slots, both included
	first, retries int64
	note           string        // of what stands out
	quiet          time.Duration // after it; the stretch's own if it has no attempts
}

func (s stretch) attempts() int64 { return s.first + s.retries }

// folded is a run's histogram in few rows.
type folded struct {
	rows []stretch
	bin  int // slots that a row covers at most
}

// fold finds the finest bins, of 1, 2, 4, 8, 20, 40 ... slots, in which a histogram fits
// into so many rows, 8 or more: the busiest slot and the busiest slot of retries have
// rows of their own; there are rows before, between and after them, and three for
// quiet. Quiet stretches have a row each, or, where that is too much, are told beside
// the row they follow, unless that has a note.
func fold(t *model.Tally, rows int) folded {
	busy, top := active(t)
	for bin := 1; ; bin = nextBin(bin) {
		all, fit := stretches(t, busy, top, bin, rows)
		if !fit {
			continue
		}
		for _, where := range []quietPlace{apart, beside, besideOrUntold} {
			if placed := place(all, where); len(placed) <= rows {
				return folded{placed, bin}
			}
		}
	}
}

// active returns the slots with attempts, and marks those that stand out.
func active(t *model.Tally) (busy []int, top map[int]string) {
	busiest, busiestRetry := -1, -1
	var most, mostRetries int64
	for i := range t.Slots() {
		s := t.Slot(i)
		if s.First+s.Retries == 0 {
			continue
		}
		busy = append(busy, i)
		if s.First+s.Retries > most {
			busiest, most = i, s.First+s.Retries
		}
		if s.Retries > mostRetries {
			busiestRetry, mostRetries = i, s.Retries
		}
	}
	if len(busy) < 2 {
		return busy, nil
	}
	top = map[int]string{busiest: "busiest slot"}
	switch busiestRetry {
	case -1:
	case busiest:
		top[busiest] = "busiest slot, retries too"
	default:
		top[busiestRetry] = "busiest retry slot"
	}
	return busy, top
}

// nextBin follows bin in 1, 2, 4, 8, 20, 40, 80, 200 ...
func nextBin(bin int) int {
	lead := bin
	for lead >= 10 {
		lead /= 10
	}
	if lead == 8 {
		return bin / 8 * 20
	}
	return bin * 2
}

// stretches cuts the slots with attempts into bins; it reports false if they are more
// than limit. Quiet of less than half a bin is not worth a word.
func stretches(t *model.Tally, busy []int, top map[int]string, bin, limit int) (out []stretch, fit bool) {
	alone := false // the last row is for its slot only
	for _, i := range busy {
		s := t.Slot(i)
		note := top[i]
		if n := len(out) - 1; n >= 0 && !alone && note == "" && out[n].from/bin == i/bin {
			out[n].to = i
			if s.First+s.Retries > out[n].attempts() {
				out[n].first, out[n].retries = s.First, s.Retries
			}
			continue
		}
		if len(out) == limit {
			return nil, false
		}
		out = append(out, stretch{from: i, to: i, first: s.First, retries: s.Retries, note: note})
		alone = note != ""
	}
	least := time.Duration((bin + 3) / 4)
	for n := range out {
		end := t.End()
		if n+1 < len(out) {
			end = time.Duration(out[n+1].from) * t.SlotWidth()
		}
		if quiet := end - time.Duration(out[n].to+1)*t.SlotWidth(); quiet >= least*t.SlotWidth() {
			out[n].quiet = quiet
		}
	}
	if len(out) > 0 && out[0].from > 0 {
		out = append([]stretch{{quiet: time.Duration(out[0].from) * t.SlotWidth()}}, out...)
	}
	return out, true
}

// quietPlace says where quiet is told.
type quietPlace int

const (
	apart          quietPlace = iota // in a row of its own
	beside                           // beside the row it follows, but in one of its own where that has a note
	besideOrUntold                   // the times of the rows tell it there
)

// place puts quiet where it is to be told.
func place(all []stretch, where quietPlace) []stretch {
	var out []stretch
	for _, s := range all {
		switch {
		case s.quiet == 0 || s.attempts() == 0 || where != apart && s.note == "":
			out = append(out, s)
		case where == besideOrUntold:
			s.quiet = 0
			out = append(out, s)
		default:
			quiet := s.quiet
			s.quiet = 0
			out = append(out, s, stretch{quiet: quiet})
		}
	}
	return out
}
