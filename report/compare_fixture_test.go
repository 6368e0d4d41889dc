package report

import (
	"strconv"
	"testing"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// figureOf is a figure of an arm: means, interval and verdict.
func figureOf(arm int, figure string, unit Unit, base, diff, lo, hi model.Number, verdict string) ComparedFigure {
	return ComparedFigure{Figure: figure, Path: figure, Unit: unit, Arm: arm, Pairs: 20, Base: base, Value: base + diff, Diff: diff, CI95: [2]model.Number{lo, hi}, P: 0.01, Verdict: verdict}
}

// policiesCompared has a figure of every verdict.
func policiesCompared() *Comparison {
	none := model.Undefined()
	unknown := figureOf(1, "first token", InSeconds, none, none, none, none, "not comparable")
	unknown.Pairs = 1
	return &Comparison{Key: "policy", Arms: []string{"naive", "full-jitter"}, Seeds: 20, Rows: []ComparedFigure{
		figureOf(1, "success", InPercent, 1, 0, 0, 0, verdictSame),
		figureOf(1, "wall", InSeconds, 200, -197, -203, -191, verdictBetter),
		figureOf(1, "attempts", InNumbers, 800, 40, 20, 60, verdictWorse),
		figureOf(1, "p50 latency", InSeconds, 20, 1, -2, 4, verdictNone),
		figureOf(1, "cost", InNumbers, 0, 3, 2, 4, verdictWorse),
		unknown,
	}}
}

// comparedPage is the page of `compare herd-100 --vary policy=naive,full-jitter`.
func comparedPage(t testing.TB) PageInput {
	in := herdPage(t)
	in.Command = "simulate compare herd-100 --vary policy=naive,full-jitter --seeds 20"
	in.Compared = policiesCompared()
	return in
}

// seatsPage compares more numbers of seats than a page can draw, up to a thousandfold
// apart, behind a gate.
func seatsPage(t testing.TB) PageInput {
	in := comparedPage(t)
	in.Arms, in.Compared = nil, &Comparison{Key: "provider.seats", Seeds: 20}
	for i := range MostArms + 2 {
		c := herdConfig([]string{"full-jitter", "naive"}[i%2])
		c.Provider.Seats = policies.Count(3 + i)
		c.Clients[0].Gate = &model.GroupGate{GateConfig: policies.GateConfig{Concurrency: 20, Scope: policies.GroupScope}}
		in.Compared.Arms = append(in.Compared.Arms, strconv.Itoa(3+i))
		if i > 0 {
			times := model.Number([]float64{0.002, 90, 1}[i%3])
			in.Compared.Rows = append(in.Compared.Rows, figureOf(i, "wall", InSeconds, 2, 2*(times-1), 2*(times*0.9-1), 2*(times*1.2-1), []string{verdictBetter, verdictWorse, verdictNone}[i%3]))
		}
		if i < MostArms {
			in.Arms = append(in.Arms, runConfig(t, c, 1))
		}
	}
	return in
}

// hostileComparison has hostile names for its key and arms.
func hostileComparison(t testing.TB) PageInput {
	in := hostilePage(t)
	in.Compared = &Comparison{Key: hostile[0], Arms: []string{hostile[0], hostile[len(hostile)-1], hostile[1], hostile[2], hostile[len(hostile)-1]}, Seeds: 3}
	for i := range in.Compared.Arms[1:] {
		in.Compared.Rows = append(in.Compared.Rows, figureOf(i+1, "wall", InSeconds, 2, -1, -1.5, -0.5, verdictBetter))
	}
	return in
}
