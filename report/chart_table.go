package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// tableRows is how many rows a run has at most in a table under a chart.
const tableRows = 200

// slotTable lists the slots in which a value changes, thinned if they are many.
func slotTable(as []arm, columns []string, of func(model.SlotRow) []int64) DataTable {
	return slotTableOf(as, columns, func(t *model.Tally, n int) []int64 { return of(t.Slot(n)) })
}

// slotTableOf does the same for values that are in no row of a slot.
func slotTableOf(as []arm, columns []string, of func(t *model.Tally, n int) []int64) DataTable {
	return slotTableOfArms(as, columns, func(a *arm, n int) (values []float64) {
		for _, v := range of(a.Tally, n) {
			values = append(values, float64(v))
		}
		return values
	})
}

// slotTableOfArms does the same for values that need not be whole.
func slotTableOfArms(as []arm, columns []string, of func(a *arm, n int) []float64) DataTable {
	table := DataTable{Head: append([]string{"policy", "from (s)"}, columns...)}
	for i := range as {
		a := &as[i]
		t := a.Tally
		var some []int
		for n := range t.Slots() {
			if sum(of(a, n)) > 0 {
				some = append(some, n)
			}
		}
		shown := extremes(len(some), tableRows/2, func(n int) float64 { return sum(of(a, some[n])) })
		if shown.thinned() {
			table.Note += fmt.Sprintf("%s: of %s slots that are not empty, %s are listed: the least and the greatest of each stretch. ", a.label, count(int64(len(some))), count(int64(len(shown.kept))))
		}
		for _, n := range shown.kept {
			slot := some[n]
			row := []string{a.label, exactSeconds(time.Duration(slot)*a.facts.slot, 0)}
			for _, v := range of(a, slot) {
				row = append(row, cellOf(v))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	table.Note += "Empty slots are left out; slots.csv has every slot."
	return table
}

// cellOf writes a whole number whole, and any other with two places.
func cellOf(v float64) string {
	if v == float64(int64(v)) {
		return count(int64(v))
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
