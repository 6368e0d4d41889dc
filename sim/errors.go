package sim

import (
	"fmt"
	"time"
)

// Runaway is the error of a model that stands still: at one instant more than
// 1,000,000 events have run, plus 1,000 for each event that was pending when
// most were.
type Runaway struct {
	Component string        // whose event came once too often
	At        time.Duration // the instant
	Count     int64         // events at that instant
}

func (r *Runaway) Error() string {
	return fmt.Sprintf("%s runs away: %d events at %v and the clock does not move", r.Component, r.Count, r.At)
}

const (
	runawayBase       = 1_000_000
	runawayPerPending = 1_000
)

func (q *Queue) component(k Kind) string {
	if int(k) < len(q.names) && q.names[k] != "" {
		return q.names[k]
	}
	return fmt.Sprintf("kind %d", k)
}

func (q *Queue) fail(err error) uint64 {
	if q.err == nil {
		q.err, q.lastSeq = err, 0
	}
	return 0
}

// refuse says what is wrong with an event that cannot be scheduled.
func (q *Queue) refuse(t time.Duration, kind Kind, slot uint32) uint64 {
	who := q.component(kind)
	switch {
	case q.err != nil:
		return 0
	case kind >= kinds:
		return q.fail(fmt.Errorf("%s is not an event's kind; the last one is %d", who, kinds-1))
	case slot >= MaxSlots:
		return q.fail(fmt.Errorf("%s schedules for slot %d; the last one is %d", who, slot, MaxSlots-1))
	case t < q.now:
		return q.fail(fmt.Errorf("%s schedules an event at %v, before now, which is %v", who, t, q.now))
	default:
		return q.fail(fmt.Errorf("%s schedules one event more than a run can number (%d)", who, uint64(maxSeq)))
	}
}
