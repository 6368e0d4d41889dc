package report

import (
	"fmt"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// limitRoles tell the limits of a provider apart; a seventh looks like the first.
var limitRoles = [...]Role{RoleLimit1, RoleLimit2, RoleLimit3, RoleLimit4, RoleLimit5, RoleLimit6}

// limitsChart is the chart of how much of each limit is used over time, where there
// are limits.
func limitsChart(as []arm) []Chart {
	c := Chart{
		ID: "limits", Title: "How much of the limits was used",
		Reads: "Each line is what counts against a limit at the end of each " + duration(as[0].facts.slot) + " slot, of the most it can hold; who would take it above 100 % is refused.",
	}
	any, top := false, 0.0
	for i := range as {
		t, limits := as[i].Tally, as[i].Summary.Provider.Limits
		for l := range t.Limits() {
			any = true
			for n := range t.Slots() {
				top = max(top, float64(t.LimitUsed(l, n))/float64(limits[l].Holds))
			}
			c.Says = append(c.Says, as[i].saysLimit(&limits[l]))
		}
	}
	if !any {
		return nil
	}
	if as[0].Tally.Slots() == 0 {
		c.Empty = "The run has no length."
		return []Chart{c}
	}
	stretches := views(as)
	whole := stretches[len(stretches)-1] // a limit fills and drains slowly, so the start alone shows no more
	for i := range as {
		p, notes := limitsPanel(&as[i], whole)
		if p.Y.Max = 1.25; top > p.Y.Max {
			p.Y.Max = niceCeil(top, 3)
		}
		p.Height = low(p.Height, len(as))
		c.Panels = append(c.Panels, p)
		c.Notes = append(c.Notes, notes...)
	}
	var names []string
	for l := range as[0].Summary.Provider.Limits {
		names = append(names, "used of "+limitLabel(&as[0].Summary.Provider.Limits[l]))
	}
	c.Table = slotTableOf(as, names, func(t *model.Tally, n int) (used []int64) {
		for l := range names {
			if l < t.Limits() {
				used = append(used, t.LimitUsed(l, n))
			}
		}
		return used
	})
	c.Table.Note = strings.TrimSuffix(c.Table.Note, "; slots.csv has every slot.") + "."
	return []Chart{c}
}

func (a *arm) saysLimit(l *model.LimitSummary) string {
	text := fmt.Sprintf("%s: %s", a.label, limitLabel(l))
	if l.Bound.Defined() && l.Axis != string(model.LimitRequests) {
		text += fmt.Sprintf(" admit %s at %s a request", admits(l), digits(l.MeanCharge, 4))
	}
	return fmt.Sprintf("%s; %s rejected; fullest %s%s.", text, count(l.Rejected), share(l.PeakShare), onAverage(l))
}

func onAverage(l *model.LimitSummary) string {
	if !l.MeanShare.Defined() {
		return ""
	}
	return fmt.Sprintf(", %s of the rate granted", share(l.MeanShare))
}

func limitsPanel(a *arm, v view) (Panel, []string) {
	p := v.panel(a, 110)
	p.Y = ChartAxis{Title: "of the limit", Unit: Shares}
	p.Rules = []Rule{{At: 1, Label: "the limit", Role: RoleCapacity}}
	var notes []string
	t := a.Tally
	for l := range t.Limits() {
		limit := &a.Summary.Provider.Limits[l]
		shown := extremes(v.slots(a), buckets, func(n int) int64 { return t.LimitUsed(l, n) })
		s := ChartSeries{Name: limitLabel(limit), Role: limitRoles[l%len(limitRoles)], Mark: Line}
		for _, n := range shown.kept {
			at := min(float64(n+1)*inSeconds(a.facts.slot), v.end)
			s.Points = append(s.Points, Point{X: roundSignificant(at), Y: roundSignificant(float64(t.LimitUsed(l, n)) / float64(limit.Holds))})
		}
		p.Series = append(p.Series, s)
		if shown.thinned() && notes == nil {
			notes = []string{thinNote(a.label+", "+v.about(a), v.slots(a), linesOfExtremes)}
		}
	}
	return p, notes
}
