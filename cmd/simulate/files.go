package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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

// pages are the files that are drawn when a run is over.
var pages = []string{"report.html", "charts.html"}

// write writes files into the run's folder, unless --out is off. The pages of another
// run go first: nothing shall stand beside figures that are not its own.
func (c command) write(f *common, name string, files func(dir string) error) error {
	if f.out == "off" {
		return nil
	}
	dir := c.dir(f, name)
	for _, page := range pages {
		if err := removeFile(filepath.Join(dir, page)); err != nil {
			return err
		}
	}
	return files(dir)
}

// removeFile removes an ordinary file, if it is there.
func removeFile(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return os.Remove(path)
}

// tell says where the files are.
func (c command) tell(f *common, name string) {
	if f.out == "off" || f.quiet {
		return
	}
	dir := c.dir(f, name)
	text := "files are in " + dir
	if _, err := os.Stat(filepath.Join(dir, pages[0])); err == nil {
		text = fmt.Sprintf("open %s in a browser; all files are in %s", filepath.Join(dir, pages[0]), dir)
	}
	fmt.Fprintln(c.stderr, printable(text))
}

// kept marks an interruption that left its results.
func (c command) kept(f *common, name string, err error) error {
	if err == nil {
		return nil
	}
	how := "shown"
	if f.out != "off" {
		how = "in " + c.dir(f, name)
	}
	return keptError{err, how}
}

// checkPlaces tests, before anything runs, that the files can be written.
func (c command) checkPlaces(f *common, name string, p *pictures) error {
	if f.out != "off" {
		dir := c.dir(f, name)
		switch info, err := os.Stat(dir); {
		case err == nil && !info.IsDir():
			return badInput("--out %s: is a file; write the name of a folder, or off", dir)
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Lstat(dir); err == nil {
				return badInput("--out %s: is a link to nothing; write the name of a folder, or off", dir)
			}
		}
		if err := tryFolder(dir); err != nil {
			return wrongPlace("--out", dir, err)
		}
	}
	if p.chart == "" {
		return nil
	}
	switch info, err := os.Stat(p.chart); {
	case err == nil && info.IsDir():
		return badInput("--chart %s: is a folder; write the name of a file", p.chart)
	case err == nil && !info.Mode().IsRegular(): // such as /dev/null: written to in place
	default:
		if err := tryFolder(filepath.Dir(p.chart)); err != nil {
			return wrongPlace("--chart", p.chart, err)
		}
	}
	return nil
}

func wrongPlace(flag, path string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return badInput("%s %s: cannot be written: %w", flag, path, err)
}

// tryFolder tests that files can be made in a folder, or in the nearest one above it
// that is there.
func tryFolder(dir string) error {
	for {
		info, err := os.Stat(dir)
		switch up := filepath.Dir(dir); {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			f, err := os.CreateTemp(dir, report.Unfinished)
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Remove(f.Name()))
		case !errors.Is(err, fs.ErrNotExist) || up == dir:
			return err
		default:
			dir = up
		}
	}
}

func writeDocument(path string, v any) error {
	return report.WriteFile(path, func(w io.Writer) error { return report.Document(w, v) })
}

func writeRunsFile(path string, d manyRuns) error {
	return report.WriteFile(path, func(w io.Writer) error { return writeRuns(w, d) })
}

func writeSlots(dir string, tally *model.Tally) error {
	return report.WriteFile(filepath.Join(dir, "slots.csv"), func(w io.Writer) error { return report.Slots(w, tally) })
}

// samePlace says whether two paths lead to one folder.
func samePlace(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
