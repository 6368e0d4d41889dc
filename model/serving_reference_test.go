package model

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/policies"
)

// plainProvider is the provider as one would write it without care for speed: lists that
// are searched, and work in exact fractions. It knows neither limits nor keys.
type plainProvider struct {
	ProviderConfig
	now      time.Duration
	frozen   bool
	inside   []*plainJob // in order of admission
	calls    []call      // held in a freeze
	log      []string
	verdicts []string
	seats    int
	begun    int
	busy     time.Duration
}

type plainJob struct {
	id             policies.Ticket
	q              *Request
	arrived        time.Duration
	order          int // of beginning
	seated         bool
	since          time.Duration
	done           *big.Rat // work
	firstTold      bool
	whole          int64
	tokens         int64
	fate           EffectKind
	stalled, hangs bool
	gone           bool
	left           time.Duration
	leftOrder      int
}

func (p *plainProvider) sky() sky { return skyAt(p.Weather, p.now) }

func (p *plainProvider) serving() (n int) {
	for _, j := range p.inside {
		if j.seated {
			n++
		}
	}
	return n
}

func (p *plainProvider) speed() *big.Rat {
	s := big.NewRat(int64(p.sky().pace), int64(Whole))
	if pace := p.Service.Pace; pace != nil && p.serving() > int(pace.FullSpeedTo) {
		s.Mul(s, big.NewRat(int64(pace.FullSpeedTo), int64(p.serving())))
	}
	if p.sky().freeze {
		s.SetInt64(0)
	}
	return s
}

// next is the next thing that happens to a job: so much work from now, and what.
func (j *plainJob) next() (*big.Rat, bool) {
	if j.q.Stream && !j.firstTold && (j.tokens > 0 || j.fate == Finish) {
		return new(big.Rat).Sub(big.NewRat(int64(j.q.FirstToken), 1), j.done), true
	}
	return new(big.Rat).Sub(big.NewRat(j.whole, 1), j.done), false
}

func ceil(r *big.Rat) time.Duration {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return time.Duration(q.Int64())
}

// until lets time pass up to now.
func (p *plainProvider) until(now time.Duration) {
	for p.happens(now) {
	}
	p.pass(now)
}

func (p *plainProvider) pass(now time.Duration) {
	worked := new(big.Rat).Mul(p.speed(), big.NewRat(int64(now-p.now), 1))
	for _, j := range p.inside {
		if j.seated {
			p.busy += now - p.now
			if !j.stalled {
				j.done.Add(j.done, worked)
			}
		}
	}
	p.now = now
}

// happens lets the first thing happen that does by now.
func (p *plainProvider) happens(now time.Duration) bool {
	at, what := policies.Never, func() {}
	first := func(t time.Duration, do func()) {
		if t < at {
			at, what = t, do
		}
	}
	for _, e := range edgesOf(p.Weather) {
		if e > p.now {
			first(e, func() { p.edge() })
			break
		}
	}
	if !p.frozen {
		speed := p.speed()
		var best *plainJob
		var bestLeft *big.Rat
		var bestToken bool
		for _, j := range p.inside {
			if !j.seated || j.stalled {
				continue
			}
			left, token := j.next()
			if best != nil {
				c := left.Cmp(bestLeft)
				if c > 0 || c == 0 && (!token && bestToken || token == bestToken && j.order > best.order) {
					continue
				}
			}
			best, bestLeft, bestToken = j, left, token
		}
		if best != nil {
			due := policies.Never
			if bestLeft.Sign() <= 0 {
				due = p.now
			} else if speed.Sign() > 0 {
				due = p.now + ceil(new(big.Rat).Quo(bestLeft, speed))
			}
			first(due, func() { p.made(best, bestToken) })
		}
		if after := time.Duration(p.Abandoned.FreesSeatAfter); after != policies.Never {
			var stop *plainJob
			for _, j := range p.inside {
				if j.gone && !j.hangs && (stop == nil || j.leftOrder < stop.leftOrder) {
					stop = j
				}
			}
			if stop != nil {
				first(max(p.now, stop.left+after), func() { p.end(stop, "stopped") })
			}
		}
		if limit := time.Duration(p.Queue.WaitLimit); limit != policies.Never {
			for _, j := range p.inside {
				if !j.seated && !j.hangs {
					first(max(p.now, j.arrived+limit), func() { p.end(j, "dropped") })
					break
				}
			}
		}
		if len(p.calls) > 0 {
			first(p.now, func() {
				c := p.calls[0]
				p.calls = p.calls[1:]
				p.call(c, true)
			})
		}
	}
	if at > now || at == policies.Never {
		return false
	}
	p.pass(at)
	what()
	return true
}

func (p *plainProvider) edge() {
	s := p.sky()
	p.frozen = s.freeze
	p.seats = int(s.seats.of(int64(p.Seats)))
	if !p.frozen {
		p.serve()
	}
}

func (p *plainProvider) unheard(j *plainJob) string {
	if j.gone {
		return " unheard"
	}
	return ""
}

func (p *plainProvider) tell(format string, args ...any) {
	p.log = append(p.log, p.now.String()+" "+fmt.Sprintf(format, args...))
}

func (p *plainProvider) made(j *plainJob, token bool) {
	switch {
	case token:
		j.firstTold = true
		p.tell("first token%s %d", p.unheard(j), j.id)
	case j.fate == Stalled:
		j.stalled = true
		p.tell("stalled%s %d: %d tokens", p.unheard(j), j.id, j.tokens)
	case j.fate == Cut:
		p.end(j, "cut")
	default:
		p.end(j, "finish")
	}
}

func (p *plainProvider) end(j *plainJob, how string) {
	tokens, busy := int64(0), time.Duration(0)
	if j.seated {
		busy = p.now - j.since
		tokens = j.tokens
		if how == "stopped" && !j.stalled {
			past := new(big.Rat).Sub(j.done, big.NewRat(int64(j.q.FirstToken), 1))
			switch {
			case past.Sign() < 0:
				tokens = 0
			case j.q.PerToken > 0:
				past.Quo(past, big.NewRat(int64(j.q.PerToken), 1))
				tokens = min(tokens, 1+new(big.Int).Quo(past.Num(), past.Denom()).Int64())
			}
		}
	}
	p.inside = slices.DeleteFunc(p.inside, func(o *plainJob) bool { return o == j })
	if how == "dropped" {
		p.tell("dropped%s %d: reject by queue", p.unheard(j), j.id)
	} else {
		p.tell("%s%s %d: %d tokens, %v", how, p.unheard(j), j.id, tokens, busy)
	}
	if j.seated {
		p.serve()
	}
}

// serve gives seats to who waits.
func (p *plainProvider) serve() {
	for p.serving() < p.seats {
		var next *plainJob
		for _, j := range p.inside {
			if j.seated || j.hangs || p.serving() >= p.seats-int(p.Queue.Reserve) && j.q.Priority > 0 {
				continue
			}
			if next == nil || p.before(j, next) {
				next = j
			}
		}
		if next == nil {
			return
		}
		p.tell("served%s %d", p.unheard(next), next.id)
		p.seat(next)
	}
}

// before says whether j, who came after o, is served before him.
func (p *plainProvider) before(j, o *plainJob) bool {
	rank := func(j *plainJob) int {
		if p.Queue.Aging > 0 && p.now-j.arrived >= p.Queue.Aging {
			return 0
		}
		return int(j.q.Priority)
	}
	switch p.Queue.Order {
	case LIFO:
		return true
	case RandomOrder:
		return j.q.Lot < o.q.Lot
	case PriorityOrder:
		return rank(j) < rank(o)
	}
	return false
}

func (p *plainProvider) seat(j *plainJob) {
	j.seated, j.since, j.done, j.order = true, p.now, new(big.Rat), p.begun
	p.begun++
}

// call takes an Offer or a Leave, and writes what it decides.
func (p *plainProvider) call(c call, thaw bool) {
	if p.frozen {
		p.calls = append(p.calls, c)
		if c.q != nil {
			p.verdicts = append(p.verdicts, "later")
		}
		return
	}
	if c.q == nil {
		p.leave(c.id)
		return
	}
	says := func(verdict string) {
		if thaw {
			p.tell("decided %d: %s", c.id, verdict)
		} else {
			p.verdicts = append(p.verdicts, verdict)
		}
	}
	if status := p.sky().outage; status != 0 {
		says(fmt.Sprintf("fail %d", status))
		return
	}
	j := &plainJob{id: c.id, q: c.q, arrived: p.now, fate: Finish, tokens: c.q.Output}
	for i := range p.Faults {
		f := &p.Faults[i]
		if c.q.Luck[i] >= float64(f.Probability)/float64(Whole) {
			continue
		}
		switch {
		case f.Hang:
			j.hangs = true
			p.inside = append(p.inside, j)
			says("hang")
			return
		case f.Status != 0:
			says(fmt.Sprintf("fail %d", f.Status))
			return
		case f.AfterTokens < j.tokens:
			j.tokens, j.fate = f.AfterTokens, Cut
			if f.Stall {
				j.fate = Stalled
			}
		}
		break
	}
	if j.tokens > 0 {
		j.whole = int64(c.q.FirstToken) + (j.tokens-1)*int64(c.q.PerToken)
	}
	room := p.seats
	if c.q.Priority > 0 {
		room -= int(p.Queue.Reserve)
	}
	waits := 0
	for _, o := range p.inside {
		if !o.seated && !o.hangs {
			waits++
		}
	}
	switch {
	case p.serving() < room:
		says("serve")
		p.inside = append(p.inside, j)
		p.seat(j)
	case waits < int(p.Queue.Places):
		says("wait")
		p.inside = append(p.inside, j)
	case p.Queue.Places > 0:
		says("reject by queue")
	default:
		says("reject by seats")
	}
}

func (p *plainProvider) leave(id policies.Ticket) {
	for _, j := range p.inside {
		if j.id != id || j.gone {
			continue
		}
		p.begun++
		j.gone, j.left, j.leftOrder = true, p.now, p.begun
		if j.hangs || p.Abandoned.FreesSeatAfter == 0 {
			p.end(j, "stopped")
		}
		return
	}
}

// anyProvider is a provider of any setting that does not refuse by limits or know keys.
func anyProvider(t *rapid.T) ProviderConfig {
	c := ProviderConfig{}
	c.SetDefaults()
	c.Seats = policies.Count(rapid.IntRange(1, 4).Draw(t, "seats"))
	c.Queue.Places = policies.Count(rapid.IntRange(0, 4).Draw(t, "places"))
	duration := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(1, 20).Draw(t, name)) * 5 * ms
	}
	if c.Queue.Places > 0 {
		c.Queue.Order = rapid.SampledFrom([]QueueOrder{FIFO, LIFO, RandomOrder, PriorityOrder}).Draw(t, "order")
		if rapid.Bool().Draw(t, "limited wait") {
			c.Queue.WaitLimit = WaitLimit(duration("wait limit"))
		}
		if c.Queue.Order == PriorityOrder {
			if rapid.Bool().Draw(t, "ages") {
				c.Queue.Aging = duration("aging")
			}
			c.Queue.Reserve = rapid.Int64Range(0, int64(c.Seats)-1).Draw(t, "reserve")
		}
	}
	if rapid.Bool().Draw(t, "shared") {
		c.Service.Pace = &PaceConfig{FullSpeedTo: policies.Count(rapid.IntRange(1, 3).Draw(t, "full speed to"))}
	}
	switch rapid.IntRange(0, 2).Draw(t, "abandoned") {
	case 0:
		c.Abandoned.FreesSeatAfter = 0
	case 1:
		c.Abandoned.FreesSeatAfter = Patience(duration("frees after"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "faults") {
		f := Fault{First: policies.Unlimited, Probability: Whole / 4}
		switch rapid.IntRange(0, 3).Draw(t, "fault") {
		case 0:
			f.Hang = true
		case 1:
			f.Status = 500
		case 2:
			f.Stall, f.AfterTokens = true, rapid.Int64Range(0, 3).Draw(t, "after")
		case 3:
			f.Cut, f.AfterTokens = CutReset, rapid.Int64Range(0, 3).Draw(t, "after")
		}
		c.Faults = append(c.Faults, f)
	}
	for range rapid.IntRange(0, 3).Draw(t, "weather") {
		w := Weather{At: duration("at") - 5*ms, For: duration("for")}
		share := Share(rapid.IntRange(0, 99).Draw(t, "share")) * (Whole / 100)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			w.Outage = 503
		case 1:
			w.Seats = &share
		case 2:
			w.Pace = &share
			if rapid.Bool().Draw(t, "ramp") {
				w.Ramp = w.For / 3
			}
		case 3:
			w.Freeze = true
		}
		c.Weather = append(c.Weather, w)
	}
	return c
}

func anyCalls(t *rapid.T, faults int) []call {
	var calls []call
	now := time.Duration(0)
	var ids policies.Ticket
	for range rapid.IntRange(1, 40).Draw(t, "calls") {
		if rapid.IntRange(0, 2).Draw(t, "together") > 0 {
			now += time.Duration(rapid.Int64Range(0, 6).Draw(t, "gap")) * 5 * ms
		}
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			now += time.Duration(rapid.Int64Range(1, 1000).Draw(t, "ns"))
		}
		if ids > 0 && rapid.IntRange(0, 3).Draw(t, "leaves") == 0 {
			calls = append(calls, call{at: now, id: policies.Ticket(rapid.IntRange(0, int(ids)-1).Draw(t, "who"))})
			continue
		}
		q := &Request{
			Ask:        Ask{Output: rapid.Int64Range(1, 4).Draw(t, "output"), MaxTokens: policies.Unlimited},
			Stream:     rapid.Bool().Draw(t, "stream"),
			Priority:   uint8(rapid.IntRange(0, 2).Draw(t, "priority")),
			Lot:        float64(rapid.IntRange(0, 7).Draw(t, "lot")) / 8,
			FirstToken: time.Duration(rapid.Int64Range(0, 10).Draw(t, "first")) * 5 * ms,
			PerToken:   time.Duration(rapid.Int64Range(0, 4).Draw(t, "per")) * 5 * ms,
		}
		if rapid.IntRange(0, 4).Draw(t, "odd work") == 0 {
			q.FirstToken += 7
		}
		for range faults {
			q.Luck = append(q.Luck, float64(rapid.IntRange(0, 7).Draw(t, "luck"))/8)
		}
		calls = append(calls, call{at: now, id: ids, q: q})
		ids++
	}
	return calls
}

// Everything the provider tells, when and in which order, is what the plain one tells.
func TestProviderAgainstThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyProvider(t)
		calls := anyCalls(t, len(c.Faults))
		ref := &plainProvider{ProviderConfig: c}
		ref.edge() // what holds at time 0
		for _, call := range calls {
			ref.until(call.at)
			ref.call(call, false)
		}
		ref.until(100 * time.Second)

		check := func(how string, verdicts, log []string) {
			for i := range verdicts {
				verdicts[i], _, _ = cutWait(verdicts[i])
			}
			for i := range log {
				log[i], _, _ = cutWait(log[i])
			}
			if !slices.Equal(verdicts, ref.verdicts) {
				t.Fatalf("%s: verdicts\n%q, want\n%q", how, verdicts, ref.verdicts)
			}
			if !slices.Equal(log, ref.log) {
				t.Fatalf("%s: told\n%q, want\n%q", how, log, ref.log)
			}
		}
		p := NewProvider(c)
		verdicts, log := perform(t, p, calls)
		check("asked at every wake", verdicts, log)
		if got := p.Busy(100 * time.Second); got != ref.busy {
			t.Fatalf("busy for %v, want %v", got, ref.busy)
		}
		if int(p.Serving()) != ref.serving() {
			t.Fatalf("%d in seats at the end, want %d", p.Serving(), ref.serving())
		}
		p.Reset()
		verdicts, log = lately(p, calls)
		check("asked at the end", verdicts, log)
	})
}

// cutWait takes the wait out of a refusal.
func cutWait(s string) (string, string, bool) {
	for i := range s {
		if s[i] == ',' && i+4 <= len(s) && s[i:i+4] == ", in" {
			return s[:i], s[i:], true
		}
	}
	return s, "", false
}
