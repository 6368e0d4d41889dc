package model_test

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// What policies do after a failure, as they are documented, written once more.

// judged is what a policy makes of a failure.
func judged(p *policies.Policy, a *policies.Answer) policies.Verdict {
	if p.Hint.ShouldRetry == policies.ObeyRetry && a.Hint.Retry == policies.NoRetry {
		return policies.GiveUp
	}
	verdict := listedAs(p, a)
	if p.Hint.ShouldRetry == policies.ObeyRetry && a.Hint.Retry == policies.DoRetry && verdict == policies.GiveUp {
		return policies.AsTold
	}
	return verdict
}

func listedAs(p *policies.Policy, a *policies.Answer) policies.Verdict {
	t := &p.Triage
	of := policies.ByStatus
	if a.Refusal == policies.BeyondLimit {
		of = t.Impossible
	} else if a.Refusal == policies.QuotaExhausted {
		of = t.Quota
	}
	if verdict, special := map[policies.OfRefusal]policies.Verdict{
		policies.RetryRefused: policies.TryAgain, policies.ToldRefused: policies.AsTold, policies.FatalRefused: policies.GiveUp,
	}[of]; special {
		return verdict
	}
	// A word beats a status, which beats a class, which beats the table.
	status := strconv.Itoa(int(a.Status))
	names := []string{status, status[:1] + "xx"}
	switch {
	case a.End == policies.TimedOut:
		names = append([]string{"timeout"}, names...)
	case a.End == policies.Incomplete || a.Status == 200:
		names = append([]string{"stream"}, names...)
	case a.Status == 0:
		names = append([]string{"connection"}, names...)
	}
	for _, name := range names {
		for verdict, list := range map[policies.Verdict][]policies.Failures{policies.TryAgain: t.Retry, policies.AsTold: t.AsTold, policies.GiveUp: t.Fatal} {
			for _, f := range list {
				if f.String() == name {
					return verdict
				}
			}
		}
	}
	switch {
	case t.Table == policies.EverythingTriage, a.Status == 429, a.Status == 503, a.Status == 529:
		return policies.AsTold
	case a.Status == 0, a.Status == 200, a.Status == 408, a.Status >= 500, a.End == policies.TimedOut:
		return policies.TryAgain
	}
	return policies.GiveUp
}

// backoff is a policy's own wait after so many tries.
func (r *ran) backoff(o *booked, line *model.TraceLine, p *policies.Policy, l *layer, drawn int) time.Duration {
	u := o.co.Draws.Backoff(o.key, int32(drawn))
	plain := p.Backoff
	plain.Jitter, plain.Least, plain.Most = policies.NoJitter, 0, 0
	v := plain.New().Wait(policies.Retry{N: l.tries - 1, Prev: l.prev, Outcome: line.Answer, U: u})
	if p.Backoff.None != nil {
		return v
	}
	lo, hi := v, v
	switch j := string(p.Backoff.Jitter); {
	case j == "full":
		lo = 0
	case j == "equal":
		lo = v / 2
	case j == "added":
		hi = 2 * v
	case strings.Contains(j, ".."):
		from, to, _ := strings.Cut(j, "..")
		lo, hi = partOf(v, portion(from)), partOf(v, portion(to))
	case strings.HasPrefix(j, "+"):
		hi = partOf(v, new(big.Rat).Add(big.NewRat(1, 1), portion(j[1:])))
	case strings.HasPrefix(j, "-"):
		lo = partOf(v, new(big.Rat).Sub(big.NewRat(1, 1), portion(j[1:])))
	case strings.HasSuffix(j, "%"):
		lo, hi = partOf(v, new(big.Rat).Sub(big.NewRat(1, 1), portion(j))), partOf(v, new(big.Rat).Add(big.NewRat(1, 1), portion(j)))
	case j != "none" && j != "":
		more, _ := time.ParseDuration(j)
		hi = v + more
	}
	lo = max(lo, p.Backoff.Least)
	hi = max(hi, lo)
	wait := lo + time.Duration(u*float64(hi-lo))
	if p.Backoff.Most > 0 && wait > p.Backoff.Most {
		return p.Backoff.Most
	}
	return wait
}

// portion is 12.5% as a fraction.
func portion(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, "%"))
	if !ok {
		panic(text)
	}
	return r.Quo(r, big.NewRat(100, 1))
}

// partOf is v * of, rounded down.
func partOf(v time.Duration, of *big.Rat) time.Duration {
	r := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(v)), of)
	return time.Duration(new(big.Int).Quo(r.Num(), r.Denom()).Int64())
}

// hinted weighs the server's hint; failed is why the layer gives up where it asks too much.
func hinted(p *policies.Policy, verdict policies.Verdict, a *policies.Answer, own time.Duration, u float64) (wait time.Duration, failed policies.EndReason) {
	rule, h := p.Hint, a.Hint
	gaveUp := policies.Throttled
	if a.Refusal == policies.QuotaExhausted {
		gaveUp = policies.Quota
	}
	if verdict != policies.AsTold || rule.Mode == policies.IgnoreHint {
		return own, policies.NotEnded
	}
	told := h.Wait
	switch {
	case h.Kind == policies.NoHint:
		if rule.Absent == policies.FailAbsent && 400 <= a.Status && a.Status <= 499 {
			return 0, gaveUp
		}
		return own, policies.NotEnded
	case h.Kind == policies.MalformedHint:
		if rule.Malformed == policies.BackoffMalformed {
			return own, policies.NotEnded
		}
		told = 0
	case told == 0 && rule.Zero == policies.BackoffZero, told < 0 && rule.Past == policies.BackoffZero:
		return own, policies.NotEnded
	}
	if told < 0 {
		told = 0
	}
	if told > rule.UpTo {
		switch rule.Beyond {
		case policies.FailBeyond:
			return 0, gaveUp
		case policies.IgnoreBeyond:
			return own, policies.NotEnded
		case policies.ClampBeyond:
			told = rule.UpTo
		}
	}
	wide := time.Duration(0)
	if text := rule.Spread.String(); strings.HasSuffix(text, "%") {
		wide = partOf(told, portion(text))
	} else {
		wide, _ = time.ParseDuration(text)
	}
	if told < policies.Never {
		told += time.Duration(u * float64(wide))
	}
	if rule.Mode == policies.FloorHint && own > told {
		return own, policies.NotEnded
	}
	return told, policies.NotEnded
}
