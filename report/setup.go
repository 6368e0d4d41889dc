package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostNamed is how many groups, limits or policies a page's set-up tells one by one.
const mostNamed = 5

// setUp says who asks whom and what the policies do, for those who have not read the
// scenario; "" where the configs are not known.
func setUp(in *PageInput, as []arm) string {
	for i := range as {
		if as[i].Config == nil {
			return ""
		}
	}
	var out []string
	for _, of := range []func(*arm) string{(*arm).saysLoad, (*arm).saysProvider, (*arm).saysGates} {
		out = append(out, said(as, of)...)
	}
	return strings.Join(append(out, saysPolicies(in, as)...), " ")
}

// said is what the first arm says, and where others say something else, that they do.
func said(as []arm, of func(*arm) string) []string {
	first := of(&as[0])
	for i := range as[1:] {
		if of(&as[i+1]) != first {
			if first == "" {
				return []string{as[i+1].label + ": " + of(&as[i+1])}
			}
			return []string{as[0].label + ": " + first}
		}
	}
	if first == "" {
		return nil
	}
	return []string{first}
}

// saysLoad says who asks, when and how often.
func (a *arm) saysLoad() string {
	groups := a.Config.Clients
	if len(groups) > mostNamed {
		return fmt.Sprintf("%s of clients ask.", plural(int64(len(groups)), "group", "groups"))
	}
	var each []string
	for i := range groups {
		text := load(&groups[i]) + patience(&groups[i])
		if len(groups) > 1 {
			text = name(groups[i].Name) + ": " + strings.ToLower(text[:1]) + text[1:]
		}
		each = append(each, text)
	}
	return strings.Join(each, "; ") + "."
}

func load(g *model.Group) string {
	when := g.Arrive
	if when.Trace != "" {
		return loadOfTrace(&when)
	}
	if when.Open() {
		rates := "as the scenario says"
		if when.Rate.Steps == nil {
			rates = "at " + when.Rate.Steady.String()
		}
		text := "Operations arrive " + rates + variation(&when.Process)
		if when.For > 0 {
			text += " for " + duration(when.For)
		}
		if when.At > 0 {
			text += ", from " + duration(when.At) + " on"
		}
		return text
	}
	start := "starts"
	if g.Count != 1 {
		start = "start"
	}
	text := plural(int64(g.Count), "client ", "clients ") + start
	switch {
	case when.Over > 0:
		text += fmt.Sprintf(" at random moments between %s and %s", duration(when.At), duration(when.At+when.Over))
	case when.At > 0:
		text += " at once, after " + duration(when.At)
	case g.Count != 1:
		text += " at once"
	}
	switch n := g.Repeat.Operations; {
	case n == policies.Unlimited:
		text += " and ask again and again"
	case n > 1:
		text += fmt.Sprintf(" and ask %s each", plural(int64(n), "time", "times"))
	}
	return text
}

// loadOfTrace says what is replayed, and how fast.
func loadOfTrace(when *model.Arrive) string {
	text := plural(int64(len(when.Playback.Rows)), "operation arrives", "operations arrive") + " as in " + name(when.Trace)
	if s := when.Slice; s != nil {
		text += fmt.Sprintf(" from %s to %s", duration(s[0]), duration(s[1]))
	}
	if when.Speed != model.Whole {
		text += ", " + strconv.FormatFloat(float64(when.Speed)/float64(model.Whole), 'f', -1, 64) + " times as fast"
	}
	if when.OverClients > 0 {
		text += ", dealt out to " + plural(int64(when.OverClients), "client", "clients")
	}
	return text
}

// variation says how arrivals vary, where they do.
func variation(p *model.Process) string {
	switch {
	case p.Poisson != nil:
		return " at random instants"
	case p.Gamma != nil:
		return fmt.Sprintf(" at random instants (gamma gaps of cv %v)", p.Gamma.CV)
	case p.Weibull != nil:
		return fmt.Sprintf(" at random instants (Weibull gaps of cv %v)", p.Weibull.CV)
	}
	return ""
}

// saysProvider says how much the provider can serve, and what it does with the rest.
func (a *arm) saysProvider() string {
	if !a.Tally.KnowsProvider() {
		return "Who served them keeps books of its own: what it did is in none of these figures."
	}
	p := a.Config.Provider
	who := "The provider"
	if p.Preset != "" {
		who += " (" + name(p.Preset) + ")"
	}
	subject := func() string { // later sentences are short of it
		defer func() { who = "It" }()
		return who
	}
	service, known := a.Tally.MeanService()
	known = known && service > 0
	var out []string
	switch {
	case p.Seats != policies.Unlimited:
		text := fmt.Sprintf("%s has %s: it serves %s at a time", subject(), plural(int64(p.Seats), "seat", "seats"), count(int64(p.Seats)))
		if known {
			text += ", about " + roughly(service) + " each, so about " + a.facts.about() + " in a slot of " + duration(a.facts.slot)
		}
		out = append(out, text+a.saysRest()+".")
	case known:
		out = append(out, fmt.Sprintf("%s serves any number at a time, about %s each; time is counted in slots of %s.", subject(), roughly(service), duration(a.facts.slot)))
	}
	if limits := a.Summary.Provider.Limits; len(limits) > 0 {
		var names []string
		for i := range limits[:min(len(limits), mostNamed)] {
			names = append(names, limitLabel(&limits[i]))
		}
		if more := len(limits) - mostNamed; more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		out = append(out, subject()+" has limits: "+strings.Join(names, "; ")+".")
	}
	for i := range p.Faults[:min(len(p.Faults), mostNamed)] {
		out = append(out, subject()+" "+faultText(&p.Faults[i])+".")
	}
	if more := len(p.Faults) - mostNamed; more > 0 {
		out = append(out, subject()+" has "+plural(int64(more), "more fault", "more faults")+".")
	}
	switch p.Idempotency.Mode {
	case model.IdempotencyReplay:
		out = append(out, fmt.Sprintf("%s gives the answer again to an idempotency key that it knows, and refuses one whose answer is being made with a %d.", subject(), p.Idempotency.Conflict))
	case model.IdempotencyAttach:
		out = append(out, subject()+" gives the answer again to an idempotency key that it knows, even while it is being made.")
	}
	if text := weatherText(p.Periods()); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// saysRest says what becomes of those who find no seat.
func (a *arm) saysRest() string {
	switch places := a.Config.Provider.Queue.Places; places {
	case 0:
		return ", and refuses the rest"
	case policies.Unlimited:
		return "; the rest wait in its queue" + queueText(&a.Config.Provider.Queue)
	default:
		return fmt.Sprintf("; %s can wait in its queue%s, and it refuses the rest", count(int64(places)), queueText(&a.Config.Provider.Queue))
	}
}

// saysGates says what holds the clients back before they ask.
func (a *arm) saysGates() string {
	var out []string
	for i := range a.Config.Clients {
		g := &a.Config.Clients[i]
		if g.Gate == nil {
			continue
		}
		gate := g.Gate.GateConfig
		if g.Gate.Name != "" {
			gate = a.Config.Gates[g.Gate.Name]
		}
		if text := gateText(&gate, name(g.Name)); len(out) == 0 || out[len(out)-1] != text {
			out = append(out, text)
		}
	}
	if more := len(out) - mostNamed; more > 0 {
		out = append(out[:mostNamed], fmt.Sprintf("%d more gates stand before others.", more))
	}
	return strings.Join(out, " ")
}

func gateText(c *policies.GateConfig, group string) string {
	var does []string
	if c.Concurrency > 0 && c.Concurrency != policies.Unlimited {
		does = append(does, "at most "+count(int64(c.Concurrency))+" at a time")
	}
	if c.Requests != nil {
		does = append(does, perTimeOf(*c.Requests, "requests"))
	}
	if c.Tokens != nil {
		does = append(does, perTimeOf(*c.Tokens, "tokens"))
	}
	whose := "A gate before all clients of " + group
	switch c.Scope {
	case policies.ClientScope:
		whose = "A gate before each client of " + group
	case policies.FleetScope:
		whose = "One gate before the whole fleet"
	}
	return whose + " lets " + listed(does, "and") + " through."
}

// perTimeOf writes a rate as limits are written: 40,000 tokens/min.
func perTimeOf(r policies.Rate, what string) string {
	number, per, _ := strings.Cut(r.String(), "/")
	whole, part, parted := strings.Cut(number, ".")
	if number = group(whole); parted {
		number += "." + part
	}
	return number + " " + what + "/" + per
}

// roughly writes a time with two digits.
func roughly(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return duration(d.Round(unit))
}

// about is roughly how many the seats can serve in a slot.
func (f *herdFacts) about() string {
	switch c := f.capacity; {
	case c >= 3:
		return count(int64(math.Round(c)))
	case c >= 0.1:
		return decimal(model.Number(math.Round(c*10) / 10))
	default:
		return digits(model.Number(c), 1)
	}
}
