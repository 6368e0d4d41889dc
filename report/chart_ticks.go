package report

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/stampede-sim/stampede/model"
	"gonum.org/v1/plot"
)

// ticks returns about n labelled marks for an axis.
func (a *ChartAxis) ticks(n int) []plot.Tick {
	if a.Log {
		return a.logTicks()
	}
	span := a.Max - a.Min
	if !(span > 0) {
		return nil
	}
	unit, name := a.unit()
	step := niceStep(span / unit / float64(n))
	if a.Unit == Numbers && !a.Fine {
		step = max(step, 1)
	}
	var out []plot.Tick
	for i := math.Ceil(a.Min/unit/step - 1e-9); ; i++ {
		at := roundSignificant(i * step * unit)
		if at > a.Max+span*1e-9 {
			return a.withEnd(out, step*unit, unit, name)
		}
		out = append(out, plot.Tick{Value: at, Label: a.label(at/unit, name)})
	}
}

// withEnd marks where a time axis ends, if that is well away from its last mark.
func (a *ChartAxis) withEnd(ticks []plot.Tick, step, unit float64, name string) []plot.Tick {
	if a.Unit != Seconds || len(ticks) == 0 || a.Max-ticks[len(ticks)-1].Value < 0.6*step {
		return ticks
	}
	digits := 3
	if a.Max >= 100 {
		digits = 4
	}
	end, err := strconv.ParseFloat(strconv.FormatFloat(a.Max/unit, 'g', digits, 64), 64)
	if err != nil {
		return ticks
	}
	return append(ticks, plot.Tick{Value: a.Max, Label: a.label(end, name)})
}

// mostRowNames is how many rows of a panel are named: of more, every second, third, ...
const mostRowNames = 40

// rowTicks are the names of a panel's rows.
func rowTicks(rows []string) []plot.Tick { return everyTick(rows, 1+(len(rows)-1)/mostRowNames) }

// columnTicks are the names of a panel's columns, as many as stand beside each other.
func columnTicks(columns []string, width float64) []plot.Tick {
	longest := 1
	for _, c := range columns {
		longest = max(longest, utf8.RuneCountInString(c))
	}
	fit := max(1, int(width*0.8/(float64(longest)*6.5+12)))
	return everyTick(columns, 1+(len(columns)-1)/fit)
}

func everyTick(names []string, step int) []plot.Tick {
	var out []plot.Tick
	for i := 0; i < len(names); i += max(1, step) {
		out = append(out, plot.Tick{Value: float64(i), Label: names[i]})
	}
	return out
}

// logTicks marks powers of ten.
func (a *ChartAxis) logTicks() []plot.Tick {
	var out []plot.Tick
	decade := 1e-9
	for ; decade <= a.Max*1.0000001; decade *= 10 {
		at := roundSignificant(decade)
		if at < a.Min*0.9999999 {
			continue
		}
		label := a.text(at)
		if a.Unit == Seconds && at >= 1 && at < 1000 {
			label = count(int64(at)) + " s"
		}
		out = append(out, plot.Tick{Value: at, Label: label})
	}
	return out
}

// unit returns the unit that suits the axis, as a multiple of its values.
func (a *ChartAxis) unit() (size float64, name string) {
	switch {
	case a.Unit == Shares, a.Unit == Changes:
		return 0.01, " %"
	case a.Unit == Numbers:
		return 1, ""
	case a.Max < 1e-3:
		return 1e-6, " µs"
	case a.Max < 1:
		return 1e-3, " ms"
	case a.Max <= 600:
		return 1, " s"
	case a.Max <= 3*3600:
		return 60, " min"
	}
	return 3600, " h"
}

func (a *ChartAxis) label(v float64, unit string) string {
	v = roundSignificant(v)
	if v == 0 && unit != " %" {
		return "0"
	}
	sign := ""
	if a.Unit == Changes && v > 0 {
		sign = "+"
	}
	if v == float64(int64(v)) {
		return sign + count(int64(v)) + unit
	}
	return sign + strconv.FormatFloat(v, 'f', -1, 64) + unit
}

// text writes a value of the axis for people.
func (a *ChartAxis) text(v float64) string {
	switch a.Unit {
	case Seconds:
		return seconds(model.Number(v))
	case Shares:
		return percent(model.Number(v))
	case Multiples:
		return "× " + decimal(model.Number(v))
	}
	if v == float64(int64(v)) {
		return count(int64(v))
	}
	return decimal(model.Number(v))
}

// niceStep returns the least of 1, 2, 5, 10 ... times a power of ten that is at least v.
func niceStep(v float64) float64 {
	step := 1e-9
	for {
		for _, m := range [...]float64{1, 2, 5} {
			if s := roundSignificant(step * m); s >= v*0.999999 {
				return s
			}
		}
		step *= 10
	}
}

// niceCeil returns the end of an axis that reaches at least to v in about n steps.
func niceCeil(v float64, n int) float64 {
	if !(v > 0) {
		return 1
	}
	step := niceStep(v / float64(n))
	for i := 1.0; ; i++ {
		if end := roundSignificant(i * step); end >= v*0.999999 {
			return end
		}
	}
}

// roundSignificant drops what arithmetic left behind the ninth digit.
func roundSignificant(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 9, 64), 64)
	if err != nil {
		return v
	}
	return r
}

func inSeconds(d time.Duration) float64 { return roundSignificant(float64(d) / 1e9) }
