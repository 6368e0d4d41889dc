package model

import "time"

// What only some groups need to know stands beside the rows of operations and attempts,
// and has no length where no group needs it.

// sendsFirst notes when an operation of a gated group sends its first attempt.
func (w *World) sendsFirst(now time.Duration, slot uint32) {
	for len(w.firstSent) < len(w.ops) {
		w.firstSent = append(w.firstSent, 0)
	}
	w.firstSent[slot] = now
}

// replays notes which row of its group's trace an attempt is of.
func (w *World) replays(id uint32, row int32) {
	for len(w.rows) < len(w.attempts) {
		w.rows = append(w.rows, 0)
	}
	w.rows[id] = row
}

// row is which row of its group's trace an attempt is of; 0 in other groups.
func (w *World) row(id uint32) int32 {
	if w.groups[w.attempts[id].group].dealt == 0 {
		return 0
	}
	return w.rows[id]
}
