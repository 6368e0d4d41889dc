package model

import (
	"math"
	"testing"
)

func TestFigureReaderReadsWhatFigureDoes(t *testing.T) {
	s := &Summary{Wall: 3, Groups: map[string]GroupSummary{"a.b": {Operations: Operations{Total: 7, Succeeded: 5}}}}
	s.Operations = Operations{Total: 4, Succeeded: 3}
	s.Attempts.ByStatus = map[string]int64{"429": 9}
	for _, name := range append(FigureNames(), `groups["a.b"].operations.succeeded`, "attempts.by_status.429", "attempts.by_status.503", "engine", "no.such", "groups", "") {
		want, known := s.Figure(name)
		got := FigureReader(name)(s)
		if !known {
			want = Undefined()
		}
		if got != want && !(math.IsNaN(float64(got)) && math.IsNaN(float64(want))) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
