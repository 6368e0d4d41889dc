package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// browser is a headless Chromium spoken to over a pipe.
type browser struct {
	t       *testing.T
	in      *os.File
	answers chan message
	session string
	next    int
	events  []message
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

const chromium = "/usr/bin/chromium"

// startBrowser starts Chromium without a network, or skips the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("the pages are not looked at: there is no %s; apt-get install chromium", chromium)
	}
	commandsRead, commandsWrite := pipe(t)
	answersRead, answersWrite := pipe(t)
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{commandsRead, answersWrite}
	if err := cmd.Start(); err != nil {
		t.Skipf("the pages are not looked at: %v", err)
	}
	b := &browser{t: t, in: commandsWrite, answers: make(chan message, 1000)}
	go b.listen(answersRead)
	t.Cleanup(func() {
		commandsWrite.Close()
		if cmd.Process.Kill() == nil {
			_ = cmd.Wait()
		}
		os.RemoveAll(profile)
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
	return b
}

func pipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (b *browser) listen(from *os.File) {
	defer close(b.answers)
	for r := bufio.NewReader(from); ; {
		raw, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimRight(raw, "\x00"), &m) == nil {
			b.answers <- m
		}
	}
}

func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.next++
	request := map[string]any{"id": b.next, "method": method}
	if params != nil {
		request["params"] = params
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	raw, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(raw, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	m := b.await(method, func(m message) bool { return m.ID == b.next })
	if m.Error != nil {
		b.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
	}
}

func (b *browser) await(what string, is func(message) bool) message {
	b.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case m, open := <-b.answers:
			if !open {
				b.t.Fatalf("%s: the browser is gone", what)
			}
			if m.Method != "" {
				b.events = append(b.events, m)
			}
			if is(m) {
				return m
			}
		case <-late:
			b.t.Fatalf("%s: no answer within a minute", what)
		}
	}
}

// open loads a file in a window of the given width.
func (b *browser) open(path string, width int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	b.await("loading "+path, func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// eval runs an expression in the page.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s %s", expression, out.ExceptionDetails.Text, out.ExceptionDetails.Exception.Description)
	}
	if into != nil {
		if err := json.Unmarshal(out.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// quiet fails the test if the page asked for anything but itself or complained.
func (b *browser) quiet(allowed ...string) {
	b.t.Helper()
	for _, e := range b.events {
		text := string(e.Params)
		switch e.Method {
		case "Network.requestWillBeSent":
			if !strings.Contains(text, `"url":"file://`) && !containsAny(text, allowed) {
				b.t.Errorf("the page made a request: %s", text)
			}
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
			if !containsAny(text, allowed) {
				b.t.Errorf("the page complains: %s", text)
			}
		}
	}
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// faults finds what a reader would: pictures that are blank, text that is cut off or
// lies on other text, and a page that is wider than the window.
const faults = `(() => {
  const out = [];
  if (document.documentElement.scrollWidth > innerWidth) out.push("the page is " + document.documentElement.scrollWidth + " wide");
  const shown = [...document.querySelectorAll("svg[data-chart]")].filter(s => s.getBoundingClientRect().width > 0);
  for (const section of document.querySelectorAll("section[id]")) {
    if (!section.querySelector("script")) continue;
    const n = shown.filter(s => section.contains(s)).length;
    if (n !== 1) out.push(section.id + " shows " + n + " pictures");
  }
  for (const svg of shown) {
    const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
    if (frame.height < 60 || svg.querySelectorAll("path").length < 3) out.push(svg.dataset.chart + " is blank");
    const boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((b, i) => {
      if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1)
        out.push(svg.dataset.chart + ": cut off: " + texts[i].textContent);
      for (let j = 0; j < i; j++) {
        const w = Math.min(b.right, boxes[j].right) - Math.max(b.left, boxes[j].left), h = Math.min(b.bottom, boxes[j].bottom) - Math.max(b.top, boxes[j].top);
        if (w > 1 && h > 3) out.push(svg.dataset.chart + ": overlap: " + texts[i].textContent + " / " + texts[j].textContent);
      }
    });
  }
  return out;
})()`

func TestPageIsWholeInABrowser(t *testing.T) {
	b := startBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	for name, in := range map[string]PageInput{
		"herd-100": herdPage(t), "hostile": hostilePage(t), "long": dayPage(), "nothing": emptyPage(t),
		"compared": comparedPage(t), "many-compared": seatsPage(t), "hostile-compared": hostileComparison(t),
	} {
		writePage(t, path, in)
		for _, width := range []int{1280, 400} {
			for _, dark := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %d px, dark %t", name, width, dark), func(t *testing.T) {
					b.t = t
					b.open(path, width, dark)
					var found []string
					b.eval(faults, &found)
					for _, f := range found {
						t.Error(f)
					}
					b.eval(`document.querySelectorAll(".scale[data-log]").forEach(s => s.click())`, nil)
					b.eval(faults, &found)
					for _, f := range found {
						t.Errorf("logarithmic: %s", f)
					}
					b.eval(`document.querySelectorAll(".scale:not([data-log])").forEach(s => s.click())`, nil)
					var paper string
					b.eval(`getComputedStyle(document.body).backgroundColor`, &paper)
					if want := map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(22, 25, 29)"}[dark]; paper != want {
						t.Errorf("the paper is %s, not %s", paper, want)
					}
					b.shoot(fmt.Sprintf("%s-%d-%s", name, width, map[bool]string{false: "light", true: "dark"}[dark]))
					b.quiet()
				})
			}
		}
	}
}

func TestPageReadsValuesRight(t *testing.T) {
	b := startBrowser(t)
	in := herdPage(t)
	in.Compared = policiesCompared()
	path := filepath.Join(t.TempDir(), "report.html")
	writePage(t, path, in)
	b.open(path, 1280, false)
	for i, arm := range in.arms() {
		panel := i // those of the start
		for slot := range 40 {
			row := arm.Tally.Slot(slot)
			at := (float64(slot) + 0.5) * 0.05
			var herd, levels []string
			b.eval(fmt.Sprintf(`stampede.read("herd", %d, %g, 0, 0.001, 1)`, panel, at), &herd)
			if want := []string{fmt.Sprintf("first attempts: %d", row.First), fmt.Sprintf("retries: %d", row.Retries)}; len(herd) != 3 || herd[1] != want[0] || herd[2] != want[1] {
				t.Errorf("%s at %g s: the page says %q, the tally %q", arm.label, at, herd, want)
			}
			b.eval(fmt.Sprintf(`stampede.read("levels", %d, %g, 0, 0.001, 1)`, panel, at), &levels)
			if want := "being served, on average: "; slot < arm.Tally.Slots() && (len(levels) != 2 || !strings.HasPrefix(levels[1], want)) {
				t.Errorf("%s at %g s: the page says %q, not %q", arm.label, at, levels, want)
			} else if slot < arm.Tally.Slots() {
				got, err := strconv.ParseFloat(strings.TrimPrefix(levels[1], want), 64)
				if held := seatedBetween(arm.Trace.Lines, time.Duration(slot)*50*time.Millisecond, 50*time.Millisecond); err != nil || math.Abs(got-held) > 1e-5 {
					t.Errorf("%s at %g s: the page says %q, the trace %g", arm.label, at, levels, held)
				}
			}
		}
	}
	for _, row := range []struct {
		sentence string
		where    string
		want     string
	}{
		{"a bar under the pointer says its slot", `"herd", 0, 0.22, 0, 0.001, 1`, "0.2 s to 0.25 s"},
		{"the distribution says the share that had its answer", `"latency", 0, 1, 0.5, 0, 0`, "within 1 s"},
		{"an interval says what is known of it", `"intervals", 0, -0.98, 2, 0.1, 1`, "wall: full-jitter is better, 3 s instead of 3 min 20 s (difference -3 min 17 s, 95 % -3 min 23 s to -3 min 11 s)."},
		{"a bar of attempts says their number", `"attempts", 1, 1.2, 0, 0.1, 1`, "1 attempts"},
	} {
		var got []string
		b.eval("stampede.read("+row.where+")", &got)
		if len(got) == 0 || got[0] != row.want {
			t.Errorf("%s: %q, not %q", row.sentence, got, row.want)
		}
	}
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 10, "y": 10}, nil)
	var place struct{ X, Y float64 }
	b.eval(`(() => { const s = document.querySelector("#herd svg.wide.linear"); s.scrollIntoView(); const f = s.getBoundingClientRect(), [x, y, w, h] = s.dataset.boxes.split(";")[0].split(",").map(Number); return {X: f.left + x + 1, Y: f.top + y + h / 2}; })()`, &place)
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": place.X, "y": place.Y}, nil)
	var tip string
	b.eval(`document.getElementById("tip").textContent`, &tip)
	if !strings.Contains(tip, "retries: ") {
		t.Errorf("pointing at the first bar shows %q", tip)
	}
	b.quiet()
}

// seatedBetween is how many requests had a seat in a slot, on average, line by line.
func seatedBetween(lines []model.TraceLine, from, slot time.Duration) float64 {
	taken := time.Duration(0)
	for _, l := range lines {
		if l.Served != policies.Never {
			taken += max(0, min(l.Left, from+slot)-max(l.Served, from))
		}
	}
	return float64(taken) / float64(slot)
}

func TestExplorerInABrowser(t *testing.T) {
	b := startBrowser(t)
	path := filepath.Join(t.TempDir(), "charts.html")
	write := func(in PageInput, echarts []byte) {
		t.Helper()
		if err := WriteFile(path, explorerWriter(in, echarts)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("without ECharts and without a network it says what is missing", func(t *testing.T) {
		b.t = t
		write(herdPage(t), nil)
		b.open(path, 1280, false)
		var text string
		b.eval(`document.getElementById("missing").textContent`, &text)
		if !strings.Contains(text, "ECharts 5.6.0") || !strings.Contains(text, "report.html") {
			t.Errorf("it says %q", text)
		}
		b.quiet(echartsAddress)
	})
	script := embeddedECharts()
	if script == nil {
		t.Skip("the rest needs echarts.min.js: go generate ./report")
	}
	for name, in := range map[string]PageInput{
		"herd-100": herdPage(t), "hostile": hostilePage(t), "nothing": emptyPage(t), "compared": comparedPage(t), "many-compared": seatsPage(t),
	} {
		t.Run("with ECharts it draws "+name+" offline", func(t *testing.T) {
			b.t = t
			write(in, script)
			for _, dark := range []bool{false, true} {
				b.open(path, 1280, dark)
				var blank []string
				b.eval(`[...document.querySelectorAll(".view")].filter(v => {
				  const c = v.querySelector("canvas");
				  if (!c) return true;
				  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
				  let inked = 0;
				  for (let i = 3; i < d.length; i += 4) if (d[i]) inked++;
				  return inked < 1000;
				}).map(v => v.id)`, &blank)
				if len(blank) > 0 {
					t.Errorf("blank: %q", blank)
				}
				b.shoot(fmt.Sprintf("charts-%s-%t", name, dark))
				b.quiet()
			}
		})
	}
}
