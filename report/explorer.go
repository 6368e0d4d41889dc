package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"
)

// explorer is what the template of charts.html is given.
type explorer struct {
	In      *PageInput
	Leads   []string
	SetUp   string
	Drawn   string // which runs are drawn
	Charts  []explorerChart
	Palette template.JS
	dress
	ECharts   template.JS // the script itself; "" where it must be loaded
	Address   string      // where from
	Integrity string
}

// explorerChart is a chart with its panels as options for ECharts.
type explorerChart struct {
	*Chart
	Views []explorerView
}

type explorerView struct {
	ID     string
	Panel  *Panel
	Height int
	Option template.JS
	Rows   string // names of rows as JSON; "" without
}

var parseExplorer = sync.OnceValues(func() (*template.Template, error) {
	return template.ParseFS(assets, "assets/explorer.html.tmpl")
})

// Explorer writes charts.html: the charts of [Page] to zoom into, by ECharts. The
// script is given, or the one embedded at build time; without both the page loads it
// when it is opened, and says so where that fails.
func Explorer(w io.Writer, in PageInput, echarts []byte) error {
	if echarts == nil {
		echarts = embeddedECharts()
	}
	return writeExplorer(w, in, echarts)
}

func writeExplorer(w io.Writer, in PageInput, echarts []byte) error {
	t, err := parseExplorer()
	if err != nil {
		return fmt.Errorf("the explorer's template: %w", err)
	}
	e, err := newExplorer(in, echarts)
	if err != nil {
		return err
	}
	if err := fill(w, t, e); err != nil {
		return fmt.Errorf("the explorer: %w", err)
	}
	return nil
}

func newExplorer(in PageInput, echarts []byte) (*explorer, error) {
	dress, err := dressed("explorer.js")
	if err != nil {
		return nil, err
	}
	as := in.arms()
	e := &explorer{
		In: &in, Leads: leads(in), SetUp: setUp(&in, as),
		Palette: template.JS(palette()), dress: dress,
	}
	if len(echarts) > 0 {
		if err := CheckECharts(echarts); err != nil {
			return nil, err
		}
		e.ECharts = template.JS(echarts)
		e.Allowed += " " + hashOf(string(echarts))
	} else {
		e.Address, e.Integrity = echartsAddress, echartsIntegrity
		e.Allowed += " " + echartsAddress
	}
	first, others := in.charts(as)
	charts := slices.Concat(first, others)
	if in.Compared != nil {
		e.Drawn = in.Compared.drawn(as)
		charts = append([]Chart{intervals(in.Compared)}, charts...)
	}
	for _, c := range charts {
		view, err := newExplorerChart(&c)
		if err != nil {
			return nil, err
		}
		e.Charts = append(e.Charts, view)
	}
	return e, nil
}

func newExplorerChart(c *Chart) (explorerChart, error) {
	out := explorerChart{Chart: c}
	for i := range c.Panels {
		p := &c.Panels[i]
		option, err := json.Marshal(p.option())
		if err != nil {
			return out, fmt.Errorf("chart %s: %w", c.ID, err)
		}
		view := explorerView{ID: fmt.Sprintf("%s-%d", c.ID, i), Panel: p, Height: max(230, p.Height+110), Option: template.JS(option)}
		if p.Rows != nil {
			rows, err := json.Marshal(p.Rows)
			if err != nil {
				return out, fmt.Errorf("chart %s: %w", c.ID, err)
			}
			view.Rows = string(rows)
		}
		out.Views = append(out.Views, view)
	}
	return out, nil
}

// palette is the roles' colours and dashes for the explorer's script.
func palette() []byte {
	b := []byte("{")
	for role := range roles {
		look := role.look()
		if role > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `%q:["#%06x","#%06x"`, look.name, look.light, look.dark)
		if look.dashes != nil {
			b = append(b, ",["...)
			for i, dash := range look.dashes {
				if i > 0 {
					b = append(b, ',')
				}
				b = appendNumber(b, float64(dash))
			}
			b = append(b, ']')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}
