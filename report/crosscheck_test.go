package report

import (
	"strings"
	"testing"
	"time"
)

// crossed is a cross-check whose count agrees, and whose wall does or does not.
func crossed(differs bool) *CrossCheck {
	c := &CrossCheck{
		Scenario: "mine", About: "A <b>herd</b>.", Source: "name: mine\n", Command: "simulate crosscheck mine", Version: "test", Seed: "1",
		Virtual: 1000, Real: 3, Scale: 0.1, Level: "1 in 10,000", Agrees: !differs, Slot: 0.05,
		Machine: CrossMachine{Exchanges: 400, Delay: time.Millisecond, Jitter: time.Millisecond, Unit: 3 * time.Millisecond, Chain: 2, Within: 1, Allowance: 0.09, Calm: 0.04},
		Rows: []CrossRow{
			{Figure: "attempts.total", Unit: InNumbers, Certain: true, Virtual: 5, Low: 5, High: 5, Real: 5, RealLow: 5, RealHigh: 5, Verdict: "agrees", Why: "exactly"},
			{Figure: "wall_s", Unit: InSeconds, Virtual: 2, Low: 1, High: 3, Real: 2.5, RealLow: 2, RealHigh: 2.75, Allowance: 0.06, Verdict: "agrees", Why: "p = 0.2"},
			{Figure: "slots", Unit: InNumbers, Virtual: 0.125, Low: 0.0625, High: 0.25, Real: 0.125, RealLow: 0.125, RealHigh: 0.125, Verdict: "agrees", Why: "p = 0.5"},
		},
		Slots: []CrossSlot{{3, 2.5}, {0, 0}, {2, 2.5}},
	}
	if differs {
		c.Rows[1].Verdict, c.Rows[1].Why, c.Rows[1].Differs = "differs", "p = 1e-08", true
	}
	return c
}

func TestCrossCheckSaysWhetherTheWorldsAgree(t *testing.T) {
	short := crossed(false)
	short.Short = "a level of 1 in 10,000 is out of reach"
	late := crossed(false)
	late.Machine.NotFair, late.Machine.NotFairP90 = 2, 80*time.Millisecond
	crowd := crossed(false)
	crowd.Rows[1].Verdict, crowd.Rows[1].Crowd = "agrees in a crowd", &CrossCrowd{Virtual: 2.5, Low: 1.5, High: 3.5}
	edge := crossed(false)
	edge.Rows[0].Why = "on an edge"
	for _, row := range []struct {
		says string
		c    *CrossCheck
		want []string
	}{
		{"all agree", crossed(false), []string{
			"mine: virtual time and sockets agree in all figures (3 runs over real sockets and 1,000 in virtual time).",
			"attempts.total 5 5 agrees exactly", "wall_s 2 s (1 s to 3 s) 2.5 s (2 s to 2.75 s) agrees p = 0.2, ± 60 ms",
			"distance of sends 12.5 % (6.25 % to 25 %) 12.5 %", "A time must be within 40 ms in the earliest", "and within 90 ms and the latest timer in all but one", "played 0.1 times as long",
		}},
		{"the wall differs", crossed(true), []string{"virtual time and sockets differ in wall_s", "differs p = 1e-08, ± 60 ms"}},
		{"too few runs are told", short, []string{"no difference is certain, but a level of 1 in 10,000 is out of reach"}},
		{"a machine that was late", late, []string{"2 runs were played again: the machine was late by 80 ms"}},
		{"what a crowd makes of virtual time is shown", crowd, []string{
			"agree in 2 figures, and in 1 only in a crowd: with virtual time whose exchanges are as late as a crowd's are on this machine",
			"agrees in a crowd, with 2.5 s (1.5 s to 3.5 s): p = 0.2, ± 60 ms",
		}},
		{"an edge is explained", edge, []string{"On an edge two things happen at one instant"}},
	} {
		var b strings.Builder
		if err := row.c.Text(&b, Style{Width: 120}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", row.says, want, b.String())
			}
		}
	}
}

// The page has the table, both histograms over one another, and nothing of a scenario's text
// as HTML.
func TestCrossCheckPage(t *testing.T) {
	var b strings.Builder
	if err := CrossPage(&b, crossed(true)); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(b.String(), "\u00a0", " ")
	for _, want := range []string{"<td>wall_s</td>", "differs", `"name":"virtual time"`, `"name":"sockets"`, "A &lt;b&gt;herd&lt;/b&gt;.", "<svg class=\"wide linear\""} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, bad := range []string{"NaN", "http://", "https://"} {
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org", ""), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	empty := crossed(false)
	empty.Slots = nil
	if err := CrossPage(&b, empty); err != nil {
		t.Errorf("a page without sends: %v", err)
	}
}

// A table that is too wide for a terminal becomes lines.
func TestCrossCheckOnANarrowTerminal(t *testing.T) {
	var b strings.Builder
	c := crossed(true)
	c.Rows[0].Figure = "groups.a-group-with-a-very-long-name.operations.succeeded"
	if err := c.Text(&b, Style{Width: 64}); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len([]rune(line)) > 64 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
}
