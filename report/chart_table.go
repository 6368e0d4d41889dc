package report

import (
	"fmt"
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
	table := DataTable{Head: append([]string{"policy", "from (s)"}, columns...)}
	for i := range as {
		a := &as[i]
		t := a.Tally
		var some []int
		for n := range t.Slots() {
			if sum(of(t, n)) > 0 {
				some = append(some, n)
			}
		}
		shown := extremes(len(some), tableRows/2, func(n int) int64 { return sum(of(t, some[n])) })
		if shown.thinned() {
			table.Note += fmt.Sprintf("%s: of %s slots that are not empty, %s are listed: the least and the greatest of each stretch. ", a.label, count(int64(len(some))), count(int64(len(shown.kept))))
		}
		for _, n := range shown.kept {
			slot := some[n]
			row := []string{a.label, exactSeconds(time.Duration(slot)*a.facts.slot, 0)}
			for _, v := range of(t, slot) {
				row = append(row, count(v))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	table.Note += "Empty slots are left out; slots.csv has every slot."
	return table
}

func sum(values []int64) int64 {
	total := int64(0)
	for _, v := range values {
		total += v
	}
	return total
}
