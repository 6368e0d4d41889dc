package report

import (
	"fmt"

	"github.com/stampede-sim/stampede/model"
)

// alike is the relative difference up to which two figures count as the same.
const alike = 0.05

// Versus says in one plain sentence how a run went under against's policy, how it
// goes under its own, and what made the difference, as far as the two summaries show
// it. Names in it are safe to print.
func Versus(run, against Run) string {
	was, is := against.Summary, run.Summary
	if was.Operations.Total == 0 && is.Operations.Total == 0 {
		return fmt.Sprintf("No operation started, under %s or under %s: there is nothing to compare.", against.name(), run.name())
	}
	cause, atMost := "", ""
	verdict := verdictOf(is, was)
	if tamed := stampeded(was) && 2*is.Herd.BusiestRetry <= was.Herd.BusiestRetry && verdict == "does better"; tamed {
		slot := seconds(was.Herd.Slot)
		cause = fmt.Sprintf(", because those %s together came back together (%s in one %s slot)", fate(was.Attempts), plural(was.Herd.BusiestRetry, "retry", "retries"), slot)
		atMost = fmt.Sprintf(", at most %s in one %s slot", plural(is.Herd.BusiestRetry, "retry", "retries"), slot)
		verdict = "tames it"
	}
	plainly := allSucceeded(was) && allSucceeded(is)
	return fmt.Sprintf("Under %s %s%s; %s %s: %s%s.", against.name(), course(was, plainly, "the same "), cause, run.name(), verdict, course(is, plainly, ""), atMost)
}

func allSucceeded(s *model.Summary) bool {
	return s.Operations.Total > 0 && s.Operations.Succeeded == s.Operations.Total
}

// course tells a run: the same 100 operations took 2.31 s and 355 attempts. Told
// plainly, all of them succeeded, and the second mention leaves them out.
func course(s *model.Summary, plainly bool, same string) string {
	o := s.Operations
	calls := same + plural(o.Total, "operation", "operations")
	took := plural(s.Attempts.Total, "attempt", "attempts")
	if s.Wall.Defined() {
		took = seconds(s.Wall) + " and " + took
	}
	switch {
	case plainly && same == "":
		return took
	case plainly:
		return calls + " took " + took
	case o.Total == 0:
		return "no operation started"
	}
	who := count(o.Succeeded)
	switch o.Succeeded {
	case 0:
		who = "none"
	case o.Total:
		who = "all"
	}
	text := who + " of " + calls + " succeeded in " + took
	if o.InFlight > 0 {
		text += ", " + count(o.InFlight) + " still in flight"
	}
	return text
}

// verdictOf compares first what succeeded, then the wall, where both have one, and
// the attempts.
func verdictOf(is, was *model.Summary) string {
	if a, b := success(is), success(was); a != b {
		return better(a > b)
	}
	wall := 0
	if is.Wall.Defined() && was.Wall.Defined() {
		wall = compare(float64(is.Wall), float64(was.Wall))
	}
	sent := compare(float64(is.Attempts.Total), float64(was.Attempts.Total))
	switch {
	case wall == 0 && sent == 0:
		return "makes no difference"
	case wall <= 0 && sent <= 0, wall >= 0 && sent >= 0:
		return better(wall+sent < 0)
	case wall < 0:
		return "is faster but asks more often"
	}
	return "is slower but asks less often"
}

func better(yes bool) string {
	if yes {
		return "does better"
	}
	return "does worse"
}

func success(s *model.Summary) float64 {
	if s.Operations.Total == 0 {
		return 0
	}
	return float64(s.Operations.Succeeded) / float64(s.Operations.Total)
}

// compare is -1 if a is clearly less than b, 1 if clearly more, else 0.
func compare(a, b float64) int {
	switch {
	case a < b*(1-alike):
		return -1
	case b < a*(1-alike):
		return 1
	}
	return 0
}

// stampeded says whether retries came in a herd: a quarter of all operations or more
// in one slot.
func stampeded(s *model.Summary) bool {
	return s.Herd.BusiestRetry >= 5 && 4*s.Herd.BusiestRetry >= s.Operations.Total
}

// fate is what most of the attempts that failed met.
func fate(a model.Attempts) string {
	if a.Rejected >= a.Errored+a.TimedOut+a.Incomplete {
		return "refused"
	}
	return "who failed"
}
