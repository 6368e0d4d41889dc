package random

import (
	"encoding/json"
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// Drawer draws values of the language. What it draws is right by itself, but one key may
// contradict another.
type Drawer struct {
	t     *rapid.T
	l     *Language
	tame  bool            // only what runs in a moment
	never map[string]bool // keys and words, as Uses names them, that are not drawn

	gates, policies []string       // names that are defined
	groups          int            // so far
	joins           bool           // answers can be joined
	here            map[string]any // the mapping that is being drawn
}

// Wild returns a drawer of anything the language can say, however it is written.
func (l *Language) Wild(t *rapid.T) *Drawer { return &Drawer{t: t, l: l} }

// Part draws a value of a definition; "Scenario" is the whole.
func (d *Drawer) Part(def string) any {
	if def == "Scenario" {
		return d.value(d.l.root, "", 0)
	}
	return d.value(d.l.defs[def], "", 0)
}

// value draws a value of a schema that stands under a key, Definition.key.
func (d *Drawer) value(n *node, id string, depth int) any {
	if d.tame {
		if v, known := d.tameValue(id); known {
			return v
		}
	}
	n = d.l.of(n)
	switch {
	case n.def == "Scenario" && n.isObject():
		return d.scenario(n, depth)
	case n.OneOf != nil:
		return d.value(d.form(n, id, depth), id, depth)
	case n.isObject():
		return d.mapping(n, depth)
	case n.Items != nil:
		return d.items(n, id, depth)
	}
	return d.plain(n, id)
}

// form picks one of the ways to write a value, a short one where it is nested deeply.
func (d *Drawer) form(n *node, id string, depth int) *node {
	var of []*node
	for _, form := range n.OneOf {
		if depth > 12 && (d.l.of(form).isObject() && form != n.OneOf[0]) || d.bans(form) {
			continue
		}
		of = append(of, form)
	}
	return of[d.weighted(id, n.def, len(of))]
}

// bans says whether a form needs a key that is not drawn.
func (d *Drawer) bans(n *node) bool {
	if len(d.never) == 0 {
		return false
	}
	n = d.l.of(n)
	for _, key := range n.Required {
		if d.never[n.def+"."+key] {
			return true
		}
	}
	return false
}

func (d *Drawer) mapping(n *node, depth int) map[string]any {
	m := map[string]any{}
	for _, p := range n.Properties {
		id := n.def + "." + p.key
		if d.never[id] {
			continue
		}
		required := false
		for _, key := range n.Required {
			required = required || key == p.key
		}
		if required || d.chance(d.often(n, p.key, m), p.key) {
			was := d.here
			d.here = m
			m[p.key] = d.value(p.node, id, depth+1)
			d.here = was
		}
	}
	if n.rest != nil {
		for range 1 + d.below(3, "entries") {
			m[d.name(n.Names)] = d.value(n.rest, n.def+".NAME", depth+1)
		}
	}
	return m
}

// scenario draws the names that others refer to first.
func (d *Drawer) scenario(n *node, depth int) map[string]any {
	d.gates, d.policies = nil, nil
	if d.tame {
		d.gates = []string{"one", "two"}[:d.below(3, "names")]
		d.policies = []string{"p", "full-jitter"}[:min(2, d.below(8, "names"))]
	}
	m := d.mapping(n, depth)
	if !d.tame {
		return m
	}
	named := func(key string, names []string) {
		of := n.property(key)
		if delete(m, key); of == nil || len(names) == 0 {
			return
		}
		all := map[string]any{}
		for _, name := range names {
			all[name] = d.value(d.l.of(of).rest, "", depth+1)
		}
		m[key] = all
	}
	named("gates", d.gates)
	named("policies", d.policies)
	return m
}

func (d *Drawer) items(n *node, id string, depth int) []any {
	most := max(2, n.MinItems)
	if n.MaxItems != nil {
		most = min(most, *n.MaxItems)
	}
	if d.tame && n.MaxItems == nil {
		most = 3
	}
	count := n.MinItems + d.below(most-n.MinItems+1, "items")
	if d.tame && count == 0 && d.chance(80, "some") {
		count = 1
	}
	items := make([]any, count)
	for i := range items {
		items[i] = d.value(n.Items, id, depth+1)
	}
	return items
}

// name draws the key of a map.
func (d *Drawer) name(n *node) string {
	if n != nil && strings.HasSuffix(n.Ref, "/Duration") {
		return pick(d, "0s", "100ms", "500ms", "1s")
	}
	return pick(d, "three", "naive", "a.b", "42", "</script>")
}

// plain draws what a schema of plain values allows.
func (d *Drawer) plain(n *node, id string) any {
	if of := parts[id]; d.tame && of != nil && n.Enum == nil {
		if d.joins && id == "RequestConfig.output_tokens" {
			of = []any{40, 20, 100} // long enough to be joined
		}
		return d.among(of, id)
	}
	switch {
	case id == "Scenario.name":
		return d.text(id)
	case n.Enum != nil:
		var of []any
		for _, word := range n.Enum {
			if text, is := word.(string); !is || !d.never[id+"="+text] {
				of = append(of, word)
			}
		}
		return pick(d, of...)
	case n.Type == "integer":
		least := number(n.Minimum, number(n.ExclusiveMinimum, -1)+1)
		more := int64(1000)
		if d.tame {
			more = 20
		}
		return rapid.Int64Range(least, min(least+more, number(n.Maximum, 1<<62))).Draw(d.t, "whole")
	case n.Type == "number":
		return pick(d, 0.25, 0.5, 1, 2, 17)
	case n.Type == "boolean":
		return rapid.Bool().Draw(d.t, "bool")
	case n.Pattern != "":
		return d.matching(n)
	}
	return d.text(id)
}

// samples are values of the forms in use, each with the pool that it stands for; a
// pattern that one matches draws from there.
var samples = [...]struct {
	sample     string
	wild, tame []string
}{
	{
		"1ms",
		[]string{"0", "0s", "1ms", "2.5s", "1h30m", "1d", ".5s", "3µs", "1.s", "1ns", "10d"},
		[]string{"100ms", "1ms", "10ms", "50ms", "500ms", "1s", "0s", "2s", "7ms", "1ns"},
	},
	{"5/s", []string{"5/s", "0/s", "0.5/s", "100/min", "12/h", "7/d"}, []string{"10/s", "1/s", "100/s", "5/s", "600/min"}},
	{"20%", []string{"20%", "0%", "100%", "0.5%", "12.3456789%"}, []string{"50%", "20%", "100%", "1%"}},
	{"5xx", []string{"5xx", "4xx"}, []string{"5xx", "4xx"}},
	{"success == 1", []string{"success == 1", "latency_s.p99 < 30s", "wall >= 0", "attempts.rejected <= 1e3", "success >= 99.9 %", "attempts.by_status.429 == 0"}, []string{"success >= 0"}},
	{"pool p", []string{"pool p", "pool a b", "pool  x"}, []string{"pool p", "pool q"}},
}

// matching draws text of a pattern.
func (d *Drawer) matching(n *node) any {
	form := regexp.MustCompile(n.Pattern)
	also := func(text string) bool {
		for _, of := range n.AllOf {
			if of.Pattern != "" && !regexp.MustCompile(of.Pattern).MatchString(text) {
				return false
			}
		}
		return form.MatchString(text)
	}
	for _, s := range samples {
		if !form.MatchString(s.sample) || form.MatchString("zz zz") {
			continue
		}
		var of []string
		for _, text := range map[bool][]string{true: s.tame, false: s.wild}[d.tame] {
			if also(text) {
				of = append(of, text)
			}
		}
		return pick(d, of...)
	}
	few := strings.ReplaceAll(strings.ReplaceAll(n.Pattern, "]+", "]{1,5}"), "]*", "]{0,5}")
	return rapid.StringMatching(few).Filter(func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) && also(text)
	}).Draw(d.t, "text")
}

// text draws what stands where any text may.
func (d *Drawer) text(id string) any {
	switch _, key, _ := strings.Cut(id, "."); key {
	case "name":
		return rapid.StringMatching("[a-z0-9-]{1,8}").Draw(d.t, "name")
	case "policy", "against":
		return pick(d, "naive", "none", "full-jitter", "decorrelated")
	case "gate":
		return "three"
	case "in_stream":
		return "text"
	case "preset":
		return pick(d, "openai/gpt-4o/tier-1", "none-such")
	}
	return pick[any](d, "text", "a: b #", "γ\u202e", "", "null", "42", 42, 1.5, true)
}

// chance draws whether to do something, so many times in a hundred; it shrinks to not.
func (d *Drawer) chance(percent int, label string) bool {
	return d.below(100, label) >= 100-percent
}

// below draws a number from 0 to n-1. Rapid's own ranges and samples prefer small numbers;
// this spreads them, but for 0, which it still shrinks to.
func (d *Drawer) below(n int, label string) int {
	u := rapid.Uint64Range(0, 1<<16-1).Draw(d.t, label)
	return int(u * 0x9e3779b97f4a7c15 >> 32 * uint64(n) >> 32)
}

func number(text json.Number, otherwise int64) int64 {
	if n, err := text.Int64(); err == nil {
		return n
	}
	return otherwise
}

func pick[T any](d *Drawer, of ...T) T { return of[d.below(len(of), "one of")] }
