package experiment

import (
	"slices"

	"github.com/stampede-sim/stampede/model"
)

// mostShown is of how many cells the figures are kept to be drawn; files have all.
const mostShown = 100_000

// SweepResult is what a sweep came to, as far as it is shown.
type SweepResult struct {
	Runs       int
	CellsDone  int
	UnmetRuns  int // runs in which an expectation failed
	UnmetCells int // cells that have such runs
	Columns    []string
	Cells      []CellResult // in order; of more than 100,000 cells the first
}

// CellResult is a cell that is done.
type CellResult struct {
	Cell, Runs int
	Figures    []CellFigure // by [SweepResult.Columns]
}

// CellFigure is a figure over a cell's runs, with its 95 % intervals.
type CellFigure struct {
	Mean, Lo, Hi               model.Number
	Median, MedianLo, MedianHi model.Number
	N                          int // runs that have it
}

// shownColumns are the figures of which cells are shown: few, and those that were asked for.
func (s *Sweep) shownColumns() []string {
	var names []string
	for _, f := range ComparedFigures() {
		names = append(names, f.Name)
	}
	for _, name := range s.columns {
		asked := slices.Contains(s.Spec.Figures, name) || s.until != nil && name == s.until.Figure
		if asked && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// sweepTables takes runs in the order of cells and replicates and writes both tables.
type sweepTables struct {
	sweep   *Sweep
	now     *cellRuns
	unmet   bool // a run of the cell did not hold an expectation
	shown   []int
	result  *SweepResult
	cells   *growing // nil where no files are written
	summary *growing
	line    []byte
}

func (s *Sweep) newTables(cells, summary *growing) *sweepTables {
	t := &sweepTables{sweep: s, now: s.newCellRuns(), cells: cells, summary: summary, result: &SweepResult{Columns: s.shownColumns()}}
	for _, name := range t.result.Columns {
		t.shown = append(t.shown, slices.Index(s.columns, name))
	}
	t.now.begin(s.Shard.first())
	return t
}

// over says whether all cells are done.
func (t *sweepTables) over() bool { return t.now.cell >= t.sweep.grid.cells }

// add takes the next run and writes it.
func (t *sweepTables) add(figures []model.Number) error {
	if t.cells != nil {
		t.line = t.sweep.appendPrefix(t.line[:0], t.now.cell, t.now.runs, t.now.keys)
		if err := t.cells.write(appendFigures(t.line, figures)); err != nil {
			return err
		}
	}
	return t.count(figures)
}

// count takes the next run, which cells.csv has already.
func (t *sweepTables) count(figures []model.Number) error {
	last := t.now.add(figures)
	t.result.Runs++
	if figures[len(figures)-1] > 0 {
		t.unmet = true
		t.result.UnmetRuns++
	}
	if !last {
		return nil
	}
	stats := t.now.stats()
	if t.summary != nil {
		t.line = t.sweep.appendSummary(t.line[:0], t.now.cell, t.now.keys, t.now.runs, stats)
		if err := t.summary.write(t.line); err != nil {
			return err
		}
	}
	t.show(stats)
	t.now.begin(t.now.cell + t.sweep.Shard.step())
	return nil
}

func (t *sweepTables) show(stats []Stats) {
	t.result.CellsDone++
	if t.unmet {
		t.result.UnmetCells++
	}
	t.unmet = false
	if len(t.result.Cells) == mostShown {
		return
	}
	cell := CellResult{Cell: t.now.cell, Runs: t.now.runs, Figures: make([]CellFigure, len(t.shown))}
	for i, column := range t.shown {
		f := &stats[column]
		cell.Figures[i] = CellFigure{f.Mean, f.CI95[0], f.CI95[1], f.Median, f.MedianCI95[0], f.MedianCI95[1], f.N}
	}
	t.result.Cells = append(t.result.Cells, cell)
}

func (t *sweepTables) flush() error {
	if t.cells == nil {
		return nil
	}
	if err := t.cells.flush(); err != nil {
		return err
	}
	return t.summary.flush()
}
