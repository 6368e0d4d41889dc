package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// named is a policy of some arm, with the name that tells it from others.
type named struct {
	label string
	policies.Policy
}

// policiesOf are the policies that an arm's groups have, in order.
func (a *arm) policiesOf() []named {
	registry := policies.Default()
	var out []named
	for i := range a.Config.Clients {
		for _, wanted := range a.Config.Clients[i].Stack() {
			p, own := a.Config.Policies[wanted]
			if !own {
				p = registry[wanted]
			}
			out = appendNew(out, named{name(wanted), p})
		}
	}
	return out
}

func appendNew(all []named, p named) []named {
	for i := range all {
		if reflect.DeepEqual(all[i], p) {
			return all
		}
	}
	return append(all, p)
}

// saysPolicies says what each policy does, and what they have in common once.
func saysPolicies(in *PageInput, as []arm) []string {
	var all []named
	for i := range as {
		for _, p := range as[i].policiesOf() {
			if len(as) > 1 && in.Compared != nil && strings.HasPrefix(in.Compared.Key, "policies.") {
				p.label = as[i].label
			}
			all = appendNew(all, p)
		}
	}
	hidden := max(0, len(all)-mostNamed)
	all = all[:len(all)-hidden]
	manners := make([]manner, len(all))
	for i := range all {
		manners[i] = mannerOf(all[i].Policy, hintOf(&as[0].Config.Provider))
	}
	if judged(as, all) {
		for i := range all {
			if all[i].Attempts > 1 {
				manners[i].facts = append(manners[i].facts, judging(all[i].Triage)...)
			}
		}
	}
	common := inCommon(manners)
	var each []string
	for i := range manners {
		m := &manners[i]
		plan := ""
		if first := &manners[0]; i > 0 && first.verb == "waits" && first.spread == "" {
			plan = first.plan
		}
		clause := m.clause(plan)
		if i > 0 && m.verb == manners[0].verb {
			clause = strings.TrimPrefix(clause, "waits ")
		}
		own := append([]string{all[i].label + " " + clause}, singular(without(m.facts, common))...)
		each = append(each, listed(own, "and"))
	}
	if hidden > 0 {
		each = append(each, plural(int64(hidden), "more policy is", "more policies are")+" not told here")
	}
	out := []string{strings.Join(each, "; ") + "."}
	if len(common) == 0 {
		return out
	}
	subject := map[int]string{1: "It", 2: "Both"}[len(all)]
	if subject == "" {
		subject = "All"
	}
	var does []string
	for _, f := range common {
		if len(all) == 1 {
			does = append(does, f.one+" "+f.what)
		} else {
			does = append(does, f.many+" "+f.what)
		}
	}
	return append(out, subject+" "+listed(does, "and")+".")
}

// judged says whether which failures are retried is worth a word: where answers fail for
// another reason than load, and where policies differ in it or in what is usual.
func judged(as []arm, all []named) bool {
	usual := policies.Triage{}
	usual.SetDefaults()
	for i := range as {
		if len(as[i].Config.Provider.Faults) > 0 {
			return true
		}
	}
	for i := range all {
		if all[i].Attempts > 1 && !reflect.DeepEqual(all[i].Triage, usual) {
			return true
		}
	}
	return false
}

func inCommon(manners []manner) []fact {
	var out []fact
	for _, f := range manners[0].facts {
		everywhere := true
		for i := range manners {
			everywhere = everywhere && slices.Contains(manners[i].facts, f)
		}
		if everywhere {
			out = append(out, f)
		}
	}
	return out
}

func without(facts, common []fact) []fact {
	var out []fact
	for _, f := range facts {
		if !slices.Contains(common, f) {
			out = append(out, f)
		}
	}
	return out
}

// hintOf is how the provider's hint is called; "" where it gives none.
func hintOf(p *model.ProviderConfig) string {
	h := p.Hint
	switch {
	case h.RetryAfter.None():
		return ""
	case h.Malformed != "":
		return fmt.Sprintf("the provider's hint, written as %q,", name(h.Malformed))
	case h.RetryAfter.Exact:
		return "the provider's hint of the true wait"
	case h.Scale != model.Whole || h.Late > 0 || h.Round > 0:
		return "the provider's hint"
	}
	return "the provider's hint of " + duration(h.RetryAfter.Wait)
}
