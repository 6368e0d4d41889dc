package scenarios

import (
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// path is where a key stands: keys, and list items by number from 0.
type path []string

// in returns the path one step down.
func (p path) in(steps ...string) path { return append(p[:len(p):len(p)], steps...) }

// id is the path as a map's key.
func (p path) id() string { return strings.Join(p, "\x00") }

// String writes the path as --set takes it, long names shortened.
func (p path) String() string {
	steps := make([]string, len(p))
	for i, step := range p {
		steps[i] = shorten(step)
	}
	return model.JoinPath(steps)
}
