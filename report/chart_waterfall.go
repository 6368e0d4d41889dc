package report

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostSpans is how many attempts a waterfall shows: the first and the last ones.
const mostSpans = 60

// waterfall shows the attempts of the operation that went worst.
func waterfall(as []arm) Chart {
	c := Chart{
		ID: "waterfall", Title: "The call that ended last",
		Reads: "One operation of one client: a row for each of its attempts, from sent to answered; the thin line is the wait before the next.",
		Table: DataTable{Head: []string{"policy", "group", "client", "attempt", "sent (s)", "answered (s)", "outcome"}},
	}
	for i := range as {
		a := &as[i]
		if a.Trace == nil {
			continue
		}
		lines := worst(a.Trace.Lines)
		if len(lines) == 0 {
			continue
		}
		p, skipped := waterfallPanel(a, lines)
		c.Panels = append(c.Panels, p)
		if skipped > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %s in the middle are left out.", a.label, plural(int64(skipped), "attempt", "attempts")))
		}
		c.Says = append(c.Says, fmt.Sprintf("%s: client %d of %s asked %s.", a.label, lines[0].Client, name(lines[0].Group), plural(int64(len(lines)), "time", "times")))
		for j := range lines {
			if j < mostSpans/2 || j >= len(lines)-mostSpans/2 {
				c.Table.Rows = append(c.Table.Rows, attemptRow(a, &lines[j]))
			}
		}
	}
	if len(c.Panels) == 0 {
		c.Empty = noTrace(as)
	}
	return c
}

// worst returns the attempts of the operation that ended last or not at all, then the
// one with the most attempts, then the first in the trace.
func worst(lines []model.TraceLine) []model.TraceLine {
	type client struct {
		group string
		n     int
	}
	type operation struct {
		first, attempts int // place in the trace, number
		end             time.Duration
	}
	chosen := operation{first: -1}
	compare := func(o operation) {
		if chosen.first < 0 || o.end > chosen.end || o.end == chosen.end && (o.attempts > chosen.attempts || o.attempts == chosen.attempts && o.first < chosen.first) {
			chosen = o
		}
	}
	current := map[client]operation{}
	for i := range lines {
		l := &lines[i]
		key := client{l.Group, l.Client}
		o, more := current[key]
		if more && l.Attempt == 0 {
			compare(o)
			more = false
		}
		if !more {
			o = operation{first: i}
		}
		o.attempts++
		o.end = l.Answered
		current[key] = o
	}
	for _, o := range current {
		compare(o)
	}
	return operationFrom(lines, chosen.first)
}

// operationFrom returns the attempts of the operation whose first is lines[first].
func operationFrom(lines []model.TraceLine, first int) []model.TraceLine {
	if first < 0 {
		return nil
	}
	out := []model.TraceLine{lines[first]}
	for i := first + 1; i < len(lines); i++ {
		l := &lines[i]
		if l.Group != out[0].Group || l.Client != out[0].Client {
			continue
		}
		if l.Attempt == 0 {
			break
		}
		out = append(out, *l)
	}
	return out
}

func waterfallPanel(a *arm, lines []model.TraceLine) (p Panel, skipped int) {
	p = Panel{
		Title: a.label, About: fmt.Sprintf("client %d of %s", lines[0].Client, name(lines[0].Group)),
		X: ChartAxis{Title: "time since the start", Unit: Seconds, Max: a.end()},
		Y: ChartAxis{Title: "attempt", Min: 0.4, Max: float64(min(len(lines), mostSpans)) + 0.6},
	}
	p.Height = min(200, 30+12*min(len(lines), mostSpans))
	waits := ChartSeries{Name: "waiting to try again", Role: RoleWait, Mark: Spans}
	series := make([]ChartSeries, len(outcomes))
	row := 0
	for i := range lines {
		if i >= mostSpans/2 && i < len(lines)-mostSpans/2 {
			skipped++
			continue
		}
		row++
		l := &lines[i]
		answered := a.end()
		if l.Answered != policies.Never {
			answered = inSeconds(l.Answered)
		}
		s := &series[outcomeOf(l.Answer.End)]
		s.Points = append(s.Points, Point{X: inSeconds(l.Sent), X2: answered, Y: float64(row), Note: fmt.Sprintf("attempt %d: %s", i+1, verdict(*l))})
		if i+1 < len(lines) {
			waits.Points = append(waits.Points, Point{X: answered, X2: inSeconds(lines[i+1].Sent), Y: float64(row), Note: "waits " + duration(lines[i+1].Sent-l.Answered)})
		}
	}
	p.Series = []ChartSeries{waits}
	for i, o := range outcomes {
		if len(series[i].Points) > 0 {
			p.Series = append(p.Series, ChartSeries{Name: o.name, Role: o.role, Mark: Spans, Points: series[i].Points})
		}
	}
	return p, skipped
}
