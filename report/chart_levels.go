package report

import (
	"fmt"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// level is something that holds at the end of a slot, or on average over it.
type level struct {
	name string
	role Role
	of   func(a *arm, slot int) float64
}

func atEnd(of func(model.SlotRow) int64) func(*arm, int) float64 {
	return func(a *arm, slot int) float64 { return float64(of(a.Tally.Slot(slot))) }
}

var (
	serving  = level{"being served", RoleServing, atEnd(func(s model.SlotRow) int64 { return s.InFlight })}
	occupied = level{"being served, on average", RoleServing, func(a *arm, slot int) float64 { return a.seated[slot] }}
	queued   = level{"queued", RoleQueued, atEnd(func(s model.SlotRow) int64 { return s.Queued })}
	held     = level{"permits held", RoleHeld, atEnd(func(s model.SlotRow) int64 { return s.Held })}
)

// onlyServer stands for what clients before a server that is anybody's cannot know.
const onlyServer = "Only the server knows."

// levels is the chart of what is served, what waits in the provider's queue, and what
// the clients' gates have let through.
func levels(as []arm) Chart {
	c := Chart{ID: "levels", Title: "How many were being served"}
	averaged := true
	top, queues, gated := 0.0, false, false
	for i := range as {
		t := as[i].Tally
		for n := range t.Slots() {
			s := t.Slot(n)
			top = max(top, float64(max(s.InFlight, s.Queued, s.Held)))
			queues = queues || s.Queued > 0
		}
		gated = gated || t.Gated()
		averaged = averaged && as[i].seated != nil
		if text := as[i].saysLevels(); text != "" {
			c.Says = append(c.Says, text)
		}
	}
	known := as[0].Tally.KnowsProvider()
	switch {
	case known:
	case gated:
		c.Title = "How many permits were held"
	default:
		c.Empty = onlyServer
		return c
	}
	if as[0].Tally.Slots() == 0 {
		c.Empty = "The run has no length."
		return c
	}
	slot := duration(as[0].facts.slot)
	shown := []level{serving}
	c.Reads = "Requests in seats at the end of each slot of " + slot + "."
	if averaged {
		shown[0] = occupied
		c.Reads = "Requests in seats, on average over each slot of " + slot + "."
	}
	if !known {
		shown[0] = held
		c.Reads = "Permits held at the clients' gates at the end of each slot of " + slot + "."
	}
	if queues {
		shown = append(shown, queued)
		c.Reads += " The other line counts those in the queue at the end of it."
	}
	if gated && known {
		shown = append(shown, held)
		c.Reads += " The dashed line counts the permits held at the clients' gates at the end of it."
	}
	for i := range as {
		for _, most := range []int64{as[i].facts.seats, as[i].facts.room} {
			if float64(most) > top && float64(most) < 3*top {
				top = float64(most)
			}
		}
	}
	for _, row := range worth(as) {
		for _, in := range row {
			p, notes := levelPanel(in.arm, in.view, shown)
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
	c.Table = slotTableOfArms(as, names, func(a *arm, n int) (values []float64) {
		for _, l := range shown {
			values = append(values, l.of(a, n))
		}
		return values
	})
	if averaged {
		c.Table.Note = strings.Replace(c.Table.Note, "slots.csv has every slot", "slots.csv has what is served at the end of every slot", 1)
	}
	return c
}

func (a *arm) saysLevels() string {
	w := a.Summary.Gate.Waited.Max
	if !a.Tally.KnowsProvider() {
		if !w.Defined() {
			return ""
		}
		return fmt.Sprintf("%s: nobody waited longer than %s at a gate.", a.label, seconds(w))
	}
	p := a.Summary.Provider
	text := fmt.Sprintf("%s: at most %s at once", a.label, count(p.MaxInFlight))
	if p.Utilisation.Defined() {
		text = fmt.Sprintf("%s: the seats were busy %s of the whole time", a.label, percent(p.Utilisation))
	}
	if p.MaxQueue > 0 {
		text += fmt.Sprintf("; at most %s queued", count(p.MaxQueue))
	}
	if w.Defined() {
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
			notes = []string{thinNote(a.label+", "+v.about(a), v.slots(a), linesOfExtremes)}
		}
	}
	return p, notes
}

// level is a series of what holds slot by slot.
func (a *arm) level(v view, l level) (s ChartSeries, thinned bool) {
	shown := extremes(v.slots(a), buckets, func(i int) float64 { return l.of(a, i) })
	s = ChartSeries{Name: l.name, Role: l.role, Mark: Steps}
	if shown.thinned() {
		s.Mark = Line
	}
	for _, i := range shown.kept {
		s.Points = append(s.Points, Point{X: roundSignificant(float64(i) * inSeconds(a.facts.slot)), Y: l.of(a, i)})
	}
	return s, shown.thinned()
}
