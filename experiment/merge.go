package experiment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// OpenShards reads what the folders say of themselves and returns the sweep that they are
// all of together, and the folders in order of their shards.
func OpenShards(dirs []string) (*Sweep, []string, error) {
	var first *SweepDocument
	firstDir := ""
	var byShard []string
	for _, dir := range dirs {
		d, err := ReadSweepDocument(dir)
		switch {
		case err != nil:
			return nil, nil, err
		case d == nil:
			return nil, nil, folderError("%s has no %s, so it is no folder of a sweep", dir, sweepFile)
		case d.Partial:
			return nil, nil, folderError("%s is not finished; run its command again, and it goes on where it stopped", dir)
		}
		shard := Shard{1, 1}
		if d.Shard != nil {
			shard = *d.Shard
		}
		if first == nil {
			first, firstDir, byShard = d, dir, make([]string, shard.Of)
		}
		a, b := *first, *d
		a.Shard, b.Shard = nil, nil
		switch {
		case !reflect.DeepEqual(textOf(&a), textOf(&b)):
			return nil, nil, folderError("%s and %s are of different sweeps: their %s differ in more than the shard", firstDir, dir, sweepFile)
		case shard.Of != len(byShard):
			return nil, nil, folderError("%s is one of %d shards and %s one of %d", firstDir, len(byShard), dir, shard.Of)
		case shard.Index < 1 || shard.Index > len(byShard):
			return nil, nil, folderError("%s: there is no shard %s", dir, shard)
		case byShard[shard.Index-1] != "":
			return nil, nil, folderError("%s and %s are both shard %s", byShard[shard.Index-1], dir, shard)
		}
		byShard[shard.Index-1] = dir
	}
	var missing []string
	for i, dir := range byShard {
		if dir == "" {
			missing = append(missing, fmt.Sprintf("%d/%d", i+1, len(byShard)))
		}
	}
	if missing != nil {
		const most = 8
		if more := len(missing) - most; more > 0 {
			missing = append(missing[:most], fmt.Sprintf("and %d more", more))
		}
		return nil, nil, folderError("shards are missing: %s", strings.Join(missing, ", "))
	}
	s, err := restoreSweep(first)
	return s, byShard, err
}

// Merge puts the whole sweep into a folder in place of what an earlier one left there.
// Where a shard turns out to be damaged the folder is as it was.
func (s *Sweep) Merge(dir string, shards []string) (result *SweepResult, err error) {
	_, absent := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	aside, err := os.MkdirTemp(dir, ".stampede-merge-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		removed := os.RemoveAll(aside)
		if err != nil && absent != nil {
			removed = errors.Join(removed, os.Remove(dir))
		}
		err = errors.Join(err, removed)
	}()
	folder, err := s.OpenFolder(aside, true)
	if err != nil {
		return nil, err
	}
	if result, err = s.merge(folder, shards); err != nil {
		return nil, err
	}
	if err := removeSweep(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{sweepFile, cellsFile, summaryFile} {
		if err := os.Rename(filepath.Join(aside, name), filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// merge writes the folder of the whole sweep from those of its shards, cell by cell.
func (s *Sweep) merge(folder *SweepFolder, shards []string) (*SweepResult, error) {
	parts := make([]*part, len(shards))
	defer func() {
		for _, p := range parts {
			if p != nil {
				p.f.Close()
			}
		}
	}()
	for i, dir := range shards {
		p, err := s.openPart(dir)
		if err != nil {
			return nil, errors.Join(err, folder.tables.cells.close(), folder.tables.summary.close())
		}
		parts[i] = p
	}
	t := folder.tables
	for !t.over() {
		p := parts[t.now.cell%len(parts)]
		if err := p.next(t); err != nil {
			return nil, errors.Join(err, t.cells.close(), t.summary.close())
		}
	}
	for _, p := range parts {
		if line, err := p.in.ReadBytes('\n'); len(line) > 0 || !errors.Is(err, io.EOF) {
			return nil, errors.Join(p.damaged("has more lines than its sweep"), t.cells.close(), t.summary.close())
		}
	}
	return t.result, folder.close(&sweeper{Sweep: s, tables: t}, true)
}

// part is the table of one shard.
type part struct {
	f    *os.File
	in   *bufio.Reader
	line int
}

func (s *Sweep) openPart(dir string) (*part, error) {
	f, err := os.Open(filepath.Join(dir, cellsFile))
	if err != nil {
		return nil, err
	}
	p := &part{f: f, in: bufio.NewReaderSize(f, 64<<10), line: 1}
	head, err := p.in.ReadBytes('\n')
	if err != nil || !bytes.Equal(head, s.cellsHeader()) {
		return nil, errors.Join(p.damaged("is not the header that its sweep writes"), f.Close())
	}
	return p, nil
}

func (p *part) damaged(why string) error {
	return folderError("%s:%d: %s; run the shard's command again with --fresh", p.f.Name(), p.line, why)
}

// next moves one run to the whole table.
func (p *part) next(t *sweepTables) error {
	line, err := p.in.ReadBytes('\n')
	p.line++
	if err != nil {
		return p.damaged(fmt.Sprintf("cell %d is not all there", t.now.cell))
	}
	t.line = t.sweep.appendPrefix(t.line[:0], t.now.cell, t.now.runs, t.now.keys)
	rest, found := bytes.CutPrefix(line[:len(line)-1], t.line)
	if !found {
		return p.damaged(fmt.Sprintf("is not replicate %d of cell %d, which comes here", t.now.runs, t.now.cell))
	}
	figures, err := readFigures(rest, len(t.sweep.columns))
	if err != nil {
		return p.damaged(err.Error())
	}
	return t.add(figures)
}
