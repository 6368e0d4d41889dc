package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// stacked is a chart of two counts a slot, one on the other.
type stacked struct {
	lower, upper         string
	lowerRole, upperRole Role
	of                   func(model.SlotRow) (lower, upper int64)
	unit                 string
	height               int
	capacity             bool
}

var (
	sentStack = stacked{
		"first attempts", "retries", RoleFirst, RoleRetry,
		func(s model.SlotRow) (int64, int64) { return s.First, s.Retries }, "attempts sent", 130, true,
	}
	answeredStack = stacked{
		"accepted", "rejected", RoleAccepted, RoleRejected,
		func(s model.SlotRow) (int64, int64) { return s.Accepted, s.Rejected }, "attempts answered", 90, false,
	}
)

// Herd is the histogram of attempts by the slot they were sent in, of every run of a
// page, on one scale.
func Herd(in PageInput) Chart {
	as := in.arms()
	c := sentStack.chart(as, allOf(as))
	c.ID, c.Title = "herd", "When attempts were sent"
	if len(as)%2 == 0 {
		c.Abreast = 2
	}
	return c
}

// herds are the same for a page: the start and, where there is more to see, the whole.
func herds(as []arm) (start Chart, whole []Chart) {
	stretches := worth(as)
	start = sentStack.chart(as, stretches[:1])
	start.ID, start.Title = "herd", "When attempts were sent"
	slot := duration(as[0].facts.slot)
	start.Reads = fmt.Sprintf("Each bar counts the attempts sent within %s: first attempts below, retries on top.", slot)
	if f := as[0].facts; f.capacity > 0 {
		start.Reads += fmt.Sprintf(" The dashed line is what %s can serve in that time; what rises above it must be refused or wait.", plural(f.seats, "seat", "seats"))
	}
	for i := range as {
		start.Says = append(start.Says, as[i].saysHerd())
	}
	start.Table = slotTable(as, []string{sentStack.lower, sentStack.upper}, sentStack.values)
	if len(stretches) == 1 || start.Empty != "" {
		return start, nil
	}
	all := sentStack.chart(as, stretches[1:])
	all.ID, all.Title = "herd-whole", "The same over the whole run"
	var shown []string
	for _, p := range all.Panels {
		shown = append(shown, p.Title)
	}
	if len(shown) < len(as) {
		all.Reads = "Only " + listed(shown, "and") + " went on for longer than what is shown above."
	}
	return start, []Chart{all}
}

// panelled is an arm in a view.
type panelled struct {
	*arm
	view
}

// allOf are all arms in all views, view by view.
func allOf(as []arm) [][]panelled {
	var out [][]panelled
	for _, v := range views(as) {
		var row []panelled
		for i := range as {
			row = append(row, panelled{&as[i], v})
		}
		out = append(out, row)
	}
	return out
}

// worth are those that show more than the ones before.
func worth(as []arm) [][]panelled {
	out := allOf(as)
	for i := range out {
		out[i] = slices.DeleteFunc(out[i], func(p panelled) bool { return !p.shows(p.arm) })
	}
	return out
}

func verdicts(as []arm) Chart {
	c := answeredStack.chart(as, worth(as))
	c.Table = slotTable(as, []string{answeredStack.lower, answeredStack.upper}, answeredStack.values)
	c.ID, c.Title = "answers", "What the provider answered"
	c.Reads = "The same attempts when they reached the provider: let in below, turned away on top."
	for i := range as {
		a := as[i].Summary.Attempts
		text := fmt.Sprintf("%s: %s of %s were rejected", as[i].label, count(a.Rejected), plural(a.Total, "attempt", "attempts"))
		if a.Total > 0 {
			text += ", " + percent(model.Number(float64(a.Rejected)/float64(a.Total)))
		}
		c.Says = append(c.Says, text+".")
	}
	return c
}

func (a *arm) saysHerd() string {
	h := a.Summary.Herd
	if h.Busiest == 0 {
		return a.label + ": no attempt was sent."
	}
	text := fmt.Sprintf("%s: the busiest slot held %s", a.label, plural(h.Busiest, "attempt", "attempts"))
	if h.BusiestRetry > 0 {
		text += fmt.Sprintf(", the busiest of retries %s", count(h.BusiestRetry))
	}
	if a.facts.pause > a.facts.slot {
		text += fmt.Sprintf("; the %s was %s, from %s on", a.facts.pauseName(), duration(a.facts.pause), duration(a.facts.pauseAt))
	}
	return text + "."
}

func (st *stacked) values(s model.SlotRow) []int64 {
	lower, upper := st.of(s)
	return []int64{lower, upper}
}

func (st *stacked) chart(as []arm, stretches [][]panelled) Chart {
	var c Chart
	top, capacity := 0.0, 0.0
	for i := range as {
		for n := range as[i].Tally.Slots() {
			lower, upper := st.of(as[i].Tally.Slot(n))
			top = max(top, float64(lower+upper))
		}
		if st.capacity {
			capacity = max(capacity, as[i].facts.capacity)
		}
	}
	if top == 0 {
		c.Empty = "No attempt was sent."
		return c
	}
	if capacity > top && capacity < 2*top {
		top = capacity
	}
	c.CanLog = true
	for _, row := range stretches {
		for _, in := range row {
			p, notes := st.panel(in.arm, in.view)
			p.Height = low(p.Height, len(as))
			c.Panels = append(c.Panels, p)
			c.Notes = append(c.Notes, notes...)
		}
	}
	c.oneScale(top)
	return c
}

// oneScale gives all panels the same Y axis, with room for labels of vertical rules.
func (c *Chart) oneScale(top float64) {
	end := niceCeil(top, 6)
	for i := range c.Panels {
		if slices.ContainsFunc(c.Panels[i].Rules, func(r Rule) bool { return r.Vertical }) {
			end = niceCeil(1.3*top, 6)
		}
	}
	for i := range c.Panels {
		c.Panels[i].Y.Max = end
	}
}

// low returns the height of a panel of so many.
func low(height, panels int) int {
	switch {
	case panels <= 2:
		return height
	case panels <= 4:
		return height * 3 / 4
	}
	return max(45, height/2)
}

// slots returns how many slots of the arm a view shows.
func (v view) slots(a *arm) int {
	return min(a.Tally.Slots(), int(math.Ceil(v.end/inSeconds(a.facts.slot)-1e-9)))
}

func (v view) panel(a *arm, height int) Panel {
	p := Panel{
		Title: a.label, About: v.about(a), Height: height,
		X:    ChartAxis{Title: "time since the start", Unit: Seconds, Max: v.end},
		Slot: inSeconds(a.facts.slot), Bands: weatherBands(a.Tally, v.end),
	}
	if end, done := a.ended(); done && end < v.end {
		over := "all done after " + durationOf(end)
		switch {
		case v.end-end >= leastBand*v.end:
			p.Bands = append(p.Bands, Band{end, v.end, over})
		case !strings.Contains(p.About, durationOf(end)):
			p.About += ", " + over
		}
	}
	return p
}

// leastBand is the share of an axis from which a band is worth its grey.
const leastBand = 0.2

func (st *stacked) total(s model.SlotRow) int64 {
	lower, upper := st.of(s)
	return lower + upper
}

func (st *stacked) panel(a *arm, v view) (Panel, []string) {
	t := a.Tally
	p := v.panel(a, st.height)
	p.Y = ChartAxis{Title: st.unit + " in each " + duration(a.facts.slot)}
	shown := extremes(v.slots(a), buckets, func(i int) int64 { return st.total(t.Slot(i)) })
	lower := ChartSeries{Name: st.lower, Role: st.lowerRole}
	upper := ChartSeries{Name: st.upper, Role: st.upperRole}
	drawn := shown.kept
	if shown.thinned() {
		drawn = shown.mosts
	}
	for _, i := range drawn {
		low, high := st.of(t.Slot(i))
		x := roundSignificant(float64(i) * p.Slot)
		if low > 0 {
			lower.Points = append(lower.Points, Point{X: x, Y: float64(low)})
		}
		if high > 0 {
			upper.Points = append(upper.Points, Point{X: x, Y0: float64(low), Y: float64(low + high)})
		}
	}
	p.Series = []ChartSeries{lower, upper}
	if st.capacity && a.facts.capacity > 0 {
		p.Rules = append(p.Rules, Rule{At: roundSignificant(a.facts.capacity), Label: a.facts.canServe(), Role: RoleCapacity})
	}
	if !shown.thinned() {
		return p, nil
	}
	if least, any := st.leastLine(t, shown.leasts, p.Slot); any {
		p.Series = append(p.Series, least)
	}
	if f := a.facts; f.pauseStandsOut && inSeconds(f.pause) < v.end/100 {
		p.Rules = append(p.Rules, Rule{At: inSeconds(f.pauseAt), Vertical: true, Label: "nothing sent for " + duration(f.pause), Role: RoleText})
	}
	return p, []string{thinNote(a.label+", "+v.about(a), v.slots(a), "Each bar is the tallest of its stretch")}
}

// leastLine joins the least of each bucket, if any is above 0: what is a gap in the
// whole series is a notch in it.
func (st *stacked) leastLine(t *model.Tally, leasts []int, slot float64) (s ChartSeries, any bool) {
	s = ChartSeries{Name: "least of each stretch", Role: RoleLeast, Mark: Line}
	for _, i := range leasts {
		n := st.total(t.Slot(i))
		any = any || n > 0
		s.Points = append(s.Points, Point{X: roundSignificant(float64(i) * slot), Y: float64(n)})
	}
	return s, any
}
