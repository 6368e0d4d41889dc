package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// SweepSpec is all that decides the results of a sweep: sweeps of equal specs have the
// same bytes, whatever machine, jobs, shards and interruptions they went through.
type SweepSpec struct {
	Scenario string                 `json:"scenario"`
	File     string                 `json:"file"` // what its mistakes call it
	Text     string                 `json:"text"`
	Set      []string               `json:"set"`
	Vary     []scenarios.Vary       `json:"vary"`
	Seed     uint64                 `json:"seed,string"`
	Seeds    int                    `json:"seeds"` // of each cell; with Until, at most
	Sample   int                    `json:"sample,omitempty"`
	Method   scenarios.SampleMethod `json:"sample_method,omitempty"`
	Until    string                 `json:"until,omitempty"`
	Figures  []string               `json:"figures"`
	Version  string                 `json:"version"`

	Folder string `json:"-"` // that the scenario's file is in, for the files it names
}

// SweepFigures are the figures that every sweep has, in the order of its columns.
func SweepFigures() []string {
	return []string{
		"success", "wall_s", "attempts.total", "attempts.rejected", "amplification", "herd.busiest", "herd.busiest_retry",
		"latency_s.mean", "latency_s.p50", "latency_s.p90", "latency_s.p99", "latency_s.max", "first_token_s.p50", "first_token_s.p99",
		"provider.utilisation", "provider.goodput_ops_per_s", "provider.queue_wait_s.mean", "provider.max_queue", "waste", "cost.total",
	}
}

// Unmet is the last column: how many of the scenario's expectations a run did not hold.
const Unmet = "unmet"

// Sweep is a scenario under many combinations of values, each over the same seeds.
type Sweep struct {
	Spec  SweepSpec
	Shard Shard

	Base     *scenarios.Scenario
	template *scenarios.Template
	grid     *grid
	until    *Until
	columns  []string // the figures, Unmet last
	readers  []func(*model.Summary) model.Number
	untilAt  int // the column that Until looks at
}

// NewSweep makes a sweep ready. Mistakes in what is varied name --vary as their file.
func NewSweep(spec SweepSpec, shard Shard) (*Sweep, error) {
	set := append(slices.Clone(spec.Set), "seed="+strconv.FormatUint(spec.Seed, 10))
	template, err := scenarios.NewTemplate(filepath.Join(spec.Folder, spec.File), []byte(spec.Text), set...)
	if err != nil {
		return nil, err
	}
	base, err := template.Scenario()
	if err != nil {
		return nil, err
	}
	if len(spec.Vary) == 0 {
		return nil, ErrNothingVaried
	}
	s := &Sweep{Spec: spec, Shard: shard, Base: base, template: template}
	if spec.Until != "" {
		if s.until, err = ParseUntil(spec.Until); err != nil {
			return nil, fmt.Errorf("--until: %w", err)
		}
	}
	if err := s.setColumns(base.CheckFigure); err != nil {
		return nil, err
	}
	if err := s.checkAxes(); err != nil {
		return nil, err
	}
	s.grid, err = newGrid(s.Spec.Vary, spec.Sample, spec.Method, spec.Seed)
	return s, err
}

// restoreSweep makes the sweep of a document ready to be merged. It decodes no scenario:
// files that one names need not be where its shards are merged.
func restoreSweep(d *SweepDocument) (*Sweep, error) {
	s := &Sweep{Spec: d.SweepSpec, Base: &scenarios.Scenario{Name: d.Scenario, About: d.About}}
	var err error
	if d.Until != "" {
		if s.until, err = ParseUntil(d.Until); err != nil {
			return nil, folderError("%s: until: %v", sweepFile, err)
		}
	}
	for _, axis := range d.Vary {
		for k := range axis.Keys {
			if of := &axis.Keys[k]; of.Range != nil {
				of.Range.Whole = slices.Contains(d.Whole, of.Key)
			}
		}
	}
	if err := s.setColumns(func(string) error { return nil }); err != nil {
		return nil, err
	}
	s.grid, err = newGrid(d.Vary, d.Sample, d.Method, d.Seed)
	return s, err
}

func (s *Sweep) setColumns(check func(name string) error) error {
	s.columns = SweepFigures()
	add := func(flag, name string) error {
		if err := check(name); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		if !slices.Contains(s.columns, name) {
			s.columns = append(s.columns, name)
		}
		return nil
	}
	for _, name := range s.Spec.Figures {
		if err := add("--figure", name); err != nil {
			return err
		}
	}
	if s.until != nil {
		if err := add("--until", s.until.Figure); err != nil {
			return err
		}
		s.untilAt = slices.Index(s.columns, s.until.Figure)
	}
	for _, name := range s.columns {
		s.readers = append(s.readers, model.FigureReader(name))
	}
	s.columns = append(s.columns, Unmet)
	return nil
}

// checkAxes tries each value of each axis with the first of the others, and finds which
// keys take whole numbers only.
func (s *Sweep) checkAxes() error {
	var wrong scenarios.Mistakes
	note := func(err error) error {
		var mistakes scenarios.Mistakes
		if !errors.As(err, &mistakes) {
			return err
		}
		for _, m := range mistakes {
			if m.File == "--set" {
				m.File = "--vary"
			}
			if !slices.Contains(wrong, m) {
				wrong = append(wrong, m)
			}
		}
		return nil
	}
	first := s.firstValues()
	for _, axis := range s.Spec.Vary {
		for k := range axis.Keys {
			if r := axis.Keys[k].Range; r != nil && s.takesWhole(axis.Keys[k].Key, r, first) {
				r.Whole = true
				if err := r.CheckWhole(); err != nil {
					wrong = append(wrong, scenarios.Mistake{File: "--vary", Path: axis.Keys[k].Key, Text: err.Error()})
				}
			}
		}
		if wrong != nil {
			continue
		}
		points := axis.Keys[0].Points()
		tries := []int{0, points - 1}
		if axis.Keys[0].Range == nil && points <= mostTried {
			tries = tries[:0]
			for i := range points {
				tries = append(tries, i)
			}
		}
		for _, i := range tries {
			set := slices.Clone(first)
			for _, of := range axis.Keys {
				set = append(set, of.Key+"="+end(&of, i))
			}
			if _, err := s.template.Scenario(set...); err != nil {
				if err := note(err); err != nil {
					return err
				}
			}
		}
	}
	if wrong != nil {
		return wrong
	}
	return nil
}

// mostTried is how many values of a list are tried before anything runs.
const mostTried = 10_000

// end is value i of a key or, of a range without points, an end.
func end(of *scenarios.Varied, i int) string {
	if of.Points() > 0 {
		return of.At(i)
	}
	if i == 0 {
		return of.Range.At(0)
	}
	return of.Range.At(1)
}

func (s *Sweep) firstValues() []string {
	var set []string
	for _, axis := range s.Spec.Vary {
		for _, of := range axis.Keys {
			set = append(set, of.Key+"="+end(&of, 0))
		}
	}
	return set
}

// takesWhole tries a number that is not whole.
func (s *Sweep) takesWhole(key string, r *scenarios.Range, first []string) bool {
	between := r.Between()
	if between == "" {
		return false
	}
	set := append(slices.Clone(first), key+"=")
	try := func(value string) bool {
		set[len(set)-1] = key + "=" + value
		_, err := s.template.Scenario(set...)
		return err == nil
	}
	return !try(between) && try(r.At(0)) && try(r.At(1))
}

// Cells is how many cells the sweep has, those of all shards.
func (s *Sweep) Cells() int { return s.grid.cells }

// Keys are the keys that are varied, in the order of their columns.
func (s *Sweep) Keys() []string { return s.grid.keys }

// Figures are the columns after them.
func (s *Sweep) Figures() []string { return s.columns }

// Values are a cell's values, in the order of [Sweep.Keys].
func (s *Sweep) Values(cell int) []string { return s.grid.values(cell) }

// Places are which value of each axis a cell has; nil in a sample.
func (s *Sweep) Places(cell int) []int {
	if s.grid.sample != nil {
		return nil
	}
	return s.grid.places(cell)
}

// MostRuns is how many runs the sweep, or its shard, has at most.
func (s *Sweep) MostRuns() int { return s.Shard.cells(s.grid.cells) * s.Spec.Seeds }

// Scenario returns a cell's scenario.
func (s *Sweep) Scenario(cell int) (*scenarios.Scenario, error) {
	values := s.grid.values(cell)
	set := make([]string, len(values))
	for i, key := range s.grid.keys {
		set[i] = key + "=" + values[i]
	}
	return s.template.Scenario(set...)
}

// mostChecked is how many cells are decoded before anything runs, which takes about two
// seconds; of more, each is when its turn comes.
const mostChecked = 20_000

// CellWarning is what of some cells has no effect.
type CellWarning struct {
	Text  string
	Cells int // that it is said of
	First int // of them
}

// Check finds cells that are no scenario, though each of their values is; and what of the
// others has no effect, by the first of the cells that it is said of.
func (s *Sweep) Check(ctx context.Context, jobs int) ([]CellWarning, error) {
	if s.Shard.cells(s.grid.cells) > mostChecked {
		return nil, nil
	}
	warned := map[string]*CellWarning{} // guarded as first is
	var next atomic.Int64
	var first struct {
		sync.Mutex
		cell int
		err  error
	}
	var workers sync.WaitGroup
	for range max(1, min(jobs, 2*runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			for ctx.Err() == nil {
				cell := s.Shard.first() + (int(next.Add(1))-1)*s.Shard.step()
				if cell >= s.grid.cells {
					return
				}
				of, err := s.Scenario(cell)
				if err != nil {
					first.Lock()
					if first.err == nil || cell < first.cell {
						first.cell, first.err = cell, err
					}
					first.Unlock()
					return
				}
				for _, text := range of.Warnings() {
					first.Lock()
					w := warned[text]
					if w == nil {
						w = &CellWarning{Text: text, First: cell}
						warned[text] = w
					}
					w.Cells, w.First = w.Cells+1, min(w.First, cell)
					first.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if first.err != nil {
		return nil, s.inCell(first.cell, first.err)
	}
	var out []CellWarning
	for _, w := range warned {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b CellWarning) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Text, b.Text))
	})
	return out, context.Cause(ctx)
}

// CellName is a cell's number and values.
func (s *Sweep) CellName(cell int) string {
	name := "cell " + strconv.Itoa(cell)
	for i, value := range s.grid.values(cell) {
		name += fmt.Sprintf(", %s=%s", s.grid.keys[i], value)
	}
	return name
}

// inCell says which cell an error is of.
func (s *Sweep) inCell(cell int, err error) error {
	name := s.CellName(cell)
	var mistakes scenarios.Mistakes
	if errors.As(err, &mistakes) {
		told := slices.Clone(mistakes)
		for i := range told {
			told[i].File = "--vary (" + name + ")"
		}
		return told
	}
	return fmt.Errorf("%s: %w", name, err)
}
