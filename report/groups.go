package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stampede-sim/stampede/model"
)

// mostGroups is how many groups a screen shows: those with most operations.
const mostGroups = 10

// groups puts a line for each group of clients, of runs that have several.
func (s *screen) groups(runs []Run) {
	for _, run := range runs {
		if len(run.Summary.Groups) < 2 {
			continue
		}
		s.end()
		head := "group"
		if len(runs) > 1 {
			head = s.name(run)
		}
		shown, more := largestGroups(run.Summary.Groups)
		rows := [][]string{{head, "operations", "succeeded", "attempts", "rejected", "p50", "p99"}}
		for _, id := range shown {
			g := run.Summary.Groups[id]
			label := name(id)
			if s.style.ASCII {
				label = name(toASCII(clean(id)))
			}
			rows = append(rows, []string{
				label, count(g.Operations.Total), count(g.Operations.Succeeded), count(g.Attempts.Total), count(g.Attempts.Rejected),
				seconds(g.Latency.P50), seconds(g.Latency.P99),
			})
		}
		if !s.table(rows, true) {
			s.narrow(rows)
		}
		if more > 0 {
			s.put(quietInk, fmt.Sprintf("and %s more; summary.json has them all", plural(int64(more), "group", "groups")))
			s.end()
		}
	}
}

// largestGroups returns the groups with most operations, in order of name, and how many
// others there are.
func largestGroups(groups map[string]model.GroupSummary) (shown []string, more int) {
	names := slices.Sorted(maps.Keys(groups))
	slices.SortStableFunc(names, func(a, b string) int {
		return int(min(1, max(-1, groups[b].Operations.Total-groups[a].Operations.Total)))
	})
	shown = names[:min(len(names), mostGroups)]
	slices.Sort(shown)
	return shown, len(names) - len(shown)
}
