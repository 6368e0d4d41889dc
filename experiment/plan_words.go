package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// words says what the plan came to.
func (p *Plan) words(r *PlanResult) {
	r.Points = p.sorted()
	say := func(format string, args ...any) { r.Says = append(r.Says, fmt.Sprintf(format, args...)) }
	targets := p.targets()
	first, last := r.Points[0], r.Points[len(r.Points)-1]
	switch {
	case r.Found && p.gateInVain(r):
		say("No concurrency is the answer: at %s %s, and one at a time already sends %s a second.", p.Key+"="+r.Answer.Text, rejectedShare(&r.Answer.Use), digits(float64(r.Answer.Use.SendRate)))
		r.Found = false
	case r.Found:
		p.sayAnswer(r, say)
	case first.Verdict == Meets:
		say("Every value that was tried from %s to %s meets %s, so the answer lies beyond; widen --between.", first.Text, last.Text, targets)
	default:
		p.sayNone(r, say)
	}
	p.sayLoss(r, say)
	p.sayMonotone(r, say)
	p.sayGate(r, say)
	p.sayLoad(r, say)
	r.Bounds = p.bounds(r)
	p.sayBounds(r, say)
}

// targets writes the targets as they were asked.
func (p *Plan) targets() string {
	var all []string
	for _, e := range p.Targets {
		all = append(all, e.String())
	}
	return strings.Join(all, " and ")
}

func (p *Plan) sayAnswer(r *PlanResult, say func(string, ...any)) {
	which := "least"
	if r.Greatest {
		which = "greatest"
	}
	say("The %s %s that meets %s is %s (95 %% interval %s; means over %s).", which, p.Key, p.targets(), r.Answer.Text, r.interval(), plural(int64(p.Seeds), "seed"))
	say("At %s: %s. %s", r.Answer.Text, p.figures(r.Answer), bindingWords(&r.Answer.Use))
	if r.Beyond != nil {
		say("At %s: %s. %s", r.Beyond.Text, p.figures(r.Beyond), bindingWords(&r.Beyond.Use))
	}
	var unsure []string
	for _, point := range []*PlanPoint{r.Answer, r.Beyond} {
		if point != nil && !point.Decided {
			unsure = append(unsure, point.Text)
		}
	}
	if p.whole && unsure != nil {
		say("%s seeds do not decide %s: the target lies inside the interval of the mean. More --seeds narrow it.", strconv.Itoa(p.Seeds), strings.Join(unsure, " and "))
	}
	if r.OpenLo || r.OpenHi {
		say("The interval reaches the end of --between; widen it, or take more --seeds.")
	}
}

// interval writes the answer's interval.
func (r *PlanResult) interval() string {
	lo, hi := r.Lo.Text, r.Hi.Text
	switch {
	case r.OpenLo && r.OpenHi:
		return "not within the range"
	case r.OpenLo:
		return "up to " + hi
	case r.OpenHi:
		return lo + " or more"
	case lo == hi:
		return "that alone"
	}
	return lo + " to " + hi
}

func (p *Plan) sayNone(r *PlanResult, say func(string, ...any)) {
	var some []string
	for _, point := range r.Points {
		if point.Verdict == Meets {
			some = append(some, point.Text)
		}
	}
	if some != nil {
		say("Neither end of --between meets %s, but values between them do (%s): there are two places where it crosses; plan for each with a narrower --between.", p.targets(), strings.Join(some, ", "))
		return
	}
	first, last := r.Points[0], r.Points[len(r.Points)-1]
	say("No value from %s to %s meets %s: there is no answer.", first.Text, last.Text, p.targets())
	say("At %s: %s. %s", first.Text, p.figures(first), bindingWords(&first.Use))
	say("At %s: %s. %s", last.Text, p.figures(last), bindingWords(&last.Use))
}

// figures writes the figures of the targets at a value.
func (p *Plan) figures(point *PlanPoint) string {
	var all []string
	for i, e := range p.Targets {
		t := &point.Targets[i]
		switch {
		case t.Undefined > 0:
			all = append(all, fmt.Sprintf("%s is not defined in %d of %d seeds", e.Figure, t.Undefined, p.Seeds))
		case t.CI95[0].Defined() && t.CI95[0] != t.CI95[1]:
			all = append(all, fmt.Sprintf("%s is %s (95 %% %s to %s)", e.Figure, e.Shown(round4(t.Mean)), e.Shown(round4(t.CI95[0])), e.Shown(round4(t.CI95[1]))))
		default:
			all = append(all, fmt.Sprintf("%s is %s", e.Figure, e.Shown(round4(t.Mean))))
		}
	}
	return strings.Join(all, ", ")
}

// bindingWords says what bound.
func bindingWords(u *Use) string {
	switch {
	case u.Binding == "" && u.Busy.Defined():
		return fmt.Sprintf("Nothing binds: seats are busy %s %% of the time.", digits(100*float64(u.Busy)))
	case u.Binding == "":
		return "Nothing binds."
	case u.Rejections == 0:
		return fmt.Sprintf("It is %s: seats are busy %s %% of the time.", boundBy(u.Binding), digits(100*float64(u.Busy)))
	}
	return fmt.Sprintf("It is %s: %s.", boundBy(u.Binding), rejectedShare(u))
}

// boundBy makes a name an adjective: TPM-bound, seat-bound.
func boundBy(name string) string { return strings.TrimSuffix(name, "s") + "-bound" }

func rejectedShare(u *Use) string {
	return fmt.Sprintf("%s %% of attempts are rejected", digits(100*float64(u.Rejections)/float64(u.Attempts)))
}

// sayLoss warns where a time meets its target because the operations that fail are not in it.
func (p *Plan) sayLoss(r *PlanResult, say func(string, ...any)) {
	point := r.Answer
	for _, other := range r.Points {
		if !r.Found && other.Verdict == Meets && (point == nil || other.Use.Success < point.Use.Success) {
			point = other
		}
	}
	if of := p.ofSuccesses(); of != "" && point != nil && point.Use.Success < 1 {
		say("Beware: at %s only %s %% of the operations succeed, and %s is of those alone. Ask for success>=0.999 too, or for all_latency_s.p99, in which what fails never ends.", point.Text, digits(100*float64(point.Use.Success)), of)
	}
}

// ofSuccesses is a target of which failures are no part, where no target is about them.
func (p *Plan) ofSuccesses() (figure string) {
	has := func(name string, words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	}
	for _, e := range p.Targets {
		switch {
		case has(e.Figure, "success", "succeeded", "fail", "all_latency"):
			return ""
		case has(e.Figure, "latency", "first_token"):
			figure = e.Figure
		}
	}
	return figure
}

// sayMonotone warns where the curve goes back and forth.
func (p *Plan) sayMonotone(r *PlanResult, say func(string, ...any)) {
	if !r.Found {
		return
	}
	changes := 0
	for i := 1; i < len(r.Points); i++ {
		a, b := r.Points[i-1], r.Points[i]
		if a.Verdict != b.Verdict && a.Decided && b.Decided {
			changes++
		}
	}
	if changes > 1 {
		say("Beware: the targets are met, missed and met again along the range, so this is the first place where it crosses and not the only one; see the curve.")
	}
}

// gateInVain says whether the answer is one permit, and that does not hold the rate.
func (p *Plan) gateInVain(r *PlanResult) bool {
	return p.isGateOfConcurrency() && r.Greatest && r.Answer.Value <= 1 && r.Answer.Use.Rejections > 0 && r.Answer.Use.Limit.isRate()
}

// sayGate points to a gate of rate where one of concurrency cannot do.
func (p *Plan) sayGate(r *PlanResult, say func(string, ...any)) {
	if !p.isGateOfConcurrency() {
		return
	}
	for _, point := range r.Points {
		l := point.Use.Limit
		if point.Verdict == Meets && r.Found || !l.isRate() {
			continue
		}
		key, unit := "requests", map[string]string{"PS": "/s", "PM": "/min", "PH": "/h", "PD": "/d"}
		name := LimitName(&l.limit)
		per := unit[name[max(0, len(name)-2):]]
		if l.limit.Axis != "requests" {
			key = "tokens"
		}
		write := fmt.Sprintf("{%s: %d%s}", key, l.limit.Limit, per)
		if per == "" {
			write = "{" + key + ": ...}"
		}
		say("A gate of concurrency is no gate of rate: how fast it sends hangs on how fast answers come. %s binds, so gate by rate: write gate: %s.", name, write)
		return
	}
}

// sayLoad warns where more is offered than can be served: at the first values, at the last, or at all.
func (p *Plan) sayLoad(r *PlanResult, say func(string, ...any)) {
	over := func(point *PlanPoint) bool { return point.Use.Load.Defined() && point.Use.Load >= 1 }
	i := slices.IndexFunc(r.Points, over)
	if i < 0 {
		return
	}
	first, last := r.Points[0], r.Points[len(r.Points)-1]
	at, where := r.Points[i], "From %s on"
	switch {
	case over(first) && over(last):
		where = "At all values that were tried, as at %s,"
	case over(first):
		for i+1 < len(r.Points) && over(r.Points[i+1]) {
			i++
		}
		at, where = r.Points[i], "Up to %s"
	}
	say(where+" the load is 1 or more (%s there): work piles up, or is turned away, for as long as it comes, so figures there hang on how long that is, and there is no steady state to plan for.", at.Text, digits(float64(at.Use.Load)))
}

// bounds are those of the answer or, without one, of the first value that has some.
func (p *Plan) bounds(r *PlanResult) []Bound {
	if r.Answer != nil && r.Answer.Use.Bounds != nil {
		return r.Answer.Use.Bounds
	}
	i := slices.IndexFunc(r.Points, func(point *PlanPoint) bool { return point.Use.Bounds != nil })
	if i < 0 {
		return nil
	}
	return r.Points[i].Use.Bounds
}

// sayBounds says what arithmetic alone gives.
func (p *Plan) sayBounds(r *PlanResult, say func(string, ...any)) {
	if len(r.Bounds) > 0 {
		least := slices.MinFunc(r.Bounds, func(a, b Bound) int {
			switch {
			case a.PerSecond < b.PerSecond:
				return -1
			case a.PerSecond > b.PerSecond:
				return 1
			}
			return 0
		})
		say("By arithmetic the provider is %s: %s = %s.", boundBy(least.Name), least.Text, ratePer(float64(least.PerSecond)))
	}
	if point := r.Answer; point != nil && point.Use.Arrivals > 0 && point.Use.InSystem > 0 {
		say("Little's law: %s answered a second with %s being served or queued on average take %s each at the provider.",
			digits(float64(point.Use.Arrivals)), digits(float64(point.Use.InSystem)), seconds(float64(point.Use.InSystem)/float64(point.Use.Arrivals)))
	}
}

// ratePer writes requests a second by the minute where they are few.
func ratePer(perSecond float64) string {
	if perSecond < 10 {
		return digits(60*perSecond) + "/min"
	}
	return digits(perSecond) + "/s"
}

// digits writes a number with four digits, or all of a larger whole part.
func digits(v float64) string {
	if math.Abs(v) >= 1000 {
		return grouped(int64(math.Round(v)))
	}
	return strconv.FormatFloat(round4(model.Number(v)), 'f', -1, 64)
}

func round4(n model.Number) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(float64(n), 'g', 4, 64), 64)
	if err != nil {
		return float64(n)
	}
	return v
}

func seconds(v float64) string {
	if v != 0 && math.Abs(v) < 1 {
		return digits(1000*v) + " ms"
	}
	return digits(v) + " s"
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped writes a whole number in groups of three: 10,000.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
