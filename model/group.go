package model

import (
	"slices"
	"strings"
)

// byName returns the groups in order of name: the order they are numbered and
// started in, so that the order in the file changes nothing.
func byName(groups []Group) []Group {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b Group) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}
