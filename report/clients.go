package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// timeouts says which time-outs fired.
func timeouts(s *model.Summary) (string, bool) {
	by := s.Attempts.TimedOutBy
	var fired []string
	for _, of := range []struct {
		name string
		n    int64
	}{{"first_event", by.FirstEvent}, {"idle", by.Idle}, {"attempt", by.Attempt}, {"operation", by.Operation}, {"deadline", by.Deadline}} {
		if of.n > 0 {
			fired = append(fired, of.name+": "+count(of.n))
		}
	}
	return strings.Join(fired, ", "), fired != nil
}

// layers says what each of several retry loops around one another did.
func layers(s *model.Summary) (string, bool) {
	var all []string
	for _, group := range slices.Sorted(maps.Keys(s.Groups)) {
		var each []string
		for _, l := range s.Groups[group].Layers {
			each = append(each, name(l.Policy)+": "+count(l.Retries))
		}
		if each == nil {
			continue
		}
		text := strings.Join(each, ", ")
		if len(s.Groups) > 1 {
			text = name(group) + " " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, "; "), all != nil
}

// shown says how much of answers callers saw, where that is more than they were.
func shown(s *model.Summary) (string, bool) {
	t := s.Tokens
	return count(t.Duplicated) + " of " + count(t.Delivered), t.Duplicated > 0
}
