package main

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
)

// tables are the formats of a sweep's tables. CSV is always written: it is what a sweep
// that was interrupted goes on from.
type tables struct{ format string }

var parquetFiles = []string{"cells.parquet", "summary.parquet"}

func (t *tables) bind(flags *pflag.FlagSet) {
	flags.Var(&text{to: &t.format}, "format", "`csv` or parquet: write the tables as Parquet too, once the sweep is whole (default csv)")
}

func (t *tables) check() error {
	switch t.format {
	case "", "csv", "parquet":
		return nil
	}
	return badInput("--format %q: write csv or parquet", t.format)
}

// remove takes away the tables of an earlier state of the sweep.
func (t *tables) remove(dir string) error {
	for _, name := range parquetFiles {
		if err := removeFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// write writes the tables that are wanted beside those of CSV.
func (t *tables) write(s *experiment.Sweep, dir string) error {
	if t.format != "parquet" {
		return nil
	}
	return s.WriteParquet(dir)
}
