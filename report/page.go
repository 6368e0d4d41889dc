package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"
)

// PageInput is what a page shows: a run, alone or after the one it is shown against,
// or a comparison and one run of each of its first arms, all of one seed.
type PageInput struct {
	Scenario string // its name
	About    string
	Source   string // its text
	Command  string // what gives the same figures
	Version  string

	Arms     []PageArm   // at least one; of more than [MostArms] the first are drawn
	Compared *Comparison // nil on the page of a run
}

// Seed is the seed of the runs that are drawn.
func (in *PageInput) Seed() string { return in.Arms[0].Summary.Seed }

//go:embed assets
var assets embed.FS

// page is what the template of report.html is given.
type page struct {
	In      *PageInput
	Leads   []string
	Told    [][]string // of a comparison, a sentence a figure for each arm
	Table   DataTable  // of its differences
	Sure    pageChart  // and their intervals
	Drawn   string     // which runs are drawn
	Race    []lane
	Ratio   string
	Why     []string
	Alarms  []string
	Names   []string
	Figures [][]string
	All     [][]string
	Charts  []pageChart
	Style   template.CSS
	Script  template.JS
	Allowed string // the script's hash: no other runs
}

// lane is an arm's bar in the race to the end.
type lane struct {
	Name, Time, Role string
	Percent          string
}

// pageChart is a chart made ready for the page.
type pageChart struct {
	*Chart
	Pictures []template.HTML
	Keys     []template.HTML
	Data     template.JS
	Body     template.HTML // of the table
}

var parsePage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page.html.tmpl").Funcs(template.FuncMap{"tight": tight}).ParseFS(assets, "assets/page.html.tmpl")
})

// Page writes report.html: one file that asks nothing of anybody, the same bytes for
// the same run.
func Page(w io.Writer, in PageInput) error {
	t, err := parsePage()
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	p, err := newPage(in)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}

func newPage(in PageInput) (*page, error) {
	as := in.arms()
	script, err := asset("page.js")
	if err != nil {
		return nil, err
	}
	style, err := asset("page.css")
	if err != nil {
		return nil, err
	}
	p := &page{
		In: &in, Leads: leads(in), Why: why(as), Alarms: alarms(as), All: allFigures(as),
		Style: template.CSS(pageColours() + style), Script: template.JS(script), Allowed: hashOf(script),
	}
	p.Race, p.Ratio = race(as)
	if c := in.Compared; c != nil {
		sure := intervals(c)
		p.Told, p.Table, p.Sure, p.Drawn = c.told(), c.table(), newPageChart(&sure), c.drawn(as)
	} else {
		p.Figures = figureRows(as)
	}
	for i := range as {
		p.Names = append(p.Names, as[i].label)
	}
	for _, c := range in.charts(as) {
		p.Charts = append(p.Charts, newPageChart(&c))
	}
	return p, nil
}

// charts are a page's charts in its order.
func (in *PageInput) charts(as []arm) []Chart {
	if in.Compared != nil {
		return slices.Concat([]Chart{herd(as), latencyChart(as), verdicts(as)}, limitsChart(as), []Chart{levels(as), attemptsChart(as)})
	}
	return slices.Concat([]Chart{herd(as), verdicts(as)}, limitsChart(as), []Chart{levels(as), scatter(as), latencyChart(as), attemptsChart(as), waterfall(as)})
}

// leads say what happened.
func leads(in PageInput) []string {
	switch {
	case in.Compared != nil:
		return in.Compared.headlines()
	case len(in.Arms) == 1:
		return []string{clean(in.Arms[0].Summary.Says)}
	}
	return []string{Versus(in.Arms[1].Run, in.Arms[0].Run), clean(in.Arms[1].Summary.Says)}
}

func alarms(as []arm) []string {
	var out []string
	for i := range as {
		s := as[i].Summary
		prefix := ""
		if len(as) > 1 {
			prefix = as[i].label + ": "
		}
		if s.Partial {
			out = append(out, prefix+"the run was interrupted; this is what it came to until then")
		}
		for _, w := range s.Warnings {
			out = append(out, prefix+clean(w))
		}
	}
	return out
}

func asset(name string) (string, error) {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", fmt.Errorf("the page: %w", err)
	}
	return string(b), nil
}

func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
