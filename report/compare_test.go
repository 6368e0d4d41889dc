package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestHeadlines(t *testing.T) {
	row := func(figure, verdict string) ComparedFigure {
		return figureOf(1, figure, InSeconds, 1, 1, 1, 1, verdict)
	}
	for _, test := range []struct {
		says string
		rows []ComparedFigure
		want string
	}{
		{"better alone", []ComparedFigure{row("wall", verdictBetter)}, "Over 5 seeds b is better than a in wall."},
		{"worse alone", []ComparedFigure{row("wall", verdictWorse), row("cost", verdictWorse)}, "Over 5 seeds b is worse than a in wall and cost."},
		{"some of each", []ComparedFigure{row("wall", verdictBetter), row("cost", verdictWorse), row("p50", verdictNone), row("success", verdictSame)}, "Over 5 seeds b is better than a in wall, but worse in cost; no difference seen in p50; identical, seed by seed, in success."},
		{"where less succeeds, that comes first", []ComparedFigure{row("success", verdictWorse), row("wall", verdictBetter), row("p50", verdictBetter)}, "Over 5 seeds b is worse than a in success, though better in wall and p50. Latencies are of what succeeds, and less does."},
		{"where more succeeds, it may take longer", []ComparedFigure{row("success", verdictBetter), row("p50", verdictWorse)}, "Over 5 seeds b is better than a in success, but worse in p50. Latencies are of what succeeds, and more does."},
		{"nothing but chance", []ComparedFigure{row("wall", verdictNone), row("success", verdictSame)}, "Over 5 seeds b shows no difference to a in wall; identical, seed by seed, in success."},
		{"the same in all", []ComparedFigure{row("wall", verdictSame), row("success", verdictSame)}, "Over 5 seeds b and a are identical, seed by seed, in wall and success."},
		{"nothing to compare", []ComparedFigure{row("wall", "not comparable")}, "Over 5 seeds b cannot be told from a; not comparable in wall."},
	} {
		c := Comparison{Key: "policy", Arms: []string{"a", "b"}, Seeds: 5, Rows: test.rows}
		if got := c.headline(1); got != test.want {
			t.Errorf("%s: %q, not %q", test.says, got, test.want)
		}
	}
}

func TestArmsAreToldApart(t *testing.T) {
	long := strings.Repeat("x", 40)
	for _, test := range []struct {
		says, key string
		arms      []string
		want      []string
	}{
		{"policies by their names", "clients.0.policy", []string{"naive", "none"}, []string{"naive", "none"}},
		{"other values with their key", "provider.seats", []string{"3", "4"}, []string{"seats=3", "seats=4"}},
		{"equal ones by their numbers", "policy", []string{"naive", "none", "naive"}, []string{"(1) naive", "none", "(3) naive"}},
		{"and those whose ends are cut", "policy", []string{long + "a", long + "b"}, []string{"(1) " + long[:23] + "…", "(2) " + long[:23] + "…"}},
		{"what steers a terminal is escaped", "policy", []string{"\x1b[1m", "\u200fa"}, []string{`\x1b[1m`, `\u200fa`}},
	} {
		c := Comparison{Key: test.key, Arms: test.arms}
		var got []string
		for i := range test.arms {
			got = append(got, c.label(i))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, not %q", test.says, got, test.want)
		}
	}
}

func TestIntervals(t *testing.T) {
	near := intervals(policiesCompared())
	p := near.Panels[0]
	if p.X.Log || p.X.Unit != Changes || !slices.Equal(p.Rows, []string{"p50 latency", "attempts", "wall", "success"}) {
		t.Errorf("small differences are on the axis %+v with the rows %q", p.X, p.Rows)
	}
	if pt := seriesNamed(t, p, verdictBetter).Points[0]; pt.Mid != -0.985 || pt.X != -1.015 || pt.X2 != -0.955 || pt.Y != 2 {
		t.Errorf("200 s less 197 s (203 to 191) is drawn as %+v", pt)
	}
	if len(near.Notes) != 2 {
		t.Errorf("a mean of 0 and an undefined one are noted as %q", near.Notes)
	}
	far := intervals(seatsPage(t).Compared)
	if len(far.Panels) != MostArms-1 {
		t.Errorf("%d panels", len(far.Panels))
	}
	for _, p := range far.Panels {
		if !p.X.Log || p.X.Min != 0.001 || p.X.Max != 1000 {
			t.Errorf("0.0018 to 108 times are on the axis %+v", p.X)
		}
		for _, s := range p.Series {
			for _, pt := range s.Points {
				if !(pt.X <= pt.Mid && pt.Mid <= pt.X2) || pt.X < p.X.Min || pt.X2 > p.X.Max || math.IsNaN(pt.Mid) {
					t.Errorf("%s is drawn at %+v", s.Name, pt)
				}
			}
		}
	}
}

func TestComparedPageSaysWhatItShows(t *testing.T) {
	pages := map[string]string{"two arms": pageOf(t, comparedPage(t)), "many arms": pageOf(t, seatsPage(t))}
	for name, wants := range map[string][]string{
		"two arms": {
			"Over 20 seeds full-jitter is better than naive in wall, but worse in attempts and cost;",
			"wall: full-jitter is better, 3 s instead of 3 min 20 s (difference -3 min 17 s, 95 % -3 min 23 s to -3 min 11 s).",
			"all of seed 1: under naive its wall is the median of 20 seeds", "Why 75 times as long?",
			"simulate compare herd-100 --vary policy=naive,full-jitter --seeds 20", "This command gives the same comparison",
		},
		"many arms": {"Of 10 arms the first 8 are drawn: seats=3, seats=4,", "seats=12 is", "20 permits"},
	} {
		page := strings.ReplaceAll(pages[name], "\u00a0", " ")
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "The figures that matter") {
			t.Errorf("%s: the page has NaN in it, or a run's figures", name)
		}
	}
}

func TestLevelsShowTheGate(t *testing.T) {
	in := seatsPage(t)
	c := levels(in.arms())
	p := c.Panels[0]
	s := seriesNamed(t, p, "permits held")
	for i, pt := range s.Points {
		if want := in.Arms[0].Tally.Slot(i).Held; pt.Y != float64(want) {
			t.Errorf("slot %d: %g permits are drawn, not %d", i, pt.Y, want)
		}
	}
	if s.Points[0].Y != 20 || len(p.Rules) != 2 || p.Rules[1].At != 20 || p.Rules[1].Label != "20 permits" {
		t.Errorf("the first slot holds %g of the permits %+v", s.Points[0].Y, p.Rules)
	}
	if head := c.Table.Head; head[len(head)-1] != "permits held" {
		t.Errorf("the table's columns are %q", head)
	}
	in = herdPage(t)
	if s := levels(in.arms()).Panels[0].Series; len(s) != 1 {
		t.Errorf("without gates %d series are drawn", len(s))
	}
}

func TestComparisonsKeepNamesText(t *testing.T) {
	in := hostileComparison(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"Markdown": func(b *bytes.Buffer) error { return in.Compared.Markdown(b) },
		"terminal": func(b *bytes.Buffer) error { return in.Compared.Sentences(b, Style{}) },
		"CSV":      func(b *bytes.Buffer) error { return in.Compared.CSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x00\x1b\u200f") {
			t.Errorf("%s: what steers a terminal is in it", name)
		}
		if name == "Markdown" && strings.Contains(b.String(), "<") {
			t.Errorf("%s: a name became markup:\n%s", name, &b)
		}
	}
}

// Of three arms or more, a table has all side by side: means, and what is told apart.
func TestComparedSideBySide(t *testing.T) {
	c := Comparison{Key: "policy", Arms: []string{"naive", "full-jitter", "none"}, Seeds: 20, Rows: []ComparedFigure{
		figureOf(1, "success", InPercent, 1, 0, 0, 0, verdictSame),
		figureOf(1, "wall", InSeconds, 200, -197, -203, -191, verdictBetter),
		figureOf(2, "success", InPercent, 1, -0.75, -0.8, -0.7, verdictWorse),
		figureOf(2, "wall", InSeconds, 200, 1, -2, 4, verdictNone),
	}}
	want := `
policy       success, %    wall, s
naive               100        200
full-jitter         100          3 +
none                 25 -      201
Means; + is better than naive, - worse, by the verdicts.
`
	var b bytes.Buffer
	if err := c.Sentences(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, want) {
		t.Errorf("%s\nhas not\n%s", got, want)
	}
}
