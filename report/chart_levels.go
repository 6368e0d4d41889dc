package report

import (
	"fmt"

	"github.com/stampede-sim/stampede/model"
)

// level is something that holds at the end of a slot.
type level struct {
	name string
	role Role
	of   func(model.SlotRow) int64
}

var (
	serving = level{"being served", RoleServing, func(s model.SlotRow) int64 { return s.InFlight }}
	queued  = level{"queued", RoleQueued, func(s model.SlotRow) int64 { return s.Queued }}
	held    = level{"permits held", RoleHeld, func(s model.SlotRow) int64 { return s.Held }}
)

// levels is the chart of what is served, what waits in the provider's queue, and what
// the clients' gates have let through.
func levels(as []arm) Chart {
	c := Chart{
		ID: "levels", Title: "How many were being served",
		Reads: "Requests at the provider at the end of each " + duration(as[0].facts.slot) + " slot.",
	}
	top, queues, gated := 0.0, false, false
	for i := range as {
		t := as[i].Tally
		for n := range t.Slots() {
			s := t.Slot(n)
			top = max(top, float64(max(s.InFlight, s.Queued, s.Held)))
			queues = queues || s.Queued > 0
		}
		gated = gated || t.Gated()
		c.Says = append(c.Says, as[i].saysLevels())
	}
	if as[0].Tally.Slots() == 0 {
		c.Empty = "The run has no length."
		return c
	}
	shown := []level{serving}
	if queues {
		shown = append(shown, queued)
	}
	if gated {
		shown = append(shown, held)
		c.Reads += " The dashed line counts the permits held at the clients' gates."
	}
	for i := range as {
		for _, most := range []int64{as[i].facts.seats, as[i].facts.room} {
			if float64(most) > top && float64(most) < 3*top {
				top = float64(most)
			}
		}
	}
	for _, v := range views(as) {
		for i := range as {
			p, notes := levelPanel(&as[i], v, shown)
			p.Y.Max = niceCeil(top, 3)
			p.Height = low(p.Height, len(as))
			c.Panels = append(c.Panels, p)
			c.Notes = append(c.Notes, notes...)
		}
	}
	var names []string
	for _, l := range shown {
		names = append(names, l.name)
	}
	c.Table = slotTable(as, names, func(s model.SlotRow) (values []int64) {
		for _, l := range shown {
			values = append(values, l.of(s))
		}
		return values
	})
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
	if w := a.Summary.Gate.Waited.Max; w.Defined() {
		text += fmt.Sprintf("; nobody waited longer than %s at a gate", seconds(w))
	}
	return text + "."
}

func levelPanel(a *arm, v view, shown []level) (Panel, []string) {
	p := v.panel(a, 70)
	p.Y = ChartAxis{Title: "requests"}
	if a.facts.seats > 0 {
		p.Rules = append(p.Rules, Rule{At: float64(a.facts.seats), Label: plural(a.facts.seats, "seat", "seats"), Role: RoleCapacity})
	}
	if a.facts.room > 0 {
		p.Rules = append(p.Rules, Rule{At: float64(a.facts.room), Label: plural(a.facts.room, "permit", "permits"), Role: RoleCapacity, Left: true})
	}
	var notes []string
	for _, l := range shown {
		s, thinned := a.level(v, l)
		p.Series = append(p.Series, s)
		if thinned && notes == nil {
			notes = []string{thinNote(a.label+", "+v.about(a), v.slots(a))}
		}
	}
	return p, notes
}

// level is a series of what holds at the end of slots.
func (a *arm) level(v view, l level) (s ChartSeries, thinned bool) {
	t := a.Tally
	shown := extremes(v.slots(a), buckets, func(i int) int64 { return l.of(t.Slot(i)) })
	s = ChartSeries{Name: l.name, Role: l.role, Mark: Steps}
	if shown.thinned() {
		s.Mark = Line
	}
	for _, i := range shown.kept {
		s.Points = append(s.Points, Point{X: roundSignificant(float64(i) * inSeconds(a.facts.slot)), Y: float64(l.of(t.Slot(i)))})
	}
	return s, shown.thinned()
}
