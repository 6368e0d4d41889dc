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
	Spread   string // what shows how far figures spread over seeds; "" for nothing
	Seeds    int    // runs of which the one shown is typical; 0 or 1 where it is the only one
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
	SetUp   string
	Told    [][]string // of a comparison, a sentence a figure for each arm
	Table   DataTable  // of its differences
	Sure    pageChart  // and their intervals
	Drawn   string     // which runs are drawn
	Race    []lane
	Ratio   string
	Why     []string
	Advice  *advised
	Alarms  []string
	Names   []string
	Figures [][]string
	Parts   string // what the last column is
	Slot    string
	All     [][]string
	First   []pageChart // what shows it best
	Charts  []pageChart // the others
	Links   []pageLink
	Apart   bool   // somebody else's server answered, who is not the same another time
	Summary string // as Markdown
	dress
}

// pageLink leads to a section.
type pageLink struct{ To, Title string }

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
	return template.New("page.html.tmpl").Funcs(template.FuncMap{"tight": tight}).ParseFS(assets, "assets/page.html.tmpl", "assets/sweep.html.tmpl")
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
	if err := fill(w, t, p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}

// fill writes all of a page, or nothing where its template fails.
func fill(w io.Writer, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func newPage(in PageInput) (*page, error) {
	as := in.arms()
	dress, err := dressed("page.js")
	if err != nil {
		return nil, err
	}
	p := &page{
		In: &in, Leads: leads(in), SetUp: setUp(&in, as), Why: why(as), Advice: advice(as), Alarms: alarms(as), All: allFigures(as), Slot: duration(as[0].facts.slot),
		dress: dress,
	}
	p.Race, p.Ratio = race(as)
	p.Apart = !as[0].Tally.KnowsProvider()
	if c := in.Compared; c != nil {
		sure := intervals(c)
		p.Told, p.Table, p.Sure, p.Drawn = c.told(), c.table(), newPageChart(&sure), c.drawn(as)
	} else {
		p.Figures = figureRows(as)
	}
	for i := range as {
		p.Names = append(p.Names, as[i].label)
	}
	if len(as) == 2 {
		p.Parts = as[0].label + " ÷ " + as[1].label
	}
	first, others := in.charts(as)
	for _, c := range first {
		p.First = append(p.First, newPageChart(&c))
	}
	for _, c := range others {
		p.Charts = append(p.Charts, newPageChart(&c))
	}
	p.Links, p.Summary = p.links(), p.markdown()
	return p, nil
}

// links lead to the sections in their order.
func (p *page) links() []pageLink {
	var out []pageLink
	add := func(charts ...pageChart) {
		for _, c := range charts {
			out = append(out, pageLink{c.ID, c.Title})
		}
	}
	if p.In.Compared != nil {
		out = append(out, pageLink{"differences", "The differences"})
		add(p.Sure)
	}
	add(p.First...)
	if p.Figures != nil {
		out = append(out, pageLink{"figures", "The figures that matter"})
	}
	add(p.Charts...)
	return append(out, pageLink{"again", "To see it again"})
}

// charts are a page's charts in its order: those that show best what happened, and the
// others.
func (in *PageInput) charts(as []arm) (first, others []Chart) {
	start, whole := herds(as)
	if in.Compared != nil {
		others = slices.Concat(whole, []Chart{latencyChart(as), verdicts(as)}, limitsChart(as), []Chart{levels(as), attemptsChart(as)})
		return []Chart{start}, others
	}
	others = slices.Concat(whole, []Chart{latencyChart(as), verdicts(as)}, limitsChart(as), []Chart{levels(as), attemptsChart(as), waterfall(as)})
	return []Chart{start, scatter(as)}, others
}

// leads say what happened.
func leads(in PageInput) []string {
	switch {
	case in.Compared != nil:
		return in.Compared.headlines()
	case len(in.Arms) == 1:
		return []string{clean(in.Arms[0].Summary.Says)}
	}
	return []string{Versus(in.Arms[1].Run, in.Arms[0].Run)}
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
