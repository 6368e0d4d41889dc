package report

import (
	"cmp"
	"fmt"
)

// clearly is how many times as long the slower arm takes, for the page to tell why.
const clearly = 2

// why explains, step by step, why one policy took so much longer, as far as the
// figures bear it out: the retries of the slower come together, those of the faster
// do not, and the seats of the slower stand empty in between. Otherwise it says nothing.
func why(as []arm) []string {
	if len(as) < 2 {
		return nil
	}
	slow, fast := &as[0], &as[0]
	for i := range as[1:] {
		if a := &as[i+1]; compareEnds(a, slow) > 0 {
			slow = a
		} else if compareEnds(a, fast) < 0 {
			fast = a
		}
	}
	slowEnd, slowDone := slow.ended()
	fastEnd, fastDone := fast.ended()
	f, s, q := slow.facts, slow.Summary, fast.Summary
	switch {
	case !slowDone || !fastDone, slowEnd < clearly*fastEnd, f.capacity == 0,
		float64(s.Herd.BusiestRetry) < 2*f.capacity,
		2*q.Herd.BusiestRetry > s.Herd.BusiestRetry,
		!(q.Provider.Utilisation > s.Provider.Utilisation),
		2*s.Attempts.Rejected < s.Attempts.Total:
		return nil
	}
	return []string{
		fmt.Sprintf("Too many ask at once. %s; the busiest slot held %s. The rest are turned away and must try again.", f.canServe(), plural(s.Herd.Busiest, "attempt", "attempts")),
		fmt.Sprintf("Under %s they try again together. Up to %s retries fall into one slot of %s, so nearly all are turned away again, and again together. Between these waves nobody asks, for as long as %s: the seats are busy only %s of the time.",
			slow.label, count(s.Herd.BusiestRetry), duration(f.slot), duration(f.pause), percent(s.Provider.Utilisation)),
		fmt.Sprintf("Under %s they try again at different moments. At most %s retries fall into one slot and the longest silence is %s, so a seat that comes free is soon taken: the seats are busy %s of the time, and all is done after %s instead of %s.",
			fast.label, count(q.Herd.BusiestRetry), duration(fast.facts.pause), percent(q.Provider.Utilisation), durationOf(fastEnd), durationOf(slowEnd)),
	}
}

func compareEnds(a, b *arm) int {
	x, _ := a.ended()
	y, _ := b.ended()
	return cmp.Compare(x, y)
}
