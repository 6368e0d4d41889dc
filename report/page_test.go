package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

func pageOf(t testing.TB, in PageInput) string {
	t.Helper()
	var b bytes.Buffer
	if err := Page(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writePage(t *testing.T, path string, in PageInput) {
	t.Helper()
	if err := os.WriteFile(path, []byte(pageOf(t, in)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func explorerWriter(in PageInput, echarts []byte) func(io.Writer) error {
	return func(w io.Writer) error { return writeExplorer(w, in, echarts) }
}

// hostile are names that must stay text.
var hostile = []string{
	`</script><img src=x onerror=alert(1)>`, `<NULL>`, `{{.X}}`, "\u200fright to left", `"'&<!--`, "]]>\x00\x1b[31m", strings.Repeat("long ", 2000),
}

// hostilePage has a hostile name wherever a scenario gives one.
func hostilePage(t testing.TB) PageInput {
	t.Helper()
	all := strings.Join(hostile, " ")
	c := herdConfig("full-jitter")
	c.Clients[0].Count = 8
	for i, name := range hostile {
		g := c.Clients[0]
		g.Name = name
		g.Count = 3 + i
		c.Clients = append(c.Clients, g)
	}
	in := PageInput{Scenario: all, About: all, Source: all, Command: all, Version: all}
	in.Arms = []PageArm{runConfig(t, c, 2), runConfig(t, c, 1)}
	in.Arms[0].Policy, in.Arms[1].Policy = all, hostile[0]
	in.Arms[1].Summary.Warnings = []string{all}
	return in
}

// emptyPage is a run that ended before anything did.
func emptyPage(t testing.TB) PageInput {
	t.Helper()
	c := herdConfig("full-jitter")
	c.Stop = model.Stop{When: model.Horizon}
	return PageInput{Scenario: "nothing", Arms: []PageArm{runConfig(t, c, 1)}}
}

// dayPage is 24 virtual hours in slots of 100 ms with a gap of one second at noon, and
// a trace of 10,000 clients.
var dayPage = sync.OnceValue(func() PageInput {
	c := herdConfig("full-jitter")
	c.Slot = 100 * time.Millisecond
	tally := model.NewTally(c)
	dice := rand.New(rand.NewPCG(1, 2))
	const noon = 12 * time.Hour
	for at := time.Duration(0); at < 24*time.Hour; at += c.Slot {
		tally.Level(at, 1+dice.Int64N(3), 0)
		if at >= noon && at < noon+time.Second {
			continue
		}
		for range 3 + dice.IntN(5) {
			tally.Sent(at, 0, dice.IntN(2) == 0)
			if dice.IntN(2) == 0 {
				tally.Admitted(at)
			} else {
				tally.Refused(at)
			}
		}
	}
	tally.Close(24*time.Hour, time.Hour, 1)
	summary := model.Summarise(tally)
	summary.Says = Says(summary)
	trace := &model.Trace{Client: model.AllClients}
	for i := range 200_000 {
		sent := time.Duration(dice.Int64N(int64(24 * time.Hour)))
		line := model.TraceLine{Group: "herd", Client: i % 10_000, Attempt: i / 10_000, Sent: sent, Arrived: sent, Served: policies.Never, Left: policies.Never, Answered: sent + time.Second}
		line.Answer.End = policies.AttemptEnd(dice.IntN(int(policies.AttemptEnds)))
		trace.Lines = append(trace.Lines, line)
	}
	return PageInput{Scenario: "a-day", Arms: []PageArm{{Run{"full-jitter", summary, tally}, trace, nil}}}
})

// apartPage is a run before somebody else's server.
func apartPage(t *testing.T, gated bool) PageInput {
	t.Helper()
	c := herdConfig("none")
	if gated {
		c.Clients[0].Gate = &model.GroupGate{GateConfig: policies.GateConfig{Concurrency: 2}}
	}
	tally := model.NewClientsTally(c)
	tally.Started(0)
	tally.Sent(0, 0, false)
	tally.Close(time.Second, 0, 0)
	summary := model.Summarise(tally)
	summary.Says = Says(summary)
	return PageInput{Scenario: "mine", Command: "simulate load mine", Arms: []PageArm{{Run{"none", summary, tally}, nil, c}}}
}

// What only the server knows is drawn nowhere, and nothing is promised that only it could keep.
func TestPageOfClientsAlone(t *testing.T) {
	for _, row := range []struct {
		says  string
		in    PageInput
		has   []string
		hasNo []string
	}{
		{"our own provider", herdPage(t), []string{"How many were being served", "This command gives the same run"}, []string{onlyServer}},
		{"somebody's", apartPage(t, false), []string{"<b>" + onlyServer + "</b>", "<b>load keeps no trace of attempts.</b>", "figures are of the same distribution"}, []string{"none: at most", `data-chart="levels"`, "gives the same run", "trace of the attempts was kept"}},
		{"somebody's, behind a gate", apartPage(t, true), []string{"How many permits were held", `data-chart="levels"`}, []string{onlyServer, "none: at most", "How many were being served", `"name":"being served`, "Requests in seats"}},
	} {
		page := strings.ReplaceAll(pageOf(t, row.in), "\u00a0", " ")
		for _, want := range row.has {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not have %q", row.says, want)
			}
		}
		for _, bad := range row.hasNo {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page has %q", row.says, bad)
			}
		}
	}
}

func TestPageSaysWhatHappened(t *testing.T) {
	page := strings.ReplaceAll(pageOf(t, herdPage(t)), "\u00a0", " ")
	for _, want := range []string{
		"Under naive the same 100 operations took 3 min 5.6 s",
		"Why 75 times as long?",
		"Under naive they try again together. Up to 96 retries fall into one slot of 50 ms",
		"Under full-jitter they try again at different moments.",
		"96 retries in one 50 ms slot", "at most 36 retries in one 50 ms slot",
		"The provider has 3 seats: it serves 3 at a time, about 27 ms each, so about 5 in a slot of 50 ms, and refuses the rest.",
		"naive waits 200 ms, 400 ms, 800 ms … up to 20 s; full-jitter a random time between 0 and that.",
		"Both try as often as need be and ignore the provider&#39;s hint of 1 s.",
		"the busiest 50 ms brings 100 attempts under naive and 114 under full-jitter",
		"they idle only towards the end, when few are left to ask, which makes 36.7 % over the whole run",
		"write <code>jitter: full</code> in the backoff of naive",
		"naive ÷ full-jitter", "longest time without any attempt", "90 % of the callers waited at most",
		"<code id=\"spread\">simulate run herd-100 --seeds 50</code>",
		"simulate run herd-100 --seed 1", "seed 1 ", "simulate test",
		"seats: 3",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// A figure's ratio is that of what is shown beside it.
func TestRatiosAgreeWithWhatIsShown(t *testing.T) {
	pause := func(of time.Duration) *arm { return &arm{facts: herdFacts{pause: of, toldBy: byInstants}} }
	a, b := pause(19_960*time.Millisecond), pause(100_400*time.Microsecond)
	for _, f := range pageFigures("pause") {
		if f.label != "pause" {
			continue
		}
		if got := []string{f.text(a), f.text(b), f.ratio(a, b)}; !slices.Equal(got, []string{"20 s", "100 ms", "× 200"}) {
			t.Errorf("%q", got)
		}
	}
}

// Advice is given where only the spread of the waits differs.
func TestAdviceNeedsFigures(t *testing.T) {
	in := herdPage(t)
	if got := advice(in.arms()); got == nil || got.Write != "jitter: full" {
		t.Errorf("naive against full-jitter: %+v", got)
	}
	other := herdPage(t)
	c := herdConfig("full-jitter")
	c.Provider.Seats = 4
	other.Arms[1] = runConfig(t, c, 1)
	alike := herdPage(t)
	alike.Arms[0] = runConfig(t, herdConfig("equal-jitter"), 1)
	unknown := herdPage(t)
	unknown.Arms[0].Config = nil
	for name, in := range map[string]PageInput{"another seat": other, "both jittered": alike, "no config": unknown, "one run": {Arms: in.Arms[:1]}, "nothing": emptyPage(t)} {
		if got := advice(in.arms()); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What a page's pauses and seats are told by.
func TestFiguresOfATrace(t *testing.T) {
	in := herdPage(t)
	for _, a := range in.arms() {
		longest := time.Duration(0)
		for i := 1; i < len(a.Trace.Lines); i++ {
			longest = max(longest, a.Trace.Lines[i].Sent-a.Trace.Lines[i-1].Sent)
		}
		if a.facts.pause != longest || a.facts.toldBy != byInstants {
			t.Errorf("%s: a pause of %v, the trace has one of %v", a.label, a.facts.pause, longest)
		}
		for slot, got := range a.seated {
			if want := seatedBetween(a.Trace.Lines, time.Duration(slot)*a.facts.slot, a.facts.slot); got-want > 1e-6 || want-got > 1e-6 {
				t.Errorf("%s, slot %d: %g seats, the trace has %g", a.label, slot, got, want)
			}
		}
	}
	in.Arms[0].Trace = nil
	as := in.arms()
	if as[0].seated != nil || pauseNameOf(as) != "longest run of empty slots" {
		t.Errorf("without a trace: %q", pauseNameOf(as))
	}
	if c := levels(as); !strings.Contains(c.Reads, "at the end of each slot of 50 ms") {
		t.Errorf("without a trace: %q", c.Reads)
	}
}

func TestSummaryIsMarkdown(t *testing.T) {
	p, err := newPage(herdPage(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**herd-100**: Under naive", "\n100 clients start at once.", "\n|  | naive | full-jitter | naive ÷ full-jitter |\n|---|--:|--:|--:|\n", "\nseed 1: `simulate run herd-100 --seed 1`\n"} {
		if !strings.Contains(p.Summary, want) {
			t.Errorf("the summary has no %q:\n%s", want, p.Summary)
		}
	}
	if p, err = newPage(hostilePage(t)); err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(p.Summary, "\nseed ") // the command is in backticks
	if strings.Contains(text, "<") || strings.Count(p.Summary, "`") != 2 {
		t.Error("a name became markup")
	}
}

func TestPageOfNothing(t *testing.T) {
	page := pageOf(t, emptyPage(t))
	for _, want := range []string{"No completed requests", "No operation ended."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("the page has NaN or Inf in it")
	}
}

func TestPageAsksNobody(t *testing.T) {
	fetches := regexp.MustCompile(`(?i)(src|href|action|data|srcset)\s*=\s*["']?\s*(https?:)?//|@import|url\(|fetch\(|XMLHttpRequest|import\s*\(`)
	for name, page := range map[string]string{"herd-100": pageOf(t, herdPage(t)), "nothing": pageOf(t, emptyPage(t))} {
		if found := fetches.FindString(page); found != "" {
			t.Errorf("%s: the page asks for %q", name, found)
		}
		if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
			t.Errorf("%s: the page names an address", name)
		}
	}
}

func TestSameRunSameBytes(t *testing.T) {
	in := herdPage(t)
	all := func() []byte {
		var b bytes.Buffer
		for _, err := range []error{Page(&b, in), writeExplorer(&b, in, nil), WriteChart(&b, "svg", Herd(in)), WriteChart(&b, "png", Herd(in))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	first := all()
	here := time.Local
	defer func() { time.Local = here }()
	for _, hours := range []int{0, 5, -11} {
		time.Local = time.FixedZone("elsewhere", hours*3600+1800)
		if !bytes.Equal(all(), first) {
			t.Errorf("other bytes %d hours away", hours)
		}
	}
	in = herdPage(t)
	if !bytes.Equal(all(), first) {
		t.Error("other bytes for the same run")
	}
}

func TestLongRunsMakeSmallPages(t *testing.T) {
	const most = 5_000_000
	in := dayPage()
	page := pageOf(t, in)
	if len(page) > most {
		t.Errorf("the page of a day has %d bytes", len(page))
	}
	var b bytes.Buffer
	if err := Explorer(&b, in, nil); err != nil {
		t.Fatal(err)
	}
	if b.Len() > most {
		t.Errorf("the explorer of a day has %d bytes", b.Len())
	}
	plain := strings.ReplaceAll(page, "\u00a0", " ")
	for _, want := range []string{"nothing sent for 1 s", "its 864,000 slots are more than fit side by side, so they are drawn in stretches of 1,080.", "200,000 attempts are too many to draw", "longest run of empty slots was 1 s, from 12 h on"} {
		if !strings.Contains(plain, want) {
			t.Errorf("the page of a day does not say %q", want)
		}
	}
	start, whole := herds(in.arms())
	if len(whole) != 1 || len(start.Panels) != 1 {
		t.Fatalf("a long run has %d charts of all of it", len(whole))
	}
	least := seriesNamed(t, whole[0].Panels[0], "least of each stretch")
	notches := 0
	for _, pt := range least.Points {
		if pt.Y == 0 {
			notches++
			if pt.X < 43_200 || pt.X >= 43_201 {
				t.Errorf("a notch at %g s", pt.X)
			}
		}
	}
	if notches != 1 {
		t.Errorf("%d notches, not the one of the gap", notches)
	}
}

func seriesNamed(t *testing.T, p Panel, name string) ChartSeries {
	t.Helper()
	for _, s := range p.Series {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no series %q", name)
	return ChartSeries{}
}

func TestNamesStayText(t *testing.T) {
	for _, in := range []PageInput{hostilePage(t), hostileComparison(t)} {
		var charts bytes.Buffer
		if err := writeExplorer(&charts, in, nil); err != nil {
			t.Fatal(err)
		}
		namesStayText(t, in, map[string]string{"report.html": pageOf(t, in), "charts.html": charts.String()})
	}
}

func namesStayText(t *testing.T, in PageInput, pages map[string]string) {
	t.Helper()
	for name, page := range pages {
		if strings.Contains(page, "<img") || strings.Contains(page, "<NULL>") || strings.Contains(page, `"'&<!--`) {
			t.Errorf("%s: a name became markup", name)
		}
		if open, closed := strings.Count(page, "<script"), strings.Count(page, "</script"); open != closed {
			t.Errorf("%s: %d scripts begin and %d end", name, open, closed)
		}
		for _, want := range []string{"&lt;NULL&gt;", "{{.X}}", strings.TrimSpace(hostile[len(hostile)-1])} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %.20q is not shown", name, want)
			}
		}
		for _, data := range regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
			if !json.Valid([]byte(data[1])) {
				t.Errorf("%s: invalid JSON: %.80s", name, data[1])
			}
		}
	}
	first, others := in.charts(in.arms())
	for _, c := range append(first, others...) {
		var svg bytes.Buffer
		if err := WriteChart(&svg, "svg", c); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, c.ID, svg.Bytes())
	}
}

func wellFormed(t *testing.T, name string, doc []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if e, is := token.(xml.StartElement); is && (e.Name.Local == "img" || e.Name.Local == "script") {
			t.Errorf("%s has an element %s", name, e.Name.Local)
		}
	}
}

func TestExplorerTakesOnlyTheOneECharts(t *testing.T) {
	err := writeExplorer(io.Discard, emptyPage(t), []byte("alert(1)"))
	if err == nil || !strings.Contains(err.Error(), "echarts@5.6.0") {
		t.Errorf("any script will do: %v", err)
	}
}

func BenchmarkPage(b *testing.B) {
	in := herdPage(b)
	for b.Loop() {
		if err := Page(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExplorer(b *testing.B) {
	in := herdPage(b)
	for b.Loop() {
		if err := Explorer(io.Discard, in, nil); err != nil {
			b.Fatal(err)
		}
	}
}
