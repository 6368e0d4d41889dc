package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostDots is how many attempts a panel draws at most.
const mostDots = 5000

// outcomes are the ends of attempts in the order they are drawn.
var outcomes = []struct {
	end  policies.AttemptEnd
	role Role
	name string
}{
	{policies.Rejected, RoleRejected, "rejected"},
	{policies.Errored, RoleErrored, "errored"},
	{policies.TimedOut, RoleTimedOut, "timed out"},
	{policies.Incomplete, RoleIncomplete, "incomplete"},
	{policies.Cancelled, RoleCancelled, "cancelled"},
	{policies.InFlight, RoleInFlight, "still in flight"},
	{policies.Succeeded, RoleAccepted, "succeeded"},
}

func outcomeOf(end policies.AttemptEnd) int {
	for i := range outcomes {
		if outcomes[i].end == end {
			return i
		}
	}
	return 0
}

// clientRows numbers the clients of a trace over its groups in order of name.
type clientRows struct {
	groups []string
	first  map[string]int
	n      int
}

func newClientRows(lines []model.TraceLine) clientRows {
	sizes := map[string]int{}
	for i := range lines {
		l := &lines[i]
		sizes[l.Group] = max(sizes[l.Group], l.Client+1)
	}
	r := clientRows{first: map[string]int{}}
	for group := range sizes {
		r.groups = append(r.groups, group)
	}
	slices.Sort(r.groups)
	for _, group := range r.groups {
		r.first[group] = r.n
		r.n += sizes[group]
	}
	return r
}

func (r *clientRows) of(l *model.TraceLine) int { return r.first[l.Group] + l.Client }

func scatter(as []arm) Chart {
	c := Chart{
		ID: "clients", Title: "Every attempt of every client",
		Reads: "A row for each client, a mark for each attempt at the time it was sent: its colour and shape tell how it ended.",
	}
	if len(as) > 1 && len(views(as)) > 1 {
		c.Reads += " Each policy has its own time axis here."
	}
	for i := range as {
		a := &as[i]
		if a.Trace == nil || len(a.Trace.Lines) == 0 {
			continue
		}
		p, notes := scatterPanel(a)
		c.Panels = append(c.Panels, p)
		c.Notes = append(c.Notes, notes...)
		c.attemptRows(a)
	}
	c.Table.Head = []string{"policy", "group", "client", "attempt", "sent (s)", "answered (s)", "outcome"}
	if len(c.Panels) == 0 {
		c.Empty = noTrace(as)
	}
	return c
}

// noTrace says why there are no attempts to show.
func noTrace(as []arm) string {
	for i := range as {
		if !as[i].Tally.KnowsProvider() && as[i].Summary.Attempts.Total > 0 {
			return "load keeps no trace of attempts."
		}
		if as[i].Trace == nil && as[i].Summary.Attempts.Total > 0 {
			return "No trace of the attempts was kept."
		}
	}
	return "No attempt was sent."
}

func (c *Chart) attemptRows(a *arm) {
	lines := a.Trace.Lines
	if len(lines) > tableRows {
		c.Table.Note += fmt.Sprintf("%s: the first %s of %s attempts. ", a.label, count(tableRows), count(int64(len(lines))))
		lines = lines[:tableRows]
	}
	for i := range lines {
		c.Table.Rows = append(c.Table.Rows, attemptRow(a, &lines[i]))
	}
}

func attemptRow(a *arm, l *model.TraceLine) []string {
	answered := dash
	if l.Answered != policies.Never {
		answered = exactSeconds(l.Answered, 3)
	}
	return []string{a.label, name(l.Group), strconv.Itoa(l.Client), strconv.Itoa(l.Attempt + 1), exactSeconds(l.Sent, 3), answered, verdict(*l)}
}

func scatterPanel(a *arm) (Panel, []string) {
	lines := a.Trace.Lines
	rows := newClientRows(lines)
	p := Panel{
		Title: a.label, About: "0 to " + durationOf(a.end()), Height: 240,
		X: ChartAxis{Title: "time since the start", Unit: Seconds, Max: a.end()},
		Y: ChartAxis{Title: "client", Min: -1, Max: float64(max(rows.n, 1))},
	}
	if len(rows.groups) > 1 {
		for _, group := range rows.groups {
			p.Rules = append(p.Rules, Rule{At: float64(rows.first[group]) - 0.5, Label: name(group), Role: RoleMuted})
		}
	}
	series := make([]ChartSeries, len(outcomes))
	drawn := thinDots(lines, rows, p.X.Max)
	for _, i := range drawn {
		l := &lines[i]
		s := &series[outcomeOf(l.Answer.End)]
		s.Points = append(s.Points, Point{X: inSeconds(l.Sent), Y: float64(rows.of(l)), Note: dotNote(l, len(rows.groups) > 1)})
	}
	for i, o := range outcomes {
		if len(series[i].Points) > 0 {
			p.Series = append(p.Series, ChartSeries{Name: o.name, Role: o.role, Mark: Dots, Points: series[i].Points})
		}
	}
	if len(drawn) == len(lines) {
		return p, nil
	}
	return p, []string{fmt.Sprintf("%s: %s attempts are too many to draw; %s are shown, the first of each outcome in each of many small fields.", a.label, count(int64(len(lines))), count(int64(len(drawn))))}
}

func dotNote(l *model.TraceLine, grouped bool) string {
	var b strings.Builder
	if grouped {
		b.WriteString(name(l.Group) + " ")
	}
	fmt.Fprintf(&b, "client %d, attempt %d: %s", l.Client, l.Attempt+1, verdict(*l))
	return b.String()
}

// thinDots returns the lines to draw: all, or the first of each outcome in each field
// of the finest grid that leaves few enough.
func thinDots(lines []model.TraceLine, rows clientRows, end float64) []int {
	all := make([]int, len(lines))
	for i := range all {
		all[i] = i
	}
	for across := 320; len(all) > mostDots; across = across * 3 / 4 {
		down := max(1, across/3)
		seen := map[[3]int]bool{}
		kept := all[:0]
		for _, i := range all {
			l := &lines[i]
			field := [3]int{int(inSeconds(l.Sent) / end * float64(across)), rows.of(l) * down / max(rows.n, 1), int(l.Answer.End)}
			if !seen[field] {
				seen[field] = true
				kept = append(kept, i)
			}
		}
		all = kept
	}
	return all
}
