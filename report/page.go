package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/stampede-sim/stampede/model"
)

// PageInput is what a page shows. Traces are of all clients; without one the charts
// of single attempts say that there is none.
type PageInput struct {
	Scenario string // its name
	About    string
	Source   string // its text
	Command  string // what reproduces the run
	Version  string

	Run          Run
	Trace        *model.Trace
	Against      *Run
	AgainstTrace *model.Trace
}

//go:embed assets
var assets embed.FS

// page is what the template of report.html is given.
type page struct {
	In      PageInput
	Leads   []string
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
	as := arms(in)
	script, err := asset("page.js")
	if err != nil {
		return nil, err
	}
	style, err := asset("page.css")
	if err != nil {
		return nil, err
	}
	p := &page{
		In: in, Leads: leads(in), Why: why(as), Alarms: alarms(as),
		Figures: figureRows(as), All: allFigures(as),
		Style: template.CSS(pageColours() + style), Script: template.JS(script), Allowed: hashOf(script),
	}
	p.Race, p.Ratio = race(as)
	for i := range as {
		p.Names = append(p.Names, as[i].label)
	}
	for _, c := range chartsOf(as) {
		p.Charts = append(p.Charts, newPageChart(&c))
	}
	return p, nil
}

// chartsOf are a page's charts in its order.
func chartsOf(as []arm) []Chart {
	return []Chart{herd(as), verdicts(as), levels(as), scatter(as), latencyChart(as), attemptsChart(as), waterfall(as)}
}

func leads(in PageInput) []string {
	out := []string{clean(in.Run.Summary.Says)}
	if in.Against != nil {
		out = append([]string{Versus(in.Run, *in.Against)}, out...)
	}
	return out
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
