package experiment

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// Scaled returns a scenario in which all takes so many times as long: a hang of 300 s is
// over in 3 s at 0.01. Every duration is multiplied (service, network, backoffs, hints,
// time-outs, weather, periods of limits, slots), and with it the time a rate is over, so a
// rate grows as times shrink. Counts, tokens and shares stay.
//
// A Retry-After of whole seconds cannot shrink: it becomes one of milliseconds
// (retry-after: 0.050), which is rounded up as before, to a second of the scenario's own
// time. Who reads whole seconds alone would not read that, and is refused, as are a date, a
// round of the hint that makes no one rounding with the second's, and a policy that a Go
// program brought along.
func Scaled(s *scenarios.Scenario, by float64) (*scenarios.Scenario, error) {
	if by == 1 {
		return s, nil
	}
	sc := &scaler{by: by}
	out := *s
	sc.copy(reflect.ValueOf(&out.Config).Elem(), reflect.ValueOf(&s.Config).Elem())
	h := &out.Provider.Hint
	for i, f := range h.Format {
		switch f {
		case model.DateFormat:
			return nil, fmt.Errorf("%s: provider.hint.format: a date has whole seconds of the wall, so it cannot be scaled; write ms or float, or leave --scale out", s.Name)
		case model.SecondsFormat:
			h.Format[i] = model.FloatFormat
			if h.RetryAfter.None() {
				continue
			}
			round, one := roundings(s.Provider.Hint.Round, time.Second)
			if !one {
				return nil, fmt.Errorf("%s: provider.hint.round: %v and a Retry-After of whole seconds round twice, which cannot be scaled; write a round that divides 1s, or leave --scale out", s.Name, s.Provider.Hint.Round)
			}
			h.Round = sc.duration(round)
		}
	}
	if decimals := !slices.Equal(h.Format, s.Provider.Hint.Format); decimals && !h.RetryAfter.None() {
		group, err := readsSecondsAlone(&out.Config)
		switch {
		case err != nil:
			return nil, err
		case group != "":
			return nil, fmt.Errorf("%s: group %q reads a Retry-After of whole seconds alone, which cannot be scaled; leave --scale out", s.Name, group)
		}
	}
	h.Format = slices.Compact(h.Format)
	if sc.refused != "" {
		return nil, fmt.Errorf("%s: %s cannot be scaled; leave --scale out", s.Name, sc.refused)
	}
	return &out, nil
}

// roundings is what rounding up to a multiple of one time and then of another comes to, where that is
// one rounding: one of the two is a multiple of the other. 0 rounds nothing.
func roundings(first, then time.Duration) (both time.Duration, one bool) {
	least, both := min(first, then), max(first, then)
	return both, least == 0 || both%least == 0
}

// readsSecondsAlone is a group that would not read decimals where it reads whole seconds; "" if there
// is none.
func readsSecondsAlone(c *model.Config) (group string, err error) {
	crowd, err := c.Crowd()
	if err != nil {
		return "", err
	}
	for i := range crowd.Cohorts {
		if reads := crowd.Cohorts[i].Reads; reads.Reads(policies.SecondsForm) && !reads.Reads(policies.FloatForm) {
			return crowd.Cohorts[i].Name, nil
		}
	}
	return "", nil
}

// scaler copies a config and multiplies its durations.
type scaler struct {
	by      float64
	refused string // the type of something that hides a duration
}

// duration scales a time, to at least a nanosecond; never stays never.
func (s *scaler) duration(d time.Duration) time.Duration {
	if d <= 0 || d == policies.Never {
		return d
	}
	scaled := math.Round(float64(d) * s.by)
	if scaled >= math.MaxInt64 {
		return policies.Never
	}
	return max(1, time.Duration(scaled))
}

// text scales a duration that is written out; a share stays as it is.
func (s *scaler) text(written string) string {
	d, err := time.ParseDuration(written)
	if err != nil {
		return written
	}
	return s.duration(d).String()
}

// timed are the types that are a number of nanoseconds.
var timed = []reflect.Type{reflect.TypeFor[time.Duration](), reflect.TypeFor[model.Patience](), reflect.TypeFor[model.WaitLimit]()}

// copy makes to a copy of from that shares nothing with it.
func (s *scaler) copy(to, from reflect.Value) {
	switch kind := from.Kind(); {
	case slices.Contains(timed, from.Type()):
		to.SetInt(int64(s.duration(time.Duration(from.Int()))))
	case from.Type() == reflect.TypeFor[policies.Spread]():
		spread := from.Interface().(policies.Spread)
		_ = spread.UnmarshalText([]byte(s.text(spread.String()))) // what it wrote itself
		to.Set(reflect.ValueOf(spread))
	case from.Type() == reflect.TypeFor[policies.Jitter]():
		to.SetString(s.text(from.String()))
	case kind == reflect.Struct:
		s.copyStruct(to, from)
	case kind == reflect.Array:
		for i := range from.Len() {
			s.copy(to.Index(i), from.Index(i))
		}
	case kind == reflect.Pointer && !from.IsNil():
		to.Set(reflect.New(from.Type().Elem()))
		s.copy(to.Elem(), from.Elem())
	case kind == reflect.Slice && !from.IsNil():
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			s.copy(to.Index(i), from.Index(i))
		}
	case kind == reflect.Map && !from.IsNil():
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for each := from.MapRange(); each.Next(); {
			key, value := reflect.New(from.Type().Key()).Elem(), reflect.New(from.Type().Elem()).Elem()
			s.copy(key, each.Key())
			s.copy(value, each.Value())
			to.SetMapIndex(key, value)
		}
	case kind == reflect.Interface && !from.IsNil():
		s.refused = from.Elem().Type().String()
	default:
		to.Set(from)
	}
}

func (s *scaler) copyStruct(to, from reflect.Value) {
	to.Set(from)
	for i := range from.NumField() {
		switch f := from.Type().Field(i); {
		case f.IsExported():
			s.copy(to.Field(i), from.Field(i))
		case !from.Field(i).IsZero() && s.hides(f.Type):
			s.refused = from.Type().String()
		}
	}
}

// hides says whether a type, none of whose values can be set, has a duration in it.
func (s *scaler) hides(t reflect.Type) bool {
	switch {
	case slices.Contains(timed, t):
		return true
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if s.hides(t.Field(i).Type) {
				return true
			}
		}
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Pointer:
		return s.hides(t.Elem())
	}
	return false
}
