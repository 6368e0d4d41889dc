package report

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// PageArm is a run on a page. Its trace is of all clients; without one the charts of
// single attempts say that there is none. Without its config the page does not tell
// what was set up.
type PageArm struct {
	Run
	Trace  *model.Trace
	Config *model.Config
}

// arm is a run on a page, made ready to be drawn.
type arm struct {
	PageArm
	role  Role
	label string
	facts herdFacts

	seated []float64 // requests in seats in each slot, on average over it; nil where only its end is known
}

// herdFacts are what a herd looks like in figures.
type herdFacts struct {
	slot     time.Duration
	seats    int64
	room     int64         // permits of the gates; 0 if not known
	capacity float64       // attempts that the seats can serve in a slot; 0 if not known
	pause    time.Duration // the longest time without an attempt
	pauseAt  time.Duration // when it began
	toldBy   pauseSource

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
		shown := arm{PageArm: a, role: role, label: label, facts: herdFactsOf(a.Tally)}
		if a.traced() {
			shown.facts.pauseOf(a.Trace)
			shown.seated = seatedIn(a.Tally, a.Trace)
		}
		out = append(out, shown)
	}
	return out
}

// traced says whether the trace has every attempt that was counted.
func (a *PageArm) traced() bool {
	if a.Trace == nil {
		return false
	}
	sent := int64(0)
	for i := range a.Tally.Slots() {
		s := a.Tally.Slot(i)
		sent += s.First + s.Retries
	}
	return sent == int64(len(a.Trace.Lines))
}

// pauseSource says how well a pause is known.
type pauseSource uint8

const (
	bySlots    pauseSource = iota // as a run of empty slots
	byInstants                    // by the instants of a trace
)

// pauseName is what the longest pause is called.
func (f *herdFacts) pauseName() string {
	if f.toldBy == byInstants {
		return "longest time without any attempt"
	}
	return "longest run of empty slots"
}

// pauses is the longest time without an attempt, and how long the next longest is.
type pauses struct{ longest, at, next time.Duration }

func (p *pauses) add(from, quiet time.Duration) {
	if quiet > p.longest {
		p.longest, p.at, p.next = quiet, from, p.longest
		return
	}
	p.next = max(p.next, quiet)
}

// tell says the longest pause.
func (f *herdFacts) tell(p pauses, by pauseSource) {
	f.pause, f.pauseAt, f.toldBy = p.longest, p.at, by
	f.pauseStandsOut = f.pause > 3*p.next && f.pause > f.slot
}

// pauseOf finds the longest time without an attempt by when each was sent.
func (f *herdFacts) pauseOf(t *model.Trace) {
	var p pauses
	for i := 1; i < len(t.Lines); i++ {
		from := t.Lines[i-1].Sent
		p.add(from, t.Lines[i].Sent-from)
	}
	f.tell(p, byInstants)
}

// seatedIn returns how many requests had a seat in each slot, on average over it.
func seatedIn(tally *model.Tally, t *model.Trace) []float64 {
	slot, n := tally.SlotWidth(), tally.Slots()
	mean := make([]float64, n)
	whole := make([]int, n+1) // requests that begin, less those that end, to fill whole slots
	for i := range t.Lines {
		l := &t.Lines[i]
		if l.Served == policies.Never {
			continue
		}
		from, to := l.Served, min(l.Left, tally.End())
		a, b := int(from/slot), int(to/slot)
		if a >= n || to <= from {
			continue
		}
		part := func(d time.Duration) float64 { return float64(d) / float64(slot) }
		if a == b {
			mean[a] += part(to - from)
			continue
		}
		mean[a] += part(time.Duration(a+1)*slot - from)
		whole[a+1]++
		whole[b]--
		if b < n {
			mean[b] += part(to - time.Duration(b)*slot)
		}
	}
	now := 0
	for i := range mean {
		now += whole[i]
		mean[i] = roundSignificant(mean[i] + float64(now))
	}
	return mean
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
	var p pauses
	last := -1
	for i := range t.Slots() {
		if s := t.Slot(i); s.First+s.Retries == 0 {
			continue
		}
		if last >= 0 {
			p.add(time.Duration(last+1)*f.slot, time.Duration(i-last-1)*f.slot)
		}
		last = i
	}
	f.tell(p, bySlots)
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
	past  float64 // shown of an arm that goes on for longer than this
}

// shows says whether a view of an arm shows more than one before it.
func (v view) shows(a *arm) bool { return a.end() > v.past || v.past == 0 }

// Quiet runs last long and herds do not: a picture of the whole hides what happens
// at the start, and one of the start how long it takes.
const (
	muchLonger  = 6    // a run this many times as long as the other is also shown by its start
	manySlots   = 1000 // and so is one of more slots than this
	startOfMany = 200  // slots of the start of a run alone
)

// views returns the stretches of time to show the arms in: the whole and, where that
// would hide it, before it the start.
func views(as []arm) []view {
	longest, shortest := 0.0, as[0].end()
	for i := range as {
		longest, shortest = max(longest, as[i].end()), min(shortest, as[i].end())
	}
	start := 0.0
	switch slot := inSeconds(as[0].facts.slot); {
	case shortest > 0 && longest > muchLonger*shortest:
		start = niceCeil(shortest, 5)
	case longest > manySlots*slot:
		start = startOfMany * slot
	}
	whole := view{longest, func(a *arm) string { return "the whole run, " + durationOf(a.end()) }, start}
	if start == 0 {
		return []view{whole}
	}
	return []view{{start, func(*arm) string { return "the first " + durationOf(start) }, 0}, whole}
}

func durationOf(s float64) string { return seconds(model.Number(s)) }

// canServe says how many attempts the seats can serve in a slot.
func (f *herdFacts) canServe() string {
	return fmt.Sprintf("%s can serve about %s in %s", plural(f.seats, "seat", "seats"), f.about(), duration(f.slot))
}
