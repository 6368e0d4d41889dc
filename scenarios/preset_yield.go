package scenarios

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

// yield takes out of a mapping what came from a preset and what the scenario's own keys
// leave no room for: time-outs that could no longer fire, and failures that its own triage
// judges.
func (o overrides) yield(n *yaml.Node, t reflect.Type) {
	switch t {
	case reflect.TypeFor[policies.Timeouts]():
		o.yieldTimeouts(n)
	case reflect.TypeFor[policies.Triage]():
		o.yieldFailures(n)
	}
}

// isOwn says whether a node is the scenario's own.
func (o overrides) isOwn(n *yaml.Node) bool {
	_, ofPreset := o.preset[n]
	return n != nil && !ofPreset
}

func (o overrides) yieldTimeouts(n *yaml.Node) {
	inside := []string{"attempt", "first_event", "idle"}
	for i, outer := range []string{"operation", "attempt"} {
		own := resolve(child(n, outer))
		if !o.isOwn(own) {
			continue
		}
		ends, err := parseDuration(own.Value)
		if err != nil {
			continue
		}
		for _, key := range inside[i:] {
			v := child(n, key)
			if v == nil || o.isOwn(v) {
				continue
			}
			if wait, err := parseDuration(v.Value); err == nil && wait >= ends {
				removeKey(n, key)
				if reset := child(n, "idle_reset"); key == "idle" && reset != nil && !o.isOwn(reset) {
					removeKey(n, "idle_reset")
				}
			}
		}
	}
}

func (o overrides) yieldFailures(n *yaml.Node) {
	keys := []string{"retry", "as_told", "fatal"}
	var own []policies.Failures
	for _, key := range keys {
		if list := resolve(child(n, key)); o.isOwn(list) {
			for _, item := range list.Content {
				own = append(own, failuresOf(item))
			}
		}
	}
	judged := func(item *yaml.Node) bool {
		f := failuresOf(item)
		return slices.ContainsFunc(own, func(g policies.Failures) bool { return g.Covers(f) })
	}
	for _, key := range keys {
		list := child(n, key)
		if list == nil || o.isOwn(list) || !slices.ContainsFunc(list.Content, judged) {
			continue
		}
		rest := *list
		rest.Content = slices.DeleteFunc(slices.Clone(list.Content), judged)
		o.preset[&rest] = o.preset[list]
		if len(rest.Content) > 0 {
			setOwn(n, word(key), &rest)
		} else {
			removeKey(n, key)
		}
	}
}

// failuresOf reads an item of a list of failures; none where it is none, which the decoder
// says.
func failuresOf(item *yaml.Node) (f policies.Failures) {
	if err := f.UnmarshalText([]byte(resolve(item).Value)); err != nil {
		return policies.Failures{}
	}
	return f
}

// removeKey takes a key that is a mapping's own out of it.
func removeKey(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
