package scenarios

import (
	"maps"
	"math"
	"slices"
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
			if n := g.Arrive.Expected(ends(s, g)); n > math.MaxInt32 {
				d.mistakeAt(at.in("arrive").in(by), "makes about %.3g operations, more than the %s that a run can number; write a lower rate, a shorter for, or an earlier stop.after", n, grouped(math.MaxInt32))
			}
			without(at.in("repeat"), "has no effect beside arrive.%s, each of whose arrivals is one operation; remove it, or the %s", by, by)
		}
	}
	for i := range s.Provider.Weather {
		late(s.Provider.Weather[i].At, path{"provider", "weather", strconv.Itoa(i), "at"}, "never begins", "an earlier time")
	}
	d.checkStreamFaults(s)
	d.checkWorkerGates(s)
	d.checkPolicies(s)
	switch at := (path{"provider", "idempotency"}); {
	case d.isWrong(at...):
	case s.Provider.Idempotency.Mode == model.IdempotencyOff:
		without(at.in("expires"), "has no effect while keys are not looked at; write mode: replay")
		without(at.in("conflict"), "has no effect while keys are not looked at; write mode: replay")
	case s.Provider.Idempotency.Mode == model.IdempotencyAttach:
		without(at.in("conflict"), "has no effect where no key conflicts; write mode: replay, or remove it")
	}
}

// ends is when a group's last operation can come.
func ends(s *Scenario, g *model.Group) time.Duration {
	if g.Arrive.For > 0 && g.Arrive.For < s.Stop.After-g.Arrive.At {
		return g.Arrive.At + g.Arrive.For
	}
	return s.Stop.After
}

// checkStreamFaults finds faults of streams where nobody whom they could meet asks for one.
func (d *decoder) checkStreamFaults(s *Scenario) {
	if d.isWrong("clients") {
		return
	}
	for i := range s.Provider.Faults {
		f, at := &s.Provider.Faults[i], path{"provider", "faults", strconv.Itoa(i)}
		key := "in_stream"
		if f.Ending != "" {
			key = "ending"
		}
		meets := func(g model.Group) bool {
			return g.Request.Stream && (f.Keys == nil || slices.Contains(f.Keys, g.Key))
		}
		if d.given(at.in(key)...) && !d.isWrong(at...) && !slices.ContainsFunc(s.Clients, meets) {
			d.mistakeAt(at.in(key), "has no effect where nobody asks for a stream; write request: {stream: true} in a group, or remove the fault")
		}
	}
}

// checkWorkerGates finds gates for each worker of groups that say nothing of workers. Who
// writes workers: 1 means it, as one of a sweep's values.
func (d *decoder) checkWorkerGates(s *Scenario) {
	if d.isWrong("clients") || d.isWrong("gates") {
		return
	}
	const without = "worker has no effect on a single worker; write workers: 2 in the group, or scope: group"
	used, spread := map[string]bool{}, map[string]bool{}
	for i := range s.Clients {
		g, at := &s.Clients[i], path{"clients", strconv.Itoa(i)}
		if g.Gate == nil {
			continue
		}
		workers := d.given(at.in("workers")...)
		used[g.Gate.Name], spread[g.Gate.Name] = true, spread[g.Gate.Name] || workers
		if g.Gate.Name == "" && g.Gate.Scope == policies.WorkerScope && !workers {
			d.mistakeAt(at.in("gate").in("scope"), without)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Gates)) {
		if s.Gates[name].Scope == policies.WorkerScope && used[name] && !spread[name] {
			d.mistakeAt(path{"gates", name, "scope"}, without)
		}
	}
}

// checkPolicies finds settings without effect in the policies that the scenario defines.
func (d *decoder) checkPolicies(s *Scenario) {
	for _, name := range slices.Sorted(maps.Keys(s.Policies)) {
		p, at := s.Policies[name], path{"policies", name}
		if d.full() || d.isWrong(at...) || d.isWrong("clients") {
			continue
		}
		var inner []*model.Group
		outer := false
		for i := range s.Clients {
			stack := s.Clients[i].Stack()
			last := len(stack) - 1
			if stack[last] == name {
				inner = append(inner, &s.Clients[i])
			}
			outer = outer || slices.Contains(stack[:last], name)
		}
		for _, of := range []struct {
			key  string
			says bool
		}{{"timeouts", p.Timeouts != policies.Timeouts{}}, {"stream", p.Stream != policies.StreamRule{}}} {
			if outer && inner == nil && s.Against != name && of.says && d.writes(at.in(of.key)) {
				d.mistakeAt(at.in(of.key), "has no effect in an outer layer; write it in the group or in the innermost policy, or remove it")
			}
		}
		if after := at.in("hedge").in("after"); d.writes(after) {
			if first := beforeHedge(&p, inner); first != "" {
				d.mistakeAt(after, "never comes before %s ends the attempt; write less than that", first)
			}
		}
	}
}

// writes says whether the scenario itself has the key, rather than a preset.
func (d *decoder) writes(at path) bool {
	n, whole := d.locate(at)
	_, ofPreset := d.set.preset[n]
	return whole && !ofPreset
}

// beforeHedge names the time-out that ends an attempt before it could be hedged, in all of
// the groups; "" where a hedge can come.
func beforeHedge(p *policies.Policy, groups []*model.Group) (first string) {
	times := []policies.Timeouts{p.Timeouts}
	if groups != nil {
		times = nil
	}
	for _, g := range groups {
		times = append(times, g.Timeouts.Or(p.Timeouts))
	}
	for _, t := range times {
		switch after := p.Hedge.After.Wait; {
		case after == 0:
			return ""
		case t.Attempt > 0 && after >= t.Attempt:
			first = "timeouts.attempt, " + policies.FormatDuration(t.Attempt) + ","
		case t.Operation > 0 && after >= t.Operation:
			first = "timeouts.operation, " + policies.FormatDuration(t.Operation) + ","
		default:
			return ""
		}
	}
	return first
}
