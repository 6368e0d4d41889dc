package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Describe says what a policy does, in words that follow its name: waits 200 ms,
// 400 ms, 800 ms … up to 20 s, tries as often as need be.
func Describe(p policies.Policy) string {
	m := mannerOf(p, "the provider's hint")
	return strings.Join(append([]string{m.clause("")}, singular(m.facts)...), ", ")
}

// manner is what a policy does, in parts that sentences are made of.
type manner struct {
	verb   string // waits, or what it does instead
	spread string // how jitter lies on the schedule, %s; "" for none
	plan   string // the schedule of its waits
	facts  []fact
}

// fact is a thing that a policy does besides: of one policy, of several, and what.
type fact struct{ one, many, what string }

func singular(facts []fact) []string {
	var out []string
	for _, f := range facts {
		out = append(out, f.one+" "+f.what)
	}
	return out
}

// clause says how long the policy waits. Where its schedule is the one said just now, it
// is not repeated.
func (m *manner) clause(said string) string {
	plan := m.plan
	if said != "" && plan == said {
		if plan = "as long"; m.spread != "" {
			plan = "that"
		}
	}
	switch {
	case plan == "":
		return m.verb
	case m.spread != "":
		if !strings.Contains(plan, "then") {
			plan = strings.Replace(plan, ", ", ", then ", 1)
		}
		plan = fmt.Sprintf(m.spread, plan)
	}
	return m.verb + " " + plan
}

// mannerOf takes a policy apart. The hint is how the provider's is called; "" where it
// gives none.
func mannerOf(p policies.Policy, hint string) manner {
	if p.Attempts <= 1 {
		return manner{verb: "never tries again"}
	}
	m := waiting(p)
	if p.Attempts == policies.Unlimited {
		m.facts = append(m.facts, fact{"tries", "try", "as often as need be"})
	} else {
		m.facts = append(m.facts, fact{"tries", "try", plural(int64(p.Attempts), "time", "times") + " at most"})
	}
	if hint != "" {
		m.facts = append(m.facts, heeding(p.Hint, hint)...)
	}
	if p.Hint.ShouldRetry == policies.ObeyRetry {
		m.facts = append(m.facts, fact{"does", "do", "what an x-should-retry says"})
	}
	return m
}

// waiting says how long a policy waits before each retry.
func waiting(p policies.Policy) manner {
	b := p.Backoff
	switch {
	case b.Custom != nil:
		return manner{verb: "waits", plan: "as long as code of its own says"}
	case b.Decorrelated != nil:
		d := b.Decorrelated
		return manner{verb: "waits", plan: fmt.Sprintf("a random time between %s and three times its last wait (at first %s), %s at most",
			duration(d.Base), duration(3*d.Base), duration(d.Cap))}
	case b.Multiplied != nil:
		m := b.Multiplied
		return manner{verb: "waits", plan: fmt.Sprintf("a random time between %g and %g times its last wait (at first %s), %s at most",
			m.Factor, 2*m.Factor, duration(m.Base), duration(m.Cap))}
	}
	jitter, least, most := b.Jitter, b.Least, b.Most
	b.Jitter, b.Least, b.Most = policies.NoJitter, 0, 0
	retries := policies.Unlimited
	if p.Attempts != policies.Unlimited {
		retries = p.Attempts - 1
	}
	plan := schedule(b.New(), retries)
	if plan == "" {
		return manner{verb: "tries again at once"}
	}
	m := manner{verb: "waits", plan: plan, spread: spreading(jitter)}
	if e := b.Exponential; e != nil && e.Throttled > 0 {
		m.facts = append(m.facts, fact{"begins", "begin", "with " + duration(e.Throttled) + " after a 429"})
	}
	if least > 0 {
		m.facts = append(m.facts, fact{"waits", "wait", duration(least) + " at least"})
	}
	if most > 0 {
		m.facts = append(m.facts, fact{"waits", "wait", duration(most) + " at most"})
	}
	return m
}

// spreading says how jitter lies on a schedule, %s; "" for none.
func spreading(j policies.Jitter) string {
	percent := func(of float64) string {
		switch of {
		case 50:
			return "half"
		case 100:
			return "all"
		case 200:
			return "twice"
		}
		return strconv.FormatFloat(of, 'f', -1, 64) + " %%"
	}
	switch least, most, more := j.Range(); {
	case more > 0:
		return "%s, and a random time of up to " + duration(more) + " more"
	case least == most:
		return ""
	case least == 0 && most == 100:
		return "a random time between 0 and %s"
	case least == 100 && most == 200:
		return "a random time between once and twice %s"
	default:
		return "a random time between " + percent(least) + " and " + percent(most) + " of %s"
	}
}

// endless stands for the number of a retry after very many others.
const endless = 1 << 30

// schedule lists the waits of a backoff without jitter before so many retries; "" where
// there is none to speak of.
func schedule(b policies.Backoff, retries policies.Count) string {
	wait := func(n int) time.Duration { return b.Wait(policies.Retry{N: n}) }
	last := wait(int(min(retries-1, endless)))
	var first []string
	for n := range int(min(retries, 4)) {
		w := wait(n)
		if w == last && (retries > 4 || n == 0) {
			switch {
			case n == 0 && w == 0:
				return ""
			case n == 0 && retries == 1:
				return duration(w)
			case n == 0:
				return duration(w) + " each time"
			}
			return strings.Join(first, ", ") + ", then " + duration(w) + " each time"
		}
		first = append(first, duration(w))
	}
	if retries <= 4 {
		return strings.Join(first, ", ")
	}
	toward := "up"
	if last < wait(0) {
		toward = "down"
	}
	return fmt.Sprintf("%s … %s to %s", strings.Join(first[:3], ", "), toward, duration(last))
}

// UpTo says how long a hint may be: up to a limit, or below one where the limit is the last
// nanosecond before a whole second.
func UpTo(limit time.Duration) string {
	const day = 24 * time.Hour
	if limit >= 2*day {
		return fmt.Sprintf("up to %.1f days", limit.Hours()/24)
	}
	if next := limit + 1; next%time.Second == 0 {
		return "below " + policies.FormatDuration(next)
	}
	return "up to " + policies.FormatDuration(limit)
}

// heeding says what a policy makes of the provider's hint.
func heeding(r policies.HintRule, hint string) []fact {
	var out []fact
	switch r.Mode {
	case policies.FloorHint:
		out = []fact{{"waits", "wait", "no less than " + hint + " asks"}}
	case policies.ObeyHint:
		out = []fact{{"waits", "wait", "exactly as long as " + hint + " asks where there is one"}}
	default:
		return []fact{{"ignores", "ignore", hint}}
	}
	add := func(is bool, one, many, what string) {
		if is {
			out = append(out, fact{one, many, what})
		}
	}
	add(!r.Spread.None(), "adds", "add", "a random part of up to "+strings.Replace(r.Spread.String(), "%", " %", 1)+" to it")
	if r.UpTo != policies.Never {
		limit := duration(r.UpTo)
		beyond := "one of more than " + limit
		if next := r.UpTo + 1; next%time.Second == 0 {
			beyond = "one of " + duration(next) + " or more"
		}
		add(r.Beyond == policies.IgnoreBeyond, "ignores", "ignore", beyond)
		add(r.Beyond == policies.ClampBeyond, "takes", "take", beyond+" for "+limit)
		add(r.Beyond != policies.IgnoreBeyond && r.Beyond != policies.ClampBeyond, "gives up", "give up", "at "+beyond)
	}
	zero, past := r.Zero == policies.BackoffZero, r.Past == policies.BackoffZero
	add(zero && past, "takes", "take", "one of 0, or a date that is past, for none")
	add(zero && !past, "takes", "take", "one of 0 for none")
	add(past && !zero, "takes", "take", "a date that is past for none")
	add(r.Malformed == policies.ImmediateMalformed, "tries", "try", "again at once after one that cannot be read")
	add(r.Absent == policies.FailAbsent, "gives up", "give up", "at a 4xx without one")
	if len(r.Reads) > 0 {
		var forms []string
		for _, f := range r.Reads {
			forms = append(forms, string(f))
		}
		out = append(out, fact{"reads", "read", "it as " + listed(forms, "or") + " alone"})
	}
	return out
}

// judging says which failures a policy retries.
func judging(t policies.Triage) []fact {
	out := []fact{{"gives up", "give up", "where no retry can help, as at a 401"}}
	if t.Table == policies.EverythingTriage {
		out = []fact{{"retries", "retry", "whatever failed"}}
	}
	if again := append(append([]policies.Failures(nil), t.Retry...), t.AsTold...); len(again) > 0 {
		out = append(out, fact{"retries", "retry", "a " + statusList(again)})
	}
	if len(t.Fatal) > 0 {
		out = append(out, fact{"gives up", "give up", "at a " + statusList(t.Fatal)})
	}
	switch t.Quota {
	case policies.FatalRefused:
		out = append(out, fact{"gives up", "give up", "where a quota is used up"})
	case policies.RetryRefused, policies.ToldRefused:
		out = append(out, fact{"retries", "retry", "where a quota is used up"})
	}
	if t.Impossible != policies.FatalRefused && t.Impossible != "" {
		out = append(out, fact{"retries", "retry", "even what is too large for a limit"})
	}
	return out
}

func statusList(all []policies.Failures) string {
	var texts []string
	for _, s := range all {
		text := s.String()
		switch s.Word {
		case policies.ConnectionFailure:
			text = "broken connection"
		case policies.TimeoutFailure:
			text = "time-out"
		case policies.StreamFailure:
			text = "broken stream"
		}
		texts = append(texts, text)
	}
	return listed(texts, "or")
}

// listed writes a list as a sentence does: a, b and c.
func listed(all []string, word string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " " + word + " " + all[len(all)-1]
}
