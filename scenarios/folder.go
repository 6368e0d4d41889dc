package scenarios

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed traces/*.csv
var traceFiles embed.FS

// mostFileBytes is the longest file beside a scenario that is read.
const mostFileBytes = 256 << 20

// isOwn says whether a text is that of the built-in scenario which the file is named after.
func isOwn(file string, text []byte) bool {
	data, is := Source(strings.TrimSuffix(file, ".yaml"))
	return is && bytes.Equal(data, text)
}

// openBeside opens a file that the scenario names: by a path from the folder that the
// scenario is in, or else one that comes with Stampede, by its name. A built-in scenario
// has those alone, wherever it is run. shown is what its mistakes call it.
func (d *decoder) openBeside(name string) (file io.ReadCloser, shown, wrong string) {
	shown = name
	if !d.own {
		if shown = name; !filepath.IsAbs(name) {
			shown = filepath.Join(filepath.Dir(d.file), name)
		}
		file, wrong = openFile(shown, name)
		if file != nil || wrong != "" {
			return file, shown, wrong
		}
	}
	if with, err := traceFiles.Open("traces/" + name); err == nil && !strings.ContainsAny(name, `/\`) {
		return with, name, ""
	}
	return nil, shown, fmt.Sprintf("there is no file %s%s", quote(name), orElse(didYouMean(name, traces()), "; write a path from the folder of the scenario"))
}

// openFile opens a file that can be read to its end; nothing where there is none. name is
// what the scenario calls it.
func openFile(path, name string) (file io.ReadCloser, wrong string) {
	info, err := os.Stat(path) // first, since opening a pipe would wait for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, cannotBeRead(name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Sprintf("%s is no file; name a CSV file", quote(name))
	case info.Size() > mostFileBytes:
		return nil, fmt.Sprintf("%s is larger than %d MB; cut it shorter", quote(name), mostFileBytes>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotBeRead(name, err)
	}
	return f, ""
}

func cannotBeRead(name string, err error) string {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Sprintf("%s cannot be read: %v", quote(name), err)
}

// traces lists the files that come with Stampede.
func traces() []string {
	found, err := traceFiles.ReadDir("traces")
	if err != nil {
		panic(err) // the files are part of the program
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.Name()
	}
	return names
}
