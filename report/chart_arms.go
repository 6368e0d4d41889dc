package report

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// PageArm is a run on a page. Its trace is of all clients; without one the charts of
// single attempts say that there is none.
type PageArm struct {
	Run
	Trace *model.Trace
}

// arm is a run on a page, made ready to be drawn.
type arm struct {
	PageArm
	role  Role
	label string
	facts herdFacts
}

// herdFacts are what a herd looks like in figures.
type herdFacts struct {
	slot     time.Duration
	seats    int64
	room     int64   // permits of the gates; 0 if not known
	capacity float64 // attempts that the seats can serve in a slot; 0 if not known
	pause    time.Duration
	pauseAt  time.Duration // when the longest time without an attempt began

	pauseStandsOut bool // no other is nearly as long
}

// armRoles are the roles of arms beside each other, in order.
var armRoles = [...]Role{RoleAgainst, RoleRun, RoleThird, RoleFourth, RoleFifth, RoleSixth, RoleSeventh, RoleEighth}

// MostArms is how many runs a page draws at most.
const MostArms = len(armRoles)

// arms returns the runs to draw: no more than the page can tell apart.
func (in *PageInput) arms() []arm {
	given := in.Arms[:min(len(in.Arms), MostArms)]
	out := make([]arm, 0, len(given))
	for i, a := range given {
		role, label := armRoles[i], a.name()
		if len(given) == 1 {
			role = RoleRun
		}
		if in.Compared != nil {
			label = in.Compared.label(i)
		}
		out = append(out, arm{a, role, label, herdFactsOf(a.Tally)})
	}
	return out
}

func herdFactsOf(t *model.Tally) herdFacts {
	f := herdFacts{slot: t.SlotWidth()}
	if seats, limited := t.Seats(); limited {
		f.seats = seats
		if service, known := t.MeanService(); known && service > 0 {
			f.capacity = float64(seats) * float64(f.slot) / float64(service)
		}
	}
	f.room, _ = t.Room()
	last, second := -1, time.Duration(0)
	for i := range t.Slots() {
		if s := t.Slot(i); s.First+s.Retries == 0 {
			continue
		}
		quiet := time.Duration(i-last-1) * f.slot
		switch {
		case last < 0:
		case quiet > f.pause:
			f.pause, f.pauseAt, second = quiet, time.Duration(last+1)*f.slot, f.pause
		default:
			second = max(second, quiet)
		}
		last = i
	}
	f.pauseStandsOut = f.pause > 3*second && f.pause > f.slot
	return f
}

// ended returns when an arm's work was all done; false if it was not.
func (a *arm) ended() (float64, bool) {
	s := a.Summary
	return roundSignificant(float64(s.Wall)), s.Wall.Defined() && s.Operations.InFlight == 0
}

func (a *arm) end() float64 { return inSeconds(a.Tally.End()) }

// view is a stretch of time that panels show.
type view struct {
	end   float64
	about func(*arm) string
	whole bool
}

// Quiet runs last long and herds do not: a picture of the whole hides what happens
// at the start, and one of the start how long it takes.
const (
	muchLonger  = 6    // a run this many times as long as the other is also shown by its start
	manySlots   = 1000 // and so is one of more slots than this
	startOfMany = 200  // slots of the start of a run alone
)

// views returns the stretches of time to show the arms in: the whole and, where that
// would hide it, the start.
func views(as []arm) []view {
	longest, shortest := 0.0, as[0].end()
	for i := range as {
		longest, shortest = max(longest, as[i].end()), min(shortest, as[i].end())
	}
	out := []view{{longest, func(a *arm) string { return "the whole run, " + durationOf(a.end()) }, true}}
	start := 0.0
	switch slot := inSeconds(as[0].facts.slot); {
	case shortest > 0 && longest > muchLonger*shortest:
		start = niceCeil(shortest, 5)
	case longest > manySlots*slot:
		start = startOfMany * slot
	}
	if start > 0 {
		out = append(out, view{start, func(*arm) string { return "the first " + durationOf(start) }, false})
	}
	return out
}

func durationOf(s float64) string { return seconds(model.Number(s)) }

// canServe says how many attempts the seats can serve in a slot.
func (f *herdFacts) canServe() string {
	return fmt.Sprintf("%s can serve %s in %s", plural(f.seats, "seat", "seats"), decimal(model.Number(math.Round(f.capacity*10)/10)), duration(f.slot))
}
