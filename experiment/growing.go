package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// growing is a file that grows by whole lines. Where one cannot be written whole, what
// there is of it is taken away again.
type growing struct {
	f       *os.File
	size    int64 // of the whole lines in the file
	pending []byte
}

// pendingMost is how much is gathered before it is written.
const pendingMost = 64 << 10

func (g *growing) write(line []byte) error {
	g.pending = append(g.pending, line...)
	if len(g.pending) < pendingMost {
		return nil
	}
	return g.flush()
}

func (g *growing) flush() error {
	if len(g.pending) == 0 {
		return nil
	}
	n, err := g.f.Write(g.pending)
	if err != nil {
		whole := bytes.LastIndexByte(g.pending[:n], '\n') + 1
		g.size += int64(whole)
		g.pending = nil
		return errors.Join(fmt.Errorf("writing %s: %w", g.f.Name(), err), g.f.Truncate(g.size))
	}
	g.size += int64(n)
	g.pending = g.pending[:0]
	return nil
}

// close puts all that was written on the disk.
func (g *growing) close() error {
	err := g.flush()
	if syncs := g.f.Sync(); err == nil && syncs != nil {
		err = fmt.Errorf("writing %s: %w", g.f.Name(), syncs)
	}
	if closes := g.f.Close(); err == nil {
		err = closes
	}
	return err
}
