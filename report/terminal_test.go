package report

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

func screenOf(t testing.TB, style Style, run Run, against *Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Terminal(&b, style, run, against); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminalLayouts(t *testing.T) {
	naive, none := waves("naive"), nothing("none")
	for _, c := range []struct {
		says    string
		file    string
		style   Style
		run     Run
		against *Run
	}{
		{"two policies on one scale: waves, and a herd that is spread", "two.txt", Style{}, spread("full-jitter"), &naive},
		{"the same for a terminal that knows ASCII only", "two-ascii.txt", Style{ASCII: true}, spread("full-jitter"), &naive},
		{"waves alone: each has its row, quiet stands beside it", "waves.txt", Style{}, waves("naive"), nil},
		{"a spread herd alone, with colours", "spread-color.txt", Style{Color: true}, spread("full-jitter"), nil},
		{"one request: no herd, and nothing that takes a second one", "one.txt", Style{}, onlyOne("none"), nil},
		{"horizon 0: words where there are no figures", "nothing.txt", Style{}, nothing("none"), nil},
		{"horizon 0 under two policies", "nothing-two.txt", Style{}, nothing("full-jitter"), &none},
		{"all refused: no latency", "refused.txt", Style{}, allRefused("none"), nil},
		{"a horizon shorter than the first latency, after a quiet start", "cut-short.txt", Style{}, cutShort("none"), nil},
		{"some of everything", "mixed.txt", Style{}, mixed(""), nil},
	} {
		t.Run(c.says, func(t *testing.T) {
			golden(t, c.file, []byte(screenOf(t, c.style, c.run, c.against)))
		})
	}
}

func TestTwoPoliciesFitAScreen(t *testing.T) {
	naive := waves("naive")
	if lines := strings.Count(screenOf(t, Style{}, spread("full-jitter"), &naive), "\n"); lines > 42 {
		t.Errorf("%d lines, want at most 42", lines)
	}
}

func TestGroupsHaveALineEach(t *testing.T) {
	run := spread("full-jitter")
	run.Summary.Groups = map[string]model.GroupSummary{}
	for _, id := range []string{"chat", "batch\x1b[2J", strings.Repeat("long ", 20)} {
		run.Summary.Groups[id] = model.GroupSummary{
			Operations: model.Operations{Total: 100, Succeeded: 90}, Attempts: model.Attempts{Total: 230, Rejected: 140},
			Latency: model.Spread{P50: 0.5, P99: 2},
		}
	}
	text := screenOf(t, Style{}, run, nil)
	for _, want := range []string{`\ngroup +operations  succeeded  attempts  rejected +p50  p99\n`, `\nbatch\\x1b\[2J +100 +90 +230 +140  500 ms  2 s\n`, `\nchat +100`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no line is like %s in\n%s", want, text)
		}
	}
	for n := range 20 {
		run.Summary.Groups[strconv.Itoa(n)] = model.GroupSummary{Operations: model.Operations{Total: int64(n)}}
	}
	text = screenOf(t, Style{}, run, nil)
	if !strings.Contains(text, "and 13 groups more; summary.json has them all") || !strings.Contains(text, "\nchat ") || strings.Contains(text, "\n3  ") {
		t.Errorf("of 23 groups these are shown:\n%s", text)
	}
}

func TestWhatWasInterruptedSaysSo(t *testing.T) {
	whole, cut := spread("full-jitter"), spread("full-jitter")
	cut.Summary.Partial = true
	if strings.Contains(screenOf(t, Style{}, whole, nil), "Interrupted") {
		t.Error("a whole run is called interrupted")
	}
	for _, text := range []string{screenOf(t, Style{}, cut, nil), screenOf(t, Style{}, whole, &cut)} {
		if !strings.Contains(text, "Interrupted: these are the figures up to then.") {
			t.Errorf("an interrupted run does not say so:\n%s", text)
		}
	}
}

// What a row covers and the quiet after it reach to where the next one begins.
func TestRowsAndQuietAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		slot := run.Tally.SlotWidth()
		f := fold(run.Tally, rapid.IntRange(8, 30).Draw(t, "rows"))
		least, at := time.Duration((f.bin+3)/4)*slot, time.Duration(0)
		for n, row := range f.rows {
			if row.attempts() == 0 {
				at += row.quiet
				continue
			}
			from := time.Duration(row.from) * slot
			if gap := from - at; gap < 0 || gap >= least && f.rows[max(0, n-1)].note == "" {
				t.Errorf("row %d begins at %v, and what is told before it ends at %v", n, from, at)
			}
			at = time.Duration(row.to+1)*slot + row.quiet
		}
	})
}

func TestNoFigureIsNaN(t *testing.T) {
	for _, run := range []Run{nothing("a"), allRefused("a"), cutShort("a"), onlyOne("a"), mixed("a")} {
		for _, against := range []*Run{nil, {run.Policy, run.Summary, run.Tally}} {
			text := screenOf(t, Style{}, run, against)
			if regexp.MustCompile(`(?i)\bnan\b|\binf\b`).MatchString(text) {
				t.Errorf("a figure is not a number in\n%s", text)
			}
		}
	}
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// drawRun makes any tally: bursts of attempts with any gaps, ends of all kinds, names
// that nobody should choose.
func drawRun(t *rapid.T) Run {
	h := newHandMade(rapid.String().Draw(t, "policy"), rapid.String().Draw(t, "group"))
	now := time.Duration(0)
	gap := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 500_000))
	for range rapid.IntRange(0, 60).Draw(t, "bursts") {
		now += time.Duration(gap.Draw(t, "gap")) * ms
		first, retries := rapid.IntRange(0, 40).Draw(t, "first"), rapid.IntRange(0, 1500).Draw(t, "retries")
		h.start(first)
		h.send(now, first, false)
		h.send(now, retries, true)
		h.refuse(now, retries/2)
		ended := rapid.IntRange(0, first).Draw(t, "ended")
		why := policies.EndReason(rapid.IntRange(1, int(policies.EndReasons)-1).Draw(t, "why"))
		if why == policies.Success {
			h.serve(now, ended, rapid.IntRange(1, 9).Draw(t, "attempts"))
		} else {
			h.fail(now, ended, 1, int16(rapid.IntRange(0, 599).Draw(t, "status")), why)
		}
	}
	run := h.close(now+time.Duration(gap.Draw(t, "rest"))*ms, now/2)
	run.Summary.Says += rapid.String().Draw(t, "says")
	run.Summary.Warnings = append(run.Summary.Warnings, rapid.String().Draw(t, "warning"))
	return run
}

func TestScreensAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		style := Style{
			Width: rapid.SampledFrom([]int{0, 80, 80, 100, 132}).Draw(t, "width"),
			Color: rapid.Bool().Draw(t, "color"), ASCII: rapid.Bool().Draw(t, "ascii"),
		}
		run := drawRun(t)
		var against *Run
		if rapid.Bool().Draw(t, "two") {
			r := drawRun(t)
			against = &r
		}
		var b bytes.Buffer
		if err := Terminal(&b, style, run, against); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if style.Color {
			text = colours.ReplaceAllString(text, "")
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > style.width() {
				t.Errorf("%d columns: %q", n, line)
			}
			for _, r := range line {
				if !strconv.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r) || style.ASCII && r > unicode.MaxASCII {
					t.Errorf("%q in %q", r, line)
				}
			}
		}
	})
}

func TestFoldKeepsWhatStandsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		limit := rapid.IntRange(8, 30).Draw(t, "rows")
		f := fold(run.Tally, limit)
		if len(f.rows) > limit {
			t.Fatalf("%d rows, want at most %d", len(f.rows), limit)
		}
		var most, mostRetries int64
		for n, row := range f.rows {
			if row.attempts() > 0 {
				most, mostRetries = max(most, row.attempts()), max(mostRetries, row.retries)
				if row.to < row.from || row.to-row.from >= f.bin {
					t.Errorf("row %d covers slots %d to %d in bins of %d", n, row.from, row.to, f.bin)
				}
			}
			if row.note != "" && row.from != row.to {
				t.Errorf("%q shares its row with slots %d to %d", row.note, row.from, row.to)
			}
		}
		if herd := run.Summary.Herd; most != herd.Busiest || mostRetries != herd.BusiestRetry {
			t.Errorf("the rows show %d and %d, the run had %d and %d", most, mostRetries, herd.Busiest, herd.BusiestRetry)
		}
	})
}

func TestFoldOfALongRun(t *testing.T) {
	h := newHandMade("none")
	for i := range 1_000_000 {
		h.send(time.Duration(i)*50*ms, 1+i%3, i%2 == 1)
	}
	run := h.close(1_000_000*50*ms-1, 0)
	if f := fold(run.Tally, 18); len(f.rows) > 18 || len(f.rows) < 8 {
		t.Errorf("%d rows in bins of %d slots", len(f.rows), f.bin)
	}
}

func TestBarsShareAScale(t *testing.T) {
	for _, c := range []struct {
		says           string
		sc             scale
		first, retries int64
		wantFirst      int
		wantRetries    int
	}{
		{"a mark each while they fit", scale{most: 30, columns: 40}, 3, 2, 3, 2},
		{"the longest bar fills its columns", scale{most: 100, columns: 40}, 100, 0, 40, 0},
		{"half of it, half of them", scale{most: 100, columns: 40}, 25, 25, 10, 10},
		{"one of many is still seen", scale{most: 1_000_000, columns: 40}, 0, 1, 0, 1},
		{"a single mark shows what there is more of", scale{most: 1000, columns: 40}, 1, 2, 0, 1},
		{"a few retries among many first attempts are still seen", scale{most: 1000, columns: 40}, 999, 1, 39, 1},
		{"nothing, no mark", scale{most: 10, columns: 40}, 0, 0, 0, 0},
	} {
		if first, retries := c.sc.bar(c.first, c.retries); first != c.wantFirst || retries != c.wantRetries {
			t.Errorf("%s: got %d and %d marks, want %d and %d", c.says, first, retries, c.wantFirst, c.wantRetries)
		}
	}
}
