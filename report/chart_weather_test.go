package report

import (
	"slices"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

func TestWeatherIsBehindTimeCharts(t *testing.T) {
	c := herdConfig("none")
	c.Provider.Weather = []model.Weather{
		{At: 2 * time.Minute, For: time.Second, Outage: 503},
		{At: 30 * time.Second, For: time.Hour, Freeze: true},
		{At: 10 * time.Second, For: 5 * time.Second, Outage: 529},
	}
	tally := model.NewTally(c)
	tally.Close(time.Minute, 0, 0)
	for _, row := range []struct {
		says string
		end  float64
		want []Band
	}{
		{"in order of time, and what begins after the run is in none of it", 60, []Band{{10, 15, "outage 529"}, {30, 60, "freeze"}}},
		{"a view of the start shows what begins in it", 12, []Band{{10, 12, "outage 529"}}},
		{"a view that ends before it shows none", 10, nil},
	} {
		if got := weatherBands(tally, row.end); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.says, got, row.want)
		}
		a := newArmForTest(tally)
		for _, band := range row.want {
			if p := (view{end: row.end, about: func(*arm) string { return "" }}).panel(a, 70); !slices.Contains(p.Bands, band) {
				t.Errorf("%s: the panel has %v, without %v", row.says, p.Bands, band)
			}
		}
	}
}

func newArmForTest(tally *model.Tally) *arm {
	s := model.Summarise(tally)
	a := &arm{}
	a.Summary, a.Tally = s, tally
	a.facts.slot = tally.SlotWidth()
	return a
}
