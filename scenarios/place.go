package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

func (d *decoder) mistake(n *yaml.Node, p path, format string, args ...any) {
	if d.full() {
		return
	}
	m := Mistake{File: d.file, Line: n.Line, Column: n.Column, Path: p.String(), Text: fmt.Sprintf(format, args...)}
	if shown, over := d.set.shown[n]; over {
		m.File, m.Line, m.Column = setFile, 0, 0
		if shown != "" {
			m.Path = shown
		}
	}
	d.mistakes = append(d.mistakes, m)
	d.suspect(p)
}

// full says whether there are more mistakes than anyone reads.
func (d *decoder) full() bool { return len(d.mistakes) >= 2*mostMistakes }

// suspect keeps later checks from judging what stands at the path.
func (d *decoder) suspect(p path) {
	for up := p; len(up) > 0; up = up[:len(up)-1] {
		d.wrong[up.id()] = d.wrong[up.id()] || len(up) == len(p)
	}
}

// isWrong says whether a mistake was found at the path or below it.
func (d *decoder) isWrong(steps ...string) bool {
	_, found := d.wrong[path(steps).id()]
	return found
}

// unreadable says whether a mistake was found at the path itself.
func (d *decoder) unreadable(steps ...string) bool { return d.wrong[path(steps).id()] }

// mistakeAt reports a mistake where the path stands, or else its nearest parent.
func (d *decoder) mistakeAt(p path, format string, args ...any) {
	n, _ := d.locate(p)
	if !d.full() {
		d.crossed++
	}
	d.mistake(n, p, format, args...)
}

// problem reports what a Check method found. What a preset brought cannot be removed, so
// it is said where it comes from and what to write beside it.
func (d *decoder) problem(p path, text string) {
	n, whole := d.locate(p)
	if name, of := d.set.preset[n]; of && whole {
		what, advice, _ := strings.Cut(text, "; ")
		var instead []string
		for alternative := range strings.SplitSeq(advice, ", or ") {
			if !strings.HasPrefix(alternative, "remove") {
				instead = append(instead, strings.TrimPrefix(alternative, "write "))
				break
			}
		}
		if slices.Contains(p, "limits") {
			instead = append(instead, "limits of your own")
		}
		if instead == nil {
			instead = []string{"another value"}
		}
		text = fmt.Sprintf("comes from preset %s, and %s; write %s", name, what, strings.Join(instead, ", or "))
	}
	d.mistakeAt(p, "%s", printable(text))
}

// locate returns where the path stands, or else its nearest parent: a scalar by
// its own place, the rest by their key's.
func (d *decoder) locate(p path) (n *yaml.Node, whole bool) {
	place, at := d.doc, d.doc
	for _, step := range p {
		var key *yaml.Node
		switch at = resolve(at); at.Kind {
		case yaml.MappingNode:
			key, at = entry(at, step)
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.Content) {
				return place, false
			}
			at = at.Content[i]
		default:
			return place, false
		}
		if at == nil {
			return place, false
		}
		if _, over := d.set.shown[at]; key == nil || at.Kind == yaml.ScalarNode || over {
			key = at
		}
		place = key
	}
	return place, true
}
