// Command fetch takes echarts.min.js out of the npm package and puts it where the
// build embeds it. It is run by go generate.
package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stampede-sim/stampede/report"
)

const (
	npmPackage = "echarts@5.6.0"
	member     = "package/dist/echarts.min.js"
	target     = "echarts/echarts.min.js"
)

func main() {
	if err := fetch(); err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}

func fetch() error {
	dir, err := os.MkdirTemp("", "echarts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pack := exec.Command("npm", "pack", "--silent", npmPackage)
	pack.Dir, pack.Stderr = dir, os.Stderr
	if err := pack.Run(); err != nil {
		return fmt.Errorf("npm pack %s: %w", npmPackage, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("npm pack %s left %d archives", npmPackage, len(archives))
	}
	script, err := extract(archives[0])
	if err != nil {
		return err
	}
	if err := report.CheckECharts(script); err != nil {
		return err
	}
	return os.WriteFile(target, script, 0o644)
}

func extract(archive string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for members := tar.NewReader(unzipped); ; {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s holds no %s", npmPackage, member)
		}
		if err != nil {
			return nil, err
		}
		if h.Name == member {
			return io.ReadAll(members)
		}
	}
}
