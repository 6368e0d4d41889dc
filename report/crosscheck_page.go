package report

import (
	"fmt"
	"html/template"
	"io"
	"sync"
)

// crossPage is what the template of a cross-check's page is given.
type crossPage struct {
	*CrossCheck
	Table [][]string
	Chart pageChart
	dress
}

var parseCrossPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("crosscheck.html.tmpl").Funcs(template.FuncMap{"tight": tight}).ParseFS(assets, "assets/crosscheck.html.tmpl", "assets/page.html.tmpl")
})

// CrossPage writes report.html of a cross-check: one file that asks nothing of anybody.
func CrossPage(w io.Writer, c *CrossCheck) error {
	t, err := parseCrossPage()
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	dress, err := dressed("page.js")
	if err != nil {
		return err
	}
	chart := c.chart()
	p := crossPage{CrossCheck: c, Chart: newPageChart(&chart), dress: dress}
	for _, r := range c.Rows {
		p.Table = append(p.Table, r.cells())
	}
	if err := fill(w, t, &p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}
