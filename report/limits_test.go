package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// limited is a hundred requests of 1,000 tokens at once against 30,000 tokens and 5,000
// requests a minute: 30 get through, and the run is over long before a token is back.
func limited(t testing.TB) PageArm {
	c := herdConfig("none")
	c.Provider.Seats = policies.Unlimited
	c.Provider.Limits = []model.LimitConfig{
		{Axis: model.LimitRequests, Limit: 5000, Per: time.Minute},
		{Axis: model.LimitTokens, Limit: 30_000, Per: time.Minute, Algorithm: model.FixedWindowAlgorithm},
	}
	c.Clients[0].Request.InputTokens, c.Clients[0].Request.MaxTokens = fixed(int64(987)), policies.Unlimited
	return runConfig(t, c, 1)
}

func TestLimitsOnTheTerminal(t *testing.T) {
	text := screenOf(t, Style{}, limited(t).Run, nil)
	for _, want := range []string{
		"tokens bind: 30,000 a minute at 1,000 a request admit 30 requests a minute.",
		"a request costs admits rejected fullest of the rate",
		"5,000 requests/min 1 5,000/min 0 0.6 % 0.6 %", // 30 of 5,000
		"30,000 tokens/min 1,000 30/min 70 100 % 100 %",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the screen has no %q:\n%s", want, text)
		}
	}
	for _, line := range strings.Split(screenOf(t, Style{Width: 64}, limited(t).Run, nil), "\n") {
		if strings.Contains(line, "/min") && len([]rune(line)) > 64 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}

func TestChartOfLimits(t *testing.T) {
	in := PageInput{Scenario: "x", Arms: []PageArm{limited(t)}}
	_, charts := in.charts(in.arms())
	at := slices.IndexFunc(charts, func(c Chart) bool { return c.ID == "limits" })
	if at < 0 {
		t.Fatal("no chart of the limits")
	}
	c := charts[at]
	want := []string{
		"none: 5,000 requests/min; 0 rejected; fullest 0.6 %, 0.6 % of the rate granted.",
		"none: 30,000 tokens/min admit 30/min at 1,000 a request; 70 rejected; fullest 100 %, 100 % of the rate granted.",
	}
	if !slices.Equal(c.Says, want) {
		t.Errorf("says %q, want %q", c.Says, want)
	}
	p := c.Panels[0]
	if len(p.Series) != 2 || len(p.Rules) != 1 || p.Rules[0].At != 1 {
		t.Fatalf("%d lines and %d rules, want a line for each limit, and 100 %%", len(p.Series), len(p.Rules))
	}
	if last := p.Series[1].Points[len(p.Series[1].Points)-1]; last.Y != 1 {
		t.Errorf("%v of the tokens are used at the end, want all", last.Y)
	}
	if row := c.Table.Rows[0]; row[len(row)-1] != "30,000" {
		t.Errorf("the table begins with %q, want 30,000 tokens used", row)
	}
	herd := herdPage(t)
	_, charts = herd.charts(herd.arms())
	if slices.ContainsFunc(charts, func(c Chart) bool { return c.ID == "limits" }) {
		t.Error("a chart of limits where there are none")
	}
}
