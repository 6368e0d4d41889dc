package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// Comparison is what a comparison of several arms came to, to be shown.
type Comparison struct {
	Key   string   // what was varied
	Arms  []string // its values; the first is what the others are compared with
	Seeds int
	Rows  []ComparedFigure // by arm, then by figure
}

// ComparedFigure is one figure of an arm beside the first arm.
type ComparedFigure struct {
	Figure  string
	Path    string // in summary.json
	Unit    Unit
	Arm     int // in Arms; at least 1
	Pairs   int // seeds in which both arms have the figure
	Base    model.Number
	Value   model.Number
	Diff    model.Number    // mean difference
	CI95    [2]model.Number // of it
	P       float64         // corrected
	Verdict string
}

// ComparisonMethod says how differences are judged.
const ComparisonMethod = "Differences are paired seed by seed; intervals are the 95 % of a paired t for each alone; a verdict is at 5 % for all figures together (Holm)."

func (f ComparedFigure) write(n model.Number) string {
	switch f.Unit {
	case InSeconds:
		return seconds(n)
	case InPercent:
		return percent(n)
	}
	return digits(n, 4)
}

// label names an arm where it stands alone: a policy by its name, another value with
// its key. Labels that would be alike are numbered.
func (c *Comparison) label(arm int) string {
	key := c.Key[strings.LastIndexByte(c.Key, '.')+1:]
	of := func(i int) string {
		if key == "policy" {
			return name(c.Arms[i])
		}
		return name(key + "=" + c.Arms[i])
	}
	label := of(arm)
	for i := range c.Arms {
		if i != arm && of(i) == label {
			return fmt.Sprintf("(%d) %s", arm+1, label)
		}
	}
	return label
}

// sentence says one figure in words.
func (c *Comparison) sentence(f ComparedFigure) string {
	arm, base := c.label(f.Arm), c.label(0)
	switch {
	case f.Pairs < 2:
		return fmt.Sprintf("%s: %s and %s cannot be compared, fewer than two seeds have the figure in both.", f.Figure, arm, base)
	case f.Diff == 0 && f.CI95 == [2]model.Number{0, 0}:
		return fmt.Sprintf("%s: identical, seed by seed (%s).", f.Figure, f.write(f.Base))
	case f.Verdict == verdictBetter || f.Verdict == verdictWorse:
		return fmt.Sprintf("%s: %s is %s, %s instead of %s (difference %s, 95 %% %s).",
			f.Figure, arm, f.Verdict, f.write(f.Value), f.write(f.Base), f.signed(f.Diff), f.interval())
	}
	return fmt.Sprintf("%s: no difference seen between %s, %s, and %s, %s (difference %s, 95 %% %s).",
		f.Figure, arm, f.write(f.Value), base, f.write(f.Base), f.signed(f.Diff), f.interval())
}

func (f ComparedFigure) signed(n model.Number) string {
	if n > 0 {
		return "+" + f.write(n)
	}
	return f.write(n)
}

func (f ComparedFigure) interval() string {
	return f.signed(f.CI95[0]) + " to " + f.signed(f.CI95[1])
}

// Sentences writes the comparison for a terminal: the verdict on each arm, and a sentence
// a figure.
func (c *Comparison) Sentences(w io.Writer, style Style) error {
	s := &screen{style: style}
	for i, f := range c.Rows {
		if i == 0 || c.Rows[i-1].Arm != f.Arm {
			if i > 0 {
				s.end()
			}
			s.paragraph(headingInk, c.headline(f.Arm), "")
		}
		s.paragraph(plain, c.sentence(f), "  ")
	}
	s.end()
	if len(c.Arms) > 2 && s.table(c.overview(), true) {
		s.paragraph(quietInk, fmt.Sprintf("Means; + is better than %s, - worse, by the verdicts.", c.label(0)), "")
		s.end()
	}
	s.paragraph(quietInk, ComparisonMethod, "")
	_, err := io.WriteString(w, s.b.String())
	return err
}

// overview has a row an arm and a column a figure, under the first word of its name.
func (c *Comparison) overview() [][]string {
	rows := make([][]string, 1+len(c.Arms))
	rows[0] = []string{shortKey(c.Key)}
	for arm := range c.Arms {
		rows[1+arm] = []string{c.label(arm)}
	}
	marks := map[string]string{verdictBetter: " +", verdictWorse: " -"}
	for _, f := range c.Rows {
		unit, times := "", model.Number(1)
		switch f.Unit {
		case InSeconds:
			unit = ", s"
		case InPercent:
			unit, times = ", %", 100
		}
		if f.Arm == 1 {
			first, _, _ := strings.Cut(f.Figure, " ")
			rows[0] = append(rows[0], first+unit+"  ")
			rows[1] = append(rows[1], digits(times*f.Base, 4)+"  ")
		}
		rows[1+f.Arm] = append(rows[1+f.Arm], digits(times*f.Value, 4)+fmt.Sprintf("%-2s", marks[f.Verdict]))
	}
	return rows
}

// cells are a figure's row in a table.
func (f ComparedFigure) cells() []string {
	return []string{f.Figure, f.write(f.Base), f.write(f.Value), f.signed(f.Diff), f.interval(), fmt.Sprintf("%.2g", f.P), f.Verdict}
}

// Markdown writes the comparison as tables for a document.
func (c *Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	for i, f := range c.Rows {
		if i == 0 || c.Rows[i-1].Arm != f.Arm {
			fmt.Fprintf(&b, "\n### %s: %s against %s\n\n", cell(name(c.Key)), cell(c.label(f.Arm)), cell(c.label(0)))
			fmt.Fprintf(&b, "| figure | %s | %s | difference | 95 %% | p (Holm) | verdict |\n|---|--:|--:|--:|--:|--:|---|\n", cell(c.label(0)), cell(c.label(f.Arm)))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(f.cells(), " | "))
	}
	fmt.Fprintf(&b, "\n%s; %s.\n", strings.TrimSuffix(ComparisonMethod, "."), plural(int64(c.Seeds), "seed", "seeds"))
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// cell makes clean text one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}

// CSV writes the comparison with a row a figure; undefined values are empty.
func (c *Comparison) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"figure", "base", "arm", "pairs", "base_mean", "arm_mean", "difference", "ci95_lo", "ci95_hi", "p_holm", "verdict"}}
	for _, f := range c.Rows {
		rows = append(rows, []string{
			f.Path, field(c.Arms[0]), field(c.Arms[f.Arm]), strconv.Itoa(f.Pairs),
			bare(f.Base), bare(f.Value), bare(f.Diff), bare(f.CI95[0]), bare(f.CI95[1]),
			strconv.FormatFloat(f.P, 'g', 6, 64), f.Verdict,
		})
	}
	return out.WriteAll(rows)
}

// bare writes a number for a machine, as summary.json does; nothing where it is undefined.
func bare(n model.Number) string {
	if !n.Defined() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 9, 64)
}

// field makes a user's text safe in a spreadsheet: one that would start a formula gets
// a quote before it.
func field(text string) string {
	text = clean(text)
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
