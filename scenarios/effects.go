package scenarios

import (
	"strconv"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// checkEffects finds what is written and could have no effect, given what else is.
func (d *decoder) checkEffects(s *Scenario) {
	end, _ := d.locate(path{"stop", "after"})
	_, cut := d.set.shown[end] // who cuts a run short by an override knows what it loses
	late := func(begins time.Duration, at path, what, write string) {
		if s.Stop.After > 0 && !cut && begins >= s.Stop.After && !d.isWrong("stop") && !d.isWrong(at...) {
			d.mistakeAt(at, "%s, since the run stops after %s; write %s, or a later stop.after", what, policies.FormatDuration(s.Stop.After), write)
		}
	}
	without := func(at path, format string, args ...any) {
		if d.given(at...) && !d.isWrong(at...) {
			d.mistakeAt(at, format, args...)
		}
	}
	late(s.WarmUp, path{"warm_up"}, "leaves nothing to count", "a shorter one")
	for i := range s.Clients {
		if d.full() {
			return
		}
		g, at := &s.Clients[i], path{"clients", strconv.Itoa(i)}
		late(g.Arrive.At, at.in("arrive").in("at"), "nobody starts", "an earlier time")
		if g.Arrive.Open() && !d.isWrong(at.in("arrive")...) {
			by := "rate"
			if g.Arrive.Trace != "" {
				by = "trace"
			}
			without(at.in("count"), "has no effect beside arrive.%s, which says how many come; remove it, or the %s", by, by)
			without(at.in("repeat"), "has no effect beside arrive.%s, each of whose arrivals is one operation; remove it, or the %s", by, by)
		}
	}
	for i := range s.Provider.Weather {
		late(s.Provider.Weather[i].At, path{"provider", "weather", strconv.Itoa(i), "at"}, "never begins", "an earlier time")
	}
	switch at := (path{"provider", "idempotency"}); {
	case d.isWrong(at...):
	case s.Provider.Idempotency.Mode == model.IdempotencyOff:
		without(at.in("expires"), "has no effect while keys are not looked at; write mode: replay")
		without(at.in("conflict"), "has no effect while keys are not looked at; write mode: replay")
	case s.Provider.Idempotency.Mode == model.IdempotencyAttach:
		without(at.in("conflict"), "has no effect where no key conflicts; write mode: replay, or remove it")
	}
}
