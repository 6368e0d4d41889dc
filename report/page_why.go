package report

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// clearly is how many times as long the slower arm takes, for the page to tell why.
const clearly = 2

// contrast is a slow and a fast arm of which the figures bear out what parts them: the
// retries of the slower come together, those of the faster do not, and the seats of the
// slower stand empty in between.
type contrast struct{ slow, fast *arm }

// contrastOf returns the slowest and the fastest arm, and whether they are such a
// contrast.
func contrastOf(as []arm) (contrast, bool) {
	c := contrast{&as[0], &as[0]}
	if len(as) < 2 {
		return c, false
	}
	for i := range as[1:] {
		if a := &as[i+1]; compareEnds(a, c.slow) > 0 {
			c.slow = a
		} else if compareEnds(a, c.fast) < 0 {
			c.fast = a
		}
	}
	slowEnd, slowDone := c.slow.ended()
	fastEnd, fastDone := c.fast.ended()
	f, s, q := c.slow.facts, c.slow.Summary, c.fast.Summary
	switch {
	case !slowDone || !fastDone, slowEnd < clearly*fastEnd, f.capacity == 0,
		float64(s.Herd.BusiestRetry) < 2*f.capacity,
		2*q.Herd.BusiestRetry > s.Herd.BusiestRetry,
		!(q.Provider.Utilisation > s.Provider.Utilisation),
		2*s.Attempts.Rejected < s.Attempts.Total:
		return c, false
	}
	return c, true
}

// why explains, step by step, why one policy took so much longer, as far as the
// figures bear it out. Otherwise it says nothing.
func why(as []arm) []string {
	c, clear := contrastOf(as)
	if !clear {
		return nil
	}
	slow, fast, f := c.slow, c.fast, &c.slow.facts
	slowEnd, _ := slow.ended()
	fastEnd, _ := fast.ended()
	slot := duration(f.slot)
	service, _ := slow.Tally.MeanService()
	return []string{
		fmt.Sprintf("Too many ask at once. The provider serves %s at a time, about %s each, so about %s in %s; the busiest %s brings %s under %s and %s under %s. The rest are turned away and must try again.",
			count(f.seats), roughly(service), f.about(), slot, slot, plural(slow.Summary.Herd.Busiest, "attempt", "attempts"), slow.label, count(fast.Summary.Herd.Busiest), fast.label),
		fmt.Sprintf("Under %s they try again together. Up to %s retries fall into one slot of %s, so nearly all are turned away again, and again together. Between these waves nobody asks, for as long as %s: the seats are busy only %s of the time.",
			slow.label, count(slow.Summary.Herd.BusiestRetry), slot, duration(f.pause), percent(slow.Summary.Provider.Utilisation)),
		fmt.Sprintf("Under %s they try again at different moments. At most %s retries fall into one slot and nobody asks for %s at the longest, so a seat that comes free is soon taken%s. All is done after %s instead of %s.",
			fast.label, count(fast.Summary.Herd.BusiestRetry), duration(fast.facts.pause), fast.saysBusy(), durationOf(fastEnd), durationOf(slowEnd)),
	}
}

// mostly is the share of seats from which they count as busy.
const mostly = 0.6

// saysBusy says when the seats of a fast run are busy and when not: a share of the whole
// run hides that they are idle only when few are left to ask.
func (a *arm) saysBusy() string {
	until, early, known := a.busyUntilHalf()
	whole := a.Summary.Provider.Utilisation
	if !known || early < mostly || early < float64(whole) {
		return fmt.Sprintf(": the seats are busy %s of the time", percent(whole))
	}
	return fmt.Sprintf(". While most still wait for one, the seats are busy about %s of the time (until half are let in, after %s); they idle only towards the end, when few are left to ask, which makes %s over the whole run",
		count(int64(math.Round(100*early)))+" %", duration(until), percent(whole))
}

// busyUntilHalf returns when half of all requests had been let in, and how busy the seats
// were from the first attempt until then.
func (a *arm) busyUntilHalf() (until time.Duration, share float64, known bool) {
	t := a.Tally
	total, first := int64(0), -1
	for i := range t.Slots() {
		s := t.Slot(i)
		if total += s.Accepted; first < 0 && s.First+s.Retries > 0 {
			first = i
		}
	}
	service, served := t.MeanService()
	if total == 0 || first < 0 || !served || a.facts.seats == 0 {
		return 0, 0, false
	}
	let, busy := int64(0), 0.0 // seats, slot by slot
	for i := first; i < t.Slots(); i++ {
		n := t.Slot(i).Accepted
		let += n
		if a.seated != nil {
			busy += a.seated[i]
		} else {
			busy += float64(n) * float64(service) / float64(a.facts.slot)
		}
		if 2*let >= total {
			share = min(1, busy/float64(int64(i+1-first)*a.facts.seats))
			return time.Duration(i+1) * a.facts.slot, share, true
		}
	}
	return 0, 0, false
}

// advised is what to write into a scenario, and why.
type advised struct{ Write, Where, Because string }

// advice is what the figures support: where nothing differs between the slow and the fast
// arm but how their waits are spread, to spread them.
func advice(as []arm) *advised {
	c, clear := contrastOf(as)
	if !clear || c.slow.Config == nil || c.fast.Config == nil {
		return nil
	}
	slow, fast := c.slow.policiesOf(), c.fast.policiesOf()
	if len(slow) != 1 || len(fast) != 1 || !alikeButPolicy(c.slow.Config, c.fast.Config) {
		return nil
	}
	from, to := slow[0].Policy, fast[0].Policy
	var write, where string
	switch {
	case to.Backoff.Decorrelated != nil:
		write, where, to.Backoff = "backoff: decorrelated", "in the policy of ", from.Backoff
	case to.Backoff.Jitter == policies.FullJitter || to.Backoff.Jitter == policies.EqualJitter:
		write, where, to.Backoff.Jitter = "jitter: "+string(to.Backoff.Jitter), "in the backoff of ", from.Backoff.Jitter
	}
	if write == "" || from.Backoff.Jitter != policies.NoJitter || from.Backoff.Decorrelated != nil || !reflect.DeepEqual(from, to) {
		return nil
	}
	slowEnd, _ := c.slow.ended()
	fastEnd, _ := c.fast.ended()
	return &advised{write, where + c.slow.label, fmt.Sprintf("with nothing else changed, %s became %s here, and %s became %s.",
		durationOf(slowEnd), durationOf(fastEnd), plural(c.slow.Summary.Attempts.Total, "attempt", "attempts"), count(c.fast.Summary.Attempts.Total))}
}

// alikeButPolicy says whether two configs differ in nothing but policies.
func alikeButPolicy(a, b *model.Config) bool {
	x, y := *a, *b
	x.Policies, y.Policies = nil, nil
	x.Clients, y.Clients = slices.Clone(x.Clients), slices.Clone(y.Clients)
	for _, clients := range [][]model.Group{x.Clients, y.Clients} {
		for i := range clients {
			clients[i] = clients[i].Under("")
		}
	}
	return reflect.DeepEqual(x, y)
}

func compareEnds(a, b *arm) int {
	x, _ := a.ended()
	y, _ := b.ended()
	return cmp.Compare(x, y)
}
