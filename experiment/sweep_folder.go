package experiment

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// The files of a sweep. cells.csv is what all others are made of.
const (
	sweepFile   = "sweep.json"
	cellsFile   = "cells.csv"
	summaryFile = "summary.csv"
	aheadFile   = "ahead.csv" // runs that an interruption left done before others that come first
)

// SweepDocument is sweep.json: what the sweep is, and whether it is done.
type SweepDocument struct {
	Partial bool     `json:"partial"`
	Shard   *Shard   `json:"shard,omitempty"`
	Cells   int      `json:"cells"` // of all shards
	About   string   `json:"about"`
	Whole   []string `json:"whole"` // keys with a range that take whole numbers only
	SweepSpec
}

// Document is what sweep.json says of the sweep.
func (s *Sweep) Document(partial bool) *SweepDocument {
	d := &SweepDocument{Partial: partial, Cells: s.grid.cells, About: s.Base.About, Whole: []string{}, SweepSpec: s.Spec}
	for _, axis := range s.Spec.Vary {
		for _, of := range axis.Keys {
			if of.Range != nil && of.Range.Whole {
				d.Whole = append(d.Whole, of.Key)
			}
		}
	}
	if s.Shard != (Shard{}) {
		d.Shard = &s.Shard
	}
	return d
}

// FolderError says why a folder cannot be used for a sweep.
type FolderError struct{ text string }

func (e FolderError) Error() string { return e.text }

func folderError(format string, args ...any) error { return FolderError{fmt.Sprintf(format, args...)} }

// SweepFolder is a folder that a sweep writes to.
type SweepFolder struct {
	Resumed int // runs that were there

	dir    string
	sweep  *Sweep
	tables *sweepTables
	ahead  map[runID][]model.Number
}

// Whole says whether all of the sweep was there.
func (f *SweepFolder) Whole() bool { return f.tables.over() && f.Resumed > 0 }

// ReadSweepDocument reads a folder's sweep.json; nil where there is none.
func ReadSweepDocument(dir string) (*SweepDocument, error) {
	path := filepath.Join(dir, sweepFile)
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	d := &SweepDocument{}
	if err := json.Unmarshal(b, d); err != nil {
		return nil, folderError("%s is no document of a sweep: %v", path, err)
	}
	if wrong := d.wrong(); wrong != "" {
		return nil, folderError("%s is no document of a sweep: %s", path, wrong)
	}
	return d, nil
}

// wrong says what no sweep writes into its document; "" for nothing.
func (d *SweepDocument) wrong() string {
	switch {
	case d.Shard != nil && (d.Shard.Index < 1 || d.Shard.Of < d.Shard.Index || d.Shard.Of > mostCells):
		return fmt.Sprintf("there is no shard %s", d.Shard)
	case !scenarios.IsName(d.Scenario):
		return fmt.Sprintf("%.40q is no name of a scenario", d.Scenario)
	case len(d.Vary) == 0:
		return "nothing is varied"
	}
	for _, axis := range d.Vary {
		if len(axis.Keys) == 0 {
			return "what is varied has no key"
		}
	}
	return ""
}

// OpenFolder readies a folder for the sweep. If the sweep was there before, what is
// finished is kept, and a torn last line dropped; a folder of another sweep is refused,
// or emptied of it where that is wanted.
func (s *Sweep) OpenFolder(dir string, fresh bool) (*SweepFolder, error) {
	there, err := ReadSweepDocument(dir)
	if err != nil && !fresh {
		return nil, err
	}
	switch {
	case fresh || there == nil:
		if _, err := os.Stat(filepath.Join(dir, cellsFile)); err == nil && !fresh {
			return nil, folderError("%s has a %s and no %s, so it is of no sweep that could go on; write another --out, or --fresh to begin anew", dir, cellsFile, sweepFile)
		}
		if err := removeSweep(dir); err != nil {
			return nil, err
		}
	default:
		if other := s.otherwise(there); other != "" {
			return nil, folderError("%s holds another sweep, %s; write another --out, or --fresh to throw that one away", dir, other)
		}
	}
	if err := report.RemoveUnfinished(dir); err != nil {
		return nil, err
	}
	f := &SweepFolder{dir: dir, sweep: s}
	return f, f.open()
}

// removeSweep removes what a sweep leaves in a folder.
func removeSweep(dir string) error {
	for _, name := range []string{sweepFile, cellsFile, summaryFile, aheadFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// otherwise says in what a folder's sweep differs; "" where it is the same.
func (s *Sweep) otherwise(there *SweepDocument) string {
	here := s.Document(there.Partial)
	shard := func(d *SweepDocument) string {
		if d.Shard == nil {
			return "the whole"
		}
		return "shard " + d.Shard.String()
	}
	switch {
	case reflect.DeepEqual(textOf(here), textOf(there)):
		return ""
	case there.Scenario == "":
		return "one whose " + sweepFile + " names no scenario"
	case here.Scenario != there.Scenario:
		return "of scenario " + there.Scenario
	case here.Text != there.Text:
		return "of a scenario of the same name with another text"
	case shard(here) != shard(there):
		return shard(there) + " and not " + shard(here)
	case !slices.EqualFunc(here.Vary, there.Vary, func(a, b scenarios.Vary) bool { return a.String() == b.String() }):
		return fmt.Sprintf("with --vary %v", there.Vary)
	case here.Seeds != there.Seeds || here.Seed != there.Seed:
		return fmt.Sprintf("with --seed %d --seeds %d", there.Seed, there.Seeds)
	case here.Version != there.Version:
		return "by another version of this program, " + there.Version
	}
	return "with other flags: see its " + sweepFile
}

func textOf(d *SweepDocument) string {
	b, err := json.Marshal(d)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// open reads what is there and opens the tables to go on.
func (f *SweepFolder) open() error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	write := func() error { return f.document(true) }
	if _, err := os.Stat(filepath.Join(f.dir, sweepFile)); err != nil {
		if err := write(); err != nil { // first of all: without it the rest is of no known sweep
			return err
		}
		write = func() error { return nil }
	}
	cells, err := os.OpenFile(filepath.Join(f.dir, cellsFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	summary, err := os.OpenFile(filepath.Join(f.dir, summaryFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return errors.Join(err, cells.Close())
	}
	f.tables = f.sweep.newTables(&growing{f: cells}, &growing{f: summary})
	if err := f.replay(); err != nil {
		return errors.Join(err, cells.Close(), summary.Close())
	}
	if !f.tables.over() {
		return write()
	}
	return nil
}

// replay reads cells.csv, makes summary.csv of it, and cuts off a torn line.
func (f *SweepFolder) replay() error {
	t := f.tables
	if err := t.summary.write(f.sweep.summaryHeader()); err != nil {
		return err
	}
	header := f.sweep.cellsHeader()
	in := bufio.NewReaderSize(t.cells.f, 1<<20)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what there is of a last line is torn
		}
		if err != nil {
			return err
		}
		if err := f.read(line, number, header); err != nil {
			return err
		}
		t.cells.size += int64(len(line))
	}
	if err := t.cells.f.Truncate(t.cells.size); err != nil {
		return err
	}
	if _, err := t.cells.f.Seek(t.cells.size, io.SeekStart); err != nil {
		return err
	}
	f.Resumed = t.result.Runs
	if t.cells.size == 0 {
		return t.cells.write(header)
	}
	return f.readAhead()
}

func (f *SweepFolder) read(line []byte, number int, header []byte) error {
	damaged := func(why string) error {
		return folderError("%s:%d: %s; the file was changed by something else: write another --out, or --fresh to begin anew", filepath.Join(f.dir, cellsFile), number, why)
	}
	t := f.tables
	switch {
	case number == 1 && bytes.Equal(line, header):
		return nil
	case number == 1:
		return damaged("is not the header that this sweep writes")
	case t.over():
		return damaged("is more than the sweep has")
	}
	t.line = f.sweep.appendPrefix(t.line[:0], t.now.cell, t.now.runs, t.now.keys)
	rest, found := bytes.CutPrefix(line[:len(line)-1], t.line)
	if !found {
		return damaged(fmt.Sprintf("is not replicate %d of cell %d, which comes here", t.now.runs, t.now.cell))
	}
	figures, err := readFigures(rest, len(f.sweep.columns))
	if err != nil {
		return damaged(err.Error())
	}
	return t.count(figures)
}

// readAhead reads runs that were done out of turn. What it cannot read is done again.
func (f *SweepFolder) readAhead() error {
	f.ahead = map[runID][]model.Number{}
	b, err := os.ReadFile(filepath.Join(f.dir, aheadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range bytes.Lines(b) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		fields := bytes.SplitN(line, []byte(","), 3)
		if !whole || len(fields) < 3 {
			continue
		}
		cell, notCell := strconv.Atoi(string(fields[0]))
		replicate, notReplicate := strconv.Atoi(string(fields[1]))
		if notCell != nil || notReplicate != nil || cell < 0 || cell >= f.sweep.grid.cells {
			continue
		}
		prefix := f.sweep.appendPrefix(nil, cell, replicate, f.sweep.keyFields(cell))
		if rest, is := bytes.CutPrefix(line, prefix); is {
			if figures, err := readFigures(rest, len(f.sweep.columns)); err == nil {
				f.ahead[runID{cell, replicate}] = figures
			}
		}
	}
	return nil
}

// close puts on the disk what was finished: in order as far as there is no gap, and the
// rest apart.
func (f *SweepFolder) close(w *sweeper, complete bool) error {
	var wrong error
	if !complete && w.err == nil {
		wrong = f.putRest(w)
	}
	err := errors.Join(w.err, wrong, f.tables.cells.close(), f.tables.summary.close())
	if err != nil || !complete {
		return err
	}
	if err := os.Remove(filepath.Join(f.dir, aheadFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.document(false)
}

// putRest writes what is left of an interrupted sweep.
func (f *SweepFolder) putRest(w *sweeper) error {
	for {
		u := w.pending[w.written]
		if u == nil {
			break
		}
		delete(w.pending, w.written)
		w.written++
		if err := w.put(u.rows); err != nil {
			return err
		}
		if !u.done {
			break
		}
	}
	kept := map[runID][]model.Number{}
	for id, figures := range f.ahead {
		kept[id] = figures
	}
	for _, u := range w.pending {
		for i, figures := range u.rows {
			kept[runID{u.cell, u.from + i}] = figures
		}
	}
	now := runID{w.tables.now.cell, w.tables.now.runs}
	var ids []runID
	for id := range kept {
		if !id.before(now) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.SortFunc(ids, func(a, b runID) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return report.WriteFile(filepath.Join(f.dir, aheadFile), func(out io.Writer) error {
		if _, err := out.Write(f.sweep.cellsHeader()); err != nil {
			return err
		}
		for _, id := range ids {
			line := f.sweep.appendPrefix(nil, id.cell, id.replicate, f.sweep.keyFields(id.cell))
			if _, err := out.Write(appendFigures(line, kept[id])); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r runID) before(o runID) bool {
	return r.cell < o.cell || r.cell == o.cell && r.replicate < o.replicate
}

func (f *SweepFolder) document(partial bool) error {
	return report.WriteFile(filepath.Join(f.dir, sweepFile), func(w io.Writer) error { return report.Document(w, f.sweep.Document(partial)) })
}
