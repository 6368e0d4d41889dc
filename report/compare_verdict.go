package report

import (
	"fmt"
	"slices"
	"strings"
)

// The verdicts of a comparison, as it words them.
const (
	verdictBetter = "better"
	verdictWorse  = "worse"
	verdictSame   = "identical, seed by seed"
	verdictNone   = "no difference seen"
)

// headline says in one sentence in which figures an arm is better than the first, in
// which worse, and in which nothing is seen.
func (c *Comparison) headline(arm int) string {
	figures := map[string][]string{}
	for _, f := range c.Rows {
		if f.Arm == arm {
			figures[f.Verdict] = append(figures[f.Verdict], f.Figure)
		}
	}
	in := func(verdict string) string {
		f := figures[verdict]
		delete(figures, verdict)
		return listed(f, "and")
	}
	fewer, more := slices.Contains(figures[verdictWorse], "success"), slices.Contains(figures[verdictBetter], "success")
	better, worse, same, none := in(verdictBetter), in(verdictWorse), in(verdictSame), in(verdictNone)
	is, base := c.label(arm), c.label(0)
	text := fmt.Sprintf("Over %s %s", plural(int64(c.Seeds), "seed", "seeds"), is)
	switch {
	case better != "" && fewer:
		text += fmt.Sprintf(" is worse than %s in %s, though better in %s", base, worse, better)
	case better != "" && worse != "":
		text += fmt.Sprintf(" is better than %s in %s, but worse in %s", base, better, worse)
	case better != "":
		text += fmt.Sprintf(" is better than %s in %s", base, better)
	case worse != "":
		text += fmt.Sprintf(" is worse than %s in %s", base, worse)
	case same != "" && none == "" && len(figures) == 0:
		return text + fmt.Sprintf(" and %s are identical, seed by seed, in %s.", base, same)
	case none != "":
		text += fmt.Sprintf(" shows no difference to %s in %s", base, none)
		none = ""
	default:
		text += " cannot be told from " + base
	}
	for _, rest := range [][2]string{{verdictNone + " in ", none}, {verdictSame + ", in ", same}} {
		if rest[1] != "" {
			text += "; " + rest[0] + rest[1]
		}
	}
	for verdict := range figures { // one at most is left: not comparable
		text += "; " + verdict + " in " + in(verdict)
	}
	switch {
	case fewer:
		text += ". Latencies are of what succeeds, and less does"
	case more:
		text += ". Latencies are of what succeeds, and more does"
	}
	return text + "."
}

// headlines are the verdicts on all arms.
func (c *Comparison) headlines() []string {
	var out []string
	for arm := range c.Arms[1:] {
		out = append(out, c.headline(arm+1))
	}
	return out
}

// told are the sentences on all arms, one a figure.
func (c *Comparison) told() [][]string {
	out := make([][]string, len(c.Arms)-1)
	for _, f := range c.Rows {
		out[f.Arm-1] = append(out[f.Arm-1], c.sentence(f))
	}
	return out
}

// table lists the differences.
func (c *Comparison) table() DataTable {
	t := DataTable{Head: []string{"figure", c.label(0), "this arm", "difference", "95 % interval", "p (Holm)", "verdict"}, Note: ComparisonMethod}
	if len(c.Arms) == 2 {
		t.Head[2] = c.label(1)
	} else {
		t.Head = append([]string{"arm"}, t.Head...)
	}
	for _, f := range c.Rows {
		row := f.cells()
		if len(c.Arms) > 2 {
			row = append([]string{c.label(f.Arm)}, row...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// drawn says which runs the pictures show.
func (c *Comparison) drawn(as []arm) string {
	text := fmt.Sprintf("The pictures show one run of each arm, all of seed %s: under %s its wall is the median of %s.", as[0].Summary.Seed, as[0].label, plural(int64(c.Seeds), "seed", "seeds"))
	if len(as) == len(c.Arms) {
		return text
	}
	var shown []string
	for i := range as {
		shown = append(shown, as[i].label)
	}
	return text + fmt.Sprintf(" Of %d arms the first %d are drawn: %s. The sentences and the table have all.", len(c.Arms), len(as), strings.Join(shown, ", "))
}
