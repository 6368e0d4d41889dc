package experiment

import (
	"math"
	"slices"

	"golang.org/x/exp/stats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/stampede-sim/stampede/model"
)

// Stats are one figure over several seeds, those that have it. Percentiles are
// nearest rank.
type Stats struct {
	N      int             `json:"n"`
	Mean   model.Number    `json:"mean"`
	Median model.Number    `json:"median"`
	P10    model.Number    `json:"p10"`
	P90    model.Number    `json:"p90"`
	CI95   [2]model.Number `json:"ci95"` // of the mean, by Student's t; null below two seeds
}

// Describe takes the statistics of values, leaving out those that are undefined.
func Describe(values []model.Number) Stats {
	var known []float64
	for _, v := range values {
		if v.Defined() {
			known = append(known, float64(v))
		}
	}
	none := model.Undefined()
	s := Stats{N: len(known), Mean: none, Median: none, P10: none, P90: none, CI95: [2]model.Number{none, none}}
	if s.N == 0 {
		return s
	}
	slices.Sort(known)
	rank := func(percent int) model.Number { return model.Number(known[(percent*s.N+99)/100-1]) }
	s.P10, s.Median, s.P90 = rank(10), rank(50), rank(90)
	mean := stats.Mean(known)
	s.Mean = model.Number(mean)
	if s.N > 1 {
		half := studentT(s.N-1) * sampleSD(known, mean) / math.Sqrt(float64(s.N))
		s.CI95 = [2]model.Number{model.Number(mean - half), model.Number(mean + half)}
	}
	return s
}

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

// studentT is the 97.5th percentile of Student's t.
func studentT(degrees int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(0.975)
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
		at := tree
		for _, step := range path[:len(path)-1] {
			below, is := at[step].(map[string]any)
			if !is {
				below = map[string]any{}
				at[step] = below
			}
			at = below
		}
		at[path[len(path)-1]] = Describe(values[pathID(path)])
	}
	return tree
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
