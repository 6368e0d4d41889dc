package report

import (
	"bytes"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestExtremesKeepWhatStandsOut(t *testing.T) {
	for _, row := range []struct {
		sentence string
		values   []int64
		buckets  int
		kept     []int
		leasts   []int
		mosts    []int
	}{
		{"few places are all kept", []int64{3, 1, 2}, 2, []int{0, 1, 2}, nil, nil},
		{"a bucket keeps its least and its greatest, in order", []int64{5, 9, 5, 0, 4, 4, 7, 4}, 2, []int{1, 3, 4, 6}, []int{3, 4}, []int{1, 6}},
		{"a bucket of equals keeps one", []int64{1, 1, 1, 1, 1, 1}, 1, []int{0}, []int{0}, []int{0}},
		{"nothing stays nothing", nil, 4, nil, nil, nil},
	} {
		got := extremes(len(row.values), row.buckets, func(i int) int64 { return row.values[i] })
		if want := (selection{row.kept, row.leasts, row.mosts}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, not %v", row.sentence, got, want)
		}
	}
}

func TestAxesHaveNumbersPeopleCanRead(t *testing.T) {
	for _, row := range []struct {
		sentence string
		axis     ChartAxis
		n        int
		want     string
	}{
		{"counts are whole and grouped", ChartAxis{Max: 25_000}, 5, "0|5,000|10,000|15,000|20,000|25,000"},
		{"a small count has no halves", ChartAxis{Max: 3}, 8, "0|1|2|3"},
		{"seconds", ChartAxis{Unit: Seconds, Max: 2.5}, 5, "0|0.5 s|1 s|1.5 s|2 s|2.5 s"},
		{"minutes", ChartAxis{Unit: Seconds, Max: 1800}, 3, "0|10 min|20 min|30 min"},
		{"hours", ChartAxis{Unit: Seconds, Max: 86_400}, 5, "0|5 h|10 h|15 h|20 h|24 h"},
		{"a short run in milliseconds", ChartAxis{Unit: Seconds, Max: 0.04}, 4, "0|10 ms|20 ms|30 ms|40 ms"},
		{"shares are percentages", ChartAxis{Unit: Shares, Max: 1}, 2, "0 %|50 %|100 %"},
		{"a logarithmic axis marks powers of ten", ChartAxis{Unit: Seconds, Min: 0.05, Max: 200, Log: true}, 9, "100 ms|1 s|10 s|100 s"},
		{"an axis that begins between marks", ChartAxis{Min: 0.4, Max: 6.6}, 3, "5"},
		{"an axis without extent has no marks", ChartAxis{}, 3, ""},
	} {
		var labels []string
		for _, tick := range row.axis.ticks(row.n) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, "|"); got != row.want {
			t.Errorf("%s: %s, not %s", row.sentence, got, row.want)
		}
	}
}

func TestPlacesAreWrittenInTenths(t *testing.T) {
	for want, v := range map[string]float64{"0": 0.04, ".1": 0.05, "-.1": -0.1, "12.3": 12.31, "-40": -39.99, "100": 100} {
		if got := string(appendTenths(nil, tenths(v))); got != want {
			t.Errorf("%g is written %s, not %s", v, got, want)
		}
	}
}

// Series that meet on one chart.
var together = [][]Role{
	{RoleFirst, RoleRetry},
	{RoleAccepted, RoleRejected},
	{RoleFirst, RoleRetry, RoleRejected},
	{RoleRun, RoleAgainst},
	{RoleServing, RoleQueued, RoleHeld},
	armRoles[:],
}

func TestColoursDifferInGrey(t *testing.T) {
	grey := func(c uint32) float64 {
		return 0.299*float64(c>>16) + 0.587*float64(c>>8&0xff) + 0.114*float64(c&0xff)
	}
	for _, roles := range together {
		for i, a := range roles {
			for _, b := range roles[:i] {
				if !slices.Equal(a.look().dashes, b.look().dashes) {
					continue // their dashes tell them apart
				}
				if d := grey(a.look().light) - grey(b.look().light); d*d < 30*30 {
					t.Errorf("%s and %s are alike in grey, on white: %.0f", a.look().name, b.look().name, d)
				}
				if d := grey(a.look().dark) - grey(b.look().dark); d*d < 30*30 {
					t.Errorf("%s and %s are alike in grey, on black: %.0f", a.look().name, b.look().name, d)
				}
			}
		}
	}
}

func TestChartFiles(t *testing.T) {
	dir := t.TempDir()
	in := herdPage(t)
	svg, picture := filepath.Join(dir, "herd.svg"), filepath.Join(dir, "herd.PNG")
	for _, path := range []string{svg, picture} {
		if err := ChartFile(path, Herd(in)); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg, raw)
	for _, want := range []string{"naive", "full-jitter", "the first 2.5 s", "all done after 2.48 s", "3 seats can serve about 5 in 50 ms", "first attempts", "retries"} {
		if !strings.Contains(string(raw), ">"+want+"<") {
			t.Errorf("the chart does not say %q", want)
		}
	}
	if raw, err = os.ReadFile(picture); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{"herd.gif": "an .svg or a .png", "herd": "an .svg or a .png"} {
		if err := ChartFile(filepath.Join(dir, path), Herd(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := WriteChart(io.Discard, "svg", Herd(emptyPage(t))); err != nil {
		t.Errorf("a chart of nothing: %v", err)
	}
}

func BenchmarkChartSVG(b *testing.B) {
	c := Herd(herdPage(b))
	for b.Loop() {
		if err := WriteChart(io.Discard, "svg", c); err != nil {
			b.Fatal(err)
		}
	}
}
