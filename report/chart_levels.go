package report

import (
	"fmt"

	"github.com/stampede-sim/stampede/model"
)

// levels is the chart of what is served and what waits in the provider's queue.
func levels(as []arm) Chart {
	c := Chart{
		ID: "levels", Title: "How many were being served",
		Reads: "Requests at the provider at the end of each " + duration(as[0].facts.slot) + " slot.",
	}
	top, queued := 0.0, false
	for i := range as {
		t := as[i].Tally
		for n := range t.Slots() {
			s := t.Slot(n)
			top = max(top, float64(max(s.InFlight, s.Queued)))
			queued = queued || s.Queued > 0
		}
		c.Says = append(c.Says, as[i].saysLevels())
	}
	if as[0].Tally.Slots() == 0 {
		c.Empty = "The run has no length."
		return c
	}
	if seats := float64(as[0].facts.seats); seats > top && seats < 3*top {
		top = seats
	}
	for _, v := range views(as) {
		for i := range as {
			p, notes := levelPanel(&as[i], v, queued)
			p.Y.Max = niceCeil(top, 3)
			c.Panels = append(c.Panels, p)
			c.Notes = append(c.Notes, notes...)
		}
	}
	c.Table = slotTable(as, []string{"being served", "queued"}, func(s model.SlotRow) []int64 { return []int64{s.InFlight, s.Queued} })
	return c
}

func (a *arm) saysLevels() string {
	p := a.Summary.Provider
	text := fmt.Sprintf("%s: at most %s at once", a.label, count(p.MaxInFlight))
	if p.Utilisation.Defined() {
		text = fmt.Sprintf("%s: the seats were busy %s of the time", a.label, percent(p.Utilisation))
	}
	if p.MaxQueue > 0 {
		text += fmt.Sprintf("; at most %s queued", count(p.MaxQueue))
	}
	return text + "."
}

func levelPanel(a *arm, v view, queued bool) (Panel, []string) {
	p := v.panel(a, 70)
	p.Y = ChartAxis{Title: "requests"}
	if a.facts.seats > 0 {
		p.Rules = []Rule{{At: float64(a.facts.seats), Label: plural(a.facts.seats, "seat", "seats"), Role: RoleCapacity}}
	}
	serving, thinned := a.level(v, func(s model.SlotRow) int64 { return s.InFlight })
	serving.Name, serving.Role = "being served", RoleServing
	p.Series = []ChartSeries{serving}
	if queued {
		waiting, _ := a.level(v, func(s model.SlotRow) int64 { return s.Queued })
		waiting.Name, waiting.Role = "queued", RoleQueued
		p.Series = append(p.Series, waiting)
	}
	if thinned {
		return p, []string{thinNote(a.label+", "+v.about(a), v.slots(a))}
	}
	return p, nil
}

// level is a series of what holds at the end of slots.
func (a *arm) level(v view, of func(model.SlotRow) int64) (s ChartSeries, thinned bool) {
	t := a.Tally
	shown := extremes(v.slots(a), buckets, func(i int) int64 { return of(t.Slot(i)) })
	s.Mark = Steps
	if shown.thinned() {
		s.Mark = Line
	}
	for _, i := range shown.kept {
		s.Points = append(s.Points, Point{X: roundSignificant(float64(i) * inSeconds(a.facts.slot)), Y: float64(of(t.Slot(i)))})
	}
	return s, shown.thinned()
}
