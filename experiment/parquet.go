package experiment

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/stampede-sim/stampede/report"
)

// WriteParquet makes cells.parquet and summary.parquet of the folder's CSV. Numbers are
// whole or floating, undefined figures are null, seeds are unsigned; a key's values are
// numbers where all of them are written as such, and else text.
func (s *Sweep) WriteParquet(dir string) error {
	for _, name := range []string{cellsFile, summaryFile} {
		to := filepath.Join(dir, strings.TrimSuffix(name, ".csv")+".parquet")
		err := report.WriteFile(to, func(w io.Writer) error { return s.writeParquet(w, filepath.Join(dir, name)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// columnKind says how a column of CSV is written as Parquet.
type columnKind uint8

const (
	wholeColumn columnKind = iota
	seedColumn
	numberColumn
	textColumn
)

func (k columnKind) node() parquet.Node {
	switch k {
	case wholeColumn:
		return parquet.Int(64)
	case seedColumn:
		return parquet.Uint(64)
	case textColumn:
		return parquet.String()
	}
	return parquet.Optional(parquet.Leaf(parquet.DoubleType))
}

// value makes a field a value of the column at a place in a row.
func (k columnKind) value(text string, column int) (parquet.Value, error) {
	switch k {
	case wholeColumn:
		n, err := strconv.ParseInt(text, 10, 64)
		return parquet.Int64Value(n).Level(0, 0, column), err
	case seedColumn:
		n, err := strconv.ParseUint(text, 10, 64)
		return parquet.Int64Value(int64(n)).Level(0, 0, column), err
	case textColumn:
		return parquet.ByteArrayValue([]byte(text)).Level(0, 0, column), nil
	}
	if text == "" {
		return parquet.NullValue().Level(0, 0, column), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	return parquet.DoubleValue(v).Level(0, 1, column), err
}

// kindOf tells a column by its name.
func (s *Sweep) kindOf(name string, column int) columnKind {
	switch {
	case name == "cell", name == "replicate", name == "n":
		return wholeColumn
	case name == "seed":
		return seedColumn
	case column < len(s.grid.keys)+3 && slices.Contains(s.grid.keys, name) && !s.isNumeric(name):
		return textColumn
	}
	return numberColumn
}

// isNumeric says whether all values of a key are plain numbers.
func (s *Sweep) isNumeric(key string) bool {
	for _, axis := range s.Spec.Vary {
		for _, of := range axis.Keys {
			if of.Key != key {
				continue
			}
			tries := of.Values
			if of.Range != nil {
				tries = []string{of.Range.At(0), of.Range.At(1)}
			}
			return !slices.ContainsFunc(tries, func(text string) bool {
				_, err := strconv.ParseFloat(text, 64)
				return err != nil
			})
		}
	}
	return false
}

func (s *Sweep) writeParquet(w io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	in := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	group := parquet.Group{}
	kinds := map[string]columnKind{}
	for i, name := range head {
		kinds[name] = s.kindOf(name, i)
		group[name] = kinds[name].node()
	}
	schema := parquet.NewSchema("sweep", group)
	place := map[string]int{} // the library sorts columns by name
	for i, column := range schema.Columns() {
		place[column[0]] = i
	}
	order := make([]int, len(head)) // by the file's columns: which of the schema's
	of := make([]columnKind, len(head))
	for i, name := range head {
		order[i], of[i] = place[name], kinds[name]
	}
	out := parquet.NewWriter(w, schema, parquet.CreatedBy("stampede", "", ""), parquet.MaxRowsPerRowGroup(rowsInGroup))
	row := make(parquet.Row, len(head))
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		for i, text := range record {
			if row[order[i]], err = of[i].value(text, order[i]); err != nil {
				return fmt.Errorf("%s: %s: %w", from, head[i], err)
			}
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// rowsInGroup bounds what is held in memory.
const rowsInGroup = 50_000
