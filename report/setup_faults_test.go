package report

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

func TestFaultsInWords(t *testing.T) {
	for _, c := range []struct {
		change func(*model.Fault)
		want   string
	}{
		{func(f *model.Fault) { f.Status = 500 }, "answers every attempt with a 500"},
		{func(f *model.Fault) { f.Status, f.First = 401, 1 }, "answers the first attempt of every operation with a 401"},
		{func(f *model.Fault) { f.Hang, f.Probability = true, model.Whole/200 }, "leaves 0.5 % of all attempts without an answer"},
		{func(f *model.Fault) { f.Hang, f.Keys = true, []string{"a", "b"} }, "leaves every attempt with the keys a and b without an answer"},
		{func(f *model.Fault) { f.Stall, f.AfterTokens, f.KeepAlive = true, 3, time.Second }, "falls silent after 3 tokens of the answer to every attempt, but for a sign of life every 1 s"},
		{func(f *model.Fault) { f.Cut, f.First, f.Probability = model.CutReset, 2, model.Whole/2 }, "breaks the connection of 50 % of the first 2 attempts of every operation before the first token"},
		{func(f *model.Fault) { f.Cut, f.AfterTokens = model.CutClose, 1 }, "ends the answer to every attempt after 1 token, as though all were said"},
		{func(f *model.Fault) { f.InStream, f.Keys = "overloaded_error", []string{"main"} }, "ends the stream of every attempt with the key main with an error (overloaded_error) before the first token"},
	} {
		var f model.Fault
		f.SetDefaults()
		c.change(&f)
		if got := faultText(&f); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
