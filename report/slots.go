package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
)

const slotsHeader = "slot,start_s,first_attempts,retries,accepted,rejected,in_flight,queued\n"

// firstGauge is the number of the first of the columns that are the provider's alone, after
// the slot and its start.
const firstGauge = 4

// Slots writes slots.csv: a row for each slot from 0 to the end of the run. What only a
// provider knows whose books are not ours is empty.
func Slots(w io.Writer, t *model.Tally) error {
	line := []byte(slotsHeader)
	for i := 0; ; i++ {
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("slots: %w", err)
		}
		if i == t.Slots() {
			return nil
		}
		s := t.Slot(i)
		line = strconv.AppendInt(line[:0], int64(i), 10)
		line = append(line, ',')
		line = append(line, exactSeconds(time.Duration(i)*t.SlotWidth(), 0)...)
		for i, n := range [...]int64{s.First, s.Retries, s.Accepted, s.Rejected, s.InFlight, s.Queued} {
			line = append(line, ',')
			if i < firstGauge || t.KnowsProvider() {
				line = strconv.AppendInt(line, n, 10)
			}
		}
		line = append(line, '\n')
	}
}
