package experiment

import "github.com/stampede-sim/stampede/model"

// cellRuns gathers the runs of the cell that is being read or written.
type cellRuns struct {
	sweep  *Sweep
	cell   int
	keys   []byte
	runs   int
	values [][]model.Number // by column
}

func (s *Sweep) newCellRuns() *cellRuns {
	return &cellRuns{sweep: s, values: make([][]model.Number, len(s.columns))}
}

// begin makes it those of another cell.
func (c *cellRuns) begin(cell int) {
	c.cell, c.runs, c.keys = cell, 0, nil
	if cell < c.sweep.grid.cells {
		c.keys = c.sweep.keyFields(cell)
	}
	for i := range c.values {
		c.values[i] = c.values[i][:0]
	}
}

// add takes the next replicate, rounded, and says whether it was the cell's last.
func (c *cellRuns) add(figures []model.Number) (last bool) {
	for i, n := range figures {
		c.values[i] = append(c.values[i], n)
	}
	c.runs++
	return c.full()
}

func (c *cellRuns) full() bool {
	s := c.sweep
	return c.runs >= s.Spec.Seeds || s.until != nil && s.until.enough(c.values[s.untilAt])
}

func (c *cellRuns) stats() []Stats {
	stats := make([]Stats, len(c.values))
	for i, values := range c.values {
		stats[i] = Describe(values)
	}
	return stats
}
