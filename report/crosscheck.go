package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// CrossCheck is what a scenario came to in virtual time and over sockets, to be shown.
type CrossCheck struct {
	Scenario, About, Source, Command, Version string

	Seed          string
	Virtual, Real int // runs
	Partial       bool
	Scale         float64
	Level         string // of false alarms, such as 1 in 10,000
	Short         string // why it is out of reach
	Rows          []CrossRow
	Nothing       int // figures that are 0 in both worlds
	Agrees        bool
	Machine       CrossMachine
	Warnings      []string
	Slot          float64 // seconds
	Slots         []CrossSlot
}

// CrossRow is one figure.
type CrossRow struct {
	Figure                  string // its path in summary.json
	Unit                    Unit
	Certain                 bool
	Virtual, Low, High      model.Number
	Real, RealLow, RealHigh model.Number
	Allowance               float64 // of a time, in seconds
	Verdict, Why            string
	Differs                 bool
	Crowd                   *CrossCrowd // what the verdict is by, where that is not virtual time as it is; else nil
}

// CrossCrowd is a figure of virtual time whose exchanges are as late as a crowd's: its median,
// and where 99 % of its runs are.
type CrossCrowd struct{ Virtual, Low, High model.Number }

// CrossMachine is what was measured of the machine.
type CrossMachine struct {
	Exchanges                 int
	Crowd                     int
	Crowded, CrowdedMost      time.Duration
	Delay, Jitter, Unit, Mean time.Duration
	Taken                     time.Duration
	Chain, Within             int
	Allowance, Calm           float64 // seconds of the scenario
	TimersP90, TimersWorst    time.Duration
	NotFair                   int
	NotFairP90, NotFairMost   time.Duration
}

// CrossSlot is how many attempts were sent in a slot, on average over the runs.
type CrossSlot struct{ Virtual, Real float64 }

func (r CrossRow) write(n model.Number) string {
	switch {
	case r.Unit == InSeconds:
		return seconds(n)
	case r.Figure == crossSlots:
		return percent(n)
	}
	return digits(n, 6)
}

// crossSlots is the row of the test on slots.
const crossSlots = "slots"

func (r CrossRow) cells() []string {
	name := r.Figure
	if name == crossSlots {
		name = "slots: distance of sends"
	}
	return []string{name, r.between(r.Virtual, r.Low, r.High), r.between(r.Real, r.RealLow, r.RealHigh), r.verdict()}
}

func (r CrossRow) between(middle, low, high model.Number) string {
	if low == high || !low.Defined() && !high.Defined() {
		return r.write(middle)
	}
	return fmt.Sprintf("%s (%s to %s)", r.write(middle), r.write(low), r.write(high))
}

// verdict is the verdict and how near or far the two are.
func (r CrossRow) verdict() string {
	text := r.Verdict
	switch {
	case strings.HasPrefix(r.Why, "within"):
		return text + " within " + seconds(model.Number(r.Allowance)) + strings.TrimPrefix(r.Why, "within")
	case r.Why != "":
		text += " " + r.Why
	}
	if r.Crowd != nil {
		text = r.Verdict + ", with " + r.between(r.Crowd.Virtual, r.Crowd.Low, r.Crowd.High) + ": " + r.Why
	}
	if r.Unit == InSeconds && !r.Certain {
		text += ", ± " + seconds(model.Number(r.Allowance))
	}
	return text
}

// Headline says in one sentence what the cross-check found.
func (c *CrossCheck) Headline() string {
	var differ []string
	for _, r := range c.Rows {
		if r.Differs {
			differ = append(differ, r.Figure)
		}
	}
	runs := fmt.Sprintf("%s over real sockets and %s in virtual time", plural(int64(c.Real), "run", "runs"), count(int64(c.Virtual)))
	switch {
	case len(differ) > 0:
		return fmt.Sprintf("%s: virtual time and sockets differ in %s (%s).", c.Scenario, listed(differ, "and"), runs)
	case c.Short != "":
		return fmt.Sprintf("%s: no difference is certain, but %s (%s).", c.Scenario, c.Short, runs)
	}
	agree := "agree in all figures"
	if n := c.crowded(); n > 0 {
		agree = fmt.Sprintf("agree in %s, and in %d only in a crowd: with virtual time whose exchanges are as late as a crowd's are on this machine", plural(int64(len(c.Rows)-n), "figure", "figures"), n)
	}
	return fmt.Sprintf("%s: virtual time and sockets %s (%s).", c.Scenario, agree, runs)
}

// crowded is how many figures agree with what a crowd makes of virtual time.
func (c *CrossCheck) crowded() int {
	n := 0
	for _, r := range c.Rows {
		if r.Crowd != nil && !r.Differs {
			n++
		}
	}
	return n
}

// Method says how the figures are judged.
func (c *CrossCheck) Method() string {
	return fmt.Sprintf("A count that is the same in every seed must be so in every real run. A time must be within %s in the earliest, but for means and tails, which the worst of many exchanges makes; and within %s and the latest timer in all but one, which may have been late where no timer shows it. The others are compared by an exact two-sample test by ranks, times give or take %s; sends may be %s off. p is corrected for their number (Holm): one false alarm in %s, all of these together. What chance does less than once in as many runs as were played in virtual time counts as the same in every seed.%s",
		seconds(model.Number(c.Machine.Calm)), seconds(model.Number(c.Machine.Allowance)), seconds(model.Number(c.Machine.Allowance)), plural(int64(c.Machine.Within), "slot", "slots"), strings.TrimPrefix(c.Level, "1 in "), c.edges())
}

// edges says what an edge is, where there is one.
func (c *CrossCheck) edges() string {
	for _, r := range c.Rows {
		if strings.HasSuffix(r.Why, "edge") {
			return " On an edge two things happen at one instant in virtual time, which no wall's clock has: the figure must lie where it comes to be when starts, answers and time-outs are late by what an exchange may be."
		}
	}
	return ""
}

// Measured says what the machine is like.
func (c *CrossCheck) Measured() []string {
	m := c.Machine
	taken := " The scenario's network has no delay that it could be taken off."
	if m.Taken > 0 {
		taken = fmt.Sprintf(" Half of it, %s at most, is taken off each way of the scenario's network.", duration(m.Taken))
	}
	out := []string{
		fmt.Sprintf("Loopback: an exchange takes %s more than its timers (median of %d over TCP on 127.0.0.1), with a jitter of %s (90 %%).%s",
			duration(m.Delay), m.Exchanges, duration(m.Jitter), taken),
		fmt.Sprintf("A time may be off by 1 ms and the mean of that, %s, for each exchange that waits for the one before it (%s), and by twice the jitter; in the earliest run by 1 ms and the median; where there is a crowd, by what the latest took.", duration(m.Mean), count(int64(m.Chain))),
		fmt.Sprintf("Timers of the runs were late by %s (90 %%) and %s at most, with one each millisecond that only watched.", duration(m.TimersP90), duration(m.TimersWorst)),
	}
	if m.Crowd > 0 {
		out[0] += fmt.Sprintf(" A crowd of %s at once takes %s (90 %%) in the calmest try and %s in the latest: this machine answers one after the other. A figure that does not agree by itself is compared with virtual time whose exchanges are late by half of the calmest, and by all, whichever is nearer (a crowd's).", count(int64(m.Crowd)), duration(m.Crowded), duration(m.CrowdedMost))
	}
	if c.Scale != 1 {
		out[1] += fmt.Sprintf(" All times were played %g times as long, and are shown in the scenario's own: %s there.", c.Scale, seconds(model.Number(m.Allowance)))
	}
	if m.NotFair > 0 {
		out = append(out, fmt.Sprintf("%s played again: the machine was late by %s (90 %%) and %s at most, so it was not a fair witness.", plural(int64(m.NotFair), "run was", "runs were"), duration(m.NotFairP90), duration(m.NotFairMost)))
	}
	return out
}

// Text writes the cross-check for a terminal.
func (c *CrossCheck) Text(w io.Writer, style Style) error {
	s := &screen{style: style}
	s.paragraph(headingInk, c.Headline(), "")
	for _, text := range c.Warnings {
		s.paragraph(warningInk, "warning: "+text, "  ")
	}
	s.end()
	rows := [][]string{{"", "virtual (99 % of seeds)", "real (all)", ""}}
	for _, r := range c.Rows {
		rows = append(rows, r.cells())
	}
	if !s.table(rows, false) {
		s.crossed(rows[1:], c.Rows)
	}
	if c.Nothing > 0 {
		s.paragraph(quietInk, fmt.Sprintf("%s are 0 in both worlds, or undefined.", plural(int64(c.Nothing), "other figure", "other figures")), "")
	}
	s.end()
	for _, text := range append(c.Measured(), c.Method()) {
		s.paragraph(quietInk, text, "")
	}
	_, err := io.WriteString(w, s.b.String())
	return err
}

// crossed writes the figures where a table of all columns has no room: each on two lines.
func (s *screen) crossed(rows [][]string, of []CrossRow) {
	for i, cells := range rows {
		look := plain
		if of[i].Differs {
			look = warningInk
		}
		s.paragraph(look, fmt.Sprintf("%s: virtual %s, real %s", cells[0], cells[1], cells[2]), "  ")
		s.paragraph(look, "  "+cells[3], "  ")
	}
}

// chart draws both histograms over one another.
func (c *CrossCheck) chart() Chart {
	out := Chart{ID: "herd", Title: "When attempts were sent, in both worlds", CanLog: false}
	if len(c.Slots) == 0 {
		out.Empty = "Nothing was sent."
		return out
	}
	const most = 240 // bars
	each := (len(c.Slots) + most - 1) / most
	wide := c.Slot * float64(each)
	out.Reads = fmt.Sprintf("Attempts sent within %s, the mean of all runs: bars in virtual time, the line over sockets.", seconds(model.Number(wide)))
	virtual := ChartSeries{Name: "virtual time", Role: RoleFirst, Mark: Bars}
	real := ChartSeries{Name: "sockets", Role: RoleRetry, Mark: Steps}
	top := 0.0
	out.Table.Head = []string{"from", "virtual time", "sockets"}
	for i := 0; i < len(c.Slots); i += each {
		var sum CrossSlot
		for _, s := range c.Slots[i:min(len(c.Slots), i+each)] {
			sum.Virtual += s.Virtual
			sum.Real += s.Real
		}
		at := float64(i) * c.Slot
		virtual.Points = append(virtual.Points, Point{X: at, Y: sum.Virtual})
		real.Points = append(real.Points, Point{X: at, Y: sum.Real})
		top = max(top, sum.Virtual, sum.Real)
		if sum.Virtual+sum.Real > 0 {
			out.Table.Rows = append(out.Table.Rows, []string{seconds(model.Number(at)), digits(model.Number(sum.Virtual), 4), digits(model.Number(sum.Real), 4)})
		}
	}
	out.Panels = []Panel{{
		Title: "attempts", Height: 200, Slot: wide,
		X:      ChartAxis{Title: "time since the start", Unit: Seconds, Max: float64(len(c.Slots)) * c.Slot},
		Y:      ChartAxis{Title: "attempts sent", Max: math.Max(1, top*1.05)},
		Series: []ChartSeries{virtual, real},
	}}
	return out
}
