package experiment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Spool keeps the figures of more runs than memory has room for in files of its own, until
// [Spool.Close].
type Spool struct {
	Pool *model.Pool
	Runs int

	dir     string
	texts   *os.File // a line for each run: how long it took, and its summary as JSON
	values  *os.File // of each run, how many figures it has, and each one's column and value
	out     [2]*bufio.Writer
	paths   [][]string // by column
	columns map[string]uint32
	unmet   []unmet // by expectation
	seeds   []uint64
	expect  []scenarios.Expectation
}

// unmet counts the runs that did not hold an expectation.
type unmet struct {
	runs  int
	first error
}

// NewSpool makes a spool in a folder.
func NewSpool(dir string, expect []scenarios.Expectation) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	own, err := os.MkdirTemp(dir, ".stampede-runs-*")
	if err != nil {
		return nil, err
	}
	p := &Spool{Pool: model.NewPool(), dir: own, columns: map[string]uint32{}, unmet: make([]unmet, len(expect)), expect: expect}
	if p.texts, err = os.Create(filepath.Join(own, "texts")); err == nil {
		p.values, err = os.Create(filepath.Join(own, "values"))
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(own))
	}
	p.out = [2]*bufio.Writer{bufio.NewWriterSize(p.texts, 1<<20), bufio.NewWriterSize(p.values, 1<<20)}
	return p, nil
}

// Close removes the files.
func (p *Spool) Close() error {
	return errors.Join(p.texts.Close(), p.values.Close(), os.RemoveAll(p.dir))
}

// Replicate plays replicates into the spool, as [ReplicateUntil] does into memory.
func (p *Spool) Replicate(ctx context.Context, s *scenarios.Scenario, enough *Until, most, jobs int, done func(int)) error {
	err := playUntil(ctx, s, enough, most, jobs, p.Pool, done, p.add)
	return errors.Join(err, p.out[0].Flush(), p.out[1].Flush())
}

func (p *Spool) add(r *Result) error {
	if _, err := fmt.Fprintf(p.out[0], "%d ", r.Real); err != nil {
		return err
	}
	text := json.NewEncoder(p.out[0])
	text.SetEscapeHTML(false)
	if err := text.Encode(r.Summary); err != nil { // which ends the line
		return err
	}
	var row []byte
	r.Summary.EachFigure(func(path []string, n model.Number) {
		id := pathID(path)
		column, known := p.columns[id]
		if !known {
			column = uint32(len(p.paths))
			p.columns[id] = column
			p.paths = append(p.paths, slices.Clone(path))
		}
		row = binary.LittleEndian.AppendUint32(row, column)
		row = binary.LittleEndian.AppendUint64(row, math.Float64bits(float64(n)))
	})
	if _, err := p.out[1].Write(binary.LittleEndian.AppendUint32(nil, uint32(len(row)/figureBytes))); err != nil {
		return err
	}
	for i, e := range p.expect {
		if err := e.Check(r.Summary); err != nil {
			if p.unmet[i].runs++; p.unmet[i].first == nil {
				p.unmet[i].first = err
			}
		}
	}
	p.seeds = append(p.seeds, r.Seed)
	p.Runs++
	_, err := p.out[1].Write(row)
	return err
}

const figureBytes = 4 + 8

// valuesAtOnce is how many values are gathered in one pass through the file.
const valuesAtOnce = 16 << 20

// gather reads the values of some columns, by run.
func (p *Spool) gather(from, to int) ([][]model.Number, error) {
	values := make([][]model.Number, to-from)
	if _, err := p.values.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(p.values, 1<<20)
	var head [4]byte
	var row []byte
	for {
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return values, nil
		} else if err != nil {
			return nil, err
		}
		n := int(binary.LittleEndian.Uint32(head[:])) * figureBytes
		row = slices.Grow(row[:0], n)[:n]
		if _, err := io.ReadFull(in, row); err != nil {
			return nil, err
		}
		for at := 0; at < n; at += figureBytes {
			column := int(binary.LittleEndian.Uint32(row[at:]))
			if from <= column && column < to {
				v := math.Float64frombits(binary.LittleEndian.Uint64(row[at+4:]))
				values[column-from] = append(values[column-from], model.Number(v))
			}
		}
	}
}

// Aggregate is as [Replicates.Aggregate].
func (p *Spool) Aggregate() (map[string]any, error) {
	tree := map[string]any{}
	each := max(1, valuesAtOnce/max(1, p.Runs))
	for from := 0; from < len(p.paths); from += each {
		to := min(from+each, len(p.paths))
		values, err := p.gather(from, to)
		if err != nil {
			return nil, err
		}
		for i := range values {
			plant(tree, p.paths[from+i], Describe(values[i]))
		}
	}
	return tree, nil
}

// column returns a figure by its path, in all runs.
func (p *Spool) column(path ...string) ([]model.Number, error) {
	column, known := p.columns[pathID(path)]
	if !known {
		return nil, nil
	}
	values, err := p.gather(int(column), int(column)+1)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// Figure returns the statistics of one figure, by its path; that of success by its parts.
func (p *Spool) Figure(name string) (Stats, error) {
	if name == "success" {
		succeeded, err := p.column("operations", "succeeded")
		if err != nil {
			return Stats{}, err
		}
		total, err := p.column("operations", "total")
		if err != nil {
			return Stats{}, err
		}
		for i := range succeeded {
			if succeeded[i] /= total[i]; total[i] == 0 {
				succeeded[i] = model.Undefined()
			}
		}
		return Describe(succeeded), nil
	}
	path, err := model.SplitPath(name)
	if err != nil {
		return Stats{}, err
	}
	values, err := p.column(path...)
	return Describe(values), err
}

// Typical returns the seed of the run with the median wall, as [Replicates.Typical] does.
func (p *Spool) Typical() (seed uint64, any bool, err error) {
	walls, err := p.column("wall_s")
	if err != nil || len(walls) == 0 {
		return 0, false, err
	}
	order := make([]int, len(walls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareDefined(walls[a], walls[b]) })
	return p.seeds[order[(len(order)-1)/2]], true, nil
}

// Unmet says of each expectation in how many runs it failed, and how in the first of them.
func (p *Spool) Unmet() (runs []int, first []error) {
	for _, u := range p.unmet {
		runs, first = append(runs, u.runs), append(first, u.first)
	}
	return runs, first
}

// EachText calls write with every run's summary as JSON in one line, in order; timed adds
// what hangs on the machine.
func (p *Spool) EachText(timed bool, write func(text []byte) error) error {
	if _, err := p.texts.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(p.texts, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		took, text, _ := bytes.Cut(line[:len(line)-1], []byte(" "))
		if timed {
			if text, err = withTimes(text, took); err != nil {
				return err
			}
		}
		if err := write(text); err != nil {
			return err
		}
	}
}

// withTimes puts the engine's times at the end of a summary, which is where they stand.
func withTimes(text, took []byte) ([]byte, error) {
	var ns time.Duration
	if err := json.Unmarshal(took, &ns); err != nil {
		return nil, err
	}
	var engine struct {
		Engine struct{ Events int64 }
	}
	at := bytes.LastIndex(text, []byte(`"engine":`))
	if at < 0 {
		return text, nil
	}
	if err := json.Unmarshal(append([]byte("{"), text[at:]...), &engine); err != nil {
		return nil, err
	}
	with := model.Engine{Events: engine.Engine.Events}
	real := ns.Seconds()
	with.RealSeconds = &real
	if real > 0 {
		speed := float64(with.Events) / real
		with.EventsPerSecond = &speed
	}
	b, err := json.Marshal(with)
	if err != nil {
		return nil, err
	}
	return append(append(append(slices.Clone(text[:at]), `"engine":`...), b...), '}'), nil
}
