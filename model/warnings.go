package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/sim"
)

// Warnings says what of a config has no effect, whatever chance brings: a summary has it among
// its warnings too.
func (c *Config) Warnings() []string {
	return slices.Concat(c.idleKeys(), c.idleWorkers(), c.cutTraces())
}

// warnings says what a reader of the figures must know.
func (t *Tally) warnings(s *Summary, all *groupTally) []string {
	var out []string
	if text := all.inexact(&t.queueWait); text != "" {
		out = append(out, text)
	}
	if n := s.Operations.InFlight; n > 0 && !t.goesOn {
		why := "stop.after: the horizon came"
		if t.cut {
			why = "the run was interrupted"
		}
		out = append(out, fmt.Sprintf(why+" while %s still in flight; they count as infinitely slow in all_latency_s and are in no other latency", were(n)))
	}
	if text := t.left(s); text != "" {
		out = append(out, text)
	}
	if text := t.recovery.warning(t.end); text != "" {
		out = append(out, text)
	}
	for i := range t.limits {
		if text := t.limits[i].warning(i, &s.Provider.Limits[i], t.pools); text != "" {
			out = append(out, text)
		}
	}
	for i := range t.groups {
		if text := t.groups[i].gate.warning(); text != "" {
			out = append(out, text)
		}
		if g := &t.groups[i]; g.gate.path != "" && g.hedges > 0 {
			out = append(out, fmt.Sprintf("%s: %s sent on the permit of the operation, which the gate's concurrency and rate do not hold back", g.gate.path, hedgesOf(g.hedges)))
		}
		for l := range t.groups[i].cohesion {
			if text := t.groups[i].cohesion[l].warning(t.groups[i].herd(), t.groups[i].waitsOf(l)); text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// CutShort says that somebody ended the run before its end, which no horizon did then.
func (t *Tally) CutShort() { t.cut = true }

// left says what the provider had still to do when the last operation ended, and so did
// the run; "" if nothing, or the run went on.
func (t *Tally) left(s *Summary) string {
	n := t.inFlight.Level() + t.queued.Level()
	if t.goesOn || t.stop != AllDone || s.Operations.InFlight > 0 || n == 0 {
		return ""
	}
	who := "1 request was"
	if n > 1 {
		who = fmt.Sprintf("%d requests were", n)
	}
	return fmt.Sprintf("stop.when: %s still with the provider when the last operation ended; what is made of such answers is billed only when they end, so it is in no tokens and no cost here; write stop.when: horizon", who)
}

// inexact says which percentiles are not exact, and how far off they can be.
func (g *groupTally) inexact(queueWait *sim.Sample) string {
	var names []string
	greatest := 0.0
	for _, of := range []struct {
		name   string
		sample *sim.Sample
	}{
		{"latency_s", &g.latency},
		{"latency_from_send_s", &g.fromSend},
		{"failure_latency_s", &g.failLatency},
		{"first_token_s", &g.firstToken},
		{"gate.waited_s", &g.gateWait},
		{"provider.queue_wait_s", queueWait},
	} {
		if e := of.sample.RelativeError(); e > 0 {
			names, greatest = append(names, of.name), max(greatest, e)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("the percentiles of %s can be up to %.2g %% above the true ones: of more than %d values a histogram is kept (mean and max are exact)", strings.Join(names, ", "), 100*greatest, sim.ExactLimit)
}

// warning says what is odd about a limit; "" if nothing is.
func (l *limitTally) warning(i int, s *LimitSummary, pools []string) string {
	c, path := &l.config, fmt.Sprintf("provider.limits.%d", i)
	size := "limit"
	switch {
	case c.Burst > 0:
		size = "burst"
	case c.Slices > 0:
		size = "slices"
	}
	switch holds := c.capacity(); {
	case l.slope:
	case c.Scope.Kind == ScopePool && !slices.Contains(pools, c.Scope.Pool):
		return fmt.Sprintf("%s.scope: no group is in the pool %s, so this limits nobody; write pool: %s in a group, or another scope", path, c.Scope.Pool, c.Scope.Pool)
	case s.TooLarge > 0:
		return fmt.Sprintf("%s.%s: %s more than the %d it can ever hold, so no wait would do (a request costs %v on average)", path, size, cost(s.TooLarge), holds, tenths(l.asked()))
	case c.Per > 0 && s.MeanCharge > Number(holds):
		return fmt.Sprintf("%s.%s: it holds %d, less than the %v that a request costs on average", path, size, holds, tenths(s.MeanCharge))
	}
	return ""
}

// tenths is a figure in few digits.
func tenths(n Number) float64 { return math.Round(10*float64(n)) / 10 }

func hedgesOf(n int64) string {
	if n == 1 {
		return "1 hedge was"
	}
	return fmt.Sprintf("%d hedges were", n)
}

func were(operations int64) string {
	if operations == 1 {
		return "1 operation was"
	}
	return fmt.Sprintf("%d operations were", operations)
}

func cost(attempts int64) string {
	if attempts == 1 {
		return "1 attempt costs"
	}
	return fmt.Sprintf("%d attempts cost", attempts)
}
