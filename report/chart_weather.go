package report

import "github.com/stampede-sim/stampede/model"

// weatherBands shade the periods in which the provider was not itself, as far as a
// view of a run shows them.
func weatherBands(t *model.Tally, end float64) []Band {
	var bands []Band
	for _, w := range t.Periods() {
		if from := inSeconds(w.At); from < end {
			bands = append(bands, Band{from, min(end, inSeconds(w.Until())), w.String()})
		}
	}
	return bands
}
