package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
)

// dir is where the files of a run go: --out, or out/<name>.
func (c command) dir(f *common, name string) string {
	if f.out != "" {
		return f.out
	}
	return filepath.Join("out", name)
}

// write writes files into the run's folder, unless --out is off, and says where.
func (c command) write(f *common, name string, files func(dir string) error) error {
	if f.out == "off" {
		return nil
	}
	dir := c.dir(f, name)
	if err := files(dir); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(c.stderr, "files are in %s\n", dir)
	}
	return nil
}

func writeDocument(path string, v any) error {
	return report.WriteFile(path, func(w io.Writer) error { return report.Document(w, v) })
}

func writeSlots(dir string, tally *model.Tally) error {
	return report.WriteFile(filepath.Join(dir, "slots.csv"), func(w io.Writer) error { return report.Slots(w, tally) })
}
