package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
)

const slotsHeader = "slot,start_s,first_attempts,retries,accepted,rejected,in_flight,queued\n"

// Slots writes slots.csv: a row for each slot from 0 to the end of the run.
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
		for _, n := range [...]int64{s.First, s.Retries, s.Accepted, s.Rejected, s.InFlight, s.Queued} {
			line = append(line, ',')
			line = strconv.AppendInt(line, n, 10)
		}
		line = append(line, '\n')
	}
}
