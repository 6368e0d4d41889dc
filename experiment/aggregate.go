package experiment

import (
	"math"
	"slices"

	"golang.org/x/exp/stats"

	"github.com/stampede-sim/stampede/model"
)

// Stats are one figure over several seeds, those that have it. Percentiles are
// nearest rank; intervals are as [IntervalMethod] says, and null below as many seeds as
// they take: two, and six of a median, 29 of the 10th and 90th percentiles.
type Stats struct {
	N          int             `json:"n"`
	Mean       model.Number    `json:"mean"`
	Median     model.Number    `json:"median"`
	P10        model.Number    `json:"p10"`
	P90        model.Number    `json:"p90"`
	CI95       [2]model.Number `json:"ci95"` // of the mean
	MedianCI95 [2]model.Number `json:"median_ci95"`
	P10CI95    [2]model.Number `json:"p10_ci95"`
	P90CI95    [2]model.Number `json:"p90_ci95"`
}

// Describe takes the statistics of values, leaving out those that are undefined.
func Describe(values []model.Number) Stats {
	known := sortedKnown(values)
	s := Stats{N: len(known), Mean: model.Undefined(), CI95: undefinedPair()}
	s.P10, s.P10CI95 = percentileOf(known, 10)
	s.Median, s.MedianCI95 = percentileOf(known, 50)
	s.P90, s.P90CI95 = percentileOf(known, 90)
	if s.N == 0 {
		return s
	}
	mean := stats.Mean(known)
	s.Mean = model.Number(mean)
	if s.N > 1 {
		half := studentT(s.N-1) * sampleSD(known, mean) / math.Sqrt(float64(s.N))
		s.CI95 = [2]model.Number{model.Number(mean - half), model.Number(mean + half)}
	}
	return s
}

// sortedKnown are the values that are defined, in order.
func sortedKnown(values []model.Number) []float64 {
	known := make([]float64, 0, len(values))
	for _, v := range values {
		if v.Defined() {
			known = append(known, float64(v))
		}
	}
	slices.Sort(known)
	return known
}

// percentileOf is the percentile of sorted values, by nearest rank, and its interval.
func percentileOf(sorted []float64, percent int) (model.Number, [2]model.Number) {
	n := len(sorted)
	if n == 0 {
		return model.Undefined(), undefinedPair()
	}
	at := func(rank int) model.Number { return model.Number(sorted[rank-1]) }
	value := at((percent*n + 99) / 100)
	lo, hi, enough := orderRanks(n, percent)
	if !enough {
		return value, undefinedPair()
	}
	return value, [2]model.Number{at(lo), at(hi)}
}

func undefinedPair() [2]model.Number { return [2]model.Number{model.Undefined(), model.Undefined()} }

// sampleSD is the standard deviation with n-1 below the line, which x/exp/stats,
// dividing by n, does not give.
func sampleSD(values []float64, mean float64) float64 {
	sum := 0.0
	for _, v := range values {
		d := v - mean
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

// Aggregate returns the statistics of every figure over the runs, in the shape of
// a summary: a figure's place holds its [Stats].
func (r *Replicates) Aggregate() map[string]any {
	var paths [][]string
	values := map[string][]model.Number{}
	for i := range r.Runs {
		r.Runs[i].Summary.EachFigure(func(path []string, n model.Number) {
			id := pathID(path)
			if _, known := values[id]; !known {
				paths = append(paths, slices.Clone(path))
			}
			values[id] = append(values[id], n)
		})
	}
	tree := map[string]any{}
	for _, path := range paths {
		plant(tree, path, Describe(values[pathID(path)]))
	}
	return tree
}

// plant puts statistics in their place in the shape of a summary.
func plant(tree map[string]any, path []string, s Stats) {
	at := tree
	for _, step := range path[:len(path)-1] {
		below, is := at[step].(map[string]any)
		if !is {
			below = map[string]any{}
			at[step] = below
		}
		at = below
	}
	at[path[len(path)-1]] = s
}

// Figure returns the statistics of one figure, by the name an `expect` gives it.
func (r *Replicates) Figure(name string) Stats {
	values := make([]model.Number, len(r.Runs))
	for i := range r.Runs {
		values[i] = model.Undefined()
		if v, known := r.Runs[i].Summary.Figure(name); known {
			values[i] = v
		}
	}
	return Describe(values)
}

func pathID(path []string) string {
	id := ""
	for _, step := range path {
		id += "\x00" + step
	}
	return id
}
