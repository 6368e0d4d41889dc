package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/sim"
)

// grid are the cells of a sweep: every value of each axis with every value of the others,
// the last axis turning fastest, or a sample of them. It holds no list of them.
type grid struct {
	axes   []scenarios.Vary
	keys   []string
	cells  int
	sample *sample // nil for the whole grid
}

// mostCells is how many cells a sweep has at most.
const mostCells = 100_000_000

func newGrid(axes []scenarios.Vary, cells int, method scenarios.SampleMethod, seed uint64) (*grid, error) {
	g := &grid{axes: axes}
	for _, axis := range axes {
		for _, of := range axis.Keys {
			g.keys = append(g.keys, of.Key)
		}
	}
	for i, a := range g.keys {
		for _, b := range g.keys[:i] {
			if a == b {
				return nil, fmt.Errorf("%s is varied twice; write each key once", a)
			}
			if scenarios.SameKey(a, b) {
				return nil, fmt.Errorf("%s and %s cannot both be varied: setting one undoes the other", b, a)
			}
		}
	}
	if cells > 0 {
		g.cells, g.sample = cells, newSample(axes, cells, method, seed)
		return g, nil
	}
	size := 1.0
	for _, axis := range axes {
		n := axis.Keys[0].Points()
		if n == 0 {
			return nil, fmt.Errorf("%s: how many points are meant? write /POINTS after it, or --sample N to draw from it", axis)
		}
		size *= float64(n)
	}
	if size > mostCells {
		return nil, fmt.Errorf("%.3g cells are more than the %d a sweep can have; write fewer points, or --sample N", size, mostCells)
	}
	g.cells = int(size)
	return g, nil
}

// values are a cell's, in the order of the keys.
func (g *grid) values(cell int) []string {
	values := make([]string, 0, len(g.keys))
	if g.sample != nil {
		for axis := range g.axes {
			values = g.sample.append(values, axis, cell)
		}
		return values
	}
	at := g.places(cell)
	for i, axis := range g.axes {
		for _, of := range axis.Keys {
			values = append(values, of.At(at[i]))
		}
	}
	return values
}

// places are which value of each axis a cell of a whole grid has.
func (g *grid) places(cell int) []int {
	at := make([]int, len(g.axes))
	for i := len(g.axes) - 1; i >= 0; i-- {
		n := g.axes[i].Keys[0].Points()
		at[i], cell = cell%n, cell/n
	}
	return at
}

// sample draws cells from the axes.
type sample struct {
	axes   []scenarios.Vary
	cells  int
	keys   []sim.Key // by axis
	strata [][]int32 // by axis, then by cell; nil where each draws by itself
}

func newSample(axes []scenarios.Vary, cells int, method scenarios.SampleMethod, seed uint64) *sample {
	s := &sample{axes: axes, cells: cells}
	for _, axis := range axes {
		// Named by its keys, so that an axis more or less changes no other's draws.
		key := sim.NewKey(seed, "sample "+axis.Keys[0].Key)
		s.keys = append(s.keys, key)
		if method == scenarios.LatinHypercube {
			s.strata = append(s.strata, shuffled(cells, key))
		}
	}
	return s
}

// shuffled are the numbers from 0 up to n in an order drawn by the key.
func shuffled(n int, key sim.Key) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	drawn := func(i int32) sim.Key { return key.At(uint64(i)).At(1) }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(drawn(a), drawn(b)), cmp.Compare(a, b))
	})
	return order
}

// append adds an axis's values in a cell.
func (s *sample) append(values []string, axis, cell int) []string {
	u := s.keys[axis].At(uint64(cell)).Uniform()
	if s.strata != nil {
		u = (float64(s.strata[axis][cell]) + u) / float64(s.cells)
	}
	keys := s.axes[axis].Keys
	if r := keys[0].Range; r != nil && r.Points == 0 {
		return append(values, r.At(u)) // stands alone, as [scenarios.Vary] checks
	}
	n := keys[0].Points()
	i := min(int(math.Floor(u*float64(n))), n-1)
	for _, of := range keys {
		values = append(values, of.At(i))
	}
	return values
}

// ErrNothingVaried says that a sweep has no axis.
var ErrNothingVaried = errors.New("nothing is varied; write --vary KEY=A,B,... or --vary KEY=FROM..TO/POINTS")
