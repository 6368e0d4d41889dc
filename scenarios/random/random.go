package random

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// language is that of the schema that editors get.
var language = sync.OnceValue(func() *Language {
	l, err := Read(scenarios.Schema())
	if err != nil {
		panic(err) // the schema is part of the program
	}
	return l
})

// Of returns the language as it is.
func Of() *Language { return language() }

// Drawn is a random scenario.
type Drawn struct {
	*scenarios.Scenario
	YAML []byte
	Uses []string // see [Language.Uses]
}

// Option narrows what is drawn.
type Option func(*Drawer)

// Without leaves out keys and words, as [Language.Uses] names them.
func Without(ids ...string) Option {
	return func(d *Drawer) {
		for _, id := range ids {
			d.never[id] = true
		}
	}
}

// Scenario draws a valid scenario that runs in a moment: at most three groups of 30
// clients with a few operations each, all over in seconds of virtual time. Where an
// operation may be tried again without end and at once the run can be long all the same.
func Scenario(t *rapid.T, options ...Option) Drawn {
	d := &Drawer{t: t, l: Of(), tame: true, never: map[string]bool{}}
	for _, option := range options {
		option(d)
	}
	tree := d.Part("Scenario").(map[string]any)
	for range 40 {
		text, err := yaml.Marshal(tree)
		if err != nil {
			t.Fatalf("%v cannot be written: %v", tree, err)
		}
		s, err := scenarios.Decode("random.yaml", text)
		if err == nil {
			return Drawn{s, text, Of().Uses(tree)}
		}
		var mistakes scenarios.Mistakes
		if !errors.As(err, &mistakes) || !Mend(tree, mistakes) {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	t.Skip("too many keys contradict each other")
	return Drawn{}
}

// Mend takes what is mistaken out of a tree, or what holds it where it is not there; of
// mistakes that stand together only the first, since the others may go with it. It
// returns false where that is the whole.
func Mend(tree any, mistakes scenarios.Mistakes) bool {
	mended := map[string]bool{}
	for _, m := range mistakes {
		steps, err := model.SplitPath(m.Path)
		if err != nil {
			return false
		}
		near := model.JoinPath(steps[:min(2, len(steps))])
		if mended[near] {
			continue
		}
		mended[near] = true
		if _, left := without(tree, steps); !left {
			return false
		}
	}
	return true
}

// without returns a tree without what is at a path, and whether there is anything left.
func without(tree any, steps []string) (any, bool) {
	if len(steps) == 0 {
		return nil, false
	}
	switch x := tree.(type) {
	case map[string]any:
		below, given := x[steps[0]]
		if !given {
			return nil, false
		}
		if rest, left := without(below, steps[1:]); left {
			x[steps[0]] = rest
		} else {
			delete(x, steps[0])
		}
		return x, true
	case []any:
		i, err := strconv.Atoi(steps[0])
		if err != nil || i >= len(x) {
			return nil, false
		}
		if rest, left := without(x[i], steps[1:]); left {
			x[i] = rest
			return x, true
		}
		return slices.Delete(slices.Clone(x), i, i+1), true
	}
	return nil, false
}

var presetNames = sync.OnceValue(func() []string {
	var names []string
	for _, p := range scenarios.Presets() {
		names = append(names, p.Name)
	}
	return names
})
