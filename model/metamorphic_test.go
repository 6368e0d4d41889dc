package model_test

import (
	"encoding"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/scenarios/random"
)

// pair draws a scenario and plays it as it is and again changed, unless either is too
// long to look at. The change may decline.
func pair(t *rapid.T, prepare, change func(c *model.Config) bool, options ...random.Option) (was, is *ran, text []byte) {
	s := random.Scenario(t, options...)
	twin, err := scenarios.Decode("random.yaml", s.YAML) // shares nothing
	if err != nil {
		t.Fatal(err)
	}
	if !prepare(&s.Config) || !prepare(&twin.Config) || !change(&twin.Config) {
		return nil, nil, nil
	}
	if was, err = play(&s.Config, s.Seed, nil); errors.Is(err, errLong) {
		return nil, nil, nil
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, s.YAML)
	}
	if is, err = play(&twin.Config, s.Seed, nil); err != nil {
		t.Fatalf("only changed: %v\n%s", err, s.YAML)
	}
	return was, is, s.YAML
}

func asItIs(*model.Config) bool { return true }

// sameLines compares attempts one by one.
func sameLines(t *rapid.T, was, is []model.TraceLine, text []byte) {
	if slices.Equal(was, is) {
		return
	}
	for i := range was {
		if i >= len(is) || was[i] != is[i] {
			t.Fatalf("attempt %d of %d was %+v and is %+v\n%s", i, len(was), was[i], at(is, i), text)
		}
	}
	t.Fatalf("%d attempts were %d\n%s", len(is), len(was), text)
}

func at(lines []model.TraceLine, i int) any {
	if i < len(lines) {
		return lines[i]
	}
	return "none"
}

// sameFigures compares figures; want says what one should be, and whether it is to be
// compared.
func sameFigures(t *rapid.T, was, is *model.Summary, want func(name string, n model.Number) (model.Number, bool), text []byte) {
	figures := map[string]model.Number{}
	was.EachFigure(func(path []string, n model.Number) { figures[model.JoinPath(path)] = n })
	is.EachFigure(func(path []string, n model.Number) {
		name := model.JoinPath(path)
		w, compared := want(name, figures[name])
		if compared && (w.Defined() != n.Defined() || n.Defined() && math.Abs(float64(w-n)) > 1e-9*math.Abs(float64(w))) {
			t.Fatalf("%s was %v and is %v, want %v\n%s", name, figures[name], n, w, text)
		}
	})
}

func unchanged(_ string, n model.Number) (model.Number, bool) { return n, true }

// walk calls visit for everything below v that can be set, what holds it first.
func walk(v reflect.Value, visit func(v reflect.Value) (deeper bool)) {
	if v.CanSet() && !visit(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), visit)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Map:
		fresh := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			k, item := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			item.Set(v.MapIndex(key))
			walk(k, visit)
			walk(item, visit)
			fresh.SetMapIndex(k, item)
		}
		if v.CanSet() && !v.IsNil() {
			v.Set(fresh)
		}
	}
}

// certain takes all chance out of a config, and what does not double exactly: all times
// are whole milliseconds, and one unit of any rate or limit is.
func certain(c *model.Config) bool {
	if c.Policies == nil {
		c.Policies = policies.Registry{}
	}
	for name, p := range policies.Default() {
		if _, own := c.Policies[name]; !own {
			c.Policies[name] = p
		}
	}
	for name, p := range c.Policies {
		if p.Backoff.Decorrelated != nil || p.Backoff.Multiplied != nil {
			p.Backoff.Decorrelated, p.Backoff.Multiplied, p.Backoff.Constant = nil, nil, &policies.Constant{Delay: 50 * time.Millisecond}
		}
		p.Backoff.Jitter, p.Hint.Spread, p.Hint.Reads = policies.NoJitter, policies.Spread{}, nil
		if e := p.Backoff.Exponential; e != nil {
			e.Factor = math.Ceil(e.Factor)
		}
		if p.Hedge != nil && p.Hedge.After.Percent > 0 {
			p.Hedge = &policies.Hedge{After: policies.HedgeAfter{Wait: 50 * time.Millisecond}, AtMost: p.Hedge.AtMost}
		}
		c.Policies[name] = p
	}
	for i := range c.Clients {
		a := &c.Clients[i].Arrive
		a.Over, a.Process, a.Ramp, a.Playback.Speed = 0, model.Process{}, false, model.Whole
		if cancel := c.Clients[i].Cancel; cancel != nil {
			c.Clients[i].Cancel = &model.CancelConfig{Probability: model.Whole, After: cancel.After}
		}
	}
	p := &c.Provider
	p.Hint.Format, p.Hint.Scale, p.Hint.Malformed = []model.HintFormat{model.MillisFormat}, model.Whole, ""
	for i := range p.Faults {
		p.Faults[i].Probability = model.Whole
	}
	for i := range p.Weather {
		p.Weather[i].Ramp = 0
	}
	p.Weather = slices.DeleteFunc(p.Weather, func(w model.Weather) bool { return w.Pace != nil })
	p.Service.Pace = nil // whose ends are rounded to the nanosecond
	if p.Queue.Order == model.RandomOrder {
		p.Queue.Order = model.LIFO
	}
	for i := range p.Limits {
		if l := &p.Limits[i]; l.Per > 0 && l.Per%(time.Duration(l.Limit)*time.Millisecond) != 0 {
			l.Limit = 10
		}
	}
	walk(reflect.ValueOf(c), func(v reflect.Value) bool {
		switch x := v.Addr().Interface().(type) {
		case *time.Duration:
			if up := (*x + time.Millisecond - 1) / time.Millisecond * time.Millisecond; *x < policies.Never/2 {
				*x = up
			}
		case *policies.Rate:
			if x.N > 0 && x.Per%(time.Duration(x.N)*time.Millisecond) != 0 {
				*x = policies.Rate{N: 10, Per: time.Second}
			}
			return false
		case *model.DurationDist:
			if x.Constant == nil && !reflect.ValueOf(*x).IsZero() {
				*x = model.DurationDist{Constant: new(10 * time.Millisecond)}
			}
		case *model.TokenDist:
			if x.Constant == nil && !reflect.ValueOf(*x).IsZero() {
				*x = model.TokenDist{Constant: new(int64(7))}
			}
		}
		return true
	})
	return true
}

// double makes every time twice as long, and every rate half as great.
func double(c *model.Config) bool {
	walk(reflect.ValueOf(c), func(v reflect.Value) bool {
		switch x := v.Addr().Interface().(type) {
		case *time.Duration:
			if *x < policies.Never/2 {
				*x *= 2
			}
		case *policies.Rate:
			x.Per *= 2
			return false
		case encoding.TextMarshaler:
			if text, err := x.MarshalText(); err == nil && v.Kind() == reflect.Int64 {
				if _, err := time.ParseDuration(string(text)); err == nil {
					v.SetInt(2 * v.Int())
				}
			}
		}
		return true
	})
	return true
}

// Where nothing is left to chance, time has no unit: all times twice as long make a run
// that is twice as long, to the nanosecond, and otherwise the same.
func TestTwiceAsLong(t *testing.T) {
	played := 0
	randomly(t, scenariosToTry(t)/2, func(t *rapid.T) {
		was, is, text := pair(t, certain, double, random.Without("ProviderConfig.preset", "LimitConfig.algorithm=two-window"))
		if was == nil {
			return
		}
		played++
		twice := func(d *time.Duration) {
			if *d != policies.Never {
				*d *= 2
			}
		}
		want := slices.Clone(was.trace.Lines)
		for i := range want {
			l := &want[i]
			for _, d := range []*time.Duration{&l.Sent, &l.Arrived, &l.Served, &l.Left, &l.FirstSeen, &l.Answered, &l.Wait, &l.Answer.Hint.Wait} {
				twice(d)
			}
		}
		sameLines(t, want, is.trace.Lines, text)
		ops := slices.Clone(was.trace.Operations)
		for i := range ops {
			o := &ops[i]
			for _, d := range []*time.Duration{&o.Started, &o.Ended, &o.AtGate, &o.Sending, &o.BackingOff} {
				twice(d)
			}
		}
		if !slices.Equal(ops, is.trace.Operations) {
			t.Fatalf("operations were %+v and are %+v\n%s", was.trace.Operations, is.trace.Operations, text)
		}
		sameFigures(t, was.summary, is.summary, func(name string, n model.Number) (model.Number, bool) {
			switch {
			case strings.HasSuffix(name, "_per_s"):
				n /= 2
			case model.InSeconds(name):
				n *= 2
			}
			return n, true
		}, text)
	})
	enough(t, played)
}

// scenariosTried is how many scenarios a rule is tried on: under -short, rapid takes a fifth.
func scenariosTried(t *testing.T) int {
	of := scenariosToTry(t) / 2
	if testing.Short() {
		of /= 5
	}
	return of
}

// enough sees to it that most of the scenarios were of use.
func enough(t *testing.T, played int) {
	t.Helper()
	if of := scenariosTried(t); played < of/3 {
		t.Errorf("only %d of %d scenarios were played", played, of)
	}
}

// halve splits the first closed group of two or more into two of their own names that
// share its key and its tenant. A gate of the group's own would be two gates then.
func halve(c *model.Config) bool {
	for i := range c.Clients {
		g := c.Clients[i]
		if g.Arrive.Open() || g.Count < 2 || !mayShare(c, g.Gate) {
			continue
		}
		if g.Key == "" {
			g.Key = "of both halves"
		}
		if g.Tenant == "" {
			g.Tenant = "of both halves"
		}
		one, two := g, g
		one.Name, two.Name = g.Name+"1", g.Name+"2"
		one.Count = g.Count / 2
		two.Count = g.Count - one.Count
		c.Clients = append(slices.Delete(c.Clients, i, i+1), two, one)
		return true
	}
	return false
}

func mayShare(c *model.Config, g *model.GroupGate) bool {
	if g == nil {
		return true
	}
	scope := g.Scope
	if g.Name != "" {
		scope = c.Gates[g.Name].Scope
	}
	return scope == policies.ClientScope || scope == policies.FleetScope && g.Name != ""
}

// Where nothing is left to chance, who is in which group changes no total at all.
func TestTwoHalvesAreTheWhole(t *testing.T) {
	played := 0
	randomly(t, scenariosToTry(t)/2, func(t *rapid.T) {
		was, is, text := pair(t, certain, halve)
		if was == nil {
			return
		}
		played++
		sameFigures(t, was.summary, is.summary, func(name string, n model.Number) (model.Number, bool) {
			return n, !strings.HasPrefix(name, "groups")
		}, text)
	})
	if of := scenariosTried(t); played < of/5 {
		t.Errorf("only %d of %d scenarios were played", played, of)
	}
}

// With chance, a group's name decides what its clients draw, so one run of two halves is
// another; but over many seeds the means are the same, here within 4 standard errors of
// their difference (a right model fails one of these four tests once in 4,000 versions).
func TestTwoHalvesAreTheWholeOnAverage(t *testing.T) {
	const seeds = 200
	for _, name := range []string{"herd-100", "herd-20"} {
		whole, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		halves, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !halve(&halves.Config) {
			t.Fatalf("%s cannot be halved", name)
		}
		measure := func(s *scenarios.Scenario) (attempts, walls []float64) {
			w, err := model.NewWorld(&s.Config)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(seeds) {
				r, err := play(&s.Config, seed+1, w)
				if err != nil {
					t.Fatal(err)
				}
				attempts = append(attempts, float64(r.summary.Attempts.Total))
				walls = append(walls, float64(r.summary.Wall))
			}
			return attempts, walls
		}
		a, aw := measure(whole)
		b, bw := measure(halves)
		for _, f := range []struct {
			says string
			a, b []float64
		}{{"attempts", a, b}, {"wall", aw, bw}} {
			ma, va := moments(f.a)
			mb, vb := moments(f.b)
			if off := math.Abs(ma-mb) / math.Sqrt((va+vb)/seeds); off > 4 {
				t.Errorf("%s: %s of the whole %v, of two halves %v: %.1f standard errors apart", name, f.says, ma, mb, off)
			}
		}
	}
}

func moments(of []float64) (mean, variance float64) {
	for _, x := range of {
		mean += x / float64(len(of))
	}
	for _, x := range of {
		variance += (x - mean) * (x - mean) / float64(len(of)-1)
	}
	return mean, variance
}

// A limit that nobody ever meets changes nothing.
func TestAnIdleLimiter(t *testing.T) {
	played := 0
	randomly(t, scenariosToTry(t)/2, func(t *rapid.T) {
		was, is, text := pair(t, asItIs, func(c *model.Config) bool {
			c.Provider.Limits = append(c.Provider.Limits,
				model.LimitConfig{Axis: model.LimitRequests, Limit: 1e12, Per: 24 * time.Hour, Algorithm: model.FixedWindowAlgorithm},
				model.LimitConfig{Axis: model.LimitTokens, Limit: 1e12, Per: time.Second, Scope: model.LimitScope{Kind: model.ScopeKey}},
				model.LimitConfig{Axis: model.LimitConcurrency, Limit: 1e12})
			return true
		}, random.Without("Weather.limits")) // in which it could be met
		if was == nil {
			return
		}
		played++
		sameLines(t, was.trace.Lines, is.trace.Lines, text)
		sameFigures(t, was.summary, is.summary, unchanged, text)
	})
	enough(t, played)
}

// The order in which a file lists its groups changes nothing.
func TestOrderOfGroups(t *testing.T) {
	played := 0
	randomly(t, scenariosToTry(t)/2, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 5).Draw(t, "order")
		was, is, text := pair(t, asItIs, func(c *model.Config) bool {
			if seed%2 == 1 {
				slices.Reverse(c.Clients)
			}
			for range seed / 2 {
				c.Clients = append(c.Clients[1:], c.Clients[0])
			}
			return true
		})
		if was == nil {
			return
		}
		played++
		sameLines(t, was.trace.Lines, is.trace.Lines, text)
		was.summary.Warnings, is.summary.Warnings = nil, nil // which name groups by their place
		if a, b := document(t, was.summary), document(t, is.summary); string(a) != string(b) {
			t.Fatalf("the summary was %s and is %s\n%s", a, b, text)
		}
	})
	enough(t, played)
}

// Who comes when all is over changes nobody, whatever it is called.
func TestALateBystander(t *testing.T) {
	played := 0
	randomly(t, scenariosToTry(t)/2, func(t *rapid.T) {
		s := random.Scenario(t)
		was, err := play(&s.Config, s.Seed, nil)
		if errors.Is(err, errLong) {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, s.YAML)
		}
		if was.end >= s.Stop.After {
			return
		}
		played++
		s.Stop.After = was.end + time.Hour
		for _, name := range []string{"aaa", "bb", "zzz"} {
			c := s.Config
			g := model.Group{}
			g.SetDefaults()
			g.Name, g.Count, g.Policy, g.Arrive.At = name, 5, "none", was.end+time.Minute
			c.Clients = append([]model.Group{g}, c.Clients...)
			is, err := play(&c, s.Seed, nil)
			if err != nil {
				t.Fatalf("with %s: %v\n%s", name, err, s.YAML)
			}
			others := slices.DeleteFunc(is.trace.Lines, func(l model.TraceLine) bool { return l.Group == name })
			for i := range others { // who left while its answer was being made is now known to have had it
				if i < len(was.trace.Lines) && was.trace.Lines[i].Left == policies.Never && others[i].Left >= was.end {
					others[i].Left = policies.Never
				}
				if i < len(was.trace.Lines) && was.trace.Lines[i].Served == policies.Never && others[i].Served >= was.end {
					others[i].Served = policies.Never
				}
				if i < len(was.trace.Lines) && was.trace.Lines[i].Arrived == policies.Never && others[i].Arrived >= was.end {
					others[i].Arrived = policies.Never
				}
			}
			sameLines(t, was.trace.Lines, others, s.YAML)
			for group, g := range was.summary.Groups {
				now := is.summary.Groups[group]
				// What was still being made is known by now, and billed.
				g.Tokens, now.Tokens = model.TokenSums{}, model.TokenSums{}
				g.Answers, now.Answers = 0, 0
				g.Cost, now.Cost = model.Cost{}, model.Cost{}
				if a, b := document(t, g), document(t, now); string(a) != string(b) {
					t.Fatalf("with %s, group %s was %s and is %s\n%s", name, group, a, b, s.YAML)
				}
			}
		}
	})
	enough(t, played)
}

// A bucket that starts empty fills from the beginning, in weather as in sunshine, also where
// nobody looks at it: somebody who came and went long before changes nothing.
func TestABucketFillsUnseen(t *testing.T) {
	for _, early := range []string{"", "{name: a, arrive: {at: 1s}}, "} {
		s, err := scenarios.Decode("test.yaml", []byte(`
name: books
provider:
  limits: [{axis: requests, limit: 10, per: 1s, start: empty}]
  weather: [{at: 2s, for: 500ms, limits: 10%}]
clients: [`+early+`{name: b, arrive: {at: 2100ms}}]
`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := play(&s.Config, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.summary.Groups["b"].Attempts.Rejected; n != 0 {
			t.Errorf("after %q the full bucket refuses", early)
		}
	}
}
