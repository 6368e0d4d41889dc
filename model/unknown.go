package model

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// NewClientsTally returns the tally of clients before a provider that is not ours, or keeps
// books of its own: it may be anybody's. What only that knows is null in the summary, never
// 0: seats, queues and limits, what it made and billed, and what that cost. Verdicts count
// when a client hears of them, and not when the provider gave them.
func NewClientsTally(c *Config) *Tally {
	alone := *c
	alone.Provider.Seats, alone.Provider.Limits, alone.Provider.Slope, alone.Provider.Weather = policies.Unlimited, nil, nil, nil
	t := NewTally(&alone)
	t.apart, t.idle = true, slices.Concat(c.idleWorkers(), c.cutTraces())
	return t
}

// KnowsProvider says whether the tally has the provider's side.
func (t *Tally) KnowsProvider() bool { return !t.apart }

// Heard counts what the provider has decided on an attempt, where only its client tells.
func (t *Tally) Heard(now time.Duration, end policies.AttemptEnd) {
	switch {
	case !t.apart:
	case end == policies.Rejected:
		t.Refused(now)
	case end != policies.Errored:
		t.Admitted(now)
	}
}

// Hides says whether a figure, by its short name or its path, is one that only the provider
// knows, and the summary does not have.
func (s *Summary) Hides(name string) bool {
	if !s.Provider.apart {
		return false
	}
	if name == "waste" || name == "cost" {
		return true
	}
	path, err := SplitPath(name)
	if err != nil {
		return false
	}
	if len(path) > 2 && path[0] == "groups" {
		path = path[2:]
	}
	switch {
	case len(path) > 1 && path[0] == "provider":
		return s.Provider.unknown(path[1])
	case len(path) == 2 && path[0] == "tokens":
		return s.Tokens.unknown(path[1])
	case len(path) == 2 && path[0] == "cost":
		return true
	}
	return len(path) == 1 && path[0] == "answers_generated"
}

// forget makes what a summary has of the provider's side unknown.
func (s *Summary) forget() {
	s.Provider = ProviderUse{
		apart: true, Utilisation: Undefined(), Busy: Undefined(), UsefulBusy: Undefined(), WastedBusy: Undefined(),
		MeanInFlight: Undefined(), MeanQueue: Undefined(), QueuedShare: Undefined(),
		Goodput: s.Provider.Goodput, TriggerEnd: Undefined(), Recovery: Undefined(),
	}
	s.Tokens = s.Tokens.forgotten()
	s.Cost.Total, s.Cost.Wasted = Undefined(), Undefined()
	for name, g := range s.Groups {
		g.apart, g.Tokens = true, g.Tokens.forgotten()
		g.Cost.Total, g.Cost.Wasted, g.Answers = Undefined(), Undefined(), 0
		s.Groups[name] = g
	}
}

func (t TokenSums) forgotten() TokenSums {
	t.apart, t.Billed, t.Wasted = true, 0, 0
	return t
}

// unknowing is part of a summary of which some figures may be null, by their keys.
type unknowing interface{ unknown(key string) bool }

func (p ProviderUse) unknown(key string) bool {
	return p.apart && key != "goodput_ops_per_s"
}

func (t TokenSums) unknown(key string) bool { return t.apart && (key == "billed" || key == "wasted") }

func (g GroupSummary) unknown(key string) bool { return g.apart && key == "answers_generated" }

// MarshalJSON writes null for what is not known.
func (p ProviderUse) MarshalJSON() ([]byte, error) { return marshalKnown(p) }

// MarshalJSON writes null for what is not known.
func (t TokenSums) MarshalJSON() ([]byte, error) { return marshalKnown(t) }

// MarshalJSON writes null for what is not known.
func (g GroupSummary) MarshalJSON() ([]byte, error) { return marshalKnown(g) }

func marshalKnown(u unknowing) ([]byte, error) {
	var b bytes.Buffer
	v := reflect.ValueOf(u)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		key := jsonKey(f)
		value := []byte("null")
		if !u.unknown(key) {
			var err error
			if value, err = json.Marshal(v.Field(i).Interface()); err != nil {
				return nil, err
			}
		}
		b.WriteString(`,"` + key + `":`)
		b.Write(value)
	}
	b.WriteByte('}')
	out := b.Bytes()
	out[0] = '{'
	return out, nil
}
