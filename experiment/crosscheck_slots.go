package experiment

// distances are how far each run's sends over slots lie from those of all runs together:
// the greatest difference of the two cumulative shares (Kolmogorov and Smirnov's), where a
// send may have come up to so many slots earlier or later. A run of both worlds is measured
// alike, so that under one distribution the distances are alike, and [exactRanks] can tell
// whether those of sockets are greater.
//
// Runs in virtual time that are all the same are what the others are measured by.
func distances(virtual, real []observed, within int) (ofVirtual, ofReal []float64) {
	shape := newShape(virtual)
	if !sameSlots(virtual) {
		shape.add(real)
	}
	shape.accumulate()
	for i := range virtual {
		ofVirtual = append(ofVirtual, shape.from(&virtual[i], within))
	}
	for i := range real {
		ofReal = append(ofReal, shape.from(&real[i], within))
	}
	return ofVirtual, ofReal
}

func sameSlots(runs []observed) bool {
	for i := range runs {
		if len(runs[i].slots) != len(runs[0].slots) {
			return false
		}
		for j := range runs[i].slots {
			if runs[i].slots[j] != runs[0].slots[j] {
				return false
			}
		}
	}
	return true
}

// shape is the cumulative distribution of sends over slots, of many runs.
type shape []float64

func newShape(runs []observed) shape {
	var s shape
	s.add(runs)
	return s
}

// add adds the runs' counts.
func (s *shape) add(runs []observed) {
	for i := range runs {
		for _, c := range runs[i].slots {
			for len(*s) <= c.slot {
				*s = append(*s, 0)
			}
			(*s)[c.slot] += float64(c.n)
		}
	}
}

// accumulate makes counts shares of all that were sent by the end of each slot.
func (s shape) accumulate() {
	sum := 0.0
	for i := range s {
		sum += s[i]
		s[i] = sum
	}
	for i := range s {
		s[i] /= sum
	}
}

// at is the share by the end of a slot.
func (s shape) at(slot int) float64 {
	switch {
	case slot < 0 || len(s) == 0:
		return 0
	case slot >= len(s):
		return 1
	}
	return s[slot]
}

// from is how far a run lies from the shape. Between two of its slots with sends a run's
// share stands still, so the greatest differences are at these.
func (s shape) from(run *observed, within int) float64 {
	const rounding = 1e-9 // shares are sums of floating point numbers
	far, sum := 0.0, int64(0)
	of := float64(max(1, run.sent))
	for _, c := range run.slots {
		far = max(far, s.at(c.slot-1-within)-float64(sum)/of) // it lags just before it sends
		sum += c.n
		far = max(far, float64(sum)/of-s.at(c.slot+within)) // it leads when it has sent
	}
	if far < rounding {
		return 0
	}
	return far
}
